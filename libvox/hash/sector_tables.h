// The table `sector`, ours: for all item sizes, with the calls of SlabTables. Against the slab tables of the
// paper it saves the empty slots of last slabs, reads one line where they walk a list, and inserts without
// atomics, in the order of memory. See sector_layout.h for what lies where.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/work.h"
#include "libvox/hash/sector_chains.h"
#include "libvox/hash/sector_find.h"
#include "libvox/hash/sector_insert.h"
#include "libvox/hash/sector_sweep.h"
#include "libvox/hash/superblocks.h"
#include "libvox/hash/sweep.h"
#include "libvox/hash/table_memory.h"
#include "libvox/hash/table_options.h"

namespace vox {

// Headers of a bucket.
struct SectorChainLength {
  static constexpr uint32_t kLongest = 255;  // longer ones count as this
  const uint32_t* lines;
  const uint32_t* overflow;
  VOX_HD uint32_t operator()(uint64_t bucket) const {
    const uint32_t* header = lines + bucket * SectorLine::kWords;
    uint32_t length = 1;
    for (uint32_t next = header[SectorLine::kNextWord]; next != kNoSector && length < kLongest; ++length)
      next = overflow[uint64_t{next} * SectorOverflow::kWords + SectorOverflow::kNextWord];
    return length;
  }
};

// The table of one item size, all but its overflow sectors, which are those of all sizes.
template <class Device>
class SectorTable {
 public:
  SectorTable(Device& device, Superblocks<Device>& memory, uint32_t item_words, const TableOptions& options)
      : device_(device), memory_(memory), item_words_(item_words), load_factor_(options.load_factor) {}

  void expect(uint64_t items) {
    if (items == 0 || !generations_.empty()) return;
    expected_ = items;
    add_buckets((items + load_factor_ - 1) / load_factor_);
  }

  // Sees to it that there are enough buckets for `count` more items.
  void reserve_buckets(uint64_t count, double growth) {
    constexpr uint64_t kFewest = 64;
    if (count <= items_before_full()) return;
    const auto in_the_end = static_cast<uint64_t>(static_cast<double>(items_ + count) * growth);
    add_buckets(std::max({kFewest, (in_the_end - items_) / load_factor_, (items_ + count) / load_factor_}));
  }
  void count_items(uint64_t count) {
    items_ += count;
    newest_items_ += count;
  }

  // The buckets to insert `count` items into, of which the first has this number.
  SectorSpace buckets(uint32_t first, uint64_t count) const {
    SectorSpace space;
    space.lines = generations_.back().lines.data();
    space.first_bucket = first;
    space.spare = spare(items_ + count);
    return space;
  }

  // What there is for batches that do not ask: places from next_place_ on, then those of the reserve.
  void limits(SectorLimits& limits) const {
    SectorSpace& space = limits.spaces.of_size[item_words_];
    space.old_place = next_place_;
    space.fits = places_end_ - next_place_;
    space.new_place = reserve_.begin;
    space.spare = spare(items_ + 1);
    limits.places[item_words_] = places_left();
    limits.missing[item_words_] = items_before_full();
  }
  // They have asked for this, and have inserted so many items.
  void took(const SectorRoom::OfSize& room, uint64_t items) {
    const uint64_t had = places_end_ - next_place_, places = std::min(room.places, places_left());
    slots_ += room.places - room.refused_places;
    count_items(items);
    if (places <= had) {
      next_place_ += static_cast<uint32_t>(places);
    } else {
      next_place_ = reserve_.begin + kLongestRun + static_cast<uint32_t>(places - had);
      places_end_ = std::exchange(reserve_, {}).end;
    }
  }
  // So that what was refused will be there.
  void make_room(const SectorRoom::OfSize& room, double growth) {
    if (room.refused_items > 0) reserve_buckets(room.refused_items, growth);
    if (room.refused_places > places_left()) reserve_ = take_superblocks(room.refused_places + kLongestRun);
  }
  // So that batches that are like those that asked for this will not be refused anything for some time.
  void make_reserve(const SectorRoom::OfSize& room, uint64_t items, double growth) {
    constexpr uint64_t kOften = 8;
    if (places_left() < 2 * room.places)
      reserve_ = take_superblocks(std::max(kOften * room.places, items_ / kShare));
    if (items_before_full() < 2 * items) reserve_buckets(2 * items, growth);
  }
  // The same before there were any, for a share of the items that there are, or of those of all tables.
  // Nothing where a superblock would be much.
  void make_first_reserve(uint64_t all_items) {
    constexpr uint64_t kFewItems = 1 << 16;
    const uint64_t share = std::max(items_, all_items / kMaxItemWords) / kShare;
    const uint64_t places = share / kItemsPerSuperblock * kItemsPerSuperblock;
    if (places_left() < places) reserve_ = take_superblocks(places);
    if (items_before_full() < kFewItems) add_buckets(kFewItems / load_factor_ + 1);
  }

