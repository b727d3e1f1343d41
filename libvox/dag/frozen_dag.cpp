#include "libvox/dag/frozen_dag.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <system_error>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

uint64_t FrozenDag::unique_nodes() const {
  uint64_t sum = 0;
  for (const DagLevel& level : levels) sum += level.nodes;
  return sum;
}

uint64_t FrozenDag::svo_nodes() const {
  uint64_t sum = 0;
  for (const DagLevel& level : levels) sum += level.svo_nodes;
  return sum;
}

uint64_t FrozenDag::bytes() const {
  uint64_t words = 0;
  for (const DagLevel& level : levels) words += level.words.size();
  return words * sizeof(uint32_t);
}

uint32_t depth_for(uint32_t resolution) {
  if (resolution <= kLeafSide) return 0;
  return static_cast<uint32_t>(std::bit_width(resolution - 1)) - kLeafLog2;
}

FrozenDag empty_dag(uint32_t resolution, bool materials) {
  FrozenDag dag;
  dag.resolution = resolution;
  dag.materials = materials;
  dag.levels.resize(depth_for(resolution) + 1);
  dag.digest = compute_digest(dag);
  return dag;
}

int voxel_at(const FrozenDag& dag, uint32_t x, uint32_t y, uint32_t z) {
  if (dag.empty() || x >= dag.side() || y >= dag.side() || z >= dag.side()) return kEmptyVoxel;
  uint32_t number = 0;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    const uint32_t* node = dag.levels[level].node(number);
    const uint32_t child = octant_at(Vec3<uint32_t>{x, y, z}, kLeafLog2 + dag.depth() - level - 1);
    if ((node[0] >> child & 1) == 0) return kEmptyVoxel;
    number = node[child_word(node[0], child)];
  }
  const uint32_t* leaf = dag.levels.back().node(number);
  const uint32_t bit = cube_bit(x, y, z);
  if ((leaf_mask(leaf) >> bit & 1) == 0) return kEmptyVoxel;
  return dag.materials ? static_cast<int>(leaf_material(leaf, bit)) : 0;
}

Digest compute_digest(const FrozenDag& dag) {
  return digest_of(dag, UINT64_MAX);
}

Digest scene_digest(uint32_t resolution, uint32_t depth, bool materials, const Digest* root) {
  Digest digest = start_digest(3);
  combine(digest, resolution);
  combine(digest, depth);
  combine(digest, materials ? 4 : 0);
  if (root) {
    combine(digest, root->low);
    combine(digest, root->high);
  }
  return digest;
}

std::string to_string(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::optional<Digest> parse_digest(std::string_view text) {
  Digest digest;
  const auto parse = [](std::string_view digits, uint64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (text.size() != 32 || !parse(text.substr(0, 16), digest.high) || !parse(text.substr(16), digest.low))
    return std::nullopt;
  return digest;
}

uint64_t checked_size(std::span<const uint32_t> words, uint64_t at, const LevelForm& form) {
  if (at >= words.size())
    throw Error(fmt::format("a node starts here, but there are only {} words", words.size()))
        .at(level_place(form.level, at));
  const uint64_t left = words.size() - at;
  // Even a leaf's mask may be cut off at the end.
  const uint64_t size =
      form.kind == NodeKind::Leaf && left < 2 ? 2 : words_of(&words[at], form.kind, form.materials);
  if (size > left)
    throw Error(fmt::format("a node has {} words, but only {} are left", size, left))
        .at(level_place(form.level, at));
  return size;
}

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

void check_starts(const LevelForm& form, uint64_t words, uint64_t nodes, std::span<const uint64_t> starts) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(problem).at(fmt::format("level {}", form.level));
  };
  if (nodes > kMostNodes || nodes > words) refuse(fmt::format("has {} nodes in {} words", nodes, words));
  const uint64_t runs = (nodes + kStartEvery - 1) / kStartEvery;
  if (starts.size() != runs)
    refuse(fmt::format("has {} starts, expected {} for {} nodes", starts.size(), runs, nodes));
  if (nodes == 0 && words > 0) refuse(fmt::format("has no nodes, but {} words", words));
  if (nodes > 0 && starts[0] != 0)
    refuse(fmt::format("its first node starts at word {}, expected 0", starts[0]));
}

void put_place(std::span<PlacesBlock> blocks, uint64_t number, uint64_t word) {
  PlacesBlock& block = blocks[number / PlacesBlock::kNodes];
  if (number % PlacesBlock::kNodes == 0) block.first = word;
  block.steps[number % PlacesBlock::kNodes] = static_cast<uint16_t>(word - block.first);
}

