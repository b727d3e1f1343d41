// Adapts a growing table of voxel keys to the interface of a table set, as far as the benchmark of hash
// tables uses it. Keys take the place of items of one or two words, and slots that of pointers.
#pragma once

#include "libvox/hash/batch.h"
#include "libvox/hash/keyed/growing_key_table.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/hash_bench.h"

namespace vox::measure {

struct SectorsOfItem {
  const uint32_t* sectors;
  VOX_HD uint32_t operator()(uint64_t i) const { return sectors[i]; }
};

template <class Device, hash::CellWord Cell>
class KeyItems {
 public:
  static constexpr uint32_t kItemWords = hash::CellFormat<Cell>::kBits / 32;

  struct Memory {
    const uint32_t* words;
    VOX_HD hash::ItemRef item(uint32_t slot) const { return words + uint64_t{slot} * kItemWords; }
  };

  KeyItems(Device& device, const hash::TableOptions& options)
      : device_(device),
        table_(hash::make_growing_key_table<Device, Cell>(
            device, {.table = options.table, .load_factor = HashBenchOptions::kMostFull})),
        keys_per_bucket_(options.load_factor) {}

  // Makes the table, still empty, so that an insertion only inserts.
  void expect(const hash::SizeCounts& items) {
    table_->expect(items[kItemWords], keys_per_bucket_);
    table_->build(nullptr, 0);
  }

  void insert(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t*) {
    table_->insert(keys(batch), n);
  }
  void find(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t* pointers) const {
    table_->find(keys(batch), n, pointers);
  }

  uint64_t insert_counted(const hash::BatchRef& batch, const hash::ChosenRef&, uint64_t n, uint32_t*) {
    return table_->insert_counted(keys(batch), n).sectors;
  }
  uint64_t find_counted(const hash::BatchRef& batch, const hash::ChosenRef& all, uint64_t n,
                        uint32_t* pointers) const {
    auto sectors = device_.template make<uint32_t>(n);
    table_->count_sectors(keys(batch), n, sectors.data());
    find(batch, all, n, pointers);
    return device_.sum("sum sectors", n, SectorsOfItem{sectors.data()});
  }

  Memory memory_ref() const { return {reinterpret_cast<const uint32_t*>(table_->cells())}; }
  uint64_t pointer_range() const { return table_->slots() + 1; }  // plus the key kept outside of the slots
  uint64_t bytes() const { return table_->bytes_in_use(); }
  uint64_t allocated_bytes() const { return table_->bytes(); }

 private:
  static const Cell* keys(const hash::BatchRef& batch) { return reinterpret_cast<const Cell*>(batch.words); }

  Device& device_;
  std::unique_ptr<hash::GrowingKeyTable<Device, Cell>> table_;
  uint32_t keys_per_bucket_;
};

}  // namespace vox::measure
