// Paints strokes on the surface of a scene.
#pragma once

#include <vector>

#include "libvox/painting/frozen_atlas.h"
#include "libvox/painting/stroke.h"

namespace vox::painting {

struct PaintOptions {
  uint32_t size = 4096;  // texels along each side of the atlas, 1 to kMostSize
  // The number of strokes that are applied together; 0: as many as memory has room for. The result is the
  // same.
  uint32_t batch = 0;
};

struct Painting {
  FrozenAtlas atlas;
  std::vector<uint32_t> missed;  // the script lines of strokes that touch no texel
  uint64_t far_triangles = 0;    // triangles whose texture coordinates are too large to be painted
  uint64_t rebuilds = 0;         // how often the table was rebuilt
  uint64_t updates = 0;          // how often all texels that were touched were in the table
  double seconds = 0;
  double table_seconds = 0;  // the part of `seconds` for the table, without the search for texels
};

// Throws UsageError if the options make no sense, and Error if nothing of the scene can be painted, or if the
// device has too little memory. paint_scene_*.{cpp,cu} compile this function for each device.
template <class Device>
Painting paint_scene(Device& device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);

}  // namespace vox::painting
