#include "libvox/volume/volume.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"

namespace vox::volume {

Int3 checked_volume_size(int64_t x, int64_t y, int64_t z) {
  for (const int64_t side : {x, y, z})
    if (side < 1 || side > kMaxVolumeSide)
      throw Error(
          fmt::format("the size is {} x {} x {} voxels, expected 1 to {} a side", x, y, z, kMaxVolumeSide));
  return {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
}

std::optional<ValueType> parse_value_type(std::string_view name) {
  const auto found = std::ranges::find(kValueTypeNames, name);
  if (found == kValueTypeNames.end()) return std::nullopt;
  return static_cast<ValueType>(found - kValueTypeNames.begin());
}

namespace {

double number_at(ValueType type, const std::byte* values, uint64_t i) {
  return value_number(type, bits_at(type, values, i));
}

// Returns the least float that is not below the number. A value is below this float if and only if it is
// below the number.
float least_float(double number) {
  const auto nearest = static_cast<float>(number);
  return nearest < number ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

ValueRange joined(ValueRange a, ValueRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Returns the range of the values, or -∞ to ∞ if a value is not finite.
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
  const Int3 at = voxel_at(box, i);
  throw Error(fmt::format("voxel ({}, {}, {}) is {}, expected finite values", at.x, at.y, at.z,
                          number_at(volume.info.type, values, i)))
      .at(volume.info.source)
      .hint("replace such values first, or check the byte order and the offset of a raw file");
}

}  // namespace

ValueRange value_range(const Volume& volume) {
  ValueRange range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  read_pieces(volume, kReadVoxels, [&](const VoxelBox& box, const std::byte* values) {
    range = joined(range, range_of(volume.info.type, values, box.voxels()));
    if (!std::isfinite(range.low)) throw_not_finite(volume, box, values);
  });
  return range;
}

ValueRule value_rule(const Volume& volume, const ThresholdOptions& options) {
  const ValueType type = volume.info.type;
  ValueRule rule = {.type = type};
  if (options.raw) rule.threshold = least_float(*options.raw);
  if (!options.share && type != ValueType::I16 && type != ValueType::F32) return rule;
  const ValueRange range = value_range(volume);
  if (options.share) rule.threshold = least_float(range.low + *options.share * (range.high - range.low));
  if (range.low < 0)
    rule.background = type == ValueType::F32 ? std::bit_cast<uint32_t>(static_cast<float>(range.low))
                                             : static_cast<uint16_t>(static_cast<int16_t>(range.low));
  return rule;
}

Volume with_rule(Volume volume, const ValueRule& rule) {
  auto read = [read = std::move(volume.read), rule](const VoxelBox& box, std::byte* values) {
    read(box, values);
    with_word_type(rule.type, [&]<class T>() {
      T* const words = reinterpret_cast<T*>(values);
      parallel_for(uint64_t{0}, box.voxels(),
                   [&](uint64_t i) { words[i] = static_cast<T>(rule.bits(rule.word(words[i]))); });
    });
  };
  return {std::move(volume.info), std::move(read)};
}

namespace {

// The sum of a few values, in any type.
class Mean {
 public:
  explicit Mean(ValueType type) : type_(type) {}

  void add(uint32_t bits) {
    sum_ += value_number(type_, bits);
    ++count_;
  }
  // Returns the bits of the mean.
  uint32_t bits() const {
    const double mean = sum_ / count_;
    if (type_ == ValueType::F32) return std::bit_cast<uint32_t>(static_cast<float>(mean));
    // Sums of eight whole numbers are exact, and so is what is left of them by a count of 1, 2, 4 or 8.
    const auto twice = static_cast<int64_t>(2 * sum_) + count_, divisor = int64_t{2} * count_;
    const int64_t rounded = twice >= 0 ? twice / divisor : -((divisor - 1 - twice) / divisor);
    return static_cast<uint32_t>(rounded);
  }

 private:
  ValueType type_;
  double sum_ = 0;
  int32_t count_ = 0;
};

template <class T>
void read_means(const Volume& fine, const VoxelBox& around, Int3 to, T* out) {
  std::vector<T> values(around.voxels());
  fine.read(around, reinterpret_cast<std::byte*>(values.data()));
  const Int3 from = around.size();
  parallel_for(0, to.z, [&](int32_t z) {
    T* next = out + int64_t{z} * to.y * to.x;
    for (int32_t y = 0; y < to.y; ++y)
      for (int32_t x = 0; x < to.x; ++x) {
        Mean mean(fine.info.type);
        for (int32_t c = 2 * z; c < std::min(2 * z + 2, from.z); ++c)
          for (int32_t b = 2 * y; b < std::min(2 * y + 2, from.y); ++b)
            for (int32_t a = 2 * x; a < std::min(2 * x + 2, from.x); ++a)
              mean.add(values[static_cast<size_t>((int64_t{c} * from.y + b) * from.x + a)]);
        *next++ = static_cast<T>(mean.bits());
      }
  });
}

}  // namespace

Volume coarser_volume(Volume fine) {
  VolumeInfo info = fine.info;
  info.size = {(info.size.x + 1) / 2, (info.size.y + 1) / 2, (info.size.z + 1) / 2};
  info.spacing = info.spacing * 2.0;
  const auto below = [box = fine.info.box()](const VoxelBox& coarse) {
    return intersection({coarse.min * 2, coarse.max * 2}, box);
  };
  Volume coarse = {std::move(info), [fine, below](const VoxelBox& box, std::byte* values) {
                     with_word_type(fine.info.type, [&]<class T>() {
                       read_means(fine, below(box), box.size(), reinterpret_cast<T*>(values));
                     });
                   }};
  if (fine.is_zero)
    coarse.is_zero = [is_zero = fine.is_zero, below](const VoxelBox& box) { return is_zero(below(box)); };
  return coarse;
}

void read_pieces(const Volume& volume, uint64_t most_voxels,
                 const std::function<void(const VoxelBox&, const std::byte*)>& f) {
  const Pieces pieces(volume.info.box(), most_voxels);
  std::vector<std::byte> values(pieces[0].voxels() * value_bytes(volume.info.type));
  for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
    throw_if_cancelled();
    volume.read(pieces[piece], values.data());
    f(pieces[piece], values.data());
  }
}

namespace {

std::string form_text(const VolumeInfo& info) {
  return fmt::format("{} x {} x {} voxels of {}", info.size.x, info.size.y, info.size.z,
                     value_type_name(info.type));
}

}  // namespace

void check_same_values(const Volume& volume, std::string_view name, const Volume& expected,
                       std::string_view expected_name, uint64_t piece_voxels) {
  const ValueType type = volume.info.type;
  if (volume.info.size != expected.info.size || type != expected.info.type)
    throw Error(fmt::format("{} in {}, but {} in {}", form_text(volume.info), name, form_text(expected.info),
                            expected_name));
  std::vector<std::byte> should_be;
  read_pieces(volume, piece_voxels, [&](const VoxelBox& box, const std::byte* is) {
    should_be.resize(box.voxels() * value_bytes(type));
    expected.read(box, should_be.data());
    const auto differs = std::ranges::mismatch(should_be, std::span(is, should_be.size())).in1;
    if (differs == should_be.end()) return;
    const uint64_t i = static_cast<uint64_t>(differs - should_be.begin()) / value_bytes(type);
    const Int3 at = voxel_at(box, i);
    throw Error(fmt::format("voxel ({}, {}, {}) is {} in {}, but {} in {}", at.x, at.y, at.z,
                            value_number(type, bits_at(type, is, i)), name,
                            value_number(type, bits_at(type, should_be.data(), i)), expected_name));
  });
}

}  // namespace vox::volume