  // Takes memory for runs of `granules` together, behind those of smaller sizes.
  void take_runs(SectorSpace& space, uint64_t granules_below, uint64_t granules) {
    const uint64_t items = granules * kGranule;
    space.granules_below = granules_below;
    space.old_place = next_place_;
    space.fits = std::min<uint64_t>(items, places_end_ - next_place_);
    if (space.fits == items) {
      slots_ += items;
      next_place_ += static_cast<uint32_t>(items);
      return;
    }
    const uint64_t more = kLongestRun + items - space.fits;
    if (reserve_.end - reserve_.begin < more) reserve_ = take_superblocks(more);
    slots_ += items;
    space.new_place = reserve_.begin;
    next_place_ = reserve_.begin + static_cast<uint32_t>(more);
    places_end_ = std::exchange(reserve_, {}).end;
  }

  SectorTableRef ref(const uint32_t* overflow) const {
    SectorTableRef ref = {
        memory_.ref(), overflow, item_words_, static_cast<uint32_t>(generations_.size()), {}};
    for (size_t i = 0; i < generations_.size(); ++i)
      ref.buckets[i] = {generations_[i].lines.data(), static_cast<uint32_t>(generations_[i].count), 0};
    return ref;
  }

  // Removes the items that are not marked. `released` is by number of a superblock, nullptr where none goes.
  void sweep(const uint32_t* marks, const uint32_t* released, uint32_t* overflow) const {
    for (const Generation& generation : generations_)
      device_.for_each_group({"sweep: buckets", SectorLine::kWords * 4.0 + 14}, generation.count,
                             SweepBucket{generation.lines.data(), overflow, marks, released});
  }
  // After it: which superblocks the table is about to lose, and what is left.
  void adopt(const std::vector<uint32_t>& released, const uint32_t* overflow) {
    std::erase_if(superblocks_, [&](uint32_t number) { return released[number] != 0; });
    if (places_end_ > 0 && released[(places_end_ - 1) >> kPlaceBits] != 0) next_place_ = places_end_ = 0;
    reserve_ = {};  // without items, it has gone
    items_ = newest_items_ = slots_ = 0;
    std::vector<Generation> left;
    for (Generation& generation : generations_) {
      const uint64_t sum = device_.sum({"sweep: count items", 32}, generation.count,
                                       CountBucket{generation.lines.data(), overflow});
      newest_items_ = sum & UINT32_MAX;
      items_ += newest_items_;
      slots_ += sum >> 32;
      if (sum != 0 || &generation == &generations_.back()) left.push_back(std::move(generation));
    }
    generations_ = std::move(left);
    if (slots_ > 0) return;
    generations_.clear();
    expected_ = 0;
  }

  uint64_t items() const { return items_; }
  uint64_t newest_buckets() const { return generations_.empty() ? 0 : generations_.back().count; }

  TableMemory memory(const uint32_t* overflow) const {
    std::array<uint64_t, SectorChainLength::kLongest + 1> lengths = {};
    uint64_t buckets = 0, headers = 0;
    for (const Generation& generation : generations_) {
      buckets += generation.count;
      device_.histogram("chain lengths", generation.count,
                        SectorChainLength{generation.lines.data(), overflow}, lengths.data(), lengths.size());
    }
    for (size_t length = 0; length < lengths.size(); ++length) headers += length * lengths[length];
    TableMemory memory = layout_memory(item_words_, items_, slots_, buckets, headers - buckets);
    memory.chain_lengths.assign(lengths.begin(), lengths.end());
    while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
    const uint64_t places = superblocks_.size() * kItemsPerSuperblock;
    memory.slack_bytes = (places - slots_) * item_words_ * 4;
    memory.bitmap_bytes = superblocks_.size() * kBitmapWordsPerSuperblock * 4;
    return memory;
  }

