// The surface of a scene: the faces between filled and empty voxels. Faces in one plane that have the same material (or
// the same color, if colors are apart from the DAG) are greedily merged into rectangles within each 64³ cube. There is
// no face between two filled voxels, even of different materials.
//
// In memory the surface consists of rectangles of 7 bytes, much less than in any file. It is divided into
// parts, each with the faces of one material in one cube. A part's vertices and faces are made only when
// they are written.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// A rectangle of faces of one material, in the coordinates of its cube, 0 to 64.
struct FaceRectangle {
  enum class Looks : uint8_t { Down, Up };  // along the axis
  std::array<uint8_t, 3> corner;            // 3 B, the lowest corner
  uint8_t axis;                             // 1 B, perpendicular to the rectangle
  Looks looks;                              // 1 B
  uint8_t width, height;                    // 2 B, along the other two axes in order
};
static_assert(sizeof(FaceRectangle) == 7);

// Returns a voxel, or a corner of one, given its layer along an axis and its place u, v in the layer, along
// the other two axes in order.
constexpr Int3 in_layer(uint32_t axis, int32_t layer, int32_t u, int32_t v) {
  Int3 at = {};
  at[axis] = layer;
  at[axis == 0 ? 1 : 0] = u;
  at[axis == 2 ? 1 : 2] = v;
  return at;
}

// The packed colors of the voxels in a cube of side BorderedCube::kSide, if colors are apart from the DAG.
class CubeColors {
 public:
  void read(const dag::FrozenDag& dag, const dag::LeafColors& colors, Int3 corner) {
    colors_.resize(size_t{kSide} * kSide * kSide);
    dag::write_dense_colors(dag, colors, cube_at(corner, BorderedCube::kSide), colors_.data());
  }
  uint32_t operator[](Int3 at) const { return colors_[index_in({kSide, kSide, kSide}, at)]; }

 private:
  static constexpr int32_t kSide = BorderedCube::kSide;
  std::vector<uint32_t> colors_;
};

// Finds the faces in a cube of 64³ voxels and merges them into rectangles.
class FaceFinder {
 public:
  static constexpr uint8_t kValues = 17;  // as in dag/walk.h

  // Finds the faces of the cube at `corner`. Voxels outside the region count as empty. `colors` is nullptr for a scene
  // without colors apart from the DAG.
  void read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner,
            const dag::LeafColors* colors = nullptr);

  // Returns the rectangles of a value in the cube that was read last. With colors, they are sorted by color.
  std::span<const FaceRectangle> rectangles(uint8_t value) const { return rectangles_[value]; }
  // Returns the packed colors of the rectangles of value 1. Empty if there are no colors.
  std::span<const uint32_t> colors() const { return colors_; }

 private:
  static constexpr int32_t kSide = BorderedCube::kSide;
  using Slice = std::array<uint64_t, kSide>;  // faces in one layer: bit u of row v

  void find_along_x();
  void find_along_y();
  void find_along_z();
  void merge(Slice& faces, uint32_t axis, int32_t layer, FaceRectangle::Looks looks);
  void sort_by_color();

  BorderedCube cube_;
  std::optional<CubeColors> cube_colors_;
  std::array<std::vector<FaceRectangle>, kValues> rectangles_;
  std::vector<uint32_t> colors_;
};

// Makes a mesh from rectangles of faces by finding the corners that they share.
struct SurfaceMesh {
  std::vector<Int3> vertices;  // corners of voxels in the scene's coordinates, each once
  // Each rectangle has four vertices, counter-clockwise as seen from outside.
  std::vector<std::array<uint32_t, 4>> quads;
  std::vector<uint32_t>
      colors;  // the packed color of each vertex, if rectangles have colors; vertices are then not shared
               // by rectangles of different colors
};

class SurfaceMesher {
 public:
  SurfaceMesher();

  // Makes the mesh of the cube at `corner`. It is valid until the next call. `colors` are empty or have the colors of
  // the rectangles, which are sorted by color.
  const SurfaceMesh& mesh(Int3 corner, std::span<const FaceRectangle> rectangles,
                          std::span<const uint32_t> colors = {});

