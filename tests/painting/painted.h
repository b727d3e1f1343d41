// Paints on an engine and lists the content of the atlas.
#pragma once

#include <map>
#include <utility>

#include "libvox/painting/paint_scene.h"
#include "tests/common/test_engine.h"

namespace vox {

// The paint of each texel, indexed by layer, row and column.
using PaintedTexels = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, painting::Paint>;

inline PaintedTexels painted_texels(const painting::FrozenAtlas& atlas) {
  PaintedTexels texels;
  for (size_t slot = 0; slot < atlas.cells.size(); ++slot) {
    if (atlas.cells[slot] == hash::kEmptyCell<uint64_t>) continue;
    const uint64_t key = painting::kCellFormat.key(atlas.cells[slot]);
    const Vec2<uint32_t> texel = atlas.keys.texel(key);
    texels[{atlas.keys.layer(key), texel.y, texel.x}] = atlas.paints[slot];
  }
  return texels;
}

inline painting::Painting painted(const scene::Scene& scene, const painting::Strokes& strokes,
                                  const painting::PaintOptions& options = {},
                                  const EngineOptions& engine = {}) {
  return painting::paint_scene(test_engine(engine)->handle(), scene, strokes, options);
}

inline painting::Stroke line_stroke(scene::Rgb8 color, double radius, std::vector<Vec3d> points,
                                    double edge = painting::kUsualEdge) {
  return {.color = color, .radius = radius, .edge = edge, .points = std::move(points), .line = 1};
}

inline painting::Stroke uv_stroke(scene::Rgb8 color, double radius, double u, double v,
                                  double edge = painting::kUsualEdge) {
  return {.color = color,
          .space = painting::StrokeSpace::Texture,
          .radius = radius,
          .edge = edge,
          .points = {{u, v, 0}},
          .line = 1};
}

}  // namespace vox
