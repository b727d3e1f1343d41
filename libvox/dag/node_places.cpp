#include "libvox/dag/node_places.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "libvox/base/error.h"

namespace vox::dag {
namespace {

// Returns the number of words of the node at word `at`, which must not reach beyond the end. Even a leaf's
// mask may be cut off there.
uint64_t checked_size(std::span<const uint32_t> words, uint64_t at, const LevelForm& form) {
  const uint64_t left = words.size() - at;
  const uint64_t size =
      form.kind == NodeKind::Leaf && left < 2 ? 2 : words_of(&words[at], form.kind, form.materials);
  if (size > left)
    throw Error(fmt::format("a node has {} words, but only {} are left", size, left))
        .at(level_place(form.level, at));
  return size;
}

}  // namespace

std::string level_place(uint32_t level, uint64_t word) {
  return fmt::format("level {}, word {}", level, word);
}

NodeStarts find_starts(std::span<const uint32_t> words, const LevelForm& form, uint64_t first) {
  NodeStarts found;
  for (uint64_t at = 0; at < words.size(); ++found.nodes) {
    if ((first + found.nodes) % kStartEvery == 0) found.starts.push_back(at);
    at += checked_size(words, at, form);
  }
  if (first + found.nodes > kMostNodes)
    throw Error(
        fmt::format("there are {} nodes, but a level can have at most {}", first + found.nodes, kMostNodes))
        .at(fmt::format("level {}", form.level));
  return found;
}

NodePlaces::NodePlaces(std::span<const uint32_t> words, const LevelForm& form, uint64_t nodes,
                       std::span<const uint64_t> starts)
    : nodes_(nodes) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(problem).at(fmt::format("level {}", form.level));
  };
  if (nodes > kMostNodes || nodes > words.size())
    refuse(fmt::format("has {} nodes in {} words", nodes, words.size()));
  const uint64_t runs = (nodes + kStartEvery - 1) / kStartEvery;
  if (starts.size() != runs)
    refuse(fmt::format("has {} starts, expected {} for {} nodes", starts.size(), runs, nodes));
  if (nodes == 0) {
    if (!words.empty()) refuse(fmt::format("has no nodes, but {} words", words.size()));
    return;
  }
  if (starts[0] != 0) refuse(fmt::format("its first node starts at word {}, expected 0", starts[0]));
  blocks_.resize(blocks_for(nodes));
  tbb::parallel_for(uint64_t{0}, runs, [&](uint64_t run) { place_run(words, form, starts, run); });
}

void NodePlaces::put(uint64_t number, uint64_t word) {
  PlacesBlock& block = blocks_[number / PlacesBlock::kNodes];
  if (number % PlacesBlock::kNodes == 0) block.first = word;
  block.steps[number % PlacesBlock::kNodes] = static_cast<uint16_t>(word - block.first);
}

// Places the nodes from one start to the next.
void NodePlaces::place_run(std::span<const uint32_t> words, const LevelForm& form,
                           std::span<const uint64_t> starts, uint64_t run) {
  const uint64_t last = std::min((run + 1) * kStartEvery, nodes_);
  const uint64_t end = run + 1 < starts.size() ? starts[run + 1] : words.size();
  uint64_t at = starts[run];
  for (uint64_t number = run * kStartEvery; number < last; ++number) {
    if (at >= words.size())
      throw Error(
          fmt::format("node {} starts at word {}, but there are only {} words", number, at, words.size()))
          .at(fmt::format("level {}", form.level));
    put(number, at);
    at += checked_size(words, at, form);
  }
  if (at != end)
    throw Error(fmt::format("node {} should start here, but starts at word {}", last, end))
        .at(level_place(form.level, at));
  if (last == nodes_) put(nodes_, at);
}

std::vector<uint64_t> NodePlaces::starts() const {
  std::vector<uint64_t> starts;
  for (uint64_t number = 0; number < nodes_; number += kStartEvery) starts.push_back((*this)[number]);
  return starts;
}

hash::SizeCounts NodePlaces::sizes() const {
  const auto count = [&](const tbb::blocked_range<uint64_t>& range, hash::SizeCounts counts) {
    for (uint64_t number = range.begin(); number < range.end(); ++number)
      ++counts[(*this)[number + 1] - (*this)[number]];
    return counts;
  };
  const auto add = [](hash::SizeCounts a, const hash::SizeCounts& b) {
    for (size_t size = 0; size < a.size(); ++size) a[size] += b[size];
    return a;
  };
  return tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, nodes_, 1 << 14), hash::SizeCounts{}, count,
                              add);
}

// A block has far fewer than 2^32 words, so each block begins less than 2^32 words behind the previous one.
void restore_first_words(std::span<PlacesBlock> blocks) {
  for (size_t i = 1; i < blocks.size(); ++i)
    blocks[i].first = blocks[i - 1].first + static_cast<uint32_t>(blocks[i].first - blocks[i - 1].first);
}

}  // namespace vox::dag
