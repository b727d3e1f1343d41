// Merges the same level of several rounds into one: nodes with equal words, whose children have been merged
// before, become one node.
//
//   for each portion of the nodes, by a hash of their words, as many portions as memory asks for:
//     for each round, piece by piece:   words to the device; in the first portion, children's numbers are replaced
//                                       those of the portion → a table of different nodes
//                                       their numbers → the host
//                                       those of later portions → back to the host (node_numbers.h)
//     what is in the table → the host
//
// Nodes that are in the table are no longer in their rounds, so that no words lie on the host twice.
#pragma once

#include "libvox/base/error.h"
#include "libvox/build/node_numbers.h"
#include "libvox/build/round.h"
#include "libvox/device/atomics.h"
#include "libvox/device/device.h"
#include "libvox/hash/batch.h"

namespace vox::build {

// A table that keeps one of equal nodes, and numbers the nodes that it keeps in the order in which they come. Their
// words lie one behind the other. The table takes 10 bytes for each node besides its words, and has room for as many
// nodes as are expected. If more come, it is made anew.

// The number of nodes and of words for which a table has room.
struct UniqueRoom {
  uint64_t nodes = 0, words = 0;

  static constexpr uint64_t kTableBytes = 6;  // for each node: 3 slots for 2 nodes
  uint64_t slots() const { return nodes + nodes / 2 + 1; }
  uint64_t bytes() const { return words * 4 + nodes * (4 + kTableBytes); }
};

// The nodes in the table, and the nodes of a piece that are looked up. A slot of the table, or the result of
// a search, is the number of a node in the table or, from `known` on, known + the place of a node among the
// piece's chosen nodes.
struct UniqueRef {
  static constexpr uint32_t kNone = UINT32_MAX;

  const uint32_t* words;
  const uint32_t* offsets;
  uint32_t known;
  const uint32_t* piece_words;
  const uint32_t* piece_offsets;
  const uint32_t* chosen;  // nullptr if all nodes of the piece are chosen
  uint32_t* table;
  uint32_t slots;

  VOX_HD uint32_t place(uint32_t i) const { return chosen ? chosen[i] : i; }
  VOX_HD const uint32_t* piece_node(uint32_t i) const { return piece_words + piece_offsets[place(i)]; }
  VOX_HD uint32_t piece_size(uint32_t i) const {
    return piece_offsets[place(i) + 1] - piece_offsets[place(i)];
  }
  VOX_HD const uint32_t* node(uint32_t number) const {
    return number < known ? words + offsets[number] : piece_node(number - known);
  }
  VOX_HD uint32_t size(uint32_t number) const {
    return number < known ? offsets[number + 1] - offsets[number] : piece_size(number - known);
  }
};

struct FindUnique {
  UniqueRef unique;
  uint32_t* found;
  uint32_t* slot_of;  // the slot that each new node has taken

  VOX_HD void prefetch(uint64_t i, int stage) const {
    const auto at = static_cast<uint32_t>(i);
    if (stage == 0) return prefetch_line(unique.piece_node(at));
    prefetch_line(unique.table + first_slot(at));
  }
  VOX_HD void operator()(uint64_t i) const {
    const auto at = static_cast<uint32_t>(i);
    const uint32_t size = unique.piece_size(at);
    const uint32_t* node = unique.piece_node(at);
    for (uint32_t slot = first_slot(at);; slot = slot + 1 < unique.slots ? slot + 1 : 0) {
      uint32_t there = device::atomic_load_relaxed(unique.table + slot);
      if (there == UniqueRef::kNone) {
        there = device::atomic_exchange_if_relaxed(unique.table + slot, UniqueRef::kNone, unique.known + at);
        if (there == UniqueRef::kNone) {
          found[i] = unique.known + at;
          slot_of[i] = slot;
          return;
        }
      }
      if (unique.size(there) == size && hash::same_words(unique.node(there), node, size)) {
        found[i] = there;
        return;
      }
    }
  }

 private:
  VOX_HD uint32_t first_slot(uint32_t at) const {
    return hash::bucket_of(hash::hash_words(unique.piece_node(at), unique.piece_size(at)), unique.slots);
  }
};
static_assert(device::PrefetchingBody<FindUnique>);

// Counts each new node in the upper half, and its words in the lower half.
struct CountNew {
  UniqueRef unique;
  const uint32_t* found;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const auto at = static_cast<uint32_t>(i);
    return found[i] == unique.known + at ? uint64_t{1} << 32 | unique.piece_size(at) : 0;
  }
};

