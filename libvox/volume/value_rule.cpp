#include "libvox/volume/value_rule.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/volume/pieces.h"

namespace vox {
namespace {

constexpr uint64_t kPieceVoxels = 4 << 20;

double number_at(ValueType type, const std::byte* values, uint64_t i) {
  const uint32_t bytes = value_bytes(type);
  uint32_t bits = 0;
  std::memcpy(&bits, values + i * bytes, bytes);
  return value_number(type, bits);
}

ValueRange joined(ValueRange a, ValueRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// NaN where a value is not finite.
ValueRange range_of(ValueType type, const std::byte* values, uint64_t count) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, count, 1 << 16), ValueRange{kInfinity, -kInfinity},
      [&](const auto& part, ValueRange range) {
        for (uint64_t i = part.begin(); i < part.end(); ++i) {
          const double number = number_at(type, values, i);
          if (!std::isfinite(number)) return ValueRange{-kInfinity, kInfinity};
          range = joined(range, {number, number});
        }
        return range;
      },
      joined);
}

[[noreturn]] void throw_not_finite(const Volume& volume, const VoxelBox& box, const std::byte* values) {
  uint64_t i = 0;
  while (std::isfinite(number_at(volume.info.type, values, i))) ++i;
  const auto row = uint64_t(box.size().x), rows = uint64_t(box.size().y);
  const Int3 at = box.min + Int3{int32_t(i % row), int32_t(i / row % rows), int32_t(i / row / rows)};
  throw Error(fmt::format("voxel ({}, {}, {}) is {}, expected finite values", at.x, at.y, at.z,
                          number_at(volume.info.type, values, i)))
      .at(volume.info.source)
      .hint("replace such values first, or check --endian and --offset");
}

}  // namespace

ValueRange value_range(const Volume& volume) {
  const Pieces pieces(volume.info.box(), kPieceVoxels);
  std::vector<std::byte> values(pieces[0].voxels() * value_bytes(volume.info.type));
  ValueRange range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
    throw_if_cancelled();
    const VoxelBox box = pieces[piece];
    volume.read(box, values.data());
    range = joined(range, range_of(volume.info.type, values.data(), box.voxels()));
    if (!std::isfinite(range.low)) throw_not_finite(volume, box, values.data());
  }
  return range;
}

ValueRule value_rule(const Volume& volume, const ThresholdOptions& options) {
  const ValueType type = volume.info.type;
  ValueRule rule = {.type = type};
  if (options.raw) rule.threshold = *options.raw;
  if (!options.share && type != ValueType::I16 && type != ValueType::F32) return rule;
  const ValueRange range = value_range(volume);
  if (options.share) rule.threshold = range.low + *options.share * (range.high - range.low);
  if (range.low < 0)
    rule.background = type == ValueType::F32 ? std::bit_cast<uint32_t>(static_cast<float>(range.low))
                                             : static_cast<uint16_t>(static_cast<int16_t>(range.low));
  return rule;
}

}  // namespace vox
