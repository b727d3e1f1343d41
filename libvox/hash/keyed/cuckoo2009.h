// The tables `cuckoo2009` and `cuckoo2009-sized`: Alcantara, Sharf, Abbasinejad, Sengupta, Mitzenmacher, Owens and
// Amenta 2009, "Real-time parallel hashing on the GPU", §4.
//
// Phase 1 distributes the items into buckets of 409 on average; a bucket may have at most 512 different keys.
// In phase 2 a thread block builds each bucket in shared memory, as a cuckoo hash of three sub-tables of 192
// cells. Their hash functions are derived from a seed that is stored for each bucket:
//
//   cells    T1 of bucket 0 │ T1 of bucket 1 │ …  │ T2 of bucket 0 │ …  │ T3 of bucket 0 │ …
//   seeds    32 bits for each bucket
//
// A search reads the seed and up to three cells. All copies of a key come into one bucket and try the same cells there.
// A bucket may therefore have any number of items, as in the multi-value table of §4.2. Races decide which of two keys
// a cell keeps, so two builds of the same keys may differ in their cells.
//
// `cuckoo2009` has a load factor of at most 0.71, because every bucket has as much room as the fullest one needs. §7
// proposes buckets of 1,024 keys, for 0.75. `cuckoo2009-sized` has them, 832 keys on average, and the sub-tables of a
// bucket are as large as its items need, so that all buckets are equally full:
//
//   cells    T1, T2, T3 of bucket 0 │ T1, T2, T3 of bucket 1 │ …
//   heads    for each bucket where its cells begin, the number of cells of each sub-table, and the number of its seed
//
// The functions of the paper, [(c0 + c1 k) mod 1900813] mod m, are for keys of 32 bits and for tables of a
// few million keys. They are replaced where they do not suffice:
//
// First, a mixing function with a seed folds keys of 64 bits to 32 bits. The high half of the mixed word chooses the
// bucket, from the second attempt on, and the low half the cells. If one half did both, four keys that share it would
// have only three cells: half of all sets of 33 million keys have such keys. From the fifth attempt on, keys of 32 bits
// are folded, too, because keys with the same remainder by 1900813 have the same cells, whatever c0 and c1 are.
//
// Second, the prime is 2^32 - 5 for more than 1900813 / 64 buckets, because otherwise their sizes differ too much.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/keys.h"

namespace vox::hash {

constexpr uint32_t kCuckooPrime = 1900813;

// Chooses the cell of a sub-table in which a key may be.
struct SubTableHash {
  using Affine = AffineHash<kCuckooPrime>;
  Affine affine;
  VOX_HD uint32_t operator()(uint32_t folded_key, uint32_t cells) const { return affine(folded_key) % cells; }
};

// The buckets are equally large, as in the paper, or each is as large as its items need.
struct EqualBuckets {
  static constexpr bool kSized = false;
  static constexpr uint32_t kSubTableCells = 192, kMostKeys = 512;
};
struct SizedBuckets {
  static constexpr bool kSized = true;
  static constexpr uint32_t kSubTableCells = 480 /* at most */, kMostKeys = 1024, kMeanKeys = 832;
};

struct BucketHead {
  uint32_t start;
  uint16_t cells;  // the number of cells of each sub-table
  uint16_t seed_number;
};
static_assert(sizeof(BucketHead) == 8);

template <CellWord Cell, class Buckets>
struct Cuckoo2009Ref {
  static constexpr bool kSized = Buckets::kSized;
  static constexpr uint32_t kSubTables = 3, kSubTableCells = Buckets::kSubTableCells,
                            kBucketCells = kSubTables * kSubTableCells;
  static constexpr uint32_t kMostBucketKeys = Buckets::kMostKeys;
  static constexpr uint32_t kMostSeeds =
      16;  // too few for 60 % of buckets of 512 keys, enough for all of 409
  static constexpr uint32_t kHeadWords = kSized ? sizeof(BucketHead) / sizeof(uint32_t) : 1;

  Cell* cells;
  uint32_t* heads;  // for each bucket its seed, or, if kSized, the two words of BucketHead
  Modulus buckets;  // the number of buckets
  uint32_t attempt;
  uint64_t seed;
  CellFormat<Cell> format;

