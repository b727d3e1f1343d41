// A hash table from cubes, by their Morton keys, to numbers. It uses open addressing with linear probing, and
// grows with the number of cubes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/mix.h"

namespace vox {

class CubeTable {
 public:
  // Returns a cube's number, which is 0 at first. The reference is valid until the next call.
  uint64_t& operator[](uint64_t key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.key == kNoKey) {
      slot.key = key;
      ++size_;
    }
    return slot.number;
  }

  // Returns the number of a cube that is in the table.
  uint64_t at(uint64_t key) const { return slots_[place_of(key)].number; }

  // Prefetches the memory that at() reads. The table must not be empty.
  void prefetch(uint64_t key) const { prefetch_line(&slots_[mix64(key) & (slots_.size() - 1)]); }

  size_t size() const { return size_; }

  // Calls body(key, number) for each cube, in no particular order.
  template <class Body>
  void for_each(Body body) const {
    for (const Slot& slot : slots_)
      if (slot.key != kNoKey) body(slot.key, slot.number);
  }

 private:
  static constexpr uint64_t kNoKey = UINT64_MAX;  // Morton keys have 63 bits
  struct Slot {
    uint64_t key = kNoKey, number = 0;
  };

  // Returns the slot with the key, or the empty one where it would be inserted.
  size_t place_of(uint64_t key) const {
    const size_t last = slots_.size() - 1;
    size_t place = mix64(key) & last;
    while (slots_[place].key != key && slots_[place].key != kNoKey) place = (place + 1) & last;
    return place;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 1 << 10 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.key != kNoKey) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // their number is a power of two
  size_t size_ = 0;
};

}  // namespace vox
