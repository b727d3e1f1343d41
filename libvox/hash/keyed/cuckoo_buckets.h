// The table `cuckoo2011`: the single-pass cuckoo hash of Alcantara, Volkov, Sengupta, Mitzenmacher, Owens and
// Amenta 2011, "Building an efficient hash table on the GPU", with which García et al. 2011 compare theirs.
//
// A key has four cells in one large table. An item takes the first cell by an atomic exchange, and the same
// thread then moves the item that was there to that item's next cell. It compares the item's slots with the
// current one to find out which function had put the item there. An item that still has no cell after 7 lg n
// exchanges goes to the stash, 101 cells with a hash function of their own. If its cell in the stash is
// taken, the table is built again with other functions.
//
//   cells    the table, n / load factor │ the stash
//
// Races decide which of its cells a key has, so two builds of the same keys may differ in their cells.
//
// The functions are [(c0 + c1 k) mod p] mod the number of cells. The prime p = 2^32 - 5 exceeds every number
// of cells, and keys of 32 bits have equal cells in all functions only if they are equal. A key of 64 bits is
// treated as two words, each with constants of its own.
#pragma once

#include <algorithm>
#include <cmath>

#include "libvox/base/bits.h"
#include "libvox/device/device.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/keyed/attempts.h"
#include "libvox/hash/keyed/group_searched.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/searched.h"

namespace vox::hash {

template <CellWord Cell>
struct Cuckoo2011Ref {
  static constexpr uint32_t kFunctions = 4, kStashCells = 101;
  using Affine = AffineHash<kAffineLargePrime>;

  Cell* cells;
  uint32_t size;  // cells of the table; the stash lies behind them
  uint32_t stash_used;
  Affine low[kFunctions + 1], high[kFunctions + 1];  // the last function is the stash's
  CellFormat<Cell> format;

  static Cuckoo2011Ref with_seed(Cell* cells, uint32_t size, CellFormat<Cell> format, uint64_t seed) {
    Cuckoo2011Ref ref = {
        .cells = cells, .size = size, .stash_used = 1, .low = {}, .high = {}, .format = format};
    for (uint32_t f = 0; f <= kFunctions; ++f) {
      ref.low[f] = Affine::from(mix64(seed + 2 * f));
      ref.high[f] = Affine::from(mix64(seed + 2 * f + 1));
    }
    return ref;
  }

  VOX_HD uint32_t hash(Cell key, uint32_t function) const {
    uint64_t sum = low[function](static_cast<uint32_t>(key));
    if constexpr (sizeof(Cell) == 8)
      sum = (sum + high[function](static_cast<uint32_t>(key >> 32))) % kAffineLargePrime;
    return static_cast<uint32_t>(sum);
  }
  VOX_HD uint32_t slot(Cell key, uint32_t function) const { return hash(key, function) % size; }
  VOX_HD uint32_t stash_slot(Cell key) const { return size + hash(key, kFunctions) % kStashCells; }
  // Returns the next slot of a key that was evicted from a slot.
  VOX_HD uint32_t next_slot(Cell key, uint32_t from) const {
    uint32_t function = 0;
    while (function + 1 < kFunctions && slot(key, function) != from) ++function;
    return slot(key, (function + 1) % kFunctions);
  }

  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_line(cells + slot(key, 0)); }

  // A cell that is in use stays in use, and a key comes to a cell only by way of those before it. The search
  // can therefore skip to the stash at an empty cell; a key may come to the stash from any cell.
  template <class Probe>
  VOX_HD uint32_t find(Cell key, Probe& probe) const {
    for (uint32_t function = 0; function < kFunctions; ++function) {
      const uint32_t at = slot(key, function);
      const Cell held = cells[at];
      probe.read(1, cells + at);
      if (held == kEmptyCell<Cell>) break;
      if (format.key(held) == key) return at;
    }
    if (stash_used == 0) return kNoSlot;
    const uint32_t at = stash_slot(key);
    probe.read(1, cells + at);
    return cells[at] != kEmptyCell<Cell> && format.key(cells[at]) == key ? at : kNoSlot;
  }
};

