// Batches that depend on each other into the tables `sector`, one behind the other without a look at the
// host: all that it has to know comes with finish(). For batches that are small beside the table; insert() of
// SectorTables, which sorts, takes more launches and moves less memory.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/sector/tables.h"

namespace vox {

struct BatchesResult {
  std::optional<size_t> stopped;  // the batch from which on all is to be done again
  uint32_t word = 0;
};

template <class Device>
class SectorBatches {
 public:
  using Start = StartBatch;

  // The tables outlive this and have no other changes meanwhile. Of `batches` batches, none has more than
  // `most` items.
  SectorBatches(Device& device, SectorTables<Device>& tables, size_t batches, uint64_t most)
      : device_(device),
        tables_(tables),
        room_(device.template make<SectorRoom>(1)),
        counts_(device.template make<BatchCounts>(batches * BatchCounts::kParts)),
        hashes_(device.template make<uint64_t>(most)),
        same_(device.template make<uint32_t>(table_size(most))),
        heads_(device.template make<uint32_t>(table_size(most))),
        slots_(device.template make<uint32_t>(most)),
        next_(device.template make<uint32_t>(most)),
        work_(batches) {
    begin();
  }
  // What the tables hold counts, also where an exception has come between.
  ~SectorBatches() {
    try {
      if (!settled_) settle();
    } catch (const std::exception&) {  // the device is lost
    }
  }
  SectorBatches(const SectorBatches&) = delete;
  SectorBatches& operator=(const SectorBatches&) = delete;

  // To be called in a loop over the batch that writes its items, for each of them; the loop does nothing
  // where it is stopped().
  Start start(const BatchRef& batch, uint64_t n) const { return {batch, n, scratch(n), room_.data()}; }

  // For a batch that has been started: leader_of[i] becomes the index of one of the items that are equal to
  // item i, and pointers[leader_of[i]] where the tables hold it; other pointers become kNullPointer.
  static constexpr bool kLeaders = true;
  void intern(size_t number, BatchRef batch, uint64_t n, uint32_t* leader_of, uint32_t* pointers) {
    settled_ = false;
    const BatchScratch scratch = this->scratch(n);
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

  // A word that loops may write, and that finish() brings along.
  uint32_t* word() const { return &room_.data()->word; }

  // Waits for the batches. Where there was not enough room for one, there is now. Once nothing has stopped,
  // these were all batches.
  BatchesResult finish() {
    const SectorRoom room = settle();
    if (room.stopped == 0) return {{}, room.word};
    begin();
    return {room.stopped - 1, 0};
  }
  // Of all batches, when they are done.
  const std::vector<InternWork>& work() const { return work_; }

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
  Buffer<SectorRoom> room_;
  Buffer<BatchCounts> counts_;
  Buffer<uint64_t> hashes_;
  Buffer<uint32_t> same_, heads_, slots_, next_;
  SectorTableRefs refs_;
  SectorLimits limits_;
  std::vector<InternWork> work_;
  bool settled_ = true;
};

// The same for other tables, with a look at the host for each batch.
template <class Device, class Tables>
class SteppedBatches {
 public:
  struct Start {
    VOX_HD bool stopped() const { return false; }
    VOX_HD void operator()(uint64_t) const {}
  };

  SteppedBatches(Device& device, Tables& tables, size_t batches, uint64_t)
      : device_(device), tables_(tables), word_(device.template make<uint32_t>(1)), work_(batches) {}

  Start start(const BatchRef&, uint64_t) const { return {}; }

  static constexpr bool kLeaders = false;  // pointers of all items are set instead
  void intern(size_t number, const BatchRef& batch, uint64_t n, uint32_t*, uint32_t* pointers) {
    work_[number] = find_or_insert(device_, tables_, batch, n, pointers);
  }

  uint32_t* word() const { return word_.data(); }

  BatchesResult finish() {
    BatchesResult result;
    device_.download(&result.word, word_.data(), 1);
    return result;
  }
  const std::vector<InternWork>& work() const { return work_; }

 private:
  Device& device_;
  Tables& tables_;
  Buffer<uint32_t> word_;
  std::vector<InternWork> work_;
};

template <class Device, class Tables>
struct BatchesOf {
  using Type = SteppedBatches<Device, Tables>;
};
template <class Device>
struct BatchesOf<Device, SectorTables<Device>> {
  using Type = SectorBatches<Device>;
};

}  // namespace vox