  VOX_HD bool is_folded() const {
    constexpr uint32_t kUnfoldedAttempts = 4;
    return sizeof(Cell) == 8 || attempt > kUnfoldedAttempts;
  }
  // Returns the 32 bits that stand for the key in the hash functions of the sub-tables.
  VOX_HD uint32_t folded(Cell key) const {
    return static_cast<uint32_t>(is_folded() ? mix64(key ^ seed) : uint64_t{key});
  }
  // Returns the bucket of a key. The paper's first attempt divides the key itself. That is not random, but
  // often good enough, and successive keys have neighboring buckets.
  VOX_HD uint32_t bucket(Cell key) const {
    return static_cast<uint32_t>(buckets(attempt == 1 ? uint64_t{key} : hash_for_bucket(key)));
  }
  VOX_HD uint32_t hash_for_bucket(Cell key) const {
    const uint32_t folded_key =
        is_folded() ? static_cast<uint32_t>(mix64(key ^ seed) >> 32) : static_cast<uint32_t>(key);
    if (buckets.divisor <= kCuckooPrime / 64) return AffineHash<kCuckooPrime>::from(seed)(folded_key);
    return AffineHash<kAffineLargePrime>::from(seed)(folded_key);
  }
  // Returns the function of a sub-table. Its constants are the bucket's seed, XORed with fixed numbers.
  VOX_HD static SubTableHash hash(uint32_t bucket_seed, uint32_t sub_table) {
    const uint32_t fixed = 0x9e3779b9 * (2 * sub_table + 1);
    return {SubTableHash::Affine::from(bucket_seed ^ fixed, bucket_seed ^ ~(fixed << 13 | fixed >> 19))};
  }
  VOX_HD BucketHead& sized_head(uint64_t bucket) const {
    return reinterpret_cast<BucketHead*>(heads)[bucket];
  }
  // Returns the number of cells of each sub-table of a bucket.
  VOX_HD uint32_t sub_table_cells(uint64_t bucket) const {
    if constexpr (kSized) return sized_head(bucket).cells;
    return kSubTableCells;
  }
  VOX_HD uint32_t numbered_seed(uint64_t bucket, uint32_t number) const {
    return static_cast<uint32_t>(mix64(seed + bucket * kMostSeeds + number) >> 32);
  }
  VOX_HD uint32_t seed_of(uint64_t bucket) const {
    if constexpr (kSized) return numbered_seed(bucket, sized_head(bucket).seed_number);
    return heads[bucket];
  }
  VOX_HD void set_seed(uint64_t bucket, uint32_t number) const {
    if constexpr (kSized)
      sized_head(bucket).seed_number = static_cast<uint16_t>(number);
    else
      heads[bucket] = numbered_seed(bucket, number);
  }
  VOX_HD uint64_t slot(uint64_t bucket, uint32_t sub_table, uint32_t place) const {
    if constexpr (kSized)
      return uint64_t{sized_head(bucket).start} + sub_table * sub_table_cells(bucket) + place;
    return (sub_table * buckets.divisor + bucket) * kSubTableCells + place;
  }

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const {
    const uint32_t of = bucket(key);
    prefetch_line(cells + slot(of, 0, hash(seed_of(of), 0)(folded(key), sub_table_cells(of))));
  }

  // A cell that is in use stays in use, and a key moves to its next cell only from the one before. The search
  // can therefore end at an empty cell.
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    const uint32_t of = bucket(key), folded_key = folded(key), bucket_seed = seed_of(of);
    probe.read(1, heads + of * kHeadWords);
    for (uint32_t sub_table = 0; sub_table < kSubTables; ++sub_table) {
      const uint64_t at = slot(of, sub_table, hash(bucket_seed, sub_table)(folded_key, sub_table_cells(of)));
      const Cell held = cells[at];
      probe.read(1, cells + at);
      if (held == kEmptyCell<Cell>) return kNoSlot;
      if (format.key(held) == key) return static_cast<uint32_t>(at);
    }
    return kNoSlot;
  }
};

// Phase 1: counts the items of each bucket and numbers them.
template <CellWord Cell, class Table>
struct CountBucketItems {
  Table table;
  const Cell* items;
  uint32_t* counts;
  uint32_t* offsets;  // kNoSlot if the item is in no bucket
  KeyBuildStatus* status;
  VOX_HD void operator()(uint64_t i) const {
    const Cell key = table.format.key(items[i]);
    if (key == table.format.apart_key()) {
      keep_apart(status, table.format.value(items[i]));
      offsets[i] = kNoSlot;
    } else {
      offsets[i] = device::atomic_count_together(counts + table.bucket(key));
    }
  }
};