template <CellWord Cell>
struct InsertByEvictions {
  Cuckoo2011Ref<Cell> table;
  const Cell* items;
  uint32_t most_exchanges;
  KeyBuildStatus* status;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) table.prefetch(table.format.key(items[i]));
  }

  VOX_HD void operator()(uint64_t i) const {
    Cell cell = items[i];
    Cell key = table.format.key(cell);
    if (key == table.format.apart_key()) return keep_apart(status, table.format.value(cell));
    uint32_t slot = table.slot(key, 0);
    for (uint32_t exchange = 0; exchange < most_exchanges; ++exchange) {
      const Cell out = device::atomic_exchange(table.cells + slot, cell);
      if (out == kEmptyCell<Cell>) return;
      if (table.format.key(out) == key) return note_copy(status, out, cell);
      cell = out;
      key = table.format.key(cell);
      slot = table.next_slot(key, slot);
    }
    const Cell held =
        device::atomic_exchange_if_relaxed(table.cells + table.stash_slot(key), kEmptyCell<Cell>, cell);
    if (held == kEmptyCell<Cell>) return;
    if (table.format.key(held) == key) return note_copy(status, held, cell);
    device::atomic_or_relaxed(&status->failed, 1u);
  }
};
static_assert(device::PrefetchingBody<InsertByEvictions<uint64_t>>);

// Finds keys that are stored twice. After the first of two copies has moved on from a cell, the second may have taken
// that cell. Each stored key therefore checks the cells before its own.
template <CellWord Cell>
struct FindStoredTwice {
  Cuckoo2011Ref<Cell> table;
  KeyBuildStatus* status;

  VOX_HD void operator()(uint64_t at) const {
    const Cell cell = table.cells[at];
    if (cell == kEmptyCell<Cell>) return;
    const Cell key = table.format.key(cell);
    uint32_t probes = 1;
    for (; probes <= Cuckoo2011Ref<Cell>::kFunctions; ++probes) {
      const uint32_t slot = table.slot(key, probes - 1);
      if (slot == at) break;
      if (table.format.key(table.cells[slot]) == key) device::atomic_or_relaxed(&status->twice, 1u);
    }
    note_probes(status, probes);
  }
};

template <class Device, CellWord Cell>
class Cuckoo2011Table final : public AttemptedKeyTable<Device, Cell, Cuckoo2011Ref<Cell>> {
 public:
  static constexpr const char* kName = "cuckoo2011";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 0.95};

  Cuckoo2011Table(Device& device, const KeyTableOptions& options)
      : AttemptedKeyTable<Device, Cell, Table>(device, options, kMostAttempts) {}

 private:
  using Table = Cuckoo2011Ref<Cell>;
  static constexpr uint32_t kMostAttempts = 12;

  void attempt(const Cell* cells, uint64_t n, const KeyBuildAttempt& attempt) override {
    auto& device = this->device_;
    const double wanted = std::ceil(static_cast<double>(n) / this->load_factor_);
    const uint64_t size = std::max<uint64_t>(1, static_cast<uint64_t>(wanted));
    this->make_cells(size + Table::kStashCells);
    this->ref_ =
        Table::with_seed(this->cells_.data(), static_cast<uint32_t>(size), this->format_, attempt.seed);
    device.for_each(
        {"insert by evictions", sizeof(Cell) + 64.0}, n,
        InsertByEvictions<Cell>{this->ref_, cells, most_exchanges(n, attempt.number), attempt.status});
    device.for_each({"find keys stored twice", sizeof(Cell) + 32.0}, this->slots_,
                    FindStoredTwice<Cell>{this->ref_, attempt.status});
  }

  // Returns the limit on the exchanges for an item. The paper's limit suffices up to a load factor of 0.9. At 0.95,
  // some hundred items in a million need more, whatever the functions are, so each attempt has twice the limit of the
  // previous one.
  static uint32_t most_exchanges(uint64_t n, uint32_t attempt) {
    return static_cast<uint32_t>(std::ceil(7 * std::log2(std::max(2.0, static_cast<double>(n)))))
           << (attempt - 1);
  }

  KeyTableBuild finished(KeyTableBuild build) override {
    this->ref_.stash_used = build.most_probes > Table::kFunctions ? 1 : 0;
    return build;
  }
};

