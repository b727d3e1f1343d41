#include "tools/common/compression.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <span>

#include "formats/io/compression.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

// The bytes of all parts of a stream after deflate, which takes a MiB at a time.
uint64_t deflated_bytes(const measure::PointerlessStream& stream) {
  constexpr uint64_t kPiece = 1 << 20;
  std::atomic<uint64_t> bytes = 0;
  for (const std::span<const uint8_t> part : stream.parts())
    tbb::parallel_for(uint64_t{0}, (part.size() + kPiece - 1) / kPiece, [&](uint64_t piece) {
      throw_if_cancelled();
      const uint64_t begin = piece * kPiece;
      bytes += Deflater(kSmallestDeflate)
                   .deflated(part.subspan(begin, std::min(kPiece, part.size() - begin)))
                   .size();
    });
  return bytes;
}

}  // namespace

measure::CompressionStats compression_of(Engine& engine, const dag::FrozenDag& geometry) {
  const measure::PointerlessStream stream = measure::pointerless_stream(geometry);
  measure::CompressionStats stats =
      measure::measure_compression(engine, geometry, measure::count_dag(geometry), stream);
  stats.forms.push_back(
      {{"stream_deflated", "depth first without pointers, after deflate", deflated_bytes(stream)},
       stats.shared[0].nodes()});
  return stats;
}

}  // namespace vox