template <CellWord Cell, class Table>
struct MoveToBuckets {
  Table table;
  const Cell* items;
  const uint32_t* offsets;
  const uint32_t* starts;
  Cell* moved;
  VOX_HD void operator()(uint64_t i) const {
    if (offsets[i] != kNoSlot)
      moved[starts[table.bucket(table.format.key(items[i]))] + offsets[i]] = items[i];
  }
};

struct BucketCount {
  const uint32_t* counts;
  VOX_HD uint32_t operator()(uint64_t bucket) const { return counts[bucket]; }
};

// The number of cells that a bucket gets in a table of sized buckets.
template <class Table>
struct SizeOfBucket {
  const uint32_t* counts;
  double cells_per_item;  // for each sub-table
  VOX_HD uint32_t operator()(uint64_t bucket) const {
    const uint32_t items = counts[bucket] < Table::kMostBucketKeys ? counts[bucket] : Table::kMostBucketKeys;
    const auto cells = static_cast<uint32_t>(items * cells_per_item) + 1;
    return Table::kSubTables * (cells < Table::kSubTableCells ? cells : Table::kSubTableCells);
  }
};

struct SetHeads {
  const uint32_t* starts;  // where each bucket's cells begin, and where the last ones end
  uint32_t sub_tables;
  BucketHead* heads;
  VOX_HD void operator()(uint64_t i) const {
    heads[i] = {starts[i], static_cast<uint16_t>((starts[i + 1] - starts[i]) / sub_tables), 0};
  }
};

// Phase 2: a thread block builds a bucket.
template <CellWord Cell, class Table>
struct BuildBucket {
  // An iteration of the paper goes through all three sub-tables, a turn through one. Buckets of 409 keys take 16 turns
  // on average, as in the paper's 5.5 iterations. 25 turns would be too few for 3 % of these, and for all with 512 keys.
  static constexpr uint32_t kMostTurns = 25 * Table::kSubTables;
  static constexpr uint32_t kSeenBits = 4096;  // see certainly_too_many()

  struct Shared {
    Cell cells[Table::kSubTables][Table::kSubTableCells];
    // The sub-table that is written in this turn, and that of the next turn, as they were before.
    Cell before[2][Table::kSubTableCells];
    SubTableHash hash[Table::kSubTables];
    std::conditional_t<Table::kSubTableCells <= 256, uint8_t, uint16_t>
        places[Table::kSubTables][Table::kMostBucketKeys];  // for the first items
    uint32_t seen[kSeenBits / 32];
  };

  Table table;
  const Cell* moved;
  const uint32_t* starts;
  KeyBuildStatus* status;

  template <class Block>
  VOX_HD void operator()(Block block, uint64_t bucket) const {
    const Cell* const items = moved + starts[bucket];
    const uint32_t count = starts[bucket + 1] - starts[bucket];
    if (count > Table::kMostBucketKeys && certainly_too_many(block, items, count)) return fail(block);
    for (uint32_t number = 0; number < Table::kMostSeeds; ++number) {
      const uint32_t seed = table.numbered_seed(bucket, number);
      if (const uint32_t turns = all_placed(block, items, count, bucket, seed); turns != 0) {
        block.once([&] { device::atomic_add(&status->turns, uint64_t{turns}); });
        return finish(block, items, count, bucket, number);
      }
      block.once([&] { device::atomic_add(&status->restarts, uint64_t{1}); });
    }
    fail(block);
  }

  template <class Block>
  VOX_HD void fail(Block block) const {
    block.once([&] { device::atomic_or_relaxed(&status->failed, 1u); });
  }

  // Returns true for some of the buckets that have too many different keys, without building them: their keys already
  // have too many different hashes. If all keys fall into one bucket, there may be millions of them.
  template <class Block>
  VOX_HD bool certainly_too_many(Block block, const Cell* items, uint32_t count) const {
    auto& seen = block.shared().seen;
    block.each(kSeenBits / 32, [&](uint32_t j) { seen[j] = 0; });
    block.each(count, [&](uint32_t j) {
      const uint64_t bit = mix64(table.format.key(items[j]) + table.seed) % kSeenBits;
      device::atomic_or_relaxed(seen + bit / 32, 1u << bit % 32);
    });
    return block.count(kSeenBits, [&](uint32_t j) { return (seen[j / 32] >> j % 32 & 1) != 0; }) >
           Table::kMostBucketKeys;
  }

