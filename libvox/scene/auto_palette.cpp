#include "libvox/scene/auto_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "libvox/scene/cluster.h"
#include "libvox/scene/far_colors.h"
#include "libvox/scene/oklab.h"

namespace vox::scene {
namespace {

// Returns x (from 0 to 1) to the power of `exponent` (from 0 to below 1), within 1e-6. Each binary digit of
// the exponent takes one square root, which IEEE 754 rounds alike everywhere; pow() differs between C
// libraries.
double to_the_power(double x, double exponent) {
  double power = 1, root = x;
  for (int digit = 0; digit < 24 && exponent > 0; ++digit) {
    root = std::sqrt(root);
    exponent *= 2;
    if (exponent >= 1) power *= root, exponent -= 1;
  }
  return power;
}

std::vector<WeightedPoint> with_powers(std::vector<WeightedPoint> points, double exponent) {
  if (exponent >= 1) return points;
  double area = 0;
  for (const WeightedPoint& point : points) area += point.weight;
  for (WeightedPoint& point : points) point.weight = to_the_power(point.weight / area, exponent);
  return points;
}

std::vector<ColorArea> cluster_colors(const std::vector<WeightedPoint>& areas, double area_power) {
  const std::vector<WeightedPoint> pull = with_powers(areas, area_power);
  const std::vector<Vec3d> means = with_far_colors(areas, pull, cluster(pull, kPaletteSize), kPaletteSize);
  std::vector<double> sums(means.size());
  const std::vector<NearestMean> nearest = nearest_means(areas, means);
  for (size_t i = 0; i < areas.size(); ++i) sums[nearest[i].mean] += areas[i].weight;
  std::vector<ColorArea> colors;
  for (size_t i = 0; i < means.size(); ++i)
    if (sums[i] > 0)
      colors.push_back({linear_to_srgb(oklab_to_linear(means[i])), static_cast<uint64_t>(sums[i])});
  return colors;
}

// Merges equal colours. The largest one comes first.
Palette palette_of(const std::vector<ColorArea>& colors) {
  using Key = std::tuple<uint8_t, uint8_t, uint8_t>;
  std::map<Key, uint64_t> merged;
  for (const auto& [color, area] : colors) merged[{color.r, color.g, color.b}] += area;
  std::vector<std::pair<Key, uint64_t>> sorted(merged.begin(), merged.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
  Palette palette;
  for (const auto& [key, area] : sorted) {
    auto [r, g, b] = key;
    palette.colors[palette.count] = {r, g, b};
    palette.names[palette.count++] = hex_name({r, g, b});
  }
  return palette;
}

}  // namespace

std::string hex_name(Rgb8 color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

Palette auto_palette(const ColorHistogram& histogram, const PaletteOptions& options) {
  if (histogram.points.empty())
    return palette_of({{}});  // nothing is visible, but an index still needs its entry
  if (!histogram.few.empty()) return palette_of(histogram.few);
  return palette_of(cluster_colors(histogram.points, options.area_power));
}

Palette auto_palette(const Scene& scene, const PaletteOptions& options) {
  return auto_palette(count_colors(scene), options);
}

}  // namespace vox::scene
