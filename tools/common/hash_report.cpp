#include "tools/common/hash_report.h"

#include <fmt/format.h>

#include "libvox/base/units.h"

namespace vox {
namespace {

std::string_view layout_name(const spatial::FrozenHash& hash) {
  return spatial::kKeyLayoutNames[static_cast<size_t>(hash.keys.layout)];
}

double filled_share(const spatial::FrozenHash& hash) {
  return static_cast<double>(hash.voxels) / static_cast<double>(hash.cells.size());
}

}  // namespace

std::string hash_line(const spatial::FrozenHash& hash) {
  return fmt::format("{} voxels as a spatial hash of {} cells, {:.1f} % full, in {}, {} keys, {} at most",
                     format_count(hash.voxels), format_count(hash.cells.size()), 100 * filled_share(hash),
                     format_bytes(hash.bytes()), layout_name(hash), format_count(hash.probes, "probe"));
}

void set_hash(measure::ResultGroup& results, const spatial::FrozenHash& hash) {
  results.group("hash")
      .set("bytes", hash.bytes(), "bytes")
      .set("cells", uint64_t{hash.cells.size()}, "cells")
      .set("load_factor", filled_share(hash), "1")
      .set("layout", layout_name(hash))
      .set("probes", hash.probes, "buckets");
}

}  // namespace vox
