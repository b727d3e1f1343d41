// The buckets of one item size, and the number of their items. A table that outgrows its buckets gets a
// further generation of buckets for later items. Stored items stay where they are.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/profiler.h"
#include "libvox/hash/sector/find.h"

namespace vox::hash {

// Kernel bodies that remove items from the table `sector` (hash/table_set.h). One group works on each bucket.

// The ends word (table_ref.h) of an overflow sector that no bucket uses any more.
inline constexpr uint32_t kLeftSector = UINT32_MAX;

// The slots [begin, end) of a run that are in a superblock that stays. A run lies in at most two
// superblocks.
struct KeptSlots {
  uint32_t begin, end;

  VOX_HD KeptSlots(uint32_t pointer, uint32_t length, const uint32_t* released) : begin(0), end(length) {
    const uint32_t superblock = pointer / kItemsPerSuperblock;
    const uint32_t before_next = kItemsPerSuperblock - pointer % kItemsPerSuperblock;
    const uint32_t border = before_next < length ? before_next : length;
    if (released[superblock] != 0) begin = border;
    if (border < length && released[superblock + 1] != 0) end = border;
  }
  VOX_HD bool any() const { return begin < end; }
};

// Removes from a header the slots whose places are in released superblocks. The slots behind them close up.
// Runs, and what stays of them, are whole granules, so fingerprints move by words.
template <class Kind>
VOX_HD void drop_released(uint32_t* header, const uint32_t* released) {
  const SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
  SlotEnds kept = {};
  const uint32_t borders[] = {0, ends.first_run, ends.all};
  for (uint32_t run = 0; run < ends.runs(); ++run) {
    const uint32_t pointer = header[Kind::kRunWord + run];
    const KeptSlots slots(pointer, borders[run + 1] - borders[run], released);
    if (!slots.any()) continue;
    const uint32_t* from = header + borders[run] / 4;
    uint32_t* to = header + kept.all / 4;
    for (uint32_t word = slots.begin / 4; word < slots.end / 4; ++word) *to++ = from[word];
    const uint32_t kept_run = kept.runs();
    header[Kind::kRunWord + kept_run] = pointer + slots.begin;
    kept.all += slots.end - slots.begin;
    if (kept_run == 0) kept.first_run = kept.all;
  }
  for (uint32_t word = kept.all / 4; word < ends.all / 4; ++word) header[word] = 0;
  header[Kind::kEndsWord] = kept.word();
}

// Sweeps a bucket: its line and then its overflow sectors. Sectors that become empty leave the list.
struct SweepBucket {
  uint32_t* lines;
  uint32_t* overflow;
  const uint32_t* marks;
  const uint32_t* released;  // a word for each superblock, by its number; nullptr if none is released

  template <class Group>
  VOX_HD void operator()(Group group, uint64_t bucket) const {
    uint32_t* line = lines + bucket * SectorLine::kWords;
    sweep_header<SectorLine>(group, line);
    for (uint32_t* link = line + SectorLine::kNextWord; *link != kNoSector;) {
      uint32_t* sector = overflow + uint64_t{*link} * SectorOverflow::kWords;
      uint32_t* next = sector + SectorOverflow::kNextWord;
      const SlotEnds ends = sweep_header<SectorOverflow>(group, sector);
      if (ends.all > 0) {
        link = next;
        continue;
      }
      const uint32_t after = *next;
      group.each(1, [&](uint32_t) {
        *link = after;
        sector[SectorOverflow::kEndsWord] = kLeftSector;
      });
    }
  }

 private:
  template <class Kind, class Group>
  VOX_HD SlotEnds sweep_header(Group group, uint32_t* header) const {
    const SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
    const uint32_t words = (ends.items + 3) / 4;
    const uint32_t changed = group.ballot([&](uint32_t word) {
      if (word >= words) return false;
      const uint32_t pointer = slot_pointer<Kind>(header, 4 * word);
      const uint32_t fingerprints = header[word];
      const uint32_t live = fingerprints & bytes_of_bits(marks[pointer / 32] >> pointer % 32 & 15);
      if (live != fingerprints) header[word] = live;
      return live != fingerprints;
    });
    if (changed == 0 && !released) return ends;  // most headers lose nothing
    group.sync();
    if (released) group.each(1, [&](uint32_t) { drop_released<Kind>(header, released); });
    return count_slots<Kind>(group, header);
  }

