// A batch that is sorted by bucket. plan.h inserts it.
#pragma once

#include "libvox/hash/sector/find.h"
#include "libvox/hash/sector/spaces.h"

namespace vox::hash {

// The key by which a batch is sorted. Its low bits are the number of an item's bucket, counted over all
// sizes. Above them is the item's fingerprint, if there is room.
struct BucketKey {
  uint32_t bits;
  VOX_HD bool has_fingerprint() const { return bits <= 24; }
  VOX_HD uint32_t make(uint32_t bucket, uint64_t hash) const {
    return has_fingerprint() ? bucket | byte_fingerprint(hash) << bits : bucket;
  }
  VOX_HD uint32_t bucket(uint32_t key) const { return bits == 32 ? key : key & ((1u << bits) - 1); }
  VOX_HD uint32_t fingerprint(uint32_t key) const { return key >> bits; }
};

struct BucketKeys {
  BatchRef batch;
  ChosenRef chosen;
  SectorTableRefs tables;
  BucketKey key;
  uint32_t* keys;
  uint32_t* order;  // the item's index in the batch
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t item = chosen[i];
    const SectorTableRef& table = tables[batch.size(item)];
    const SectorBuckets& buckets = table.buckets[table.generations - 1];
    const uint64_t hash = batch.hash(item);
    keys[i] = key.make(buckets.first + bucket_of(hash, buckets.count), hash);
    order[i] = static_cast<uint32_t>(item);
  }
};

struct StartsBucket {
  const uint32_t* keys;  // sorted
  BucketKey key;
  VOX_HD bool operator()(uint64_t i) const {
    return i == 0 || key.bucket(keys[i]) != key.bucket(keys[i - 1]);
  }
};

// The buckets that get new items. Bucket r gets the sorted items from starts[r] to before starts[r + 1].
struct BucketRuns {
  const uint32_t* keys;
  BucketKey key;
  const uint32_t* order;
  const uint32_t* starts;
  uint64_t count;
  uint64_t items;
  BatchRef batch;

  VOX_HD uint32_t begin(uint64_t r) const { return starts[r]; }
  VOX_HD uint32_t end(uint64_t r) const {
    return r + 1 < count ? starts[r + 1] : static_cast<uint32_t>(items);
  }
  VOX_HD uint32_t size(uint64_t r) const { return batch.size(order[starts[r]]); }
  // Returns the bucket, among these, of the i-th sorted item. `block_runs` is the output of BlockRuns.
  VOX_HD uint32_t run_of(uint64_t i, const uint32_t* block_runs) const {
    uint32_t run = block_runs[i / 32];
    while (run + 1 < count && starts[run + 1] <= i) ++run;
    return run;
  }
  VOX_HD uint32_t* line(const SectorSpace& space, uint64_t r) const {
    return space.lines + uint64_t{key.bucket(keys[starts[r]]) - space.first_bucket} * SectorLine::kWords;
  }
  VOX_HD void prefetch(const SectorSpaces& spaces, uint64_t r, int stage) const {
    if (stage == 0) {
      if (batch.offsets) prefetch_line(batch.offsets + order[starts[r]]);
    } else {
      prefetch_line(line(spaces[size(r)], r) + SectorLine::kEndsWord);
    }
  }
};

// Writes for every 32nd sorted item the number of its bucket, counted among those that get items.
struct BlockRuns {
  BucketRuns runs;
  uint32_t* block_runs;
  VOX_HD void operator()(uint64_t r) const {
    for (uint32_t block = (runs.begin(r) + 31) / 32; block * 32 < runs.end(r); ++block)
      block_runs[block] = static_cast<uint32_t>(r);
  }
};

}  // namespace vox::hash
