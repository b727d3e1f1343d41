// Interns linked batches in the tables `sector`, one behind the other, without waiting for the host: finish()
// tells it all that it has to know. This is for batches that are small beside the table;
// SectorTables::insert(), which sorts, takes more launches and moves less memory.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/sector/tables.h"

namespace vox::hash {

template <class Device>
class SectorBatches final : public LinkedBatches {
 public:
  SectorBatches(Device& device, SectorTables<Device>& tables, size_t batches, uint64_t most)
      : LinkedBatches(batches),
        device_(device),
        tables_(tables),
        room_(device.template make<SectorRoom>(1)),
        counts_(device.template make<BatchCounts>(batches * BatchCounts::kParts)),
        hashes_(device.template make<uint64_t>(most)),
        same_(device.template make<uint32_t>(table_size(most))),
        heads_(device.template make<uint32_t>(table_size(most))),
        slots_(device.template make<uint32_t>(most)),
        next_(device.template make<uint32_t>(most)) {
    begin();
  }
  // What has been inserted is counted also where an exception came before finish().
  ~SectorBatches() override {
    try {
      if (!settled_) settle();
    } catch (const std::exception&) {  // the device is lost
    }
  }

  BatchStart start(const BatchRef& batch, uint64_t n) const override {
    const BatchScratch scratch = this->scratch(n);
    return {.stop = &room_.data()->stopped,
            .hashes = scratch.hashes,
            .cleared = {scratch.same, scratch.heads},
            .mask = scratch.mask,
            .batch = batch,
            .n = n};
  }

  bool has_leaders() const override { return true; }
  void intern(size_t number, const BatchRef& unhashed, uint64_t n, uint32_t* leader_of,
              uint32_t* pointers) override {
    settled_ = false;
    const BatchScratch scratch = this->scratch(n);
    BatchRef batch = unhashed;
    batch.hashes = scratch.hashes;
    SectorRoom* room = room_.data();
    device_.for_each({"duplicates in the batch", 40}, n,
                     UnlessStopped<FindLeader>{{batch, scratch.same, scratch.mask, leader_of}, room});
    device_.for_each(
        {"find items", 200}, n,
        UnlessStopped<FindInSectors<NoProbe>>{{batch, {nullptr, leader_of}, refs_, pointers, nullptr}, room});
    device_.for_each({"chain items", 20}, n,
                     UnlessStopped<ChainItems>{{batch, refs_, scratch, leader_of, pointers,
                                                counts_.data() + number * BatchCounts::kParts},
                                               room});
    device_.for_each({"insert chains", 20}, std::max<uint64_t>(n, SectorRoom::kSizes),
                     InsertChains{tables_.memory_ref(), refs_, limits_, tables_.overflow(), batch, scratch, n,
                                  pointers, room, counts_.data(), static_cast<uint32_t>(number)});
  }

  uint32_t* word() const override { return &room_.data()->word; }

  BatchesResult finish() override {
    const SectorRoom room = settle();
    if (room.stopped == 0) return {{}, room.word};
    begin();
    return {room.stopped - 1, 0};
  }

 private:
  static uint64_t table_size(uint64_t n) { return std::bit_ceil(2 * n + 1); }

  BatchScratch scratch(uint64_t n) const {
    return {hashes_.data(), same_.data(), heads_.data(), table_size(n) - 1, slots_.data(), next_.data()};
  }
  SectorRoom settle() {
    SectorRoom room;
    std::vector<BatchCounts> counts(counts_.size());
    device_.download(&room, room_.data(), 1);
    device_.download(counts.data(), counts_.data(), counts.size());
    settled_ = true;
    SizeCounts inserted = {};
    for (size_t i = 0; i < work_.size(); ++i) {
      BatchCounts sum = {};
      for (uint32_t part = 0; part < BatchCounts::kParts; ++part)
        sum += counts[i * BatchCounts::kParts + part];
      if (sum.distinct > 0) work_[i].distinct = sum.distinct;
      for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
        const bool whole = room.stopped != i + 1;
        const uint64_t done = sum.missing[words] - (whole ? 0 : room.of_size[words].refused_items);
        inserted[words] += done;
        work_[i].inserted += done;
      }
    }
    tables_.took(room, inserted);
    return room;
  }
  void begin() {
    device_.fill(room_.data(), 1, SectorRoom{});
    device_.fill(counts_.data(), counts_.size(), BatchCounts{});
    refs_ = tables_.refs();
    limits_ = tables_.limits();
  }

  Device& device_;
  SectorTables<Device>& tables_;
  device::Buffer<SectorRoom> room_;
  device::Buffer<BatchCounts> counts_;
  device::Buffer<uint64_t> hashes_;
  device::Buffer<uint32_t> same_, heads_, slots_, next_;
  SectorTableRefs refs_;
  SectorLimits limits_;
  bool settled_ = true;
};

template <class Device>
std::unique_ptr<LinkedBatches> SectorTables<Device>::link_batches(size_t batches, uint64_t most) {
  return std::make_unique<SectorBatches<Device>>(device_, *this, batches, most);
}

}  // namespace vox::hash
