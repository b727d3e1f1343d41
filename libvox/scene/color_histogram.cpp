#include "libvox/scene/color_histogram.h"

#include <cmath>
#include <utility>

#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

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
  return count_colors(tally_surface(SceneSurface(scene, paint), ColorTally()));
}

ColorHistogram count_colors(ColorTally tally) {
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