// The table `cuckoo_buckets`: cuckoo hashing over buckets, as DyCuckoo does it (Li et al. 2021), with which
// Molenaar & Eisemann 2024 compare in Table 2.
//
//   bucket      128 bytes: 32 cells of 32 bits or 16 of 64, a lane of a group each
//   sub-table   a quarter of the buckets, with a hash function of its own
//
// A first hash chooses two sub-tables for a key, and their order. The key lies in its bucket of one or the other. It
// goes into the first bucket if there is room, so that most searches for stored keys read one bucket. If both buckets
// are full, cells of them are moved to the other buckets of *their* keys.
//
// Each bucket has a lock, which is a bit. The lock does not guard the bucket's cells, which are taken by
// atomic exchange, but the keys whose *first* bucket this is: only the owner of the lock may store or move
// such a key. Two groups therefore never store the same key twice. A key that is being moved is in both
// buckets for a moment and never in none, so searches do not miss it. A group holds one lock at a time and
// waits for nothing while it holds it, so there is no deadlock.
//
// To make room in a full bucket, a walk follows cells to their other buckets, one random cell of each bucket,
// until it reaches a bucket with an empty cell. It moves the last cell of the walk there. The empty cell is
// then one step nearer, and the next walk ends there. Nothing is removed meanwhile: a build or an insertion
// that fails loses no key, and is done again with other hash functions.

template <CellWord Cell>
struct CuckooBucketsRef {
  static constexpr uint32_t kSlots = 128 / sizeof(Cell);
  static constexpr uint32_t kSubTables = 4;
  static constexpr uint32_t kFewestProbes = 2;
  static constexpr uint32_t kBucketSectors = 4;
  static constexpr uint32_t kMostSteps = 64;     // steps of a walk
  static constexpr uint32_t kMostRounds = 1024;  // walks for one key

  Cell* cells;
  uint32_t* locks;  // a bit for each bucket
  uint32_t sub_table_buckets;
  uint64_t seed;
  CellFormat<Cell> format;

  // The two buckets of a key. They differ, because they belong to different sub-tables.
  struct Pair {
    uint32_t first, second;
    VOX_HD uint32_t other(uint32_t bucket) const { return bucket == first ? second : first; }
  };
  VOX_HD Pair buckets(Cell key) const {
    const auto hash = static_cast<uint32_t>(mix64(key + seed));
    const uint32_t first = hash % kSubTables;
    const uint32_t second = (first + 1 + hash / kSubTables % (kSubTables - 1)) % kSubTables;
    return {bucket_in(first, key), bucket_in(second, key)};
  }
  VOX_HD uint32_t bucket_in(uint32_t sub_table, Cell key) const {
    const uint64_t hash = mix64(key + seed + (sub_table + 1) * 0x9e3779b97f4a7c15);
    return sub_table * sub_table_buckets + bucket_of(hash, sub_table_buckets);
  }

  VOX_HD Cell* bucket(uint32_t number) const { return cells + uint64_t{number} * kSlots; }
  VOX_HD Cell cell(uint32_t slot) const { return cells[slot]; }
  VOX_HD void prefetch(Cell key) const { prefetch_lines(bucket(buckets(key).first), kSlots * sizeof(Cell)); }

  template <class Group, class Held>
  VOX_HD uint32_t slots_with(Group group, const Held& held, Cell key) const {
    return group.ballot_of(held, [&](Cell cell) { return format.key(cell) == key; });
  }
  template <class Group, class Held>
  VOX_HD uint32_t empty_slots(Group group, const Held& held) const {
    return group.ballot_of(held, [](Cell cell) { return cell == kEmptyCell<Cell>; });
  }
  template <class Group, class Probe>
  VOX_HD auto load_shared(Group group, uint32_t number, Probe& probe) const {
    probe.read(kBucketSectors);
    return group.template load_shared_own<kSlots>(static_cast<const Cell*>(bucket(number)));
  }

