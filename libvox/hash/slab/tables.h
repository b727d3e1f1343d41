// Owns the slabs and buckets of the tables of all item sizes on a device, and runs searches and insertions of
// whole batches. The Scheme (such as Accel8) defines the slabs.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab/table_ref.h"
#include "libvox/hash/table_options.h"

namespace vox::hash {

struct SpreadBuckets {
  const uint32_t* from;
  uint32_t* to;
  uint32_t factor;
  VOX_HD void operator()(uint64_t i) const { to[i] = from[i / factor]; }
};

// Returns how many slabs a bucket's list has.
template <class Scheme>
struct ChainLength {
  static constexpr uint32_t kLongest = 255;  // longer lists count as this length
  SlabTableRef<Scheme> table;
  VOX_HD uint32_t operator()(uint64_t bucket) const {
    uint32_t length = 0;
    for (uint32_t number = table.buckets[bucket]; number != kNullSlab && length < kLongest; ++length)
      number = table.slab(number)[Scheme::kNextWord];
    return length;
  }
};

// The table of one item size.
template <class Device, class Scheme>
class SlabTable {
 public:
  using Ref = SlabTableRef<Scheme>;

  SlabTable(Device& device, Superblocks<Device>& memory, uint32_t item_words, uint32_t load_factor)
      : device_(device), memory_(memory), item_words_(item_words), load_factor_(load_factor) {}

  // Makes buckets for this many items, unless there are buckets already.
  void expect(uint64_t items) {
    if (items > 0 && bucket_count_ == 0) set_buckets((items + load_factor_ - 1) / load_factor_);
  }

  // Makes room for `count` more items, whichever buckets they fall into. It must be called between batches.
  // In the end, the table is expected to hold `growth` times as many items as with these; it gets buckets for
  // them now, because searches take longer in a table that has had to grow.
  void reserve(uint64_t count, double growth = 1) {
    if (count == 0) return;
    if (!slabs_used_.data()) {
      slabs_used_ = device_.template make<uint32_t>(1);
      device_.fill(slabs_used_.data(), 1, 0u);
      numbers_ = device_.template make<uint32_t>(kMaxSuperblocks);
      full_ = device_.template make<uint32_t>(kMaxSuperblocks);
      device_.fill(full_.data(), kMaxSuperblocks, 0u);
    }
    grow_buckets(items_ + count, growth);
    items_ += count;
    // A bucket with x new items takes at most x / slots + 1 new slabs. A group that loses a race holds one
    // more for a moment.
    const uint64_t worst = count / Scheme::kSlots + std::min<uint64_t>(count, bucket_count_) +
                           std::min<uint64_t>(count, Device::Group::kAtOnce);
    const uint64_t used = slabs_used();
    if (const uint64_t capacity = slab_count(); used + worst > capacity)
      take_superblocks(used + worst - capacity);
  }

  Ref ref() const {
    return {{memory_.ref(), numbers_.data(), full_.data(), superblocks(), slabs_used_.data()},
            buckets_.data(),
            static_cast<uint32_t>(bucket_count_),
            item_words_,
            Scheme::layout(item_words_),
            slabs_searched_};
  }

  // The numbers of items and slabs that remain after a sweep, counted on the device.
  struct Left {
    uint64_t items = 0, slabs = 0;
  };
  // Removes the items that are not marked, and the slabs that become empty.
  void sweep(const uint32_t* marks, Left* left) const {
    const SlabsOfTable<Scheme> slabs = {ref()};
    device_.for_each_group({"sweep: slabs", Scheme::kReadWords * 4}, slab_range(),
                           SweepSlab<Scheme>{slabs, marks});
    device_.for_each_group({"sweep: unlink slabs", 32 * 32}, slab_range() / 32,
                           UnlinkEmptySlabs<Scheme>{slabs, &left->items, &left->slabs});
    device_.for_each({"sweep: buckets", 36}, bucket_count_, UnlinkFromBucket<Scheme>{slabs});
  }
  // Takes over the counts after a sweep, and forgets the superblocks that the table is about to lose.
  void adopt(const Left& left, const std::vector<uint32_t>& released) {
    if (superblocks_.empty()) return;
    if (left.items < items_) slabs_searched_ = left.items == 0 ? 1 : UINT32_MAX;
    items_ = left.items;
    // This also clears the marks of released superblocks, because others will take their place.
    device_.fill(full_.data(), superblocks_.size(), 0u);
    std::erase_if(superblocks_, [&](uint32_t number) { return released[number] != 0; });
    device_.upload(numbers_.data(), superblocks_.data(), superblocks_.size());
    device_.fill(slabs_used_.data(), 1, static_cast<uint32_t>(left.slabs));
    if (items_ > 0) return;
    buckets_.reset();
    bucket_count_ = 0;
  }
  const std::vector<uint32_t>& superblock_numbers() const { return superblocks_; }

