// Interns linked batches in the tables `sector`, one behind the other, without waiting for the host: finish()
// tells it all that it has to know. This is for batches that are small beside the table;
// SectorTables::insert(), which sorts, takes more launches and moves less memory.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "libvox/hash/sector/chains.h"
#include "libvox/hash/sector/tables.h"

namespace vox::hash {

template <class Device>
class SectorBatches final : public LinkedBatches {
 public:
  SectorBatches(Device& device, SectorTables<Device>& tables, std::span<const uint64_t> sizes)
      : LinkedBatches(sizes.size()),
        device_(device),
        tables_(tables),
        room_(device.template make<SectorRoom>(1)),
        counts_(device.template make<BatchCounts>(sizes.size())),
        on_device_(device.template make<SectorContext>(1)) {
    uint64_t most = 0, all = 0;
    for (const uint64_t n : sizes) {
      all += n;
      most = std::max(most, n);
    }
    hashes_ = device.template make<uint64_t>(most);
    for (auto* words : {&leaders_, &fresh_, &slots_, &next_})
      *words = device.template make<uint32_t>(PartedList::all(most));
    batch_tables_ = device.template make<uint32_t>(SectorContext::table_sizes(all, sizes.size()));
    begin();
  }
  // What has been inserted is counted also where an exception came before finish().
  ~SectorBatches() override {
    try {
      if (!settled_) settle();
    } catch (const std::exception&) {  // the device is lost
    }
  }

  bool has_leaders() const override { return true; }
  const SectorContext* context() override {
    settled_ = false;
    return on_device_.data();
  }
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

  uint32_t* word() const override { return &room_.data()->word; }

  BatchesResult finish() override {
    const SectorRoom room = settle();
    if (room.stopped == 0) return {{}, room.word};
    begin();
    return {room.stopped - 1, 0};
  }

 private:
  const uint32_t* stop() const override { return &room_.data()->stopped; }

  SectorRoom settle() {
    SectorRoom room;
    std::vector<BatchCounts> counts(counts_.size());
    device_.download(&room, room_.data(), 1);
    device_.download(counts.data(), counts_.data(), counts.size());
    settled_ = true;
    SizeCounts inserted = {};
    uint64_t refused = 0;
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
      inserted[words] = room.of_size[words].missing - room.of_size[words].refused_items;
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
    device_.fill(room_.data(), 1, SectorRoom{});
    device_.fill(counts_.data(), counts_.size(), BatchCounts{});
    device_.fill(batch_tables_.data(), batch_tables_.size(), +BatchScratch::kNone);
    context_ = {.memory = tables_.memory_ref(),
                .tables = tables_.refs(),
                .limits = tables_.limits(),
                .overflow = tables_.overflow(),
                .room = room_.data(),
                .counts = counts_.data(),
                .hashes = hashes_.data(),
                .leaders = leaders_.data(),
                .fresh = fresh_.data(),
                .slots = slots_.data(),
                .next = next_.data(),
                .batch_tables = batch_tables_.data()};
    device_.fill(on_device_.data(), 1, context_);  // an upload would make the host wait
  }

  Device& device_;
  SectorTables<Device>& tables_;
  device::Buffer<SectorRoom> room_;
  device::Buffer<BatchCounts> counts_;
  device::Buffer<SectorContext> on_device_;
  device::Buffer<uint64_t> hashes_;
  device::Buffer<uint32_t> leaders_, fresh_, slots_, next_, batch_tables_;
  SectorContext context_;
  bool settled_ = true;
};

template <class Device>
std::unique_ptr<LinkedBatches> SectorTables<Device>::link_batches(std::span<const uint64_t> sizes) {
  return std::make_unique<SectorBatches<Device>>(device_, *this, sizes);
}

}  // namespace vox::hash