  template <class Group, class Probe>
  VOX_HD uint32_t find(Group group, Cell key, Probe& probe) const {
    const Pair pair = buckets(key);
    for (uint32_t number = pair.first;; number = pair.second) {
      const auto held = group.template load_own<kSlots>(static_cast<const Cell*>(bucket(number)));
      probe.read(kBucketSectors);
      if (const uint32_t same = slots_with(group, held, key); same != 0)
        return number * kSlots + static_cast<uint32_t>(lowest_bit(same));
      if (number == pair.second) return kNoSlot;
    }
  }

  template <class Group, class Probe>
  VOX_HD bool lock(Group group, uint32_t number, Probe& probe) const {
    probe.read(1);
    const uint32_t bit = 1u << number % 32;
    const bool locked = group.once([&] { return (device::atomic_or(locks + number / 32, bit) & bit) == 0; });
    group.sync();
    return locked;
  }
  template <class Group, class Probe>
  VOX_HD void unlock(Group group, uint32_t number, Probe& probe) const {
    probe.read(1);
    group.once([&] { device::atomic_and(locks + number / 32, ~(1u << number % 32)); });
  }

  // Puts a cell into an empty slot of a bucket. Returns false if there is none.
  template <class Group, class Probe>
  VOX_HD bool put(Group group, uint32_t number, uint32_t empty, Cell cell, Probe& probe) const {
    while (empty != 0) {
      Cell* const slot = bucket(number) + lowest_bit(empty);
      probe.read(1);
      const bool stored = group.once([&] {
        return device::atomic_exchange_if_relaxed(slot, kEmptyCell<Cell>, cell) == kEmptyCell<Cell>;
      });
      if (stored) return true;
      empty = empty_slots(group, load_shared(group, number, probe));
    }
    return false;
  }

  template <class Group, class Probe>
  VOX_HD void insert(Group group, Cell cell, KeyBuildStatus* status, Probe& probe) const {
    const Pair pair = buckets(format.key(cell));
    uint64_t random = mix64(cell ^ seed);
    for (uint32_t round = 0; round < kMostRounds;) {
      const Tried tried = try_insert(group, pair, cell, status, probe);
      if (tried == Tried::Done) return;
      if (tried == Tried::Locked) {
        device::let_others_go_on();
        continue;
      }
      // If another group has failed, the build has failed.
      if (group.once([&] { return device::atomic_load_relaxed(&status->failed); }) != 0) return;
      // Repeating a walk makes it shorter each time, unless other groups interfere.
      const bool found = walk(group, random >> 63 == 0 ? pair.first : pair.second, random, probe);
      if (!found || round % kMostSteps == kMostSteps - 1) random = mix64(random + 1);
      ++round;
    }
    group.once([&] { device::atomic_or_relaxed(&status->failed, 1u); });
  }

  enum class Tried : uint32_t { Done, Locked, Full };

  // A stored key is found without the lock, so that copies of a key do not wait for each other.
  template <class Group, class Probe>
  VOX_HD Tried try_insert(Group group, const Pair& pair, Cell cell, KeyBuildStatus* status,
                          Probe& probe) const {
    const Cell key = format.key(cell);
    const bool locked = lock(group, pair.first, probe);
    const auto first = load_shared(group, pair.first, probe), second = load_shared(group, pair.second, probe);
    const uint32_t in_first = slots_with(group, first, key), in_second = slots_with(group, second, key);
    if ((in_first | in_second) != 0) {
      const Cell stored = in_first != 0 ? group.of_lane(first, static_cast<uint32_t>(lowest_bit(in_first)))
                                        : group.of_lane(second, static_cast<uint32_t>(lowest_bit(in_second)));
      if (locked) unlock(group, pair.first, probe);
      group.once([&] { note_copy(status, stored, cell); });
      return Tried::Done;
    }
    if (!locked) return Tried::Locked;
    const bool stored = put(group, pair.first, empty_slots(group, first), cell, probe) ||
                        put(group, pair.second, empty_slots(group, second), cell, probe);
    unlock(group, pair.first, probe);
    return stored ? Tried::Done : Tried::Full;
  }