  // Sets the ends of a header from its fingerprints, and returns them.
  template <class Kind, class Group>
  VOX_HD SlotEnds count_slots(Group group, uint32_t* header) const {
    SlotEnds ends = SlotEnds::of(header[Kind::kEndsWord]);
    const uint32_t words = ends.all / 4;
    const uint32_t used = group.ballot([&](uint32_t lane) { return lane < words && header[lane] != 0; });
    const uint32_t free = group.sum([&](uint32_t lane) {
      return lane < words ? static_cast<uint32_t>(popcount(match_bytes_of_word(header[lane], 0))) : 0;
    });
    ends.items = 0;
    if (used != 0) {
      const auto last = static_cast<uint32_t>(highest_bit(used));
      ends.items = 4 * last + static_cast<uint32_t>(highest_bit(header[last])) / 8 + 1;
    }
    ends.holes = free - (ends.all - ends.items);
    group.each(1, [&](uint32_t) { header[Kind::kEndsWord] = ends.word(); });
    return ends;
  }
};

// Counts the items of a bucket in the low half of the result, and its slots in the high half.
struct CountBucket {
  const uint32_t* lines;
  const uint32_t* overflow;
  VOX_HD uint64_t operator()(uint64_t bucket) const {
    const uint32_t* line = lines + bucket * SectorLine::kWords;
    uint64_t sum = count(line[SectorLine::kEndsWord]);
    for (uint32_t number = line[SectorLine::kNextWord]; number != kNoSector;) {
      const uint32_t* sector = overflow + uint64_t{number} * SectorOverflow::kWords;
      sum += count(sector[SectorOverflow::kEndsWord]);
      number = sector[SectorOverflow::kNextWord];
    }
    return sum;
  }
  VOX_HD static uint64_t count(uint32_t word) {
    const SlotEnds ends = SlotEnds::of(word);
    return uint64_t{ends.all} << 32 | (ends.items - ends.holes);
  }
};

struct IsLeftSector {
  const uint32_t* overflow;
  VOX_HD bool operator()(uint64_t number) const {
    return number != kNoSector &&
           overflow[number * SectorOverflow::kWords + SectorOverflow::kEndsWord] == kLeftSector;
  }
};

// Returns how many headers a bucket has: its line and its overflow sectors.
struct SectorChainLength {
  static constexpr uint32_t kLongest = 255;  // longer chains count as this length
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

template <class Device>
class SectorBucketSets {
 public:
  SectorBucketSets(Device& device, uint32_t load_factor) : device_(device), load_factor_(load_factor) {}

  // Makes buckets for the final number of items, unless there are buckets already.
  void expect(uint64_t items) {
    if (items == 0 || !generations_.empty()) return;
    expected_ = items;
    add((items + load_factor_ - 1) / load_factor_);
  }
  // Makes buckets for `count` more items, unless there are enough. In the end there will be `growth` times as
  // many items as with these.
  void reserve(uint64_t count, double growth) {
    if (count <= items_before_full()) return;
    add_for(count, static_cast<uint64_t>(static_cast<double>(items_ + count) * growth));
  }
  // Does the same for a table that grows by batches, each of which brings items for all buckets. Places for
  // all items that a bucket is going to get are kept free from the start, so that it needs no overflow
  // sectors, which searches would walk one after the other. If many items are still to come, these buckets
  // are for only the next part of them. The places that stay free if fewer items come are then few compared
  // with those in use.
  void plan(uint64_t count, double growth) {
    constexpr double kMostGrowth = 4;
    if (count <= items_before_full()) return;
    const double planned = static_cast<double>(items_ + count) * std::min(growth, kMostGrowth);
    add_for(count, static_cast<uint64_t>(planned));
    // Callers announce only half of the growth that is possible. Places are kept free for all of it, but not
    // for more items than these buckets are made for.
    if (growth > 1)
      planned_ =
          items_ + std::min(2 * (static_cast<uint64_t>(planned) - items_), newest_count() * load_factor_);
  }
  // Makes buckets for `items` items that may come, unless there are enough.
  void reserve_apart(uint64_t items) {
    if (items_before_full() < items) add(items / load_factor_ + 1);
  }
  void count_items(uint64_t count) {
    items_ += count;
    newest_items_ += count;
  }