  // What so many buckets, item slots and overflow sectors take.
  static TableMemory layout_memory(uint32_t item_words, uint64_t items, uint64_t slots, uint64_t buckets,
                                   uint64_t sectors) {
    TableMemory memory;
    memory.item_words = item_words;
    memory.items = items;
    memory.buckets = buckets;
    memory.slabs = buckets + sectors;
    memory.item_bytes = items * item_words * 4;
    memory.empty_bytes = (slots - items) * item_words * 4;
    memory.fingerprint_bytes = buckets * SectorLine::kSlots + sectors * SectorOverflow::kSlots;
    memory.link_bytes =
        buckets * SectorLine::kWords * 4 + sectors * SectorOverflow::kWords * 4 - memory.fingerprint_bytes;
    return memory;
  }

 private:
  static constexpr uint64_t kShare = 32;  // of the items there are, that may be places for more
  static constexpr uint32_t kSlotsPerSlab = 1 << kSlotBits, kPlaceBits = kBlockBits + kSlabBits + kSlotBits;

  struct Generation {
    Buffer<uint32_t> lines;
    uint64_t count;
  };
  // Places where nobody has a run yet.
  struct Places {
    uint32_t begin = 0, end = 0;
    // How many there are behind the one run that other places end in.
    uint64_t behind_a_run() const { return end - begin > kLongestRun ? end - begin - kLongestRun : 0; }
  };

  // How many more there may be before further buckets are better.
  uint64_t items_before_full() const {
    if (generations_.empty()) return 0;
    if (generations_.size() == SectorTableRef::kMaxGenerations) return UINT64_MAX;
    const uint64_t most = 3 * load_factor_ * generations_.back().count / 2;
    return std::max(most - std::min(most, newest_items_), expected_ - std::min(expected_, items_));
  }

  Places take_superblocks(uint64_t places) {
    const auto count = static_cast<uint32_t>((places + kItemsPerSuperblock - 1) / kItemsPerSuperblock);
    const uint32_t first =
        memory_.grow(count, 0, SlabLayout::contiguous(kSlotsPerSlab * item_words_, 0, item_words_));
    for (uint32_t i = 0; i < count; ++i) superblocks_.push_back(first + i);
    return {first << kPlaceBits, (first + count) << kPlaceBits};
  }

  uint64_t places_left() const { return places_end_ - next_place_ + reserve_.behind_a_run(); }

  void add_buckets(uint64_t count) {
    if (count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    generations_.push_back({device_.template make<uint32_t>(count * SectorLine::kWords), count});
    device_.fill(generations_.back().lines.data(), count * SectorLine::kWords, 0u);
    newest_items_ = 0;
  }

  // How many items a bucket is going to get on average when there are so many.
  uint32_t spare(uint64_t items) const {
    constexpr uint32_t kUnplanned = 8;
    if (items > expected_) return kUnplanned;
    const uint64_t buckets = generations_.back().count;
    return static_cast<uint32_t>(
        std::min<uint64_t>((expected_ - items + buckets / 2) / buckets, SectorLine::kSlots));
  }

  Device& device_;
  Superblocks<Device>& memory_;
  uint32_t item_words_;
  uint64_t load_factor_;
  uint64_t items_ = 0, newest_items_ = 0, expected_ = 0;
  uint64_t slots_ = 0;  // of all runs
  std::vector<Generation> generations_;
  std::vector<uint32_t> superblocks_;         // their numbers
  uint32_t next_place_ = 0, places_end_ = 0;  // where nobody has a run yet
  Places reserve_;                            // and then here
};

template <class Device>
class SectorTables {
 public:
  static constexpr const char* kName = "sector";

  SectorTables(Device& device, const TableOptions& options) : device_(device), memory_(device) {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      tables_.emplace_back(device, memory_, words, options);
    drop_sectors();
  }

  SlabMemoryRef memory_ref() const { return memory_.ref(); }
  uint64_t pointer_range() const { return memory_.pointer_range(); }
  uint64_t items() const {
    uint64_t sum = 0;
    for (const auto& table : tables_) sum += table.items();
    return sum;
  }
  // Of the sizes that have items.
  std::vector<TableMemory> memory() const {
    std::vector<TableMemory> result;
    for (const auto& table : tables_)
      if (table.items() > 0) result.push_back(table.memory(overflow_.data()));
    if (!result.empty())
      result.front().slack_bytes +=
          (overflow_.size() + left_sectors_.size() - (sectors_ - 1 - left_count_) * SectorOverflow::kWords) *
          4;
    return result;
  }

  // How many items of each size there will be in the end. Call before there are any.
  void expect(const SizeCounts& items) {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_[words].expect(items[words]);
  }
  // How many times as many items as after the next insertion there will be in the end, as far as one knows.
  void expect_growth(double growth) { growth_ = growth; }

