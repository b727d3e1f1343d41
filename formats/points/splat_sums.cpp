#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
#include "libvox/base/bits.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/auto_palette.h"

namespace vox {
namespace {

// Returns e^-x for x from 0 to 64, with a relative error below 2^-21. It has no branches, so that the compiler
// computes several at once.
inline float exp_of_minus(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kRounding = 12582912;  // 1.5 · 2^23: adding it rounds to a whole number, in the lowest bits
  const float y = x * -kLog2E, shifted = y + kRounding;
  const float r = y - (shifted - kRounding);  // -1/2 to 1/2, for a Taylor series of 2^r
  const float power =
      1 + r * (0.693147181f +
               r * (0.240226507f +
                    r * (0.0555041087f + r * (0.00961812911f + r * (0.00133335581f + r * 0.000154035304f)))));
  return std::bit_cast<float>(std::bit_cast<uint32_t>(power) + (std::bit_cast<uint32_t>(shifted) << 23));
}

// Returns a bit for each number that is less than the limit.
uint64_t bits_below(const std::array<float, 64>& numbers, float limit) {
  std::array<uint8_t, 64> less;
  for (size_t i = 0; i < less.size(); ++i) less[i] = numbers[i] < limit ? 1 : 0;
  uint64_t bits = 0;
  for (size_t i = 0; i < less.size(); i += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, less.data() + i, sizeof(eight));
    // The product's highest byte has the lowest bit of each byte.
    bits |= (eight * 0x0102040810204080 >> 56) << i;
  }
  return bits;
}

// Returns a color in linear light.
std::array<float, 3> light_of(uint32_t rgb) {
  const auto& linear = scene::ColorTally::kLinear16;
  const auto light = [&](uint32_t shift) { return static_cast<float>(linear[rgb >> shift & 255]); };
  return {light(16), light(8), light(0)};
}

}  // namespace

SplatSums::SplatSums() : rows_(kSide * kSide) {}

void SplatSums::Row::clear(int32_t from, int32_t to) {
  std::fill(transparency.begin() + from, transparency.begin() + to, 1.0f);
  if (has_light) clear_light(from, to);
}

void SplatSums::Row::clear_light(int32_t from, int32_t to) {
  for (auto* part : {&weight, &red, &green, &blue}) std::fill(part->begin() + from, part->begin() + to, 0.0f);
}

// Makes the voxels from `from` up to `to` part of those in use.
void SplatSums::Row::use(int32_t from, int32_t to) {
  if (begin == end) begin = end = from;
  if (from < begin) clear(from, begin), begin = from;
  if (to > end) clear(end, to), end = to;
}

// Calls body(x, weight) for the voxels of a splat's part of a row.
template <class Body>
void SplatSums::Row::for_each_weight(const RowSplat& splat, const Body& body) {
  const auto [first, last, middle, rate, least] = splat.part;
  for (int32_t x = first; x <= last; ++x) {
    const float apart = static_cast<float>(x) - middle;
    body(static_cast<size_t>(x), splat.opacity * exp_of_minus(rate * apart * apart + least));
  }
}

void SplatSums::Row::add(const RowSplat& splat) {
  use(splat.part.first, splat.part.last + 1);
  for_each_weight(splat, [&](size_t x, float by) { transparency[x] *= 1 - by; });
}

void SplatSums::Row::add_light(const RowSplat& splat) {
  const auto [r, g, b] = light_of(splat.rgb);
  for_each_weight(splat, [&, r = r, g = g, b = b](size_t x, float by) {
    weight[x] += by, red[x] += by * r, green[x] += by * g, blue[x] += by * b;
  });
}

void SplatSums::Row::add_with_light(const RowSplat& splat) {
  if (begin == end) {
    first = splat;
    return add(splat);
  }
  if (!has_light) {
    has_light = true;
    clear_light(begin, end);
    add_light(first);
  }
  use(splat.part.first, splat.part.last + 1);
  const auto [r, g, b] = light_of(splat.rgb);
  for_each_weight(splat, [&, r = r, g = g, b = b](size_t x, float by) {
    transparency[x] *= 1 - by;
    weight[x] += by, red[x] += by * r, green[x] += by * g, blue[x] += by * b;
  });
}

