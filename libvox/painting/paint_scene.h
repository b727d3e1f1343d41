// Paints strokes on the surface of a scene.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/device/handle.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/palette.h"

namespace vox::painting {

// Strokes: the paint on a surface, one stroke over the other in the order of their script.

// The units of a stroke's points and radius: those of the scene, or those of texture coordinates.
enum class StrokeSpace : uint8_t { Scene, Texture };

inline constexpr double kUsualEdge = 0.5;

struct Stroke {
  scene::Rgb8 color = {};
  StrokeSpace space = StrokeSpace::Scene;
  double radius = 0;         // finite and above 0
  double edge = kUsualEdge;  // from 0 to 1: the outer part of the radius in which the paint thins out to
                             // nothing
  std::vector<Vec3d>
      points;         // finite, at least one: a line from point to point; in a texture (u, v, 0), v down
  uint32_t line = 0;  // the line of the script
};

using Strokes = std::vector<Stroke>;

// The error of one stroke.
class StrokeError : public Error {
 public:
  StrokeError(std::string problem, uint32_t line) : Error(std::move(problem)), line_(line) {}
  uint32_t line() const { return line_; }  // the stroke's line in the script

 private:
  uint32_t line_;
};

struct PaintOptions {
  uint32_t size = 4096;  // texels along each side of the atlas, 1 to kMostSize
  // The number of strokes that are applied together; 0: as many as memory has room for. It does not change the
  // result.
  uint32_t batch = 0;
};

struct Painting {
  FrozenAtlas atlas;
  std::vector<uint32_t> missed;  // the script lines of strokes that touch no texel
  uint64_t far_triangles = 0;    // triangles whose texture coordinates are too large to be painted
  uint64_t rebuilds = 0;         // how often the table was rebuilt
  uint64_t updates = 0;          // how often the texels of a batch were all in the table
  double seconds = 0;
  double table_seconds = 0;  // the part of `seconds` for the table, without the search for texels
};

// Paints strokes on the surface. Afterwards index_atlas() gives the painted texels their palette entries. Throws a
// UsageError if the options make no sense, and an Error if nothing of the scene can be painted, or if the device has
// too little memory. on_cpu.cpp and on_cuda.cu compile the template for each device.
template <class Device>
Painting paint_scene(Device& device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);
Painting paint_scene(device::DeviceHandle device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options);

}  // namespace vox::painting
