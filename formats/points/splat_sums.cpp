#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
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

// The part of a row that a splat reaches, and d² / 2 there: rate · (x - middle)² + least, where x counts voxels.
struct RowPart {
  int32_t first, last;
  float middle, rate, least;
};

}  // namespace

SplatSums::SplatSums() : rows_(kSide * kSide), used_(kSide * kSide) {}

// Returns a row whose voxels from `first` to `last` are in use.
SplatSums::Row& SplatSums::row_for(int32_t row, int32_t first, int32_t last) {
  const auto i = static_cast<size_t>(row);
  auto& [begin, end] = used_[i];
  const auto clear = [&](int32_t from, int32_t to) {
    const auto at = static_cast<size_t>(from), count = static_cast<size_t>(to - from);
    Row& sums = rows_[i];
    std::fill_n(sums.transparency.begin() + at, count, 1.0f);
    for (auto* part : {&sums.weight, &sums.red, &sums.green, &sums.blue})
      std::fill_n(part->begin() + at, count, 0.0f);
  };
  if (begin == end) {
    used_rows_.push_back(row);
    begin = end = first;
  }
  if (first < begin) clear(first, begin), begin = first;
  if (last >= end) clear(end, last + 1), end = last + 1;
  return rows_[i];
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
      add_row(row_for(z * kSide + y, first, last),
              RowPart{first, last, static_cast<float>(x_middle), splat.per_x * splat.per_x / 2,
                      static_cast<float>(at_y)});
    }
  }
}

void SplatSums::add(const GridSplat& splat, Int3 corner, uint32_t resolution) {
  const float opacity = splat.opacity;
  for_each_row(splat, corner, resolution, [opacity](Row& row, const RowPart& part) {
    float* const transparency = row.transparency.data();
    for (int32_t x = part.first; x <= part.last; ++x) {
      const float apart = static_cast<float>(x) - part.middle;
      transparency[x] *= 1 - opacity * exp_of_minus(part.rate * apart * apart + part.least);
    }
  });
}

void SplatSums::add_colored(const GridSplat& splat, Int3 corner, uint32_t resolution) {
  const auto& linear = scene::ColorTally::kLinear16;
  const float opacity = splat.opacity;
  const auto light = [&](uint32_t shift) { return static_cast<float>(linear[splat.rgb >> shift & 255]); };
  const float red = light(16), green = light(8), blue = light(0);
  for_each_row(splat, corner, resolution, [=](Row& row, const RowPart& part) {
    float* __restrict const transparency = row.transparency.data();
    float* __restrict const weights = row.weight.data();
    float* __restrict const reds = row.red.data();
    float* __restrict const greens = row.green.data();
    float* __restrict const blues = row.blue.data();
    for (int32_t x = part.first; x <= part.last; ++x) {
      const float apart = static_cast<float>(x) - part.middle;
      const float weight = opacity * exp_of_minus(part.rate * apart * apart + part.least);
      transparency[x] *= 1 - weight;
      weights[x] += weight;
      reds[x] += weight * red;
      greens[x] += weight * green;
      blues[x] += weight * blue;
    }
  });
}

void SplatSums::take(double opacity, std::vector<ColoredVoxel>& to) {
  const auto most = static_cast<float>(1 - opacity);
  const std::span<const uint8_t> codes = light_codes();
  for (const int32_t row : used_rows_) {
    const Row& sums = rows_[static_cast<size_t>(row)];
    auto& [begin, end] = used_[static_cast<size_t>(row)];
    for (int32_t x = begin; x < end; ++x) {
      const auto i = static_cast<size_t>(x);
      if (sums.transparency[i] > most || sums.transparency[i] == 1) continue;
      const float share = sums.weight[i] > 0 ? 1 / sums.weight[i] : 0;
      const auto code = [&](float sum) {
        return codes[static_cast<uint32_t>(std::min(sum * share + 0.5f, 65535.0f))];
      };
      to.push_back({dag::VoxelCube::code({x, row % kSide, row / kSide}),
                    rgb_value({code(sums.red[i]), code(sums.green[i]), code(sums.blue[i])})});
    }
    begin = end = 0;
  }
  used_rows_.clear();
}

}  // namespace vox