  // Tries to find a place for each key, in each sub-table in turn. In a turn, all keys without a place write to their
  // cell of the same sub-table, over what is there, and one of them stays. Keys that were overwritten look for a place
  // in the next turn. The build ends when nothing was written. Returns the number of turns, or 0 if there were too
  // many.
  template <class Block>
  VOX_HD uint32_t all_placed(Block block, const Cell* items, uint32_t count, uint64_t bucket,
                             uint32_t seed) const {
    auto& shared = block.shared();
    const uint32_t cells = table.sub_table_cells(bucket);
    block.each(Table::kSubTables, [&](uint32_t t) { shared.hash[t] = Table::hash(seed, t); });
    block.each(Table::kBucketCells, [&](uint32_t j) {
      shared.cells[j / Table::kSubTableCells][j % Table::kSubTableCells] = kEmptyCell<Cell>;
      if (j < Table::kSubTableCells) shared.before[0][j] = kEmptyCell<Cell>;
      if (j < kept_places(count)) {
        const uint32_t folded_key = table.folded(table.format.key(items[j]));
        for (uint32_t t = 0; t < Table::kSubTables; ++t)
          shared.places[t][j] = static_cast<std::remove_reference_t<decltype(shared.places[t][j])>>(
              shared.hash[t](folded_key, cells));
      }
    });
    for (uint32_t turn = 0; turn <= kMostTurns; ++turn)
      if (!take_turn(block, items, count, cells, turn)) return turn + 1;
    return 0;
  }

  // Returns how many items of a bucket with `count` items have their places computed in advance.
  VOX_HD static uint32_t kept_places(uint32_t count) {
    return count < Table::kMostBucketKeys ? count : Table::kMostBucketKeys;
  }
  template <class Block>
  VOX_HD uint32_t place(Block block, Cell key, uint32_t j, uint32_t sub_table, uint32_t cells) const {
    const auto& shared = block.shared();
    return j < Table::kMostBucketKeys ? shared.places[sub_table][j]
                                      : shared.hash[sub_table](table.folded(key), cells);
  }

  // Returns true if anything was written. The sub-table of the next turn is not written in this turn, so its
  // cells can be saved meanwhile.
  template <class Block>
  VOX_HD bool take_turn(Block block, const Cell* items, uint32_t count, uint32_t cells, uint32_t turn) const {
    auto& shared = block.shared();
    const uint32_t to = turn % Table::kSubTables, next = (turn + 1) % Table::kSubTables;
    const Cell* const before = shared.before[turn % 2];
    Cell* const before_next = shared.before[(turn + 1) % 2];
    const uint32_t most = count > cells ? count : cells;
    return block.any(most, [&](uint32_t j) {
      if (j < cells) before_next[j] = shared.cells[next][j];
      if (j >= count) return false;
      const Cell key = table.format.key(items[j]);
      for (uint32_t t = 0; t < Table::kSubTables; ++t) {
        const uint32_t at = place(block, key, j, t, cells);
        const Cell held = t == to ? before[at] : shared.cells[t][at];
        if (held == kEmptyCell<Cell>) break;
        if (table.format.key(held) == key) return false;
      }
      device::atomic_exchange(shared.cells[to] + place(block, key, j, to, cells), items[j]);
      return true;
    });
  }

  template <class Block>
  VOX_HD void finish(Block block, const Cell* items, uint32_t count, uint64_t bucket, uint32_t number) const {
    const auto& shared = block.shared();
    const uint32_t cells = table.sub_table_cells(bucket);
    const auto cell = [&](uint32_t j) { return shared.cells[j / cells][j % cells]; };
    const uint32_t keys =
        block.count(Table::kSubTables * cells, [&](uint32_t j) { return cell(j) != kEmptyCell<Cell>; });
    if (keys > Table::kMostBucketKeys) return fail(block);
    // If there are copies, all must equal the stored cell.
    const bool conflict = keys < count && block.any(count, [&](uint32_t j) {
      const uint32_t folded_key = table.folded(table.format.key(items[j]));
      for (uint32_t t = 0; t < Table::kSubTables; ++t)
        if (shared.cells[t][shared.hash[t](folded_key, cells)] == items[j]) return false;
      return true;
    });
    block.each(Table::kSubTables * cells,
               [&](uint32_t j) { table.cells[table.slot(bucket, j / cells, j % cells)] = cell(j); });
    block.once([&] {
      table.set_seed(bucket, number);
      if (keys < count) device::atomic_add(&status->copies, uint64_t{count - keys});
      if (conflict) device::atomic_or_relaxed(&status->conflicts, 1u);
    });
  }
};

template <class Device, CellWord Cell, class Buckets>
class BucketedCuckooTable : public AttemptedKeyTable<Device, Cell, Cuckoo2009Ref<Cell, Buckets>> {
 public:
  BucketedCuckooTable(Device& device, const KeyTableOptions& options)
      : AttemptedKeyTable<Device, Cell, Table>(device, options, kMostAttempts) {}

