#include "formats/volume/stored_volume.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/volume/pieces.h"
#include "libvox/volume/read_pieces.h"

namespace vox {
namespace {

struct NumberRange {
  volume::ValueRange range = {std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()};
  uint64_t first_not_finite = UINT64_MAX;

  void add(const NumberRange& other) {
    range = {std::min(range.low, other.range.low), std::max(range.high, other.range.high)};
    first_not_finite = std::min(first_not_finite, other.first_not_finite);
  }
};

template <class T>
NumberRange number_range(const std::byte* values, uint64_t count) {
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, count, 1 << 16), NumberRange(),
      [&](const tbb::blocked_range<uint64_t>& part, NumberRange sum) {
        for (uint64_t i = part.begin(); i < part.end(); ++i) {
          const auto number = static_cast<double>(stored_value<T>(values, i));
          if (!std::isfinite(number)) {
            sum.first_not_finite = std::min(sum.first_not_finite, i);
            continue;
          }
          sum.range = {std::min(sum.range.low, number), std::max(sum.range.high, number)};
        }
        return sum;
      },
      [](NumberRange a, const NumberRange& b) {
        a.add(b);
        return a;
      });
}

}  // namespace

void read_stored_pieces(const StoredVolume& stored,
                        const std::function<void(const VoxelBox&, const std::byte*)>& f) {
  const volume::Pieces pieces(stored.info.box(), volume::kReadVoxels);
  std::vector<std::byte> values(pieces[0].voxels() * stored_bytes(stored.info.type));
  for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
    throw_if_cancelled();
    stored.read(pieces[piece], values.data());
    f(pieces[piece], values.data());
  }
}

std::string stored_voxel_text(const StoredVolume& stored, const VoxelBox& box, const std::byte* values,
                              uint64_t i) {
  const Int3 at = volume::voxel_at(box, i);
  return with_stored_type(stored.info.type, [&]<class T>() {
    const T value = stored_value<T>(values, i);
    return fmt::format("voxel ({}, {}, {}) is {}", at.x, at.y, at.z, +value);
  });
}

volume::ValueRange stored_range(const StoredVolume& stored) {
  NumberRange all;
  read_stored_pieces(stored, [&](const VoxelBox& box, const std::byte* values) {
    const NumberRange part =
        with_stored_type(stored.info.type, [&]<class T>() { return number_range<T>(values, box.voxels()); });
    if (part.first_not_finite != UINT64_MAX)
      throw Error(stored_voxel_text(stored, box, values, part.first_not_finite) + ", expected finite values")
          .at(stored.info.source)
          .hint("replace such values first, or check the byte order and the offset of a raw file");
    all.add(part);
  });
  return all.range;
}

}  // namespace vox
