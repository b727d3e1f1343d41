// Merges the same level of several rounds into one: nodes with equal words, whose children have been merged
// before, become one node.
//
//   for each portion of the nodes, by a hash of their words, as many portions as memory asks for:
//     for each round, piece by piece:   words to the device, children's numbers replaced
//                                       those of the portion → a table of different nodes (unique_nodes.h)
//                                       their numbers → the host
//     what is in the table → the host
#pragma once

#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/rounds/round.h"
#include "libvox/rounds/unique_nodes.h"

namespace vox::rounds {

// One round's nodes of a level, and the numbers that they get.
struct LevelSource {
  std::span<const uint32_t> words;
  std::span<const uint8_t> sizes;
  // The numbers of the nodes of the level below in their merged level. Empty if the words already hold these.
  std::span<const uint32_t> below;
  RoundLevel* owner = nullptr;          // owns words and sizes; emptied when they are no longer needed
  SpilledArray<uint32_t> numbers = {};  // the nodes' numbers in the merged level
};

struct InPortion {
  const uint32_t* words;
  const uint32_t* offsets;
  uint32_t portion, portions;
  VOX_HD bool operator()(uint64_t i) const {
    const uint64_t hash = hash::hash_words(words + offsets[i], offsets[i + 1] - offsets[i]);
    return hash::bucket_of(hash << 32, portions) == portion;  // the table's buckets use the upper half
  }
};

struct MergeOptions {
  uint64_t nodes_at_once = 0;  // 0 means as many as memory allows
  uint32_t least_portions = 1;
};

template <class Device>
class LevelMerger {
 public:
  LevelMerger(Device& device, const SpillPlace& place, const MergeOptions& options)
      : device_(device), place_(place), options_(options) {}

  // Merges the sources and sets the numbers of each.
  RoundLevel run(std::vector<LevelSource>& sources) {
    uint64_t nodes = 0, words = 0, below = 0;
    for (LevelSource& source : sources) {
      nodes += source.sizes.size();
      words += source.words.size();
      below = std::max<uint64_t>(below, source.below.size());
      source.numbers = {place_, source.sizes.size()};
      source.numbers.append(source.sizes.size());
    }
    for (uint32_t portions = portions_for(nodes, words, below);; portions *= 2) {
      try {
        RoundLevel level = merged(sources, nodes, words, portions);
        for (LevelSource& source : sources) drop(source);
        return level;
      } catch (const TooManyNodes&) {
        log_line(LogLevel::Debug, "a portion of a level has more nodes than expected, halving portions");
      }
    }
  }

 private:
  // The bytes that a node of a piece takes: its words, size and place; the arrays of chosen, found and new
  // nodes; its number.
  static constexpr uint64_t kBytesPerNode = 80;

  // A table has fewer than 2^32 words, and uses the memory that pieces and the numbers of children leave
  // free.
  uint32_t portions_for(uint64_t nodes, uint64_t words, uint64_t below) const {
    const uint64_t available = device_.pool().available();
    const uint64_t room = std::max<uint64_t>((available - std::min(available, 4 * below)) / 8 * 5, 1 << 12);
    const uint64_t bytes = UniqueRoom{nodes, words}.bytes();
    const uint64_t portions = std::max(bytes / room + 1, words / kMostWords + 1);
    return static_cast<uint32_t>(std::clamp<uint64_t>(portions, options_.least_portions, 1 << 20));
  }

  static void drop(LevelSource& source) {
    if (source.owner) *source.owner = {};
    source.words = {};
    source.sizes = {};
  }

  // Portions have about the same size. A single portion has room for all nodes, so it cannot fail.
  static UniqueRoom room_for(uint64_t nodes, uint64_t words, uint32_t portions) {
    if (portions == 1) return {nodes, words};
    constexpr uint64_t kMore = 1 << 8;
    const uint64_t share = nodes / portions;
    return {std::min(nodes, share + share / 16 + kMore),
            std::min(words, words / portions + words / portions / 16 + kMore * hash::kMaxItemWords)};
  }

  RoundLevel merged(std::vector<LevelSource>& sources, uint64_t nodes, uint64_t words, uint32_t portions) {
    RoundLevel level = {{place_, words}, {place_, nodes}};
    for (uint32_t portion = 0; portion < portions; ++portion) {
      UniqueNodes<Device> unique(device_, room_for(nodes, words, portions));
      for (LevelSource& source : sources) {
        add(source, unique, level.nodes(), portion, portions);
        if (portions == 1) drop(source);
      }
      if (level.nodes() + unique.nodes() >= UINT32_MAX)
        throw Error("a level of the DAG has more than 2^32 nodes").hint("lower the resolution");
      keep(unique, level);
    }
    return level;
  }

  void add(LevelSource& source, UniqueNodes<Device>& unique, uint64_t first, uint32_t portion,
           uint32_t portions) {
    auto below = device_.template make<uint32_t>(source.below.size());
    device_.upload(below.data(), source.below.data(), source.below.size());
    NodeStream<Device> stream(
        device_, source.words, source.sizes,
        options_.nodes_at_once > 0 ? options_.nodes_at_once : nodes_at_once(device_, kBytesPerNode));
    while (!stream.done()) {
      const NodePiece piece = stream.next();
      if (below.size() > 0)
        device_.for_each({"rounds: translate", 40}, piece.count,
                         ReplaceChildren{piece.words.data(), piece.offsets.data(), below.data()});
      number(piece, unique, static_cast<uint32_t>(first), portion, portions,
             source.numbers.data() + piece.first);
    }
  }

  void number(const NodePiece& piece, UniqueNodes<Device>& unique, uint32_t first, uint32_t portion,
              uint32_t portions, uint32_t* to) {
    auto numbers = device_.template make<uint32_t>(piece.count);
    if (portions == 1) {
      unique.number(piece, nullptr, piece.count, first, numbers.data());
    } else {
      if (portion > 0) device_.upload(numbers.data(), to, piece.count);
      auto chosen = device_.template make<uint32_t>(piece.count);
      const uint64_t count = device_.select(
          {"rounds: choose portion", 40}, piece.count,
          InPortion{piece.words.data(), piece.offsets.data(), portion, portions}, chosen.data());
      unique.number(piece, chosen.data(), count, first, numbers.data());
    }
    device_.download(to, numbers.data(), piece.count);
  }

  void keep(const UniqueNodes<Device>& unique, RoundLevel& level) {
    device_.download(level.words.append(unique.words()).data(), unique.word_data(), unique.words());
    const uint64_t at_once = nodes_at_once(device_, 1);
    for (uint64_t first = 0; first < unique.nodes(); first += at_once) {
      const uint64_t n = std::min(at_once, unique.nodes() - first);
      auto sizes = device_.template make<uint8_t>(n);
      device_.for_each({"rounds: sizes", 5}, n, SizesOfNodes{unique.offset_data() + first, sizes.data()});
      device_.download(level.sizes.append(n).data(), sizes.data(), n);
    }
  }

  Device& device_;
  const SpillPlace& place_;
  MergeOptions options_;
};

}  // namespace vox::rounds
