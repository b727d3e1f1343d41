// Paints strokes on the surface of a scene.
#pragma once

#include <vector>

#include "libvox/painting/frozen_atlas.h"
#include "libvox/painting/stroke.h"

namespace vox::painting {

struct PaintOptions {
  uint32_t size = 4096;  // texels along each side of the atlas, 1 to kMostSize
  // How many strokes are applied together; 0: as many as memory has room for. The result is the same.
  uint32_t batch = 0;
};

struct Painting {
  FrozenAtlas atlas;
  std::vector<uint32_t> missed;  // lines of strokes that touch no texel
  uint64_t far_triangles = 0;    // that have texture coordinates too large to be painted
  uint64_t rebuilds = 0;         // of the table
  uint64_t updates = 0;          // how often all texels that were touched were in it
  double seconds = 0;
  double table_seconds = 0;  // of these, what the table took and not the search for texels
};

// Throws UsageError where the options make no sense, Error where nothing of the scene can be painted, and StrokeError
// for a stroke for which the device has not the memory, or whose edge cannot be computed. Compiled for each device in paint_scene_*.
template <class Device>
Painting paint_scene(Device& device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);

}  // namespace vox::painting