  // Search phase: pointers[chosen[i]] for i < n becomes the item's pointer, or kNullPointer.
  void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const {
    device_.for_each({"find items", 200}, n,
                     FindInSectors<NoProbe>{batch, chosen, refs(), pointers, nullptr});
  }
  uint64_t find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                        uint32_t* pointers) const {
    auto sectors = device_.template make<uint64_t>(1);
    device_.fill(sectors.data(), 1, uint64_t{0});
    device_.for_each("find items, counted", n,
                     FindInSectors<SectorProbe>{batch, chosen, refs(), pointers, sectors.data()});
    uint64_t count = 0;
    device_.download(&count, sectors.data(), 1);
    return count;
  }

  // For batches that are inserted without the host (sector_batches.h): what there is.
  SectorLimits limits() const {
    SectorLimits limits;
    for (const auto& table : tables_) table.limits(limits);
    limits.spaces.left_sectors = left_sectors_.data();
    limits.spaces.left_count = static_cast<uint32_t>(left_count_);
    limits.spaces.first_sector = static_cast<uint32_t>(sectors_);
    limits.sectors = left_count_ + overflow_.size() / SectorOverflow::kWords - sectors_;
    return limits;
  }
  // What they have taken. There is more afterwards.
  void took(const SectorRoom& room, const SizeCounts& inserted) {
    const uint64_t there = limits().sectors, taken = std::min(room.sectors, there);
    const uint64_t reused = std::min(taken, left_count_), kept = left_count_ - reused;
    const uint64_t moved = std::min(reused, kept);  // to where the reused ones were
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
    as_far_as_there_is_memory([&] {
      for (uint32_t words = 0; words <= kMaxItemWords; ++words)
        tables_[words].make_reserve(room.of_size[words], inserted[words], growth_);
      if (limits().sectors < 2 * room.sectors) reserve_sectors(8 * room.sectors);
    });
  }
  // For batches that are going to come.
  void make_reserve() {
    constexpr uint64_t kFewSectors = 1 << 14;
    as_far_as_there_is_memory([&] {
      for (uint32_t words = kMinItemWords; words <= kMaxItemWords; ++words)
        tables_[words].make_first_reserve(items());
      reserve_sectors(sectors_ / 4 + kFewSectors);
    });
  }
  SectorTableRefs refs() const {
    SectorTableRefs refs = {};
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      refs[words] = tables_[words].ref(overflow_.data());
    return refs;
  }
  uint32_t* overflow() { return overflow_.data(); }

  // Insertion phase: the chosen items differ from each other and from all that are stored.
  void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers);
  SweepResult sweep(const uint32_t* marks);

  // The same as insert(), and how many 32-byte sectors that moves, counted from the sizes of all arrays.
  uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) {
    insert(batch, chosen, n, pointers);
    return moved_bytes_ / 32;
  }

 private:
  // A batch in the order of its buckets.
  struct SortedBatch {
    Buffer<uint32_t> keys, order, starts, block_runs;
    BucketRuns runs;
    std::array<uint32_t, kMaxItemWords + 1> first_bucket = {};  // of each size
  };
  SortedBatch sort_by_bucket(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                             const SizeCounts& counts);
  SectorSpaces take_space(const SortedBatch& sorted, const SizeCounts& counts, uint64_t* needs);

  static double mean_item_bytes(const SizeCounts& counts, uint64_t n) {
    uint64_t words = 0;
    for (uint32_t size = 0; size <= kMaxItemWords; ++size) words += counts[size] * size;
    return 4.0 * static_cast<double>(words) / static_cast<double>(n);
  }
  Work moves(const Work& work, uint64_t n) {
    moved_bytes_ += static_cast<uint64_t>(work.bytes_per_item * static_cast<double>(n));
    return work;
  }

  // Numbers the buckets that are inserted into, those of smaller items first; returns how many there are.
  uint32_t number_buckets(const SizeCounts& counts, SectorTableRefs& refs) const {
    uint64_t first = 0;
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) {
      if (counts[words] == 0) continue;
      SectorTableRef& ref = refs[words];
      ref.buckets[ref.generations - 1].first = static_cast<uint32_t>(first);
      first += tables_[words].newest_buckets();
      if (first > UINT32_MAX) throw Error("the hash tables have more than 2^32 buckets");
    }
    return static_cast<uint32_t>(first);
  }

  // What the buckets of all smaller sizes need; behind the last size, what all need.
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

  // All but the one that stays empty.
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
    } catch (const Error&) {  // of memory or of numbers for superblocks there is no more: one does without
    }
  }

  void reserve_sectors(uint64_t count) {
    const uint64_t needed = (sectors_ + count) * SectorOverflow::kWords;
    if (needed <= overflow_.size()) return;
    if (sectors_ + count > kMaxOverflowSectors)
      throw Error("a hash table has too many items in too few buckets").hint("lower --load-factor");
    constexpr uint64_t kFewest = 1024;
    auto grown = device_.template make<uint32_t>(
        std::max({kFewest * SectorOverflow::kWords, needed, overflow_.size() * 3 / 2}));
    device_.copy(grown.data(), overflow_.data(), sectors_ * SectorOverflow::kWords);
    // Batches may ask for a sector and leave it: kLeftSector, so that the next sweep finds it.
    device_.fill(grown.data() + sectors_ * SectorOverflow::kWords,
                 grown.size() - sectors_ * SectorOverflow::kWords, +kLeftSector);
    device_.sync();
    overflow_ = std::move(grown);
  }

  Device& device_;
  Superblocks<Device> memory_;
  std::vector<SectorTable<Device>> tables_;
  Buffer<uint32_t> overflow_;
  uint64_t sectors_ = 0;           // overflow sectors that are or were in use, and one that stays empty
  Buffer<uint32_t> left_sectors_;  // of which nobody uses these
  uint64_t left_count_ = 0;
  double growth_ = 1;
  uint64_t moved_bytes_ = 0;  // by the last insertion
};

