// Batches whose items hold pointers to items of the previous batch, as the levels of an edited scene do. All
// are inserted one after the other, and the host learns the results at the end.
//
//   for each batch:  start()   a loop over the batch makes its items and hands each to BatchStart
//                    intern()  items that are stored are found, the others inserted
//   finish()
//
// A variant that needs the host for each batch (find_or_insert.h) and one that does not (sector/batches.h)
// have the same interface. If the latter runs out of room, all later loops do nothing, and finish() says from
// which batch on they must be done again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/slab_memory.h"

namespace vox::hash {

// A list to which all threads of a loop add entries concurrently.

// The list has several parts, one for each part of the loop, because atomics on one word wait for each other. All parts
// lie in one array. A loop over all() places meets every entry; 32 successive places lie in one part, the next 32 in
// the next part.
struct PartedList {
  static constexpr uint32_t kParts = 8;

  struct alignas(128) Count {
    uint32_t entries;
  };
  uint32_t* entries;
  Count* counts;  // number of entries of each part
  uint32_t room;  // capacity of each part

  // Returns how many entries the array needs for loops over n items.
  VOX_HD static uint64_t all(uint64_t n) { return (n + 32 * kParts - 1) / (32 * kParts) * (32 * kParts); }
  VOX_HD static PartedList of(uint32_t* entries, Count* counts, uint64_t n) {
    return {entries, counts, static_cast<uint32_t>(all(n) / kParts)};
  }

  VOX_HD static uint32_t part(uint64_t i) { return static_cast<uint32_t>(i / 32 % kParts); }
  // Takes a place for an entry that iteration i adds, and returns its index in the array.
  VOX_HD uint32_t take(uint64_t i) const {
    return part(i) * room + device::atomic_count_together(&counts[part(i)].entries);
  }
  // place(i) is the index of the i-th place, and end(i) the end of the entries in that place's part. There is
  // no entry from end(i) on.
  VOX_HD uint32_t place(uint64_t i) const {
    return part(i) * room + static_cast<uint32_t>(i / (32 * kParts) * 32 + i % 32);
  }
  VOX_HD uint32_t end(uint64_t i) const { return part(i) * room + counts[part(i)].entries; }
};

struct InternWork {
  uint64_t distinct = 0;  // different items of the batch
  uint64_t inserted = 0;  // those of them that were not stored before
};

struct BatchesResult {
  std::optional<size_t> stopped;  // the first batch that must be done again, if any
  uint32_t word = 0;              // the value of LinkedBatches::word()
};

// The n items of a batch and their results, in arrays that the caller owns. An item has room for
// kMaxItemWords words, its hash and its size. Everything that distinguishes it from other items lies side by
// side and is read 16 bytes at a time.
struct BatchItems {
  static constexpr uint32_t kStride = kMaxItemWords + 2, kHashWord = kMaxItemWords,
                            kSizeWord = kMaxItemWords + 1;
  static_assert(kStride % 4 == 0);

  uint32_t* words;      // kStride words for each item
  uint8_t* sizes;       // 0 if there is no item
  uint32_t* leader_of;  // the item whose pointer each item takes; nullptr if every item has its own
  uint32_t* pointers;
  uint64_t n;
  uint64_t before = 0;  // number of items of earlier batches

  VOX_HD uint32_t* item(uint64_t i) const { return words + i * kStride; }
  VOX_HD uint32_t pointer(uint64_t i) const { return pointers[leader_of ? leader_of[i] : i]; }
  VOX_HD BatchRef ref(const uint64_t* hashes = nullptr) const {
    return {words, nullptr, hashes, kStride, sizes};
  }
};

// The words of an item that is being made.
struct alignas(16) ItemWords {
  uint32_t words[BatchItems::kStride] = {};
  uint32_t size = 0;  // 0 if there is no item
};

// Receives the items of a batch. The loop that makes them calls start(i, item) for each; if start.stopped()
// returns true, it makes none.
//
// A variant with leaders finds equal items here, while their words are at hand. The first of equal items is
// the leader of all, and only its words are written. `same` is an open-addressed table of leaders, empty at
// first.
struct BatchStart {
  static constexpr uint32_t kNone = UINT32_MAX;

  BatchItems items = {};
  const uint32_t* stop = nullptr;  // not zero once a batch has stopped; nullptr if none ever stops
  uint64_t* hashes = nullptr;      // the leaders' hashes; nullptr if the variant has no leaders
  uint32_t* same = nullptr;        // hash table of leaders; kNone marks an empty slot
  uint32_t same_size = 0;
  PartedList leaders = {};

