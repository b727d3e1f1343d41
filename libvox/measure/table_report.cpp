#include "libvox/measure/table_report.h"

#include <algorithm>

namespace vox::measure {

hash::TableMemory sum(std::span<const hash::TableMemory> sizes) {
  hash::TableMemory all;
  for (const hash::TableMemory& size : sizes) {
    all.items += size.items;
    all.buckets += size.buckets;
    all.slabs += size.slabs;
    all.item_bytes += size.item_bytes;
    all.empty_bytes += size.empty_bytes;
    all.fingerprint_bytes += size.fingerprint_bytes;
    all.link_bytes += size.link_bytes;
    all.padding_bytes += size.padding_bytes;
    all.bucket_bytes += size.bucket_bytes;
    all.bitmap_bytes += size.bitmap_bytes;
    all.slack_bytes += size.slack_bytes;
    all.chain_lengths.resize(std::max(all.chain_lengths.size(), size.chain_lengths.size()));
    for (size_t i = 0; i < size.chain_lengths.size(); ++i) all.chain_lengths[i] += size.chain_lengths[i];
  }
  return all;
}

}  // namespace vox::measure
