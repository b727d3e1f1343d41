// Writes the surface of a scene as a mesh: OBJ, GLB and PLY (formats/voxels/surfaces/surface.h defines the
// faces). Corners have the voxels' positions in the world. The file has only the materials that the surface
// shows. Vertices are shared only inside a 64³ cube and one material, so a corner may touch the middle of
// another face's edge.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/voxels/export.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// Writes four corners for each face, grouped by material. The materials are in STEM.mtl beside the file.
void write_surface_obj(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone());

// Writes two triangles for each face and a primitive for each material. Corners are whole numbers of voxels;
// the node's matrix maps them to the world with y up. Throws Error if the file would exceed 4 GiB or the
// surface has no face.
void write_surface_glb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone());

// Writes a binary, little-endian file with four corners for each face and the material's color at each
// vertex. Coordinates are floats if these are precise enough for the voxels, otherwise doubles.
void write_surface_ply(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone());

// The beginning of all PLY files of vox, including files of points. The comment is the mark.
inline constexpr std::string_view kPlyBegin = "ply\nformat binary_little_endian 1.0\ncomment made by vox\n";
inline bool is_ply_of_vox(std::string_view file) {
  return file.starts_with(kPlyBegin);
}

// Collects little-endian records, for writers of binary files.

static_assert(std::endian::native == std::endian::little, "records are little-endian");

class RecordBytes {
 public:
  explicit RecordBytes(size_t bytes) : bytes_(bytes) {}

  template <class T>
  void put(T value) {
    std::memcpy(&bytes_[end_], &value, sizeof(T));
    end_ += sizeof(T);
  }
  // Returns the bytes without unused ones at the end.
  std::vector<uint8_t> finish() {
    bytes_.resize(end_);
    return std::move(bytes_);
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t end_ = 0;
};

// The next function writes the filled voxels of a scene as points of a PLY file.

// The file is binary, little-endian. Each point has x, y, z, the voxel's center in the world, as floats if
// these are precise enough for the voxels, otherwise as doubles; nx, ny, nz, the surface's normal there, which is the
// voxel's own if `normals` has one; and red, green, blue of its material if the scene has materials.
// Cubes of 64³ voxels come in Morton order, and inside a cube x runs fastest. Throws Error if there are more
// than 2^31 - 1 points.
void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip,
                        const attributes::PackedValues* normals = nullptr,
                        ranks::Ranks& ranks = ranks::alone());

// The normal of a surface at a voxel follows from the filled voxels among its 26 neighbors.

// Returns a vector of length 1. If the filled neighbors lie on one side, as at the border of something
// solid, it points to the other side, opposite to the neighbors' mean direction. If they lie around a
// plane, as in a wall one voxel thick, it is the direction in which they extend least. It then points to
// the side with fewer neighbors or, if the sides are equal, has a positive largest coordinate.
Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at);

}  // namespace vox
