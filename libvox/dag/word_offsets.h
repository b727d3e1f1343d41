// Child pointers as word offsets into the next level, which scene files of version 1 and pages have instead of the
// children's numbers.
#pragma once

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// Replaces the word offsets of all levels by numbers, and finds where nodes are. Throws Error that names level and
// word where a node reaches beyond the end of its level, or a pointer leads to a word where no node starts.
void offsets_to_numbers(FrozenDag& dag);

// A level has fewer words than this: offsets are words.
inline constexpr uint64_t kMostOffsetWords = uint64_t{1} << 32;

// The words of a level with word offsets; those of leaves have none. The level below has at most
// kMostOffsetWords words.
Words words_with_offsets(const FrozenDag& dag, uint32_t level);

}  // namespace vox::dag