struct AppendNew {
  UniqueRef unique;
  const uint32_t* found;
  const uint32_t* slot_of;
  const uint64_t* before;  // the prefix sums of CountNew
  uint32_t used;           // the number of words before this piece
  uint32_t* words;
  uint32_t* offsets;
  VOX_HD void operator()(uint64_t i) const {
    const auto at = static_cast<uint32_t>(i);
    if (found[i] != unique.known + at) return;
    const uint32_t number = unique.known + static_cast<uint32_t>(before[i] >> 32);
    const uint32_t begin = used + static_cast<uint32_t>(before[i]);
    const uint32_t size = unique.piece_size(at);
    for (uint32_t w = 0; w < size; ++w) words[begin + w] = unique.piece_node(at)[w];
    offsets[number + 1] = begin + size;
    unique.table[slot_of[i]] = number;
  }
};

struct NumberFound {
  UniqueRef unique;
  const uint32_t* found;
  const uint64_t* before;
  uint32_t first;  // added to all numbers
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t at = found[i];
    const uint32_t number =
        at < unique.known ? at : unique.known + static_cast<uint32_t>(before[at - unique.known] >> 32);
    numbers[unique.place(static_cast<uint32_t>(i))] = first + number;
  }
};

template <class Device>
class UniqueNodes {
 public:
  // `room` must have fewer than 2^32 words.
  UniqueNodes(Device& device, const UniqueRoom& room)
      : device_(device),
        words_(device.template make<uint32_t>(room.words)),
        offsets_(device.template make<uint32_t>(room.nodes + 1)) {
    device.fill(offsets_.data(), 1, 0u);
    make_table(room.slots());
  }

  // Sets numbers[i] to first + the table's number of node i, for the chosen nodes of the piece.
  void number(const NodePiece& piece, const uint32_t* chosen, uint64_t n, uint32_t first, uint32_t* numbers) {
    make_slots_for(nodes_ + n);
    auto found = device_.template make<uint32_t>(n);
    auto slot_of = device_.template make<uint32_t>(n);
    auto before = device_.template make<uint64_t>(n + 1);
    const UniqueRef ref = {words_.data(),
                           offsets_.data(),
                           static_cast<uint32_t>(nodes_),
                           piece.words.data(),
                           piece.offsets.data(),
                           chosen,
                           table_.data(),
                           static_cast<uint32_t>(table_.size())};
    device_.for_each({"rounds: find nodes", 80}, n, FindUnique{ref, found.data(), slot_of.data()});
    const uint64_t more =
        device_.exclusive_scan({"rounds: number nodes", 16}, n, CountNew{ref, found.data()}, before.data());
    make_longer(words_, used_, used_ + (more & UINT32_MAX));
    make_longer(offsets_, nodes_ + 1, nodes_ + (more >> 32) + 1);
    device_.for_each({"rounds: append nodes", 40}, n,
                     AppendNew{ref, found.data(), slot_of.data(), before.data(), static_cast<uint32_t>(used_),
                               words_.data(), offsets_.data()});
    device_.for_each({"rounds: numbers", 20}, n,
                     NumberFound{ref, found.data(), before.data(), first, numbers});
    nodes_ += more >> 32;
    used_ += more & UINT32_MAX;
  }

  uint64_t nodes() const { return nodes_; }
  uint64_t words() const { return used_; }
  const uint32_t* word_data() const { return words_.data(); }
  const uint32_t* offset_data() const { return offsets_.data(); }

 private:
  static uint64_t with_reserve(uint64_t n) { return n + n / 4; }

  void make_table(uint64_t slots) {
    table_ = device_.template make<uint32_t>(slots);
    device_.fill(table_.data(), slots, UniqueRef::kNone);
  }

