// The table set `sector`, a variant designed for this library. Compared with the slab tables of Molenaar &
// Eisemann 2024, it has no last slabs with empty slots, reads one line instead of walking a list, and writes in
// the order of memory. table_ref.h describes its layout, and how a bucket takes new items.
//
// There are two ways to insert items:
//
//   insert()         takes any batch. The host sorts it by bucket and asks for exactly the memory that it
//                    needs (plan.h): no atomics, least memory moved, some ten launches
//                    and two round trips.
//   link_batches()   takes batches that are small beside the table and depend on each other, as the levels of
//                    an edit do. They use the room that there is and chain the new items of a bucket to each
//                    other (batches.h, chains.h): three launches a batch and one round trip at the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/profiler.h"
#include "libvox/hash/sector/find.h"
#include "libvox/hash/sector/plan.h"
#include "libvox/hash/sector/table.h"
#include "libvox/hash/table_options.h"
#include "libvox/hash/table_set.h"

namespace vox::hash {

template <class Device>
class SectorTables final : public TableSet<Device> {
 public:
  static constexpr const char* kName = "sector";

  SectorTables(Device& device, const TableOptions& options) : TableSet<Device>(device) {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      tables_.emplace_back(device, superblocks_, words, options.load_factor);
    drop_sectors();
  }

  uint64_t items() const override {
    uint64_t sum = 0;
    for (const auto& table : tables_) sum += table.buckets().items();
    return sum;
  }
  std::vector<TableMemory> memory() const override {
    std::vector<TableMemory> result;
    for (const auto& table : tables_)
      if (table.buckets().items() > 0) result.push_back(table.memory(overflow_.data()));
    if (!result.empty())
      result.front().slack_bytes +=
          (overflow_.size() + left_sectors_.size() - (sectors_ - 1 - left_count_) * SectorOverflow::kWords) *
          4;
    return result;
  }
  TableMemory predicted(const TableMemory& measured) const override;

  void expect(const SizeCounts& items) override {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_[words].buckets().expect(items[words]);
  }

  void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const override {
    if (this->counted_searches_) {
      *this->counted_searches_ += find_counted(batch, chosen, n, pointers);
      return;
    }
    device_.for_each({"find items", 200}, n,
                     FindInSectors<NoProbe>{batch, chosen, refs(), pointers, nullptr});
  }
  SearchCounts find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                            uint32_t* pointers) const override {
    return this->counted([&](SearchCounts* counts) {
      device_.for_each("find items, counted", n,
                       FindInSectors<SearchProbe>{batch, chosen, refs(), pointers, counts});
    });
  }

  // Returns the room for batches that are inserted without the host (batches.h).
  SectorLimits limits() const {
    SectorLimits limits;
    for (const auto& table : tables_) table.limits(limits);
    limits.spaces.left_sectors = left_sectors_.data();
    limits.spaces.left_count = static_cast<uint32_t>(left_count_);
    limits.spaces.first_sector = static_cast<uint32_t>(sectors_);
    limits.sectors = left_count_ + overflow_.size() / SectorOverflow::kWords - sectors_;
    return limits;
  }
  // Counts the room that such batches have taken, and makes more.
  void took(const SectorRoom& room, const SizeCounts& inserted) {
    const uint64_t there = limits().sectors, taken = std::min(room.sectors, there);
    const uint64_t reused = std::min(taken, left_count_), kept = left_count_ - reused;
    const uint64_t moved = std::min(reused, kept);  // from the list's end to the places of reused sectors
    device_.copy(left_sectors_.data(), left_sectors_.data() + left_count_ - moved, moved);
    left_count_ = kept;
    sectors_ += taken - reused;
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      tables_[words].took(room.of_size[words], inserted[words]);
    if (room.stopped != 0) {
      for (uint32_t words = 0; words <= kMaxItemWords; ++words)
        tables_[words].make_room(room.of_size[words], growth_);
      if (room.sectors > there) reserve_sectors(room.sectors);
    }
    if (!reserves_) return;
    as_far_as_there_is_memory([&] {
      for (uint32_t words = 0; words <= kMaxItemWords; ++words)
        tables_[words].make_reserve(room.of_size[words], inserted[words], growth_);
      if (limits().sectors < 2 * room.sectors) reserve_sectors(8 * room.sectors);
    });
  }
  void make_reserve() override {
    constexpr uint64_t kFewSectors = 1 << 14;
    as_far_as_there_is_memory([&] {
      for (uint32_t words = kMinItemWords; words <= kMaxItemWords; ++words)
        tables_[words].make_first_reserve(items());
      reserve_sectors(sectors_ / 4 + kFewSectors);
    });
  }
  void live_without_reserves() override { reserves_ = false; }
  SectorTableRefs refs() const {
    SectorTableRefs refs = {};
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      refs[words] = tables_[words].ref(overflow_.data());
    return refs;
  }
  uint32_t* overflow() { return overflow_.data(); }

