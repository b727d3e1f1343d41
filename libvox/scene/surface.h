// The visible surface of a scene as colored points, each of which stands for a part of the area. Palettes
// and shares are counted from them.
//
// A textured triangle gets points in proportion to the texels that it covers, any other triangle a few: at
// least one each, and at most about kSampleBudget in total. The points form a low-discrepancy sequence and
// are the same on every run.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::scene {

// The colors that a material makes of texels: it applies its base color in linear light, and compares alpha
// with its cutoff.

Vec3d base_linear(const Material& material);  // clamped to [0, 1]
double base_alpha(const Material& material);  // clamped to [0, 1]
Rgb8 base_color(const Material& material);    // sRGB

// True if the alpha reaches the cutoff. Averaged alphas carry rounding errors, which must not open holes at a
// cutoff of 1.
bool is_solid(const Material& material, double alpha);

inline bool has_image(const Scene& scene, const Material& material) {
  return material.image != kNone && scene.images[material.image].width > 0;
}

// True if vertex colors decide the color of the material's triangles.
inline bool has_vertex_colors(const Scene& scene, const Material& material) {
  return !scene.colors.empty() && !has_image(scene, material);
}

class MaterialColors {
 public:
  explicit MaterialColors(const Material& material);

  Rgb8 color(Rgba8 texel) const { return {codes_[0][texel.r], codes_[1][texel.g], codes_[2][texel.b]}; }
  bool solid(Rgba8 texel) const { return texel.a >= first_solid_; }
  bool any_hole() const { return first_solid_ > 0; }  // true if some alpha makes a hole

 private:
  std::array<std::array<uint8_t, 256>, 3> codes_;
  uint16_t first_solid_ = 0;  // the smallest alpha that is solid; 256 if none is
};

// The paint on a surface. Palettes and shares are counted on the painted surface.
struct SurfacePaint {
  uint32_t size = 0;               // texels along each side of the square that is painted
  std::vector<uint8_t> materials;  // for each of Scene::materials: 1 if some of it is painted
  // Returns the color at a texture coordinate of such a material, or `below` if nothing is painted there.
  std::function<Rgb8(uint32_t material, Vec2<double> uv, Rgb8 below)> color;

  bool covers(uint32_t material) const { return materials[material] != 0; }
};

inline constexpr uint64_t kSampleBudget = uint64_t{1} << 21;

// The whole surface has this many units of area, and areas are whole numbers of units, whose sum does not depend on the
// order. A sum of 64 bits has 16 more bits than an area, for sums of colors.
inline constexpr uint64_t kAreaUnits = uint64_t{1} << 46;

struct SurfaceSample {
  uint32_t material;
  Rgb8 color;       // the final color of a texel or vertex, with the base color applied
  uint64_t weight;  // its area, or that of all samples of a texel, in kAreaUnits
};

class SceneSurface {
 public:
  // With `paint`, the surface is the painted one; the paint must outlive the surface. Each sample has a slot. If
  // there are at most `most_kept` slots, the colors of all samples are found here once, and samples of the same texel
  // are merged if textures have few texels. With more slots, which a great number of triangles needs, every walk over
  // the samples finds the colors again.
  explicit SceneSurface(const Scene& scene, const SurfacePaint* paint = nullptr,
                        uint64_t most_kept = 4 * kSampleBudget);

  uint64_t sample_slots() const { return merged_.empty() ? first_slot_.back() : merged_.size(); }

  // Calls body(SurfaceSample) for the slots [first, last) in order. Holes leave their slot empty.
  template <class Body>
  void for_each_sample(uint64_t first, uint64_t last, const Body& body) const {
    if (!merged_.empty()) {
      for (; first < last; ++first) body(merged_[first]);
      return;
    }
    if (kept_.empty()) {
      for (const SurfaceSample& sample : samples(first, last)) body(sample);
      return;
    }
    for (size_t triangle = triangle_of(first); first < last; ++triangle) {
      SurfaceSample sample = {scene_.triangles[triangle].material, {}, weights_[triangle]};
      for (const uint64_t end = std::min(last, first_slot_[triangle + 1]); first < end; ++first) {
        if (kept_[first] == kHole) continue;
        sample.color = unpacked_color(kept_[first]);
        body(sample);
      }
    }
  }

 private:
  static constexpr uint32_t kHole = UINT32_MAX;

  struct Measure {
    double area;
    double texels;  // how many texels the triangle covers; 0 if it is invisible
  };
  struct Measures {
    std::vector<Measure> triangles;
    Measure total;
  };
  Measures measure() const;
  Measure measure(const Triangle& triangle) const;
  double covered_texels(const Triangle& triangle, Vec2<uint32_t> size) const;
  bool is_painted(const Triangle& triangle) const;
  void keep_colors();
  void merge_texels();
  // Returns the triangle of a slot.
  size_t triangle_of(uint64_t slot) const {
    const auto after = std::upper_bound(first_slot_.begin(), first_slot_.end(), slot);
    return static_cast<size_t>(after - first_slot_.begin()) - 1;
  }
  std::vector<SurfaceSample> samples(uint64_t first, uint64_t last) const;
  template <class Put>
  void for_each_color(size_t triangle, uint64_t first, uint64_t last, const Put& put) const;
  Rgb8 vertex_color_at(const Triangle& triangle, Vec3d weights) const;

  const Scene& scene_;
  const SurfacePaint* paint_;
  std::vector<MaterialColors> colors_;  // one for each material
  std::vector<uint64_t> first_slot_;    // for each triangle, then the end
  std::vector<uint64_t> weights_;       // the weight of one sample, for each triangle
  std::vector<uint32_t> kept_;          // packed_color() of each slot, or kHole; empty if there are too many
  std::vector<SurfaceSample> merged_;   // the samples in any order; empty if most texels have few samples
};

// Does what index_scene() does with MaterialMode::Texture and this surface's paint. The surface must be the scene's.
IndexedScene index_scene(const Scene& scene, const Palette& palette, const SceneSurface& surface);

// Adds up all samples. A Tally has add(SurfaceSample) and merge(const Tally&), in whole numbers, so that the
// sum does not depend on the order.
template <class Tally>
Tally tally_surface(const SceneSurface& surface, const Tally& zero) {
  constexpr uint64_t kBlock = 4096;
  tbb::enumerable_thread_specific<Tally> tallies(zero);
  uint64_t slots = surface.sample_slots();
  parallel_for(uint64_t{0}, (slots + kBlock - 1) / kBlock, [&](uint64_t block) {
    Tally& tally = tallies.local();
    surface.for_each_sample(block * kBlock, std::min(slots, (block + 1) * kBlock),
                            [&](const SurfaceSample& sample) { tally.add(sample); });
  });
  Tally sum = zero;
  for (const Tally& tally : tallies) sum.merge(tally);
  return sum;
}

}  // namespace vox::scene