 private:
  using Table = Cuckoo2009Ref<Cell, Buckets>;
  // With 2^31 random keys, one attempt of `cuckoo2009` in eight succeeds; with 33 million, 97 of 100 do.
  static constexpr uint32_t kMostAttempts = 32;

  uint64_t bytes_beside_cells() const override { return heads_.size() * sizeof(uint32_t); }

  uint64_t bucket_items() const {
    const double full = this->load_factor_ * Table::kBucketCells;
    if constexpr (Buckets::kSized)
      return static_cast<uint64_t>(std::max(1L, std::lround(std::min(0.8 * full, 1.0 * Buckets::kMeanKeys))));
    return static_cast<uint64_t>(std::max(1L, std::lround(full)));
  }

  void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) override {
    auto& device = this->device_;
    const uint64_t items = bucket_items(), buckets = std::max<uint64_t>(1, (n + items - 1) / items);
    this->ref_ = {nullptr, nullptr, Modulus::of(buckets), attempt.number, attempt.seed, this->format_};
    auto counts = device.template make<uint32_t>(buckets);
    auto offsets = device.template make<uint32_t>(n);
    device.fill(counts.data(), buckets, 0u);
    device.for_each(
        {"count items of buckets", sizeof(Cell) + 8.0}, n,
        CountBucketItems<Cell, Table>{this->ref_, cells, counts.data(), offsets.data(), attempt.status});
    auto starts = device.template make<uint32_t>(buckets + 1);
    device.exclusive_scan({"find starts of buckets", 8}, buckets, BucketCount{counts.data()}, starts.data());
    make_buckets(buckets, counts);
    auto moved = device.template make<Cell>(n);
    device.for_each(
        {"move items to buckets", 2.0 * sizeof(Cell) + 8}, n,
        MoveToBuckets<Cell, Table>{this->ref_, cells, offsets.data(), starts.data(), moved.data()});
    using Build = BuildBucket<Cell, Table>;
    device.template for_each_block<typename Build::Shared>(
        {"build buckets", 2.0 * sizeof(Cell) * Table::kBucketCells}, buckets,
        Build{this->ref_, moved.data(), starts.data(), attempt.status});
  }

  // Makes the cells of the buckets, each of which sets all of its own.
  void make_buckets(uint64_t buckets, const device::Buffer<uint32_t>& counts) {
    auto& device = this->device_;
    uint64_t cells = buckets * Table::kBucketCells;
    heads_.reset();
    heads_ = device.template make<uint32_t>(buckets * Table::kHeadWords);
    this->ref_.heads = heads_.data();
    if constexpr (Buckets::kSized) {
      auto starts = device.template make<uint32_t>(buckets + 1);
      cells = device.exclusive_scan(
          {"size buckets", 8}, buckets,
          SizeOfBucket<Table>{counts.data(), 1 / (this->load_factor_ * Table::kSubTables)}, starts.data());
      device.for_each(
          {"set heads", 12}, buckets,
          SetHeads{starts.data(), Table::kSubTables, reinterpret_cast<BucketHead*>(heads_.data())});
    }
    this->make_cells_unset(cells);
    device.fill(this->cells_.data() + this->slots_, 1, kEmptyCell<Cell>);
    this->ref_.cells = this->cells_.data();
  }

  KeyTableBuild finished(KeyTableBuild build) override {
    build.most_probes = Table::kSubTables;
    build.parts = heads_.size() / Table::kHeadWords;
    return build;
  }

  device::Buffer<uint32_t> heads_;
};

template <class Device, CellWord Cell>
class Cuckoo2009Table final : public BucketedCuckooTable<Device, Cell, EqualBuckets> {
 public:
  static constexpr const char* kName = "cuckoo2009";
  // 409 items for 576 cells. At higher load factors, too many buckets have too many keys.
  static constexpr KeyTableLoad kLoad = {.usual = 0.71, .most = 0.71};
  using BucketedCuckooTable<Device, Cell, EqualBuckets>::BucketedCuckooTable;
};

template <class Device, CellWord Cell>
class SizedCuckoo2009Table final : public BucketedCuckooTable<Device, Cell, SizedBuckets> {
 public:
  static constexpr const char* kName = "cuckoo2009-sized";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 0.85};
  using BucketedCuckooTable<Device, Cell, SizedBuckets>::BucketedCuckooTable;
};

}  // namespace vox::hash