  void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) override;
  SweepResult sweep(const uint32_t* marks) override;
  std::unique_ptr<LinkedBatches> link_batches(std::span<const uint64_t> sizes) override;  // sector/batches.h

  // The sectors that an insertion moves are computed from the sizes of all arrays.
  uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                          uint32_t* pointers) override {
    insert(batch, chosen, n, pointers);
    return moved_bytes_ / 32;
  }

 private:
  using TableSet<Device>::device_;
  using TableSet<Device>::superblocks_;
  using TableSet<Device>::growth_;

  // The items of a batch in the order of their buckets.
  struct SortedBatch {
    device::Buffer<uint32_t> keys, order, starts, block_runs;
    BucketRuns runs;
    std::array<uint32_t, kMaxItemWords + 1> first_bucket = {};  // one for each size
  };
  SortedBatch sort_by_bucket(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                             const SizeCounts& counts);
  SectorSpaces take_space(const SortedBatch& sorted, const SizeCounts& counts, uint64_t* needs);

  static double mean_item_bytes(const SizeCounts& counts, uint64_t n) {
    uint64_t words = 0;
    for (uint32_t size = 0; size <= kMaxItemWords; ++size) words += counts[size] * size;
    return 4.0 * static_cast<double>(words) / static_cast<double>(n);
  }
  device::Work moves(const device::Work& work, uint64_t n) {
    moved_bytes_ += static_cast<uint64_t>(work.bytes_per_item * static_cast<double>(n));
    return work;
  }

  // Numbers the buckets that get items, those of smaller items first. Returns how many there are.
  uint32_t number_buckets(const SizeCounts& counts, SectorTableRefs& refs) const {
    uint64_t first = 0;
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
      if (counts[words] == 0) continue;
      SectorTableRef& ref = refs[words];
      ref.buckets[ref.generations - 1].first = static_cast<uint32_t>(first);
      first += tables_[words].buckets().newest_count();
      if (first > UINT32_MAX) throw Error("the hash tables have more than 2^32 buckets");
    }
    return static_cast<uint32_t>(first);
  }

  // The needs of the buckets of all smaller sizes, for each size; behind the last size, the needs of all buckets.
  using NeedsOfSizes = std::array<uint64_t, kMaxItemWords + 2>;
  NeedsOfSizes needs_below_sizes(const BucketRuns& runs, const SizeCounts& counts, const uint64_t* needs,
                                 uint64_t all) const {
    NeedsOfSizes below = {};
    if (runs.batch.all_of_one_size()) {
      std::fill(below.begin() + runs.batch.words_each + 1, below.end(), all);
      return below;
    }
    auto on_device = device_.template make<uint64_t>(below.size());
    NeedsBelowSizes body = {runs, {}, needs, on_device.data()};
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      body.first_item[words + 1] = body.first_item[words] + counts[words];
    device_.for_each("needs by size", below.size(), body);
    device_.download(below.data(), on_device.data(), below.size());
    return below;
  }

  // Drops all overflow sectors except the one that stays empty.
  void drop_sectors() {
    overflow_.reset();
    left_sectors_.reset();
    sectors_ = left_count_ = 0;
    reserve_sectors(1);
    device_.fill(overflow_.data(), SectorOverflow::kWords, 0u);
    sectors_ = 1;
  }

  void take_sectors(SectorSpaces& spaces, uint64_t count) {
    const uint64_t reused = std::min(count, left_count_);
    reserve_sectors(count - reused);
    left_count_ -= reused;
    spaces.left_sectors = left_sectors_.data() + left_count_;
    spaces.left_count = static_cast<uint32_t>(reused);
    spaces.first_sector = static_cast<uint32_t>(sectors_);
    sectors_ += count - reused;
  }

  template <class F>
  static void as_far_as_there_is_memory(const F& f) {
    try {
      f();
    } catch (const Error&) {  // no memory or superblock numbers are left, so the reserve is smaller
    }
  }

  void reserve_sectors(uint64_t count) {
    const uint64_t needed = (sectors_ + count) * SectorOverflow::kWords;
    if (needed <= overflow_.size()) return;
    if (sectors_ + count > kMaxOverflowSectors)
      throw Error("a hash table has too many items in too few buckets")
          .hint("lower the load factor")
          .about("load_factor");
    constexpr uint64_t kFewest = 1024;
    auto grown = device_.template make<uint32_t>(
        std::max({kFewest * SectorOverflow::kWords, needed, overflow_.size() * 3 / 2}));
    device_.copy(grown.data(), overflow_.data(), sectors_ * SectorOverflow::kWords);
    // A batch may ask for a sector and then not use it. Such a sector is marked as unused, so that the next
    // sweep finds it.
    device_.fill(grown.data() + sectors_ * SectorOverflow::kWords,
                 grown.size() - sectors_ * SectorOverflow::kWords, +kLeftSector);
    device_.sync();
    overflow_ = std::move(grown);
  }

  std::vector<SectorTable<Device>> tables_;
  device::Buffer<uint32_t> overflow_;
  uint64_t sectors_ = 0;                   // overflow sectors ever in use, and the one that stays empty
  device::Buffer<uint32_t> left_sectors_;  // the numbers of those that no bucket uses
  uint64_t left_count_ = 0;
  bool reserves_ = true;
  uint64_t moved_bytes_ = 0;  // the bytes that the last insertion moved
};

