// Interns linked batches in the tables `sector`, one after the other. It does not wait for the host, which gets all
// results from finish(). This is for batches that are small compared with the table. SectorTables::insert(), which
// sorts, takes more launches and moves less memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "libvox/device/pool.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/sector/chains.h"
#include "libvox/hash/sector/tables.h"

namespace vox::hash {

template <class Device>
class SectorBatches final : public LinkedBatches {
 public:
  SectorBatches(Device& device, SectorTables<Device>& tables, std::span<const uint64_t> sizes)
      : LinkedBatches(sizes.size()), device_(device), tables_(tables) {
    uint64_t most = 0, all = 0;
    for (const uint64_t n : sizes) {
      all += n;
      most = std::max(most, n);
    }
    device::Layout layout;
    room_ = layout.add<SectorRoom>(1);
    counts_ = layout.add<BatchCounts>(sizes.size());
    zeroed_bytes_ = layout.bytes();
    on_device_ = layout.add<SectorContext>(1);
    hashes_ = layout.add<uint64_t>(most);
    for (auto* words : {&leaders_, &fresh_, &slots_, &next_})
      *words = layout.add<uint32_t>(PartedList::all(most));
    table_entries_ = SectorContext::table_sizes(all, sizes.size());
    batch_tables_ = layout.add<uint32_t>(table_entries_);
    memory_ = device.template make<std::byte>(layout.bytes());
    begin();
  }
  // Counts the inserted items even if an exception came before finish().
  ~SectorBatches() override {
    try {
      if (!settled_) settle();
    } catch (const std::exception&) {  // the device has failed
    }
  }

  bool has_leaders() const override { return true; }
  BlockBatches in_block() override { return BlockBatches(context()); }
  BatchStart start(size_t number, const BatchItems& items) const override {
    return context_.start(number, items);
  }
  void intern(size_t number, const BatchItems& items) override {
    const SectorBatch batch = {context(), items, context_.scratch(number, items), context_.room,
                               static_cast<uint32_t>(number)};
    const uint64_t places = PartedList::all(items.n);
    device_.for_each({"find or chain", 200}, places, FindOrChain{batch});
    device_.for_each({"insert chains", 20}, places, InsertChains{batch});
  }

  uint32_t* word() const override { return &context_.room->word; }

  BatchesResult finish() override {
    const SectorRoom room = settle();
    if (room.stopped == 0) return {{}, room.word};
    begin();
    return {room.stopped - 1, 0};
  }

 private:
  const SectorContext* context() {
    settled_ = false;
    return on_device_.in(memory_);
  }
  const uint32_t* stop() const override { return &context_.room->stopped; }

  SectorRoom settle() {
    std::vector<std::byte> bytes(zeroed_bytes_);
    device_.download(bytes.data(), memory_.data(), bytes.size());
    settled_ = true;
    SectorRoom room;
    std::vector<BatchCounts> counts(work_.size());
    std::memcpy(&room, bytes.data() + room_.offset, sizeof room);
    std::memcpy(counts.data(), bytes.data() + counts_.offset, counts.size() * sizeof(BatchCounts));
    SizeCounts inserted = {};
    uint64_t refused = 0;
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
      inserted[words] = room.missing_of(words) - room.of_size[words].refused_items;
      refused += room.of_size[words].refused_items;
    }
    for (size_t i = 0; i < work_.size(); ++i) {
      const uint64_t leaders = BatchCounts::sum(counts[i].leaders);
      if (leaders > 0) work_[i].distinct = leaders;
      work_[i].inserted += BatchCounts::sum(counts[i].fresh) - (room.stopped == i + 1 ? refused : 0);
    }
    tables_.took(room, inserted);
    return room;
  }
  void begin() {
    device_.fill(reinterpret_cast<uint64_t*>(memory_.data()), zeroed_bytes_ / sizeof(uint64_t), uint64_t{0});
    device_.fill(batch_tables_.in(memory_), table_entries_, +BatchScratch::kNone);
    context_ = {.memory = tables_.memory_ref(),
                .tables = tables_.refs(),
                .limits = tables_.limits(),
                .overflow = tables_.overflow(),
                .room = room_.in(memory_),
                .counts = counts_.in(memory_),
                .hashes = hashes_.in(memory_),
                .leaders = leaders_.in(memory_),
                .fresh = fresh_.in(memory_),
                .slots = slots_.in(memory_),
                .next = next_.in(memory_),
                .batch_tables = batch_tables_.in(memory_)};
    device_.fill(on_device_.in(memory_), 1, context_);  // unlike an upload, this does not make the host wait
  }

  Device& device_;
  SectorTables<Device>& tables_;
  device::Buffer<std::byte> memory_;
  device::Layout::Place<SectorRoom> room_;
  device::Layout::Place<BatchCounts> counts_;
  uint64_t zeroed_bytes_ = 0;  // the bytes of room_ and counts_ together
  device::Layout::Place<SectorContext> on_device_;
  device::Layout::Place<uint64_t> hashes_;
  device::Layout::Place<uint32_t> leaders_, fresh_, slots_, next_, batch_tables_;
  uint64_t table_entries_ = 0;
  SectorContext context_;
  bool settled_ = true;
};

template <class Device>
std::unique_ptr<LinkedBatches> SectorTables<Device>::link_batches(std::span<const uint64_t> sizes) {
  return std::make_unique<SectorBatches<Device>>(device_, *this, sizes);
}

}  // namespace vox::hash
