// The surface of a scene: the faces between filled and empty voxels. Faces of one material in a plane are
// greedily merged into rectangles within each 64³ cube. There is no face between two filled voxels, whatever
// their materials.
//
// In memory the surface consists of rectangles of 7 bytes, a fraction of what they take in any file. It is
// divided into parts, each with the faces of one material in one cube. A part's vertices and faces are made
// only when they are written.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/voxels/surfaces/surface_mesher.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The faces of one material in one cube.
struct SurfacePart {
  Int3 corner = {};      // the cube's lower corner
  uint8_t value = 0;     // its voxels' value, as in dag/dense_values.h: material + 1
  VoxelBox bounds = {};  // its vertices' bounds, including both `min` and `max`
  std::vector<FaceRectangle> rectangles = {};
  uint64_t vertices = 0;
  uint64_t first_vertex = 0, first_quad = 0;  // the number in all parts before this one
};

class Surface {
 public:
  // Throws Error at `target` if there would be more than 2^31 - 1 rectangles or vertices, the most that all
  // readers can number.
  Surface(const dag::VoxelScene& scene, const VoxelBox& region, const std::filesystem::path& target);

  // The parts are sorted by value, and those of one value are in Morton order.
  std::span<const SurfacePart> parts() const { return parts_; }
  std::span<const SurfacePart> parts_of(uint8_t value) const;
  uint64_t vertices() const;
  uint64_t quads() const;

  // Makes the faces of a part. Several threads may call it at once; a thread's mesh lasts until its next
  // call.
  const SurfaceMesh& mesh(const SurfacePart& part) const;

 private:
  std::vector<SurfacePart> parts_;
  mutable tbb::enumerable_thread_specific<SurfaceMesher> meshers_;
};

// Throws the error for a surface that is too large for a file.
[[noreturn]] void throw_surface_too_large(const dag::VoxelScene& scene, const std::string& problem,
                                          const std::filesystem::path& target);

// Return the colour and the name of a value: the palette's, or light grey if the scene has no materials.
scene::Rgb8 surface_color(const dag::VoxelScene& scene, uint8_t value);
std::string surface_name(const dag::VoxelScene& scene, uint8_t value);

// The type of coordinates that a file needs: Single if a float gives the region's world coordinates to less
// than 1/256 of a voxel.
enum class FloatKind : uint8_t { Single, Double };
FloatKind float_for(const dag::VoxelScene& scene, const VoxelBox& region);

}  // namespace vox