  // Makes a larger table if this many nodes leave too few slots free. All of them may be new.
  void make_slots_for(uint64_t nodes) {
    if (UniqueRoom{.nodes = nodes}.slots() <= table_.size()) return;
    table_.reset();
    make_table(UniqueRoom{.nodes = with_reserve(nodes)}.slots());
    auto found = device_.template make<uint32_t>(nodes_);
    auto slot_of = device_.template make<uint32_t>(nodes_);
    // The nodes are looked up as those of a piece for an empty table, so that their slots hold their numbers.
    const UniqueRef ref = {.words = nullptr,
                           .offsets = nullptr,
                           .known = 0,
                           .piece_words = words_.data(),
                           .piece_offsets = offsets_.data(),
                           .chosen = nullptr,
                           .table = table_.data(),
                           .slots = static_cast<uint32_t>(table_.size())};
    device_.for_each({"rounds: find nodes", 80}, nodes_, FindUnique{ref, found.data(), slot_of.data()});
  }

  // Makes an array longer if it has fewer than `length` values. The first `used` values stay.
  void make_longer(device::Buffer<uint32_t>& array, uint64_t used, uint64_t length) {
    if (length <= array.size()) return;
    if (length > kMostWords) throw Error("a portion of a level has more than 2^32 words");
    auto longer = device_.template make<uint32_t>(std::min(with_reserve(length), kMostWords));
    device_.copy(longer.data(), array.data(), used);
    array = std::move(longer);
  }

  Device& device_;
  device::Buffer<uint32_t> words_, offsets_, table_;
  uint64_t nodes_ = 0, used_ = 0;
};

// One round's nodes of a level, and the numbers that they get.
template <class Device>
struct LevelSource {
  RoundLevel nodes;  // empty when they have been merged
  // The merged numbers of the level below's nodes. They replace children's numbers while words are read for the first
  // time. Empty afterwards, and from the start if the words hold merged numbers.
  NodeNumbers<Device> below;
  NodeNumbers<Device> numbers = {};  // the nodes' numbers in the merged level
};

struct HasNoNumber {
  const uint32_t* numbers;
  VOX_HD bool operator()(uint64_t i) const { return numbers[i] == kNoNumber; }
};

// Stores the numbers of those nodes that had none.
struct PutNumbers {
  const uint32_t* waiting;
  const uint32_t* found;
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const { numbers[waiting[i]] = found[i]; }
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
  uint64_t nodes_at_once = 0;  // 0 means as many as memory allows; otherwise numbers lie on the host
  uint32_t least_portions = 1;
};

template <class Device>
class LevelMerger {
 public:
  LevelMerger(Device& device, const SpillPlace& place, const MergeOptions& options)
      : device_(device), place_(place), options_(options) {}

  using Source = LevelSource<Device>;

  // Merges the sources and sets the numbers of each.
  RoundLevel run(std::vector<Source>& sources) {
    uint64_t nodes = 0, words = 0, below = 0;
    for (const Source& source : sources) {
      nodes += source.nodes.nodes();
      words += source.nodes.words.size();
      if (!source.below.is_on_device()) below = std::max(below, source.below.size());
    }
    const NumbersLie lie = place_of_numbers(nodes);
    for (Source& source : sources) source.numbers = {device_, place_, source.nodes.nodes(), lie};
    const uint32_t portions = portions_for(nodes, words, below);
    RoundLevel level = {{place_, words}, {place_, nodes}};
    for (uint32_t portion = 0; portion < portions; ++portion) {
      UniqueNodes<Device> unique(device_, room_for(nodes, words, portions));
      for (Source& source : sources)
        add(source, unique, static_cast<uint32_t>(level.nodes()), {portion, portions});
      if (level.nodes() + unique.nodes() >= UINT32_MAX)
        throw Error("a level of the DAG has more than 2^32 nodes").hint("lower the resolution");
      keep(unique, level);
    }
    return level;
  }

 private:
  // A portion of a level's nodes, by their hash.
  struct Portion {
    uint32_t portion, portions;
    bool is_first() const { return portion == 0; }
    bool is_last() const { return portion + 1 == portions; }
  };

  // The bytes that a node of a piece takes: its words, size and place, twice; the arrays of chosen, found and new
  // nodes; its number, twice.
  static constexpr uint64_t kBytesPerNode = NodeSieve<Device>::kBytesPerNode + 44;

  // The numbers may take an eighth of the free memory.
  NumbersLie place_of_numbers(uint64_t nodes) const {
    if (options_.nodes_at_once > 0) return NumbersLie::OnHost;
    return 4 * nodes <= device_.pool().available() / 8 ? NumbersLie::OnDevice : NumbersLie::OnHost;
  }