  // Walks from a full bucket to one with an empty cell, and moves the last cell of the walk there. Returns
  // false if it finds none. Equal random numbers give equal walks, unless other groups change the buckets.
  template <class Group, class Probe>
  VOX_HD bool walk(Group group, uint32_t from, uint64_t random, Probe& probe) const {
    auto held = load_shared(group, from, probe);
    if (empty_slots(group, held) != 0) return true;
    for (uint32_t step = 0; step < kMostSteps; ++step) {
      const auto slot = static_cast<uint32_t>(mix64(random + step) % kSlots);
      const Cell cell = group.of_lane(held, slot);
      const Pair pair = buckets(format.key(cell));
      const uint32_t to = pair.other(from);
      held = load_shared(group, to, probe);
      if (const uint32_t empty = empty_slots(group, held); empty != 0) {
        move(group, pair, from, slot, cell, empty, probe);
        return true;
      }
      from = to;
    }
    return false;
  }

  // Moves a cell to its other bucket, if it is still in its place.
  template <class Group, class Probe>
  VOX_HD void move(Group group, const Pair& pair, uint32_t from, uint32_t slot, Cell cell, uint32_t empty,
                   Probe& probe) const {
    while (!lock(group, pair.first, probe)) device::let_others_go_on();
    Cell* const place = bucket(from) + slot;
    probe.read(1);
    const bool stays = group.once([&] { return device::atomic_load_relaxed(place) == cell; });
    if (stays && put(group, pair.other(from), empty, cell, probe)) {
      probe.read(1);
      group.once([&] {
        device::memory_fence();  // the key must be in the other bucket before it leaves this one
        device::atomic_store_relaxed(place, kEmptyCell<Cell>);
      });
    }
    unlock(group, pair.first, probe);
  }
};

template <class Device, CellWord Cell>
class CuckooBucketsTable final : public GroupSearchedKeyTable<Device, Cell, CuckooBucketsRef<Cell>> {
 public:
  static constexpr const char* kName = "cuckoo_buckets";
  static constexpr KeyTableLoad kLoad = {.usual = 0.8, .most = 0.99};

  CuckooBucketsTable(Device& device, const KeyTableOptions& options)
      : GroupSearchedKeyTable<Device, Cell, Buckets>(device, options) {}

  uint64_t bytes_in_use() const override { return this->bytes(); }

 private:
  using Buckets = CuckooBucketsRef<Cell>;

  uint64_t bytes_beside_cells() const override { return locks_.size() * sizeof(uint32_t); }

  // A bucket holds at most as many keys as the load factor allows, even if more are asked for.
  double keys_per_bucket() const {
    const double most = this->load_factor_ * Buckets::kSlots;
    return this->keys_per_bucket_ != 0 ? std::min<double>(this->keys_per_bucket_, most) : most;
  }
  uint64_t sub_table_buckets_for(uint64_t keys) const {
    const double buckets = std::ceil(static_cast<double>(keys) / keys_per_bucket());
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(buckets / Buckets::kSubTables)));
  }

  void make_empty(uint64_t keys, uint64_t seed) override {
    const uint64_t each = sub_table_buckets_for(keys), buckets = each * Buckets::kSubTables;
    this->make_cells(buckets * Buckets::kSlots);
    locks_.reset();
    locks_ = this->device_.template make<uint32_t>((buckets + 31) / 32);
    this->device_.fill(locks_.data(), locks_.size(), 0u);
    this->ref_ = {this->cells_.data(), locks_.data(), static_cast<uint32_t>(each), seed, this->format_};
  }

  bool make_room(uint64_t keys) override {
    return sub_table_buckets_for(keys) <= this->ref_.sub_table_buckets;
  }

  device::Buffer<uint32_t> locks_;
};

}  // namespace vox::hash