  uint64_t items() const { return items_; }
  // Returns how many more items fit before further buckets are better.
  uint64_t items_before_full() const {
    if (generations_.empty()) return 0;
    if (generations_.size() == SectorTableRef::kMaxGenerations) return UINT64_MAX;
    const uint64_t most = (planned_ > 0 ? 2 : 3) * load_factor_ * newest_count() / 2;
    return std::max(most - std::min(most, newest_items_), expected_ - std::min(expected_, items_));
  }
  // Returns how many further items, of `item_words` words each, a bucket is going to get on average when
  // there are `items` items. Planned places take at most an eighth of the free memory.
  uint32_t spare(uint64_t items, uint32_t item_words) const {
    constexpr uint64_t kUnplanned = 8, kShareOfMemory = 8;
    const uint64_t buckets = newest_count();
    const auto each = [&](uint64_t in_the_end) {
      return items > in_the_end ? 0 : (in_the_end - items + buckets / 2) / buckets;
    };
    if (items <= expected_)
      return static_cast<uint32_t>(std::min<uint64_t>(each(expected_), SectorLine::kSlots));
    if (planned_ == 0) return kUnplanned;
    const uint64_t room = device_.pool().available() / (kShareOfMemory * 4 * item_words * buckets);
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(std::min(each(planned_), room), kUnplanned, SectorLine::kSlots));
  }

  // The buckets of the newest generation, into which items are inserted.
  uint64_t newest_count() const { return generations_.empty() ? 0 : generations_.back().count; }
  uint32_t* newest_lines() const { return generations_.back().lines.data(); }
  void fill_ref(SectorTableRef& ref) const {
    ref.generations = static_cast<uint32_t>(generations_.size());
    for (size_t i = 0; i < generations_.size(); ++i)
      ref.buckets[i] = {generations_[i].lines.data(), static_cast<uint32_t>(generations_[i].count), 0};
  }

  // Removes the items that are not marked. `released` has a word for each superblock, by its number, or is
  // nullptr if none is released.
  void sweep(const uint32_t* marks, const uint32_t* released, uint32_t* overflow) const {
    for (const Generation& generation : generations_)
      device_.for_each_group({"sweep: buckets", SectorLine::kWords * 4.0 + 14}, generation.count,
                             SweepBucket{generation.lines.data(), overflow, marks, released});
  }
  // Counts the remaining items after a sweep, and drops generations that are empty. Returns the number of
  // slots of all runs.
  uint64_t count_again(const uint32_t* overflow) {
    uint64_t slots = 0;
    items_ = newest_items_ = 0;
    std::vector<Generation> left;
    for (Generation& generation : generations_) {
      const uint64_t sum = device_.sum({"sweep: count items", 32}, generation.count,
                                       CountBucket{generation.lines.data(), overflow});
      newest_items_ = sum & UINT32_MAX;
      items_ += newest_items_;
      slots += sum >> 32;
      if (sum != 0 || &generation == &generations_.back()) left.push_back(std::move(generation));
    }
    generations_ = std::move(left);
    if (slots == 0) {
      generations_.clear();
      expected_ = planned_ = 0;
    }
    return slots;
  }

  uint64_t count() const {
    uint64_t sum = 0;
    for (const Generation& generation : generations_) sum += generation.count;
    return sum;
  }
  // Returns how many buckets have 0, 1, 2, … headers.
  std::vector<uint64_t> chain_lengths(const uint32_t* overflow) const {
    std::vector<uint64_t> lengths(SectorChainLength::kLongest + 1);
    for (const Generation& generation : generations_)
      device_.histogram("chain lengths", generation.count,
                        SectorChainLength{generation.lines.data(), overflow}, lengths.data(), lengths.size());
    while (!lengths.empty() && lengths.back() == 0) lengths.pop_back();
    return lengths;
  }

 private:
  struct Generation {
    device::Buffer<uint32_t> lines;
    uint64_t count;
  };

  // Adds buckets for `count` more items; in the end there will be `in_the_end` items.
  void add_for(uint64_t count, uint64_t in_the_end) {
    constexpr uint64_t kFewest = 64;
    add(std::max({kFewest, (in_the_end - items_) / load_factor_, (items_ + count) / load_factor_}));
  }
  void add(uint64_t count) {
    if (count > UINT32_MAX) throw Error("a hash table has more than 2^32 buckets");
    generations_.push_back({device_.template make<uint32_t>(count * SectorLine::kWords), count});
    device_.fill(generations_.back().lines.data(), count * SectorLine::kWords, 0u);
    newest_items_ = planned_ = 0;
  }

  Device& device_;
  uint64_t load_factor_;
  uint64_t items_ = 0, newest_items_ = 0;  // in all generations; in the newest
  uint64_t expected_ = 0;                  // the items that expect() announced
  uint64_t planned_ = 0;                   // the items for which plan() made the newest buckets
  std::vector<Generation> generations_;
};

}  // namespace vox::hash