// Calls add_row(row of sums, part) for each row of the cube that the splat reaches.
template <class AddRow>
void SplatSums::for_each_row(const GridSplat& splat, Int3 corner, uint32_t resolution,
                             const AddRow& add_row) {
  const Vec3d center = splat.center - Vec3d{corner.x + 0.5, corner.y + 0.5, corner.z + 0.5};
  const double cut = splat.cut;
  // Calls body(i, distance from the middle) for the voxels of the cube and the grid whose d² / 2 along an axis is
  // at most `left`.
  const auto range = [&](uint32_t axis, double middle, double per, double left) {
    const double half = std::sqrt(2 * left) / per;
    const double most = std::min(kSide, static_cast<int32_t>(resolution) - corner[axis]) - 1;
    return std::array{static_cast<int32_t>(std::ceil(std::clamp(middle - half, 0.0, most + 1))),
                      static_cast<int32_t>(std::floor(std::clamp(middle + half, -1.0, most)))};
  };
  const auto [z_first, z_last] = range(2, center.z, splat.per_z, cut);
  for (int32_t z = z_first; z <= z_last; ++z) {
    const double dz = z - center.z, by_z = dz * splat.per_z, at_z = by_z * by_z / 2;
    if (at_z > cut) continue;
    const double y_middle = center.y + splat.y_by_z * dz;
    const auto [y_first, y_last] = range(1, y_middle, splat.per_y, cut - at_z);
    for (int32_t y = y_first; y <= y_last; ++y) {
      const double dy = y - y_middle, by_y = dy * splat.per_y, at_y = at_z + by_y * by_y / 2;
      if (at_y > cut) continue;
      const double x_middle = center.x + splat.x_by_z * dz + splat.x_by_y * dy;
      const auto [first, last] = range(0, x_middle, splat.per_x, cut - at_y);
      if (first > last) continue;
      const int32_t place = z * kSide + y;
      Row& row = rows_[static_cast<size_t>(place)];
      if (row.begin == row.end) used_rows_.push_back(place);
      add_row(row, Part{first, last, static_cast<float>(x_middle), splat.per_x * splat.per_x / 2,
                        static_cast<float>(at_y)});
    }
  }
}

void SplatSums::add(const GridSplat& splat, Int3 corner, uint32_t resolution) {
  for_each_row(splat, corner, resolution, [&](Row& row, const Part& part) {
    row.add({part, splat.opacity, splat.rgb});
  });
}

void SplatSums::add_colored(const GridSplat& splat, Int3 corner, uint32_t resolution) {
  for_each_row(splat, corner, resolution, [&](Row& row, const Part& part) {
    row.add_with_light({part, splat.opacity, splat.rgb});
  });
}

// The mean of one splat's light is its own color: rounding changes the light by much less than half a step.
void SplatSums::take(double opacity, bool colors, SplatRows& to) {
  const float limit = std::min(std::nextafter(static_cast<float>(1 - opacity), 2.0f), 1.0f);
  const std::span<const uint8_t> codes = light_codes();
  uint32_t last = 0;
  for (const int32_t row : used_rows_) {
    Row& sums = rows_[static_cast<size_t>(row)];
    const uint64_t voxels = bits_below(sums.transparency, limit) & ~uint64_t{0} >> (kSide - sums.end) &
                            ~uint64_t{0} << sums.begin;
    const bool has_light = sums.has_light;
    sums.begin = sums.end = 0;
    sums.has_light = false;
    if (voxels == 0) continue;
    to.rows.push_back({voxels, 0, row});
    if (!colors) continue;
    const auto put = [&](uint32_t x, const std::array<float, 3>& light) {
      std::array<uint8_t, 3> color;
      std::ranges::transform(light, color.begin(),
                             [&](float of) { return codes[static_cast<uint32_t>(of)]; });
      const uint32_t value = rgb_value({color[0], color[1], color[2]});
      if (value == last) return;
      last = value;
      to.rows.back().changes |= uint64_t{1} << x;
      to.colors.insert(to.colors.end(), color.begin(), color.end());
    };
    if (!has_light) {
      put(static_cast<uint32_t>(lowest_bit(voxels)), light_of(sums.first.rgb));
      continue;
    }
    dag::visit_bits(voxels, [&](uint32_t x) {
      const float share = sums.weight[x] > 0 ? 1 / sums.weight[x] : 0;
      const auto mean = [&](float sum) { return std::min(sum * share + 0.5f, 65535.0f); };
      put(x, {mean(sums.red[x]), mean(sums.green[x]), mean(sums.blue[x])});
    });
  }
  used_rows_.clear();
}

void SplatRows::clear() {
  rows.clear();
  colors.clear();
  whole.reset();
}

}  // namespace vox