  uint64_t items() const { return items_; }

  TableMemory memory() const {
    TableMemory memory = layout_memory(item_words_, items_, bucket_count_, slabs_used());
    const uint64_t unused = slab_count() - memory.slabs;
    memory.slack_bytes = unused * Scheme::layout(item_words_).slab_words * 4;
    memory.bitmap_bytes = uint64_t{superblocks()} * kBitmapWordsPerSuperblock * 4;
    std::array<uint64_t, ChainLength<Scheme>::kLongest + 1> lengths = {};
    device_.histogram("chain lengths", bucket_count_, ChainLength<Scheme>{ref()}, lengths.data(),
                      lengths.size());
    memory.chain_lengths.assign(lengths.begin(), lengths.end());
    while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
    return memory;
  }

  // Returns the memory of this many slabs, which hold this many items.
  static TableMemory layout_memory(uint32_t item_words, uint64_t items, uint64_t buckets, uint64_t slabs) {
    const uint64_t item_bytes = uint64_t{item_words} * 4;
    TableMemory memory;
    memory.item_words = item_words;
    memory.items = items;
    memory.buckets = buckets;
    memory.slabs = slabs;
    memory.item_bytes = items * item_bytes;
    memory.empty_bytes = slabs * Scheme::kSlots * item_bytes - memory.item_bytes;
    memory.fingerprint_bytes = slabs * Scheme::fingerprint_bytes();
    memory.padding_bytes = slabs * Scheme::padding_bytes(item_words);
    memory.link_bytes = slabs * Scheme::layout(item_words).slab_words * 4 - memory.item_bytes -
                        memory.empty_bytes - memory.fingerprint_bytes - memory.padding_bytes;
    memory.bucket_bytes = buckets * 4;
    return memory;
  }

 private:
  uint32_t superblocks() const { return static_cast<uint32_t>(superblocks_.size()); }
  uint64_t slab_range() const { return superblocks_.size() * kSlabsPerSuperblock; }
  // Returns for how many slabs there is memory.
  uint64_t slab_count() const {
    uint64_t places = 0;
    for (uint32_t number : superblocks_) places += memory_.places(number);
    return places >> kSlotBits;
  }

  void take_superblocks(uint64_t slabs) {
    const uint32_t each = memory_.slabs_to_take(slab_count(), slabs);
    const auto more = static_cast<uint32_t>((slabs + each - 1) / each);
    const uint32_t first = memory_.grow(more, superblocks(), Scheme::layout(item_words_), each);
    const size_t before = superblocks_.size();
    superblocks_.resize(before + more);
    std::iota(superblocks_.begin() + static_cast<std::ptrdiff_t>(before), superblocks_.end(), first);
    device_.upload(numbers_.data() + before, superblocks_.data() + before, more);
  }

  uint64_t slabs_used() const {
    uint32_t used = 0;
    if (slabs_used_.data()) device_.download(&used, slabs_used_.data(), 1);
    return used;
  }

