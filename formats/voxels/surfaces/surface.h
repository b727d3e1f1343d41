// The surface of a scene: the faces between filled and empty voxels. Faces of one material in a plane are merged
// into rectangles, greedily, inside cubes of 64³ voxels. Between two filled voxels there is no face, whatever
// their materials.
//
// In memory it is rectangles of 7 bytes, a fraction of what they take in any file. The surface has parts, the faces
// of one material in one cube, of which vertices and faces are made when they are written.
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
  Int3 corner = {};      // of the cube
  uint8_t value = 0;     // of its voxels, see dag/dense_values.h: the material + 1
  VoxelBox bounds = {};  // the lowest and the highest coordinates of its vertices, both included
  std::vector<FaceRectangle> rectangles = {};
  uint64_t vertices = 0;
  uint64_t first_vertex = 0, first_quad = 0;  // as many have the parts before this one
};

class Surface {
 public:
  // Throws Error at `target` where there would be more than 2^31 - 1 rectangles or vertices, which are numbers
  // that all readers take.
  Surface(const dag::VoxelScene& scene, const VoxelBox& region, const std::filesystem::path& target);

  // By value; those of one value in Morton order.
  std::span<const SurfacePart> parts() const { return parts_; }
  std::span<const SurfacePart> parts_of(uint8_t value) const;
  uint64_t vertices() const;
  uint64_t quads() const;

  // Makes the faces of a part. Several threads call it at once; for each the mesh lasts until its next call.
  const SurfaceMesh& mesh(const SurfacePart& part) const;

 private:
  std::vector<SurfacePart> parts_;
  mutable tbb::enumerable_thread_specific<SurfaceMesher> meshers_;
};

// What is said of a surface that is too large for a file.
[[noreturn]] void throw_surface_too_large(const dag::VoxelScene& scene, const std::string& problem,
                                          const std::filesystem::path& target);

// The colour and the name of a value: those of the palette, or of a scene without materials a light grey.
scene::Rgb8 surface_color(const dag::VoxelScene& scene, uint8_t value);
std::string surface_name(const dag::VoxelScene& scene, uint8_t value);

// Whether a single float says the world's coordinates of the region to less than 1/256 of a voxel.
enum class FloatKind : uint8_t { Single, Double };
FloatKind float_for(const dag::VoxelScene& scene, const VoxelBox& region);

}  // namespace vox
