// A map from keys to values that do not fit into cells, on any table of voxel keys. Beside the table's cells
// lies an array with a value for each slot. A search reads the table and then the value at the slot that it
// has found.
#pragma once

#include <cstring>
#include <type_traits>

#include "libvox/base/bits.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/key_table.h"

namespace vox::hash {

template <class T>
concept MapValue = std::is_trivially_copyable_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// A value as a map stores it: in words, which several threads may write at the same time, and within one
// sector.
template <MapValue Value>
struct alignas(sizeof(Value)) ValueWords {
  using Word = std::conditional_t<sizeof(Value) == 4, uint32_t, uint64_t>;
  static constexpr uint32_t kWords = sizeof(Value) == 16 ? 2 : 1;

  Word word[kWords];

  VOX_HD static ValueWords of(const Value& value) {
    ValueWords words;
    std::memcpy(&words, &value, sizeof(Value));
    return words;
  }
  VOX_HD Value value() const {
    Value value;
    std::memcpy(&value, word, sizeof(Value));
    return value;
  }
};
static_assert(sizeof(ValueWords<uint32_t>) == 4 && sizeof(ValueWords<uint64_t>) == 8);

// Stores the values of a batch. If a key comes with two values, either of them may be stored, or words of
// both.
template <MapValue Value>
struct StoreValues {
  const Value* values;
  const uint32_t* slots;
  ValueWords<Value>* stored;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) prefetch_line(stored + slots[i]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const auto words = ValueWords<Value>::of(values[i]);
    for (uint32_t word = 0; word < words.kWords; ++word)
      device::atomic_store_relaxed(stored[slots[i]].word + word, words.word[word]);
  }
};

// Returns 1 for a value that is not the stored one. If a key has two different values, this is the case for
// at least one of them, whatever is stored.
template <MapValue Value>
struct IsNotStored {
  const Value* values;
  const uint32_t* slots;
  const ValueWords<Value>* stored;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const auto words = ValueWords<Value>::of(values[i]);
    uint32_t others = 0;
    for (uint32_t word = 0; word < words.kWords; ++word)
      others |= words.word[word] != stored[slots[i]].word[word] ? 1 : 0;
    return others;
  }
};

template <MapValue Value>
struct TakeValues {
  const ValueWords<Value>* stored;
  const uint32_t* slots;
  Value none;
  Value* values;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1 && slots[i] != kNoSlot) prefetch_line(stored + slots[i]);
  }
  VOX_HD void operator()(uint64_t i) const {
    values[i] = slots[i] == kNoSlot ? none : stored[slots[i]].value();
  }
};

template <class Device, CellWord Cell, MapValue Value>
class KeyValueMap {
 public:
  // The cells of the table hold only keys, so options.value_bits must be 0.
  KeyValueMap(Device& device, const KeyTableOptions& options)
      : device_(device), options_(options), table_(make_key_table<Device, Cell>(device, options)) {
    check_values_are_beside(options);
  }

  // Replaces the map's content: maps keys[i] to values[i] for every i < n. Equal keys may come more than once
  // if all bytes of their values are equal. Throws Error if they are not, or if the table cannot be built;
  // then the map is empty.
  KeyTableBuild build(const Cell* keys, const Value* values, uint64_t n) {
    return build_or_empty([&] { return build_values(keys, values, n); },
                          [&] { build_values(nullptr, nullptr, 0); });
  }

  // Search: values[i] becomes the value of keys[i], or `none` if the key is not stored. A caller that has no
  // spare value for `none` can search table() for slots and read values_of_slots().
  void find(const Cell* keys, uint64_t n, const Value& none, Value* values) const {
    auto slots = device_.template make<uint32_t>(n);
    table_->find(keys, n, slots.data());
    device_.for_each({"take values", 36.0 + sizeof(Value)}, n,
                     TakeValues<Value>{values_.data(), slots.data(), none, values});
  }

  // The value at each slot that holds a key, in the device's memory.
  const ValueWords<Value>* values_of_slots() const { return values_.data(); }
  const KeyTable<Device, Cell>& table() const { return *table_; }
  uint64_t bytes() const { return table_->bytes() + values_.size() * sizeof(Value); }

 private:
  KeyTableBuild build_values(const Cell* keys, const Value* values, uint64_t n) {
    const KeyTableBuild result = table_->build(keys, n);
    values_.reset();
    values_ = device_.template make<ValueWords<Value>>(table_->slots() + 1);
    auto slots = device_.template make<uint32_t>(n);
    table_->find(keys, n, slots.data());
    device_.for_each({"store values", 36.0 + sizeof(Value)}, n,
                     StoreValues<Value>{values, slots.data(), values_.data()});
    if (result.keys < n && device_.sum({"compare values", 36.0 + sizeof(Value)}, n,
                                       IsNotStored<Value>{values, slots.data(), values_.data()}) != 0)
      throw two_values(options_);
    return result;
  }

  Device& device_;
  const KeyTableOptions options_;
  std::unique_ptr<KeyTable<Device, Cell>> table_;
  device::Buffer<ValueWords<Value>> values_;
};

}  // namespace vox::hash