  void set_buckets(uint64_t count) {
    if (count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    bucket_count_ = count;
    buckets_ = device_.template make<uint32_t>(count);
    device_.fill(buckets_.data(), count, kNullSlab);
  }

  // Keeps the load below twice the load factor.
  void grow_buckets(uint64_t items, double growth) {
    if (items <= 2 * load_factor_ * bucket_count_) return;
    constexpr uint64_t kFewest = 256;
    const auto expected = static_cast<uint64_t>(static_cast<double>(items) * growth);
    const uint64_t wanted = std::max(kFewest, std::max(2 * items, expected) / load_factor_);
    if (bucket_count_ == 0) return set_buckets(wanted);
    const uint64_t factor = (wanted + bucket_count_ - 1) / bucket_count_;
    const uint64_t grown_count = bucket_count_ * factor;
    if (grown_count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    device::Buffer<uint32_t> grown = device_.template make<uint32_t>(grown_count);
    device_.for_each("grow buckets", grown_count,
                     SpreadBuckets{buckets_.data(), grown.data(), static_cast<uint32_t>(factor)});
    buckets_ = std::move(grown);
    bucket_count_ = grown_count;
  }

  Device& device_;
  Superblocks<Device>& memory_;
  uint32_t item_words_;
  uint64_t load_factor_;
  uint64_t items_ = 0, bucket_count_ = 0;
  uint32_t slabs_searched_ = 1;
  std::vector<uint32_t> superblocks_;  // their numbers
  device::Buffer<uint32_t> buckets_, numbers_, full_, slabs_used_;
};

template <class Scheme>
using SlabTableRefs = std::array<SlabTableRef<Scheme>, kMaxItemWords + 1>;  // indexed by item size

// An item of a batch, its hash, and the first slab of its bucket.
struct PreparedItem {
  uint32_t hash_low, hash_high;
  uint32_t item, words;
  uint32_t first_slab;

  VOX_HD uint64_t hash() const { return uint64_t{hash_high} << 32 | hash_low; }
};

// The common part of the bodies that search and insert.
template <class Scheme>
struct ItemsInTables {
  BatchRef batch;
  ChosenRef chosen;
  SlabTableRefs<Scheme> tables;
  uint32_t* pointers;
  SearchCounts* counts;  // nullptr if nothing is counted

  VOX_HD void prefetch(uint64_t i, int stage) const {
    tables[batch.size(chosen[i])].prefetch(batch.hash(chosen[i]), stage);
  }
  VOX_HD PreparedItem prepare(uint64_t i) const {
    const uint64_t item = chosen[i], hash = batch.hash(item);
    const uint32_t words = batch.size(item);
    return {static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(item),
            words, tables[words].first_slab(hash)};
  }

  template <class Group, class Probe>
  VOX_HD void finish(Group group, const PreparedItem& prepared, uint32_t pointer, const Probe& probe) const {
    group.once([&] {
      pointers[prepared.item] = pointer;
      if constexpr (Probe::kCounts) probe.add_to(counts);
    });
  }
};

template <class Scheme, class Probe>
struct FindItems {
  static constexpr uint32_t kAheadBytes = Scheme::kReadWords * 4;  // the bytes that prefetch() asks for
  ItemsInTables<Scheme> items;

  VOX_HD void prefetch(uint64_t i, int stage) const { items.prefetch(i, stage); }
  VOX_HD PreparedItem prepare(uint64_t i) const { return items.prepare(i); }

  template <class Group>
  VOX_HD void operator()(Group group, const PreparedItem& prepared) const {
    Probe probe;
    const uint32_t pointer = items.tables[prepared.words].find(group, items.batch.item(prepared.item),
                                                               prepared.hash(), prepared.first_slab, probe);
    items.finish(group, prepared, pointer, probe);
  }
};

template <class Scheme, class Probe>
struct InsertItems {
  static constexpr uint32_t kAheadBytes = Scheme::kReadWords * 4;  // the bytes that prefetch() asks for
  ItemsInTables<Scheme> items;

  VOX_HD void prefetch(uint64_t i, int stage) const { items.prefetch(i, stage); }
  VOX_HD PreparedItem prepare(uint64_t i) const { return items.prepare(i); }

  template <class Group>
  VOX_HD void operator()(Group group, const PreparedItem& prepared) const {
    Probe probe;
    const uint32_t pointer = items.tables[prepared.words].insert(group, items.batch.item(prepared.item),
                                                                 prepared.hash(), prepared.first_slab, probe);
    items.finish(group, prepared, pointer, probe);
  }
};

// Finds duplicates with a table of slabs. It is defined in variants.h, which includes this file.
template <class Device>
void find_leaders_in_slabs(Device& device, const BatchRef& batch, uint64_t n, uint32_t* leaders);

// A set with one table for each item size. Leaves and nodes of the same size share a table.
template <class Device, class Scheme>
class SlabTables final : public TableSet<Device> {
  using Find = FindItems<Scheme, NoProbe>;
  using Insertion = InsertItems<Scheme, NoProbe>;
  static_assert(device::AheadBody<Find> && device::PreparingBody<Find>);
  static_assert(device::AheadBody<Insertion> && device::PreparingBody<Insertion>);

 public:
  static constexpr const char* kName = Scheme::kName;

  SlabTables(Device& device, const TableOptions& options)
      : TableSet<Device>(device),
        find_leaders_(options.duplicates == Duplicates::Slabs ? find_leaders_in_slabs<Device>
                                                              : find_leaders<Device>) {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words)
      tables_.emplace_back(device, superblocks_, words, options.load_factor);
  }

  uint64_t items() const override {
    uint64_t sum = 0;
    for (const auto& table : tables_) sum += table.items();
    return sum;
  }
  std::vector<TableMemory> memory() const override {
    std::vector<TableMemory> result;
    for (const auto& table : tables_)
      if (table.items() > 0) result.push_back(table.memory());
    return result;
  }
  TableMemory predicted(const TableMemory& measured) const override;

  void expect(const SizeCounts& items) override {
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_[words].expect(items[words]);
  }

  void find(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) const override {
    if (this->counted_searches_) {
      *this->counted_searches_ += find_counted(batch, chosen, n, pointers);
      return;
    }
    device_.for_each_group({"find items", 100}, n,
                           FindItems<Scheme, NoProbe>{{batch, chosen, refs(), pointers, nullptr}});
  }
  void insert(const BatchRef& batch, const ChosenRef& chosen, uint64_t n, uint32_t* pointers) override {
    reserve(batch, chosen, n);
    device_.for_each_group({"insert items", 132}, n,
                           InsertItems<Scheme, NoProbe>{{batch, chosen, refs(), pointers, nullptr}});
  }

  SweepResult sweep(const uint32_t* marks) override {
    const uint64_t items_before = items(), used_before = device_.pool().used();
    const std::vector<uint32_t> released = superblocks_.without_marks(marks);
    std::vector<Left> left(tables_.size());
    {
      auto on_device = device_.template make<Left>(left.size());
      device_.upload(on_device.data(), left.data(), left.size());
      for (size_t words = 0; words < tables_.size(); ++words)
        tables_[words].sweep(marks, on_device.data() + words);
      device_.download(left.data(), on_device.data(), left.size());
    }
    for (size_t words = 0; words < tables_.size(); ++words) tables_[words].adopt(left[words], released);
    for (const auto& table : tables_) superblocks_.set_order(table.superblock_numbers());
    superblocks_.release(released);
    return end_sweep(device_.pool(), items_before - items(), used_before);
  }

  SearchCounts find_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                            uint32_t* pointers) const override {
    return this->counted([&](SearchCounts* counts) {
      device_.for_each_group("find items, counted", n,
                             FindItems<Scheme, SearchProbe>{{batch, chosen, refs(), pointers, counts}});
    });
  }
  uint64_t insert_counted(const BatchRef& batch, const ChosenRef& chosen, uint64_t n,
                          uint32_t* pointers) override {
    reserve(batch, chosen, n);
    const SearchCounts inserted = this->counted([&](SearchCounts* counts) {
      device_.for_each_group("insert items, counted", n,
                             InsertItems<Scheme, SearchProbe>{{batch, chosen, refs(), pointers, counts}});
    });
    return inserted.sectors;
  }