  VOX_HD bool stopped() const { return stop && device::load_perhaps_old(stop) != 0; }
  VOX_HD void operator()(uint64_t i, ItemWords& item) const {
    items.sizes[i] = static_cast<uint8_t>(item.size);
    if (!hashes) {
      write(i, item);
      return;
    }
    items.pointers[i] = kNullPointer;
    items.leader_of[i] = item.size == 0 ? kNone : leader(static_cast<uint32_t>(i), item);
  }

 private:
#ifdef __CUDA_ARCH__
  // Puts a leader into an empty slot and returns the slot's previous content. atomic_exchange_if() would also
  // empty the L1 cache.
  __device__ static uint32_t publish(uint32_t* slot, uint32_t leader) {
    uint32_t before;
    asm volatile("atom.release.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(before)
                 : "l"(slot), "r"(kNone), "r"(leader)
                 : "memory");
    return before;
  }
  VOX_HD void write(uint64_t i, const ItemWords& item) const {
    const auto* from = reinterpret_cast<const uint4*>(item.words);
    auto* to = reinterpret_cast<uint4*>(items.item(i));
    for (uint32_t four = 0; four < BatchItems::kStride / 4; ++four) to[four] = from[four];
  }
  // Another thread wrote the item before it published the item's index, so the L1 cache may hold older data;
  // __ldcg() reads past it.
  VOX_HD bool is_at(uint32_t there, const ItemWords& item) const {
    const auto* words = reinterpret_cast<const uint4*>(items.item(there));
    const auto* own = reinterpret_cast<const uint4*>(item.words);
    uint32_t differ = 0;
    for (uint32_t four = 0; four < BatchItems::kStride / 4; ++four) {
      const uint4 a = __ldcg(words + four), b = own[four];
      differ |= (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w);
    }
    return differ == 0;
  }
#else
  static uint32_t publish(uint32_t* slot, uint32_t leader) {
    return device::atomic_exchange_if(slot, kNone, leader);
  }
  VOX_HD void write(uint64_t i, const ItemWords& item) const {
    for (uint32_t word = 0; word < BatchItems::kStride; ++word) items.item(i)[word] = item.words[word];
  }
  VOX_HD bool is_at(uint32_t there, const ItemWords& item) const {
    return same_words(ItemRef(items.item(there)), item.words, BatchItems::kStride);
  }
#endif

  VOX_HD uint32_t leader(uint32_t i, ItemWords& item) const {
    const uint64_t hash = hash_words(item.words, item.size);
    item.words[BatchItems::kHashWord] = static_cast<uint32_t>(hash);
    item.words[BatchItems::kSizeWord] = item.size;
    bool written = false;
    for (uint32_t slot = bucket_of(hash, same_size);; slot = slot + 1 < same_size ? slot + 1 : 0) {
      uint32_t there = device::atomic_load_consume(same + slot);
      if (there == kNone) {
        if (!written) write(i, item);
        written = true;
        there = publish(same + slot, i);
      }
      if (there == kNone) {
        hashes[i] = hash;
        leaders.entries[leaders.take(i)] = i;
        return i;
      }
      if (is_at(there, item)) return there;
    }
  }
};

class BlockBatches;  // find_or_insert.h

class LinkedBatches {
 public:
  explicit LinkedBatches(size_t batches) : work_(batches) {}
  virtual ~LinkedBatches() = default;
  LinkedBatches(const LinkedBatches&) = delete;
  LinkedBatches& operator=(const LinkedBatches&) = delete;

  // Returns true if equal items have a leader. Otherwise BatchItems::leader_of is not used.
  virtual bool has_leaders() const = 0;
  // Starts the batch with this number. It must not have more items than link_batches() was told.
  virtual BatchStart start(size_t number, const BatchItems& items) const = 0;
  // Interns a batch that has been started: pointers[i] becomes the pointer of item i. With leaders,
  // leader_of[i] becomes the index of one of the items that equal item i, and pointers[leader_of[i]] their
  // pointer; all other pointers become kNullPointer.
  virtual void intern(size_t number, const BatchItems& items) = 0;
  // Returns the BatchStart for a loop that makes no items, but must also do nothing once a batch has stopped.
  BatchStart reader() const { return {.stop = stop()}; }

  // Returns these batches for a kernel in which a block does the work of start() and intern() itself. The result is
  // empty if that needs the host.
  virtual BlockBatches in_block() = 0;

  // A word that loops may write. finish() returns its value.
  virtual uint32_t* word() const = 0;

  // Waits for the batches. If one of them lacked room, makes room and returns the number of the first batch that must
  // be done again, with all later ones. Otherwise all batches are done.
  virtual BatchesResult finish() = 0;

  // The work of each batch, after all of them are done.
  const std::vector<InternWork>& work() const { return work_; }

 protected:
  virtual const uint32_t* stop() const { return nullptr; }  // BatchStart::stop

  std::vector<InternWork> work_;
};

}  // namespace vox::hash