// The prediction is for items that come in one batch. A bucket with x items has a run of x in its line,
// rounded up to granules, and overflow sectors for items that do not fit there. If items come in several
// batches, more granules are partly used.
template <class Device>
TableMemory SectorTables<Device>::predicted(const TableMemory& measured) const {
  const auto buckets = static_cast<double>(measured.buckets);
  double slots = 0, sectors = 0;
  std::vector<double> lengths;
  for (const PoissonShare& share : poisson_shares(static_cast<double>(measured.items) / buckets)) {
    const auto items = static_cast<uint32_t>(share.items);
    const uint32_t in_line = run_length<SectorLine>(std::min(items, SectorLine::kSlots), 0, 0, 0);
    uint32_t left = items - std::min(items, SectorLine::kSlots), in_sectors = 0;
    size_t length = 1;
    for (; left > 0; ++length) {
      const uint32_t run = run_length<SectorOverflow>(left, 0, 0, 0);
      in_sectors += run;
      left -= std::min(left, run);
    }
    slots += buckets * share.share * (in_line + in_sectors);
    sectors += buckets * share.share * static_cast<double>(length - 1);
    lengths.resize(std::max(lengths.size(), length + 1));
    lengths[length] += buckets * share.share;
  }
  const auto whole_slots = std::max(measured.items, static_cast<uint64_t>(std::llround(slots)));
  TableMemory memory =
      SectorTable<Device>::layout_memory(measured.item_words, measured.items, whole_slots, measured.buckets,
                                         static_cast<uint64_t>(std::llround(sectors)));
  for (const double count : lengths)
    memory.chain_lengths.push_back(static_cast<uint64_t>(std::llround(count)));
  while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
  return memory;
}

template <class Device>
void SectorTables<Device>::insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) {
  moved_bytes_ = 0;
  if (n == 0) return;
  const SizeCounts counts = count_sizes(device_, batch, chosen, n);
  const SortedBatch sorted = sort_by_bucket(batch, chosen, n, counts);
  // Everything that may run out of memory is done before anything changes.
  auto needs = device_.template make<uint64_t>(sorted.runs.count + 1);
  auto plans = device_.template make<BucketPlan>(sorted.runs.count);
  auto places = device_.template make<SectorPlace>(n);
  auto sorted_pointers = device_.template make<uint32_t>(n);
  const SectorSpaces spaces = take_space(sorted, counts, needs.data());
  device_.for_each(
      moves({"plan buckets", 96}, sorted.runs.count), sorted.runs.count,
      PlanBuckets{sorted.runs, spaces, overflow_.data(), needs.data(), plans.data(), places.data()});
  device_.for_each(moves({"write items", 17 + 2 * mean_item_bytes(counts, n)}, n), n,
                   WriteItems{superblocks_.ref(), spaces, overflow_.data(), sorted.runs,
                              sorted.block_runs.data(), plans.data(), places.data(), sorted_pointers.data()});
  device_.scatter(moves({"return pointers", 12}, n), n, sorted.order.data(), sorted_pointers.data(),
                  pointers);
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    tables_[words].buckets().count_items(counts[words]);
}

