// The memory of the table of one item size, in bytes by purpose.
#pragma once

#include <cstdint>
#include <vector>

namespace vox::hash {

struct TableMemory {
  uint32_t item_words = 0;
  uint64_t items = 0;
  uint64_t buckets = 0;
  uint64_t slabs = 0;  // in use, of all buckets

  uint64_t item_bytes = 0;         // slots that hold an item
  uint64_t empty_bytes = 0;        // slots that hold none
  uint64_t fingerprint_bytes = 0;  // fingerprints, or the bits of used slots
  uint64_t link_bytes = 0;         // links to the next slab or to the items, and the bits for sweeps
  uint64_t padding_bytes = 0;
  uint64_t bucket_bytes = 0;  // links to each bucket's first slab
  uint64_t bitmap_bytes = 0;  // the allocator's bitmaps
  uint64_t slack_bytes = 0;   // slabs of superblocks that no bucket uses

  std::vector<uint64_t> chain_lengths;  // the number of buckets with 0, 1, 2, … slabs

  // Returns the bytes that the papers count: whole slabs and the links to them.
  uint64_t total_bytes() const {
    return item_bytes + empty_bytes + fingerprint_bytes + link_bytes + padding_bytes + bucket_bytes;
  }
  uint64_t allocated_bytes() const { return total_bytes() + bitmap_bytes + slack_bytes; }
};

}  // namespace vox::hash
