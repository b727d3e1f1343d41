// The levels of the SVDAG of a scene file. The words of a level lie in one dataset or, run after run, in one dataset of
// each part. Child numbers have 4 or 8 bytes in the file (docs/formats.md), and 4 in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "formats/scene/groups.h"
#include "libvox/base/words.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

// A level whose attributes and places of nodes have been read.
struct SvdagLevel {
  std::string where;       // for messages: the file and its group
  dag::LevelForm form;     // 12 B
  LevelSizes sizes;        // 24 B
  LevelOfParts runs = {};  // one run if the scene is not in parts
  LongWords starts = {};   // in the form for memory; none in files of version 1

  bool has_long_numbers() const { return runs.word_begins.back() != sizes.words; }
};

// Opens all levels of a DAG; `parts` is empty if the scene is not in parts. Throws Error if the file contradicts itself
// or a level has too many nodes.
std::vector<SvdagLevel> open_levels(const h5::Object& svdag, std::span<const OpenPart> parts,
                                    uint32_t version, const dag::FrozenDag& dag);

// Returns the words of a level, given those in the file.
Words words_in_memory(const SvdagLevel& level, Words in_file);

// Reads words of a level in their form in memory, from number `first` on.
struct LevelReader {
  std::function<void(uint64_t first, std::span<uint32_t> to)> read;
  uint64_t piece_words = 0;  // the number of words that are best read together
};

// Returns a reader that any thread may use, even in the handler of a fault, or nothing if the form of the words does
// not allow that. `files` are the files of the runs.
std::optional<LevelReader> level_reader(const SvdagLevel& level,
                                        std::span<const std::shared_ptr<const ReadFile>> files);

}  // namespace vox
