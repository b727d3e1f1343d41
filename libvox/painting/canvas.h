// The parts of a scene that can be painted, on the host.
#pragma once

#include <vector>

#include "libvox/base/error.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/painting/stroke_ref.h"

namespace vox::painting {

struct Canvas {
  std::vector<Layer> layers;  // one for each material
  // For each layer that has triangles, the square from (0, 0) to (1, 1) as two triangles. Strokes in the
  // texture paint these. With triangles of the mesh, a texel would occur as often as the texture is repeated.
  std::vector<scene::Triangle> squares;
  std::vector<Vec2f> texcoords;  // those of the scene, then the corners of the square
  uint32_t levels = 1;           // 8^levels texels a side contain every triangle in the plane of the atlas
  uint64_t far_triangles = 0;
};

// The error for a single stroke that paints at least so many texels that there is no memory for them.
StrokeError stroke_too_large(uint64_t texels, uint32_t line);

// Throws StrokeError where a stroke is so large or so far away, beside a scene that it may paint, that the rounding of
// distances is wider than a texel. All texels would have to be looked at, and the edge would be anywhere.
void check_strokes(const scene::Scene& scene, const Strokes& strokes, uint32_t size);

// Throws as paint_scene() does.
Canvas prepare_canvas(const scene::Scene& scene, const PaintOptions& options);

// Strokes that are applied together, as arrays for a device.

struct StrokeArrays {
  std::vector<StrokeRef> strokes;
  std::vector<Segment> segments;
  std::vector<Paint> colors;  // one for each stroke
};

// Returns the arrays of the strokes [begin, end).
StrokeArrays stroke_arrays(const Strokes& strokes, size_t begin, size_t end);

}  // namespace vox::painting
