// A table that keeps one copy of equal nodes, and numbers the copies in the order in which they come. Their
// words lie one behind the other. The table takes 10 bytes for each node besides its words, and has a fixed
// size for as many nodes as may come.
#pragma once

#include "libvox/device/atomics.h"
#include "libvox/hash/bucket_of.h"
#include "libvox/hash/item.h"
#include "libvox/rounds/node_stream.h"

namespace vox::rounds {

// The number of nodes and of words for which a table has room.
struct UniqueRoom {
  uint64_t nodes = 0, words = 0;

  static constexpr uint64_t kTableBytes = 6;  // for each node: 3 slots for 2 nodes
  uint64_t slots() const { return nodes + nodes / 2 + 1; }
  uint64_t bytes() const { return words * 4 + nodes * (4 + kTableBytes); }
};

// Thrown if there are more nodes than the table has room for.
struct TooManyNodes {};

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
        room_(room),
        words_(device.template make<uint32_t>(room.words)),
        offsets_(device.template make<uint32_t>(room.nodes + 1)),
        table_(device.template make<uint32_t>(room.slots())) {
    device.fill(offsets_.data(), 1, 0u);
    device.fill(table_.data(), table_.size(), UniqueRef::kNone);
  }

  // Sets numbers[i] to first + the table's number of node i, for the chosen nodes of the piece.
  void number(const NodePiece& piece, const uint32_t* chosen, uint64_t n, uint32_t first, uint32_t* numbers) {
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
                           static_cast<uint32_t>(room_.slots())};
    device_.for_each({"rounds: find nodes", 80}, n, FindUnique{ref, found.data(), slot_of.data()});
    const uint64_t more =
        device_.exclusive_scan({"rounds: number nodes", 16}, n, CountNew{ref, found.data()}, before.data());
    if (nodes_ + (more >> 32) > room_.nodes || used_ + (more & UINT32_MAX) > room_.words)
      throw TooManyNodes();
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
  Device& device_;
  UniqueRoom room_;
  device::Buffer<uint32_t> words_, offsets_, table_;
  uint64_t nodes_ = 0, used_ = 0;
};

}  // namespace vox::rounds