  // A table has fewer than 2^32 words, and uses the memory that pieces and the numbers of children leave
  // free.
  uint32_t portions_for(uint64_t nodes, uint64_t words, uint64_t below) const {
    const uint64_t available = device_.pool().available();
    const uint64_t room = std::max<uint64_t>((available - std::min(available, 4 * below)) / 8 * 5, 1 << 12);
    const uint64_t bytes = UniqueRoom{nodes, words}.bytes();
    const uint64_t portions = std::max(bytes / room + 1, words / kMostWords + 1);
    return static_cast<uint32_t>(std::clamp<uint64_t>(portions, options_.least_portions, 1 << 20));
  }

  // Portions have about the same size. A single portion has room for all nodes.
  static UniqueRoom room_for(uint64_t nodes, uint64_t words, uint32_t portions) {
    if (portions == 1) return {nodes, words};
    constexpr uint64_t kMore = 1 << 8;
    const uint64_t share = nodes / portions;
    return {std::min(nodes, share + share / 16 + kMore),
            std::min(words, words / portions + words / portions / 16 + kMore * hash::kMaxItemWords)};
  }

  // Gives the source's nodes of a portion their numbers, which begin with `first`, and takes them out of the source.
  void add(Source& source, UniqueNodes<Device>& unique, uint32_t first, const Portion& portion) {
    const NumbersOnDevice below = source.below.load(device_, 0, source.below.size());
    NodeSieve<Device> sieve(device_, source.nodes);
    const uint64_t all = source.numbers.size();
    const uint64_t at_once =
        options_.nodes_at_once > 0 ? options_.nodes_at_once : nodes_at_once(device_, kBytesPerNode);
    for (uint64_t begin = 0; begin < all; begin += at_once) {
      const NumbersOnDevice numbers = source.numbers.load(device_, begin, std::min(at_once, all - begin));
      auto waiting = device_.template make<uint32_t>(numbers.count);
      const NodePiece piece = sieve.next(device_.select({"rounds: choose waiting", 8}, numbers.count,
                                                        HasNoNumber{numbers.data}, waiting.data()));
      if (below.count > 0)
        device_.for_each({"rounds: translate", 40}, piece.count,
                         ReplaceChildren{piece.words.data(), piece.offsets.data(), below.data});
      const auto found = number(piece, unique, first, portion);
      if (!portion.is_last()) put_back(piece, found, sieve);
      device_.for_each({"rounds: put numbers", 12}, piece.count,
                       PutNumbers{waiting.data(), found.data(), numbers.data});
      source.numbers.keep(device_, begin, numbers);
    }
    sieve.finish();
    source.below = {};
    if (portion.is_last()) source.nodes = {};
  }

  // Returns the numbers of a piece's nodes, and kNoNumber for those of later portions.
  device::Buffer<uint32_t> number(const NodePiece& piece, UniqueNodes<Device>& unique, uint32_t first,
                                  const Portion& portion) {
    auto numbers = device_.template make<uint32_t>(piece.count);
    if (portion.is_last()) {
      unique.number(piece, nullptr, piece.count, first, numbers.data());
      return numbers;
    }
    device_.fill(numbers.data(), piece.count, kNoNumber);
    auto chosen = device_.template make<uint32_t>(piece.count);
    const uint64_t count =
        device_.select({"rounds: choose portion", 40}, piece.count,
                       InPortion{piece.words.data(), piece.offsets.data(), portion.portion, portion.portions},
                       chosen.data());
    unique.number(piece, chosen.data(), count, first, numbers.data());
    return numbers;
  }

  // Keeps the nodes of later portions in the source.
  void put_back(const NodePiece& piece, const device::Buffer<uint32_t>& numbers, NodeSieve<Device>& sieve) {
    auto left = device_.template make<uint32_t>(piece.count);
    const uint64_t count =
        device_.select({"rounds: choose waiting", 8}, piece.count, HasNoNumber{numbers.data()}, left.data());
    sieve.put_back(piece, left.data(), count);
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
    level.rest();
  }

  Device& device_;
  const SpillPlace& place_;
  MergeOptions options_;
};

}  // namespace vox::build
