// Child pointers as word offsets into the next level. Scene files of version 1 and pages hold these instead
// of the children's numbers.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// Replaces the word offsets of all levels by node numbers, and finds the places of the nodes. Throws Error
// that names the level and the word if a node reaches beyond the end of its level, or if a pointer leads to a
// word where no node starts.
void offsets_to_numbers(FrozenDag& dag);

// A level has at most this many words, because offsets are 32-bit words.
inline constexpr uint64_t kMostOffsetWords = uint64_t{1} << 32;

// Returns the words of a level with word offsets for pointers; leaves have no pointers. The level below must
// have at most kMostOffsetWords words.
Words words_with_offsets(const FrozenDag& dag, uint32_t level);

}  // namespace vox::dag