NodePlaces::NodePlaces(std::span<const uint32_t> words, const LevelForm& form, uint64_t nodes,
                       std::span<const uint64_t> starts)
    : nodes_(nodes) {
  check_starts(form, words.size(), nodes, starts);
  if (nodes == 0) return;
  blocks_.resize(blocks_for(nodes));
  parallel_for(uint64_t{0}, uint64_t{starts.size()},
               [&](uint64_t run) { place_run(words, form, starts, run); });
}

// Places the nodes from one start to the next.
void NodePlaces::place_run(std::span<const uint32_t> words, const LevelForm& form,
                           std::span<const uint64_t> starts, uint64_t run) {
  const uint64_t last = std::min((run + 1) * kStartEvery, nodes_);
  const uint64_t end = run + 1 < starts.size() ? starts[run + 1] : words.size();
  uint64_t at = starts[run];
  for (uint64_t number = run * kStartEvery; number < last; ++number) {
    put_place(blocks_, number, at);
    at += checked_size(words, at, form);
  }
  if (at != end)
    throw Error(fmt::format("node {} should start here, but starts at word {}", last, end))
        .at(level_place(form.level, at));
  if (last == nodes_) put_place(blocks_, nodes_, at);
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

namespace {

// Finds the number of the node that starts at a word, with one bit for each word of a level and one count for
// every 64 words.
class NumbersOfWords {
 public:
  explicit NumbersOfWords(const DagLevel& level) : blocks_((level.words.size() + 63) / 64, Block{}) {
    parallel_for_each(level, [&](uint64_t, const uint32_t* node) {
      const auto word = static_cast<uint64_t>(node - level.words.data());
      std::atomic_ref(blocks_[word / 64].starts)
          .fetch_or(uint64_t{1} << word % 64, std::memory_order_relaxed);
    });
    tbb::parallel_scan(
        tbb::blocked_range<size_t>(0, blocks_.size(), 1024), uint64_t{0},
        [&](const tbb::blocked_range<size_t>& range, uint64_t before, bool is_final) {
          for (size_t i = range.begin(); i < range.end(); ++i) {
            if (is_final) blocks_[i].first = before;
            before += static_cast<uint64_t>(std::popcount(blocks_[i].starts));
          }
          return before;
        },
        std::plus<>());
  }

  bool starts_at(uint64_t word) const {
    return word / 64 < blocks_.size() && (blocks_[word / 64].starts >> word % 64 & 1) != 0;
  }
  // Returns the number of the node that starts at this word.
  uint32_t operator[](uint64_t word) const {
    const Block& block = blocks_[word / 64];
    const uint64_t before = block.starts & ((uint64_t{1} << word % 64) - 1);
    return static_cast<uint32_t>(block.first + static_cast<uint64_t>(std::popcount(before)));
  }

 private:
  struct Block {
    uint64_t starts;  // bit i is set if a node starts at word 64 · block + i
    uint64_t first;   // the number of the first node that starts in the block
  };
  std::vector<Block> blocks_;
};

}  // namespace

void offsets_to_numbers(FrozenDag& dag) {
  for (size_t level = 0; level < dag.levels.size(); ++level)
    if (dag.levels[level].words.size() > kMostOffsetWords)
      throw Error("more than 2^32 words").at(fmt::format("level {}", level));
  place_nodes(dag);
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    Words& words = dag.levels[level].words;
    const NumbersOfWords below(dag.levels[level + 1]);
    parallel_for_each(dag.levels[level], [&](uint64_t, const uint32_t* node) {
      const auto begin = static_cast<uint64_t>(node - words.data());
      for (uint64_t i = begin + 1; i < begin + node_words(words[begin]); ++i) {
        if (!below.starts_at(words[i]))
          throw Error(fmt::format("points to word {} of level {}, where no node starts", words[i], level + 1))
              .at(level_place(level, i));
        words[i] = below[words[i]];
      }
    });
  }
}

Words words_with_offsets(const FrozenDag& dag, uint32_t level) {
  Words words = dag.levels[level].words;
  if (level == dag.depth()) return words;
  const DagLevel& below = dag.levels[level + 1];
  parallel_for_each(dag.levels[level], [&](uint64_t, const uint32_t* node) {
    uint32_t* to = words.data() + (node - dag.levels[level].words.data());
    for (uint32_t i = 1; i < node_words(node[0]); ++i) to[i] = static_cast<uint32_t>(below.places[node[i]]);
  });
  return words;
}

OctreeCounts octree_counts(const FrozenDag& dag) {
  return octree_counts(dag, UINT64_MAX);
}

void count_octree(FrozenDag& dag) {
  count_octree(dag, UINT64_MAX);
}

}  // namespace vox::dag