  std::unique_ptr<LinkedBatches> link_batches(std::span<const uint64_t> sizes) override {
    return std::make_unique<SteppedBatches<Device>>(device_, *this, sizes.size(), find_leaders_);
  }

 private:
  using TableSet<Device>::device_;
  using TableSet<Device>::superblocks_;
  using TableSet<Device>::growth_;
  using Left = typename SlabTable<Device, Scheme>::Left;

  SlabTableRefs<Scheme> refs() const {
    SlabTableRefs<Scheme> refs = {};
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) refs[words] = tables_[words].ref();
    return refs;
  }

  void reserve(const BatchRef& batch, const ChosenRef& chosen, uint64_t n) {
    const SizeCounts counts = count_sizes(device_, batch, chosen, n);
    for (uint32_t words = 0; words <= kMaxItemWords; ++words) tables_[words].reserve(counts[words], growth_);
  }

  std::vector<SlabTable<Device, Scheme>> tables_;
  DuplicateFinder<Device> find_leaders_;  // for linked batches
};

template <class Device, class Scheme>
TableMemory SlabTables<Device, Scheme>::predicted(const TableMemory& measured) const {
  const auto buckets = static_cast<double>(measured.buckets);
  const double items_per_bucket = static_cast<double>(measured.items) / buckets;
  const double slabs = buckets * expected_slabs(items_per_bucket, Scheme::kSlots);
  // If there are few items, there are at least as many slabs as hold them.
  const uint64_t fewest = (measured.items + Scheme::kSlots - 1) / Scheme::kSlots;
  TableMemory memory =
      SlabTable<Device, Scheme>::layout_memory(measured.item_words, measured.items, measured.buckets,
                                               std::max(fewest, static_cast<uint64_t>(std::llround(slabs))));
  for (const double share : slabs_of_a_bucket(items_per_bucket, Scheme::kSlots))
    memory.chain_lengths.push_back(static_cast<uint64_t>(std::llround(share * buckets)));
  while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
  return memory;
}

}  // namespace vox::hash
