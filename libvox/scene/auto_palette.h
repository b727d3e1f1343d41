// Chooses the palette of a scene, most often from its colors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface.h"

namespace vox::scene {

// A point for weighted k-means, which has the same result on every machine and for every number of threads.
struct WeightedPoint {
  Vec3d at;
  double weight;
};

// Returns the means of at most `count` clusters, none of which is empty.
std::vector<Vec3d> cluster(const std::vector<WeightedPoint>& points, uint32_t count);

// Returns the means after Lloyd's iteration. A mean that is nearest to no point stays where it is.
std::vector<Vec3d> settle(const std::vector<WeightedPoint>& points, std::vector<Vec3d> means);

struct NearestMean {
  uint32_t mean = 0;            // ties go to the lower index
  double squared = 1e300;       // its squared distance
  double next_squared = 1e300;  // the squared distance of the second nearest; 1e300 if there is none
};

// Finds the mean that is nearest to every point. There must be at least one mean.
std::vector<NearestMean> nearest_means(const std::vector<WeightedPoint>& points,
                                       const std::vector<Vec3d>& means);

// A color, and how much of the surface has it.
struct ColorArea {
  Rgb8 color;
  uint64_t area;  // in kAreaUnits, or a number of voxels
};

// Colors that are counted one by one, as long as there are at most 16.
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

// Colors that are counted in 32³ cells of the sRGB cube, with the sum of their linear light at 16 bits. Each thread
// has its own tally, and the tallies are merged.
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

  void add(const SurfaceSample& sample) { add(sample.color, sample.weight); }
  void add(Rgb8 color, uint64_t weight) {
    const auto [r, g, b] = color;
    Cell& cell = cells[static_cast<size_t>(r >> 3 << 10 | g >> 3 << 5 | b >> 3)];
    cell.weight += weight;
    cell.r += weight * kLinear16[r];
    cell.g += weight * kLinear16[g];
    cell.b += weight * kLinear16[b];
    few.add(color, weight);
  }
  void merge(const ColorTally& other) {
    for (size_t i = 0; i < cells.size(); ++i) {
      cells[i].weight += other.cells[i].weight;
      cells[i].r += other.cells[i].r, cells[i].g += other.cells[i].g, cells[i].b += other.cells[i].b;
    }
    few.merge(other.few);
  }
};

// Counts how much of a scene's visible surface has each color. Palettes are chosen from this histogram and
// measured by it.
struct ColorHistogram {
  std::vector<ColorArea> few;  // every color as it is, if there are at most kPaletteSize; otherwise empty
  // The surface as points in Oklab, with areas as their weights: one for each of `few`. If `few` is empty,
  // the sRGB cube is cut into 32³ cells, and each cell that has colors gives a point at their mean. Areas
  // are whole numbers below 2^53, so that their sums are exact.
  std::vector<WeightedPoint> points;
};

// Counts the colors of a scene's surface, or of the painted surface if `paint` is given. If there are vertex colors,
// call bake_base_colors(scene) first, as before everything that reads colors.
ColorHistogram count_colors(const Scene& scene, const SurfacePaint* paint = nullptr);
ColorHistogram count_colors(const SceneSurface& surface);

// Makes a histogram of a finished tally. The sum of all weights must be less than 2^47.
ColorHistogram count_colors(ColorTally tally);

// The distance of the surface from the palette's nearest entries, in ΔE: 100 times the distance in Oklab. The
// eye notices about 2 where colors touch.
struct PaletteError {
  double mean = 0;     // over the whole area
  double over_10 = 0;  // the share of the area that is off by more than 10
};

// If colors are counted in cells, the mean of a cell stands for all of its colors, which makes the mean ΔE up to 0.2
// too small.
PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette);

struct PaletteOptions {
  // A color's weight is its share of the area to this power, from 0 to 1. At 0, all of the 32³ cells of the sRGB cube
  // that have colors count alike. Small areas also get entries in another way (with_far_colors()), so a lower power
  // makes the mean error grow more than it helps small areas: docs/converting.md.
  double area_power = 1;
  uint32_t most = kPaletteSize;  // the most entries
};

// Clusters the colors of the scene's texels, materials and vertices in Oklab, weighted by area, into at most
// options.most entries. Some of these go to small areas whose colors are far from all others. If the scene has no more
// colors than options.most, they become the entries as they are. Equal entries are merged, and the entry with the
// largest area comes first. A scene without visible surface gets one black entry. The result does not depend on the
// number of threads.
Palette auto_palette(const ColorHistogram& histogram, const PaletteOptions& options = {});
Palette auto_palette(const Scene& scene, const PaletteOptions& options = {});

// The way in which the palette of a mesh is chosen: it is given, or made from the mesh's colors or from its materials.
struct PaletteChoice {
  MaterialMode materials = MaterialMode::Texture;
  std::optional<Palette> given = std::nullopt;  // if absent, the palette is chosen from the scene
  std::vector<AssignRule> rules = {};           // numbers for names, for MaterialMode::Mesh and Object
  PaletteOptions weights = {};                  // weights of the colors from which a palette is chosen
  const SurfacePaint* paint = nullptr;          // paint on the surface, for MaterialMode::Texture
  // If it is not 0, MaterialMode::Mesh and Object keep up to so many names, by colors.
  uint32_t most_names = 0;
  bool measure = false;  // measure how well the given colors fit; chosen palettes are always measured
};

struct ChosenPalette {
  IndexedScene indexed;
  std::optional<PaletteError> error;  // for MaterialMode::Texture, if measured
};

// Bakes the scene's base colors, and chooses the palette.
ChosenPalette choose_palette(Scene& scene, const PaletteChoice& choice);

// Gives means to small areas whose colors are far from all means, and returns at most `count` means. K-means spends
// all of its means on the large areas: a sixteenth shade of gray saves more squared distance than a red that covers a
// thousandth of the surface but attracts the eye.
//
// Colors that are further than kFarInOklab from every mean are taken in groups; all colors of a group are within
// kFarInOklab of its middle. A group replaces the mean that can best be spared, but only if less area is then that
// far from all means. A group that covers less than a ten-thousandth of the surface gets no mean. `areas` and `pull`
// are the same points with two weights: the area of each, and how much it draws the means.
std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count);

}  // namespace vox::scene
