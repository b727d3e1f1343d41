// The visible surface of a scene as coloured points, each of which stands for a part of the area. Palettes
// and shares are counted from them.
//
// A textured triangle gets points in proportion to the texels that it covers, any other triangle a few: at
// least one each, and at most about kSampleBudget in total. The points form a low-discrepancy sequence and
// are the same on every run.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/scene/material_colors.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/surface_paint.h"

namespace vox::scene {

inline constexpr uint64_t kSampleBudget = uint64_t{1} << 21;

// Areas are counted in this fraction of the whole surface, because whole numbers add up to the same sum in
// any order. A sum of 64 bits has 16 more bits than an area, for sums of colours.
inline constexpr uint64_t kAreaUnits = uint64_t{1} << 46;

struct SurfaceSample {
  uint32_t material;
  Rgb8 color;       // the final colour: of a texel or vertex, with the base colour applied
  uint64_t weight;  // its area, in kAreaUnits
};

class SceneSurface {
 public:
  // With `paint`, the surface is the painted one; the paint must outlive the surface.
  explicit SceneSurface(const Scene& scene, const SurfacePaint* paint = nullptr);

  uint64_t sample_slots() const { return first_slot_.back(); }

  // Returns the samples of the slots [first, last). Holes leave their slot empty.
  std::vector<SurfaceSample> samples(uint64_t first, uint64_t last) const;

 private:
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
  void sample(size_t triangle, uint64_t first, uint64_t last, std::vector<SurfaceSample>& samples) const;
  Rgb8 vertex_color_at(const Triangle& triangle, Vec3d weights) const;

  const Scene& scene_;
  const SurfacePaint* paint_;
  std::vector<MaterialColors> colors_;  // one for each material
  std::vector<uint64_t> first_slot_;    // for each triangle, then the end
  std::vector<uint64_t> weights_;       // the weight of one sample, for each triangle
};

// Adds up all samples. A Tally has add(SurfaceSample) and merge(const Tally&), in whole numbers, so that the
// sum does not depend on the order.
template <class Tally>
Tally tally_surface(const SceneSurface& surface, const Tally& zero) {
  constexpr uint64_t kBlock = 4096;
  tbb::enumerable_thread_specific<Tally> tallies(zero);
  uint64_t slots = surface.sample_slots();
  tbb::parallel_for(uint64_t{0}, (slots + kBlock - 1) / kBlock, [&](uint64_t block) {
    Tally& tally = tallies.local();
    for (const SurfaceSample& sample : surface.samples(block * kBlock, std::min(slots, (block + 1) * kBlock)))
      tally.add(sample);
  });
  Tally sum = zero;
  for (const Tally& tally : tallies) sum.merge(tally);
  return sum;
}

}  // namespace vox::scene