 private:
  uint32_t vertex(const Int3& at);
  void forget_vertices(size_t first);

  Int3 corner_ = {0, 0, 0};
  SurfaceMesh mesh_;
  std::vector<uint32_t> numbers_;  // for each corner of a voxel, its vertex's number if it has one
};

// The faces of one material in one cube.
struct SurfacePart {
  Int3 corner = {};      // the cube's lower corner
  uint8_t value = 0;     // its voxels' value, as in dag/walk.h: material + 1
  VoxelBox bounds = {};  // its vertices' bounds, including both `min` and `max`
  std::vector<FaceRectangle> rectangles = {};
  std::vector<uint32_t> colors = {};  // the rectangles' colors, if colors are apart from the DAG
  uint64_t vertices = 0;
  uint64_t first_vertex = 0, first_quad = 0;  // their numbers in all parts before this one
};

class Surface {
 public:
  // Throws Error at `target` if there would be more than 2^31 - 1 rectangles or vertices, the most that all readers can
  // number. Collective: each rank finds the faces in its share of the cubes, and all ranks get all faces.
  Surface(const dag::VoxelScene& scene, const VoxelBox& region, const std::filesystem::path& target,
          ranks::Ranks& ranks = ranks::alone());

  // The parts are sorted by value, and those of one value are in Morton order.
  std::span<const SurfacePart> parts() const { return parts_; }
  std::span<const SurfacePart> parts_of(uint8_t value) const;
  uint64_t vertices() const;
  uint64_t quads() const;

  // Makes the faces of a part. Several threads may call it at once; a thread's mesh is valid until its
  // next call.
  const SurfaceMesh& mesh(const SurfacePart& part) const;

 private:
  std::vector<SurfacePart> parts_;
  mutable tbb::enumerable_thread_specific<SurfaceMesher> meshers_;
};

// Throws the error for a surface that is too large for a file.
[[noreturn]] void throw_surface_too_large(const dag::VoxelScene& scene, const std::string& problem,
                                          const std::filesystem::path& target);

// These return the color and the name of a value. Without materials the color is light gray, or white if vertices have
// colors, because readers multiply the two.
scene::Rgb8 surface_color(const dag::VoxelScene& scene, uint8_t value);
std::string surface_name(const dag::VoxelScene& scene, uint8_t value);

// The type of coordinates that a file needs: Single if a float gives the region's world coordinates to less
// than 1/256 of a voxel.
enum class FloatKind : uint8_t { Single, Double };
FloatKind float_for(const dag::VoxelScene& scene, const VoxelBox& region);

// Writes the surface of a scene as a mesh: OBJ, GLB and PLY. Corners have the voxels' positions in the world. The file has only the materials that the surface
// shows. Vertices are shared only inside a 64³ cube and one material, so a corner may touch the middle of
// another face's edge.

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

// Writes the filled voxels of a scene as points of a binary, little-endian PLY file. Each point has x, y, z, the
// voxel's center in the world, as floats if
// these are precise enough for the voxels, otherwise as doubles; nx, ny, nz, the surface's normal there, which is the
// voxel's own if `normals` has one; and red, green, blue of its material if the scene has materials.
// Cubes of 64³ voxels come in Morton order, and inside a cube x runs fastest. Throws Error if there are more
// than 2^31 - 1 points.
void write_voxel_points(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip,
                        const attributes::PackedValues* normals = nullptr,
                        ranks::Ranks& ranks = ranks::alone());

// Returns the normal of a surface at a voxel, a vector of length 1 that follows from the filled voxels among the
// voxel's 26 neighbors. If these lie on one side, as at the border of something
// solid, it points to the other side, opposite to the neighbors' mean direction. If they lie around a
// plane, as in a wall one voxel thick, it is the direction in which they extend least. It then points to
// the side with fewer neighbors or, if the sides are equal, has a positive largest coordinate.
Vec3<float> normal_of_voxel(const BorderedCube& cube, const Int3& at);

}  // namespace vox
