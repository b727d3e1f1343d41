#include "libvox/scene/color_histogram.h"

#include <array>
#include <cmath>

#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

// Colours counted one by one, as long as there are at most 16.
struct FewColors {
  std::vector<ColorArea> colors;
  bool too_many = false;

  void add(Rgb8 color, uint64_t area) {
    if (too_many) return;
    for (ColorArea& known : colors)
      if (known.color == color) {
        known.area += area;
        return;
      }
    too_many = colors.size() == kPaletteSize;
    if (!too_many) colors.push_back({color, area});
  }
  void merge(const FewColors& other) {
    too_many |= other.too_many;
    for (const ColorArea& c : other.colors) add(c.color, c.area);
  }
};

// Colours counted in 32³ cells of the sRGB cube, with the sum of their linear light at 16 bits.
struct ColorTally {
  struct Cell {
    uint64_t weight = 0, r = 0, g = 0, b = 0;
  };
  static inline const std::array<uint16_t, 256> kLinear16 = [] {
    std::array<uint16_t, 256> linear;
    for (uint32_t i = 0; i < 256; ++i)
      linear[i] = static_cast<uint16_t>(srgb_to_linear(static_cast<uint8_t>(i)) * 65535 + 0.5);
    return linear;
  }();

  std::vector<Cell> cells = std::vector<Cell>(1 << 15);
  FewColors few;

  void add(const SurfaceSample& sample) {
    auto [r, g, b] = sample.color;
    Cell& cell = cells[static_cast<size_t>(r >> 3 << 10 | g >> 3 << 5 | b >> 3)];
    cell.weight += sample.weight;
    cell.r += sample.weight * kLinear16[r];
    cell.g += sample.weight * kLinear16[g];
    cell.b += sample.weight * kLinear16[b];
    few.add(sample.color, sample.weight);
  }
  void merge(const ColorTally& other) {
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i].weight += other.cells[i].weight;
      cells[i].r += other.cells[i].r, cells[i].g += other.cells[i].g, cells[i].b += other.cells[i].b;
    }
    few.merge(other.few);
  }
};

std::vector<WeightedPoint> points_of_cells(const std::vector<ColorTally::Cell>& cells) {
  std::vector<WeightedPoint> points;
  for (const auto& cell : cells) {
    if (cell.weight == 0) continue;
    double weight = static_cast<double>(cell.weight);
    Vec3d sum = {static_cast<double>(cell.r), static_cast<double>(cell.g), static_cast<double>(cell.b)};
    points.push_back({linear_to_oklab(sum * (1 / (weight * 65535))), weight});
  }
  return points;
}

}  // namespace

ColorHistogram count_colors(const Scene& scene, const SurfacePaint* paint) {
  ColorTally tally = tally_surface(SceneSurface(scene, paint), ColorTally());
  if (tally.few.too_many) return {.few = {}, .points = points_of_cells(tally.cells)};
  ColorHistogram histogram = {.few = std::move(tally.few.colors), .points = {}};
  for (const auto& [color, area] : histogram.few)
    histogram.points.push_back({linear_to_oklab(srgb_to_linear(color)), static_cast<double>(area)});
  return histogram;
}

PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette) {
  std::vector<Vec3d> entries;
  for (uint32_t i = 0; i < palette.count; ++i)
    entries.push_back(linear_to_oklab(srgb_to_linear(palette.colors[i])));
  const std::vector<NearestMean> nearest = nearest_means(histogram.points, entries);
  double area = 0, sum = 0, over = 0;
  for (size_t i = 0; i < nearest.size(); ++i) {
    const double weight = histogram.points[i].weight;
    area += weight;
    sum += weight * kDeltaE * std::sqrt(nearest[i].squared);
    if (nearest[i].squared > kFarInOklab * kFarInOklab) over += weight;
  }
  return area > 0 ? PaletteError{.mean = sum / area, .over_10 = over / area} : PaletteError{};
}

}  // namespace vox::scene