template <class Device>
auto SectorTables<Device>::sort_by_bucket(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                          const SizeCounts& counts) -> SortedBatch {
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    tables_[words].buckets().plan(counts[words], growth_);
  SortedBatch sorted;
  SectorTableRefs tables = refs();
  const uint32_t bucket_count = number_buckets(counts, tables);
  sorted.keys = device_.template make<uint32_t>(n);
  sorted.order = device_.template make<uint32_t>(n);
  sorted.starts = device_.template make<uint32_t>(n);
  sorted.block_runs = device_.template make<uint32_t>(n / 32 + 1);
  const BucketKey key = {static_cast<uint32_t>(std::bit_width(bucket_count - 1))};
  device_.for_each(moves({"bucket keys", 8 + mean_item_bytes(counts, n)}, n), n,
                   BucketKeys{batch, chosen, tables, key, sorted.keys.data(), sorted.order.data()});
  const uint32_t passes = (key.bits + 7) / 8;  // radix sort passes
  device_.sort_pairs(moves({"sort by bucket", 4.0 + 16.0 * passes}, n), sorted.keys, sorted.order, n,
                     key.bits);
  const uint64_t count = device_.select(moves({"select buckets", 4}, n), n,
                                        StartsBucket{sorted.keys.data(), key}, sorted.starts.data());
  sorted.runs = {sorted.keys.data(), key, sorted.order.data(), sorted.starts.data(), count, n, batch};
  device_.for_each(moves({"number buckets", 9}, count), count,
                   BlockRuns{sorted.runs, sorted.block_runs.data()});
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    if (counts[words] > 0)
      sorted.first_bucket[words] = tables.at(words).buckets[tables.at(words).generations - 1].first;
  return sorted;
}

// Finds the needs of the buckets and allocates them. `needs` becomes the prefix sums of the needs.
template <class Device>
SectorSpaces SectorTables<Device>::take_space(const SortedBatch& sorted, const SizeCounts& counts,
                                              uint64_t* needs) {
  const BucketRuns& runs = sorted.runs;
  SectorSpaces spaces;
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    if (counts[words] > 0)
      spaces.of_size[words] = tables_[words].space(sorted.first_bucket[words], counts[words]);
  device_.for_each(moves({"bucket needs", 48}, runs.count), runs.count,
                   BucketNeeds{runs, spaces, overflow_.data(), needs});
  const uint64_t all =
      device_.exclusive_scan(moves({"places of runs", 16}, runs.count), runs.count, ReadNeeds{needs}, needs);
  const NeedsOfSizes below = needs_below_sizes(runs, counts, needs, all);
  take_sectors(spaces, below.back() / kOneSectorNeeded);
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    if (counts[words] > 0)
      tables_[words].take_runs(spaces.of_size[words], below[words] % kOneSectorNeeded,
                               (below[words + 1] - below[words]) % kOneSectorNeeded);
  return spaces;
}

template <class Device>
SweepResult SectorTables<Device>::sweep(const uint32_t* marks) {
  const uint64_t items_before = items(), used_before = device_.pool().used();
  std::vector<uint32_t> released = superblocks_.without_marks(marks);
  if (reserves_)
    for (const auto& table : tables_) table.keep_reserve(released);
  {
    const bool any = std::find(released.begin(), released.end(), 1u) != released.end();
    auto on_device = device_.template make<uint32_t>(any ? released.size() : 0);
    device_.upload(on_device.data(), released.data(), on_device.size());
    auto left = device_.template make<uint32_t>(sectors_);
    for (const auto& table : tables_)
      table.buckets().sweep(marks, any ? on_device.data() : nullptr, overflow_.data());
    left_count_ =
        device_.select({"sweep: left sectors", 36}, sectors_, IsLeftSector{overflow_.data()}, left.data());
    left_sectors_ = std::move(left);
  }
  for (auto& table : tables_) table.adopt(released, overflow_.data());
  superblocks_.release(released);
  if (left_count_ == 0) left_sectors_.reset();
  if (left_count_ + 1 == sectors_) drop_sectors();
  return end_sweep(device_.pool(), items_before - items(), used_before);
}

}  // namespace vox::hash