template <class Device>
void SectorTables<Device>::insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                  uint32_t* pointers) {
  moved_bytes_ = 0;
  if (n == 0) return;
  const SizeCounts counts = count_sizes(device_, batch, chosen, n);
  const SortedBatch sorted = sort_by_bucket(batch, chosen, n, counts);
  // All that can run out of memory comes before anything changes.
  auto needs = device_.template make<uint64_t>(sorted.runs.count + 1);
  auto plans = device_.template make<BucketPlan>(sorted.runs.count);
  auto places = device_.template make<SectorPlace>(n);
  auto sorted_pointers = device_.template make<uint32_t>(n);
  const SectorSpaces spaces = take_space(sorted, counts, needs.data());
  device_.for_each(
      moves({"plan buckets", 96}, sorted.runs.count), sorted.runs.count,
      PlanBuckets{sorted.runs, spaces, overflow_.data(), needs.data(), plans.data(), places.data()});
  device_.for_each(moves({"write items", 17 + 2 * mean_item_bytes(counts, n)}, n), n,
                   WriteItems{memory_.ref(), spaces, overflow_.data(), sorted.runs, sorted.block_runs.data(),
                              plans.data(), places.data(), sorted_pointers.data()});
  device_.scatter(moves({"return pointers", 12}, n), n, sorted.order.data(), sorted_pointers.data(),
                  pointers);
  for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_[words].count_items(counts[words]);
}

template <class Device>
auto SectorTables<Device>::sort_by_bucket(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                                          const SizeCounts& counts) -> SortedBatch {
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    tables_[words].reserve_buckets(counts[words], growth_);
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
  const uint32_t passes = (key.bits + 7) / 8;  // of a radix sort
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

// Finds out what the buckets need and allocates it; `needs` becomes the prefix sums.
template <class Device>
SectorSpaces SectorTables<Device>::take_space(const SortedBatch& sorted, const SizeCounts& counts,
                                              uint64_t* needs) {
  const BucketRuns& runs = sorted.runs;
  SectorSpaces spaces;
  for (uint32_t words = 0; words <= kMaxItemWords; ++words)
    if (counts[words] > 0)
      spaces.of_size[words] = tables_[words].buckets(sorted.first_bucket[words], counts[words]);
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
  const std::vector<uint32_t> released = memory_.without_marks(marks);
  {
    const bool any = std::find(released.begin(), released.end(), 1u) != released.end();
    auto on_device = device_.template make<uint32_t>(any ? released.size() : 0);
    device_.upload(on_device.data(), released.data(), on_device.size());
    auto left = device_.template make<uint32_t>(sectors_);
    for (const auto& table : tables_) table.sweep(marks, any ? on_device.data() : nullptr, overflow_.data());
    left_count_ =
        device_.select({"sweep: left sectors", 36}, sectors_, IsLeftSector{overflow_.data()}, left.data());
    left_sectors_ = std::move(left);
  }
  for (auto& table : tables_) table.adopt(released, overflow_.data());
  memory_.release(released);
  if (left_count_ == 0) left_sectors_.reset();
  if (left_count_ + 1 == sectors_) drop_sectors();
  return end_sweep(device_.pool(), items_before - items(), used_before);
}

}  // namespace vox
