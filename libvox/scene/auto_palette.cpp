#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "libvox/scene/cluster.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface.h"

namespace vox {
namespace {

struct ColorWeight {
  Rgb8 color;
  uint64_t weight;
};

// Colours counted one by one, as long as there are at most 16.
struct FewColors {
  std::vector<ColorWeight> colors;
  bool too_many = false;

  void add(Rgb8 color, uint64_t weight) {
    if (too_many) return;
    for (ColorWeight& known : colors)
      if (known.color == color) {
        known.weight += weight;
        return;
      }
    too_many = colors.size() == kPaletteSize;
    if (!too_many) colors.push_back({color, weight});
  }
  void merge(const FewColors& other) {
    too_many |= other.too_many;
    for (const ColorWeight& c : other.colors) add(c.color, c.weight);
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

std::vector<ColorWeight> cluster_colors(const std::vector<ColorTally::Cell>& cells) {
  std::vector<WeightedPoint> points;
  for (const auto& cell : cells) {
    if (cell.weight == 0) continue;
    double weight = static_cast<double>(cell.weight);
    Vec3d sum = {static_cast<double>(cell.r), static_cast<double>(cell.g), static_cast<double>(cell.b)};
    points.push_back({linear_to_oklab(sum * (1 / (weight * 65535))), weight});
  }
  std::vector<ColorWeight> colors;
  for (const WeightedPoint& c : cluster(points, kPaletteSize))
    colors.push_back({linear_to_srgb(oklab_to_linear(c.at)), static_cast<uint64_t>(c.weight)});
  return colors;
}

// Equal colours become one; the largest comes first.
Palette palette_of(const std::vector<ColorWeight>& colors) {
  using Key = std::tuple<uint8_t, uint8_t, uint8_t>;
  std::map<Key, uint64_t> merged;
  for (const auto& [color, weight] : colors) merged[{color.r, color.g, color.b}] += weight;
  std::vector<std::pair<Key, uint64_t>> sorted(merged.begin(), merged.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
  Palette palette;
  for (const auto& [key, weight] : sorted) {
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

Palette auto_palette(const Scene& scene) {
  ColorTally tally = tally_surface(Surface(scene), ColorTally());
  std::vector<ColorWeight> colors = tally.few.too_many ? cluster_colors(tally.cells) : tally.few.colors;
  if (colors.empty()) colors.push_back({});  // nothing is visible; an index still needs its entry
  return palette_of(colors);
}

}  // namespace vox
