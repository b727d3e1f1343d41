// Writes MagicaVoxel's .vox, version 150. https://github.com/ephtracy/voxel-model,
// MagicaVoxel-file-format-vox.txt and MagicaVoxel-file-format-vox-extension.txt
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"

namespace vox {

// Writes one model for each cube of 256³ that contains a voxel. A model is cut to its filled voxels and
// placed by transform nodes so that z is up: voxel (x, y, z) of the scene becomes (x, y, z) if z is up in the
// scene, (x, -1 - z, y) if y is up, and (y, z, x) if x is up. Material m becomes color index m + 1.
// Positions stay the scene's; MagicaVoxel itself shows only ±1000, and a warning says so if the scene is
// larger. Throws Error if the file would exceed 2 GiB, the limit of its chunk sizes.
void write_magica_vox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks = ranks::alone());

// True if a file with this content was written by write_magica_vox().
bool is_magica_vox_of_vox(std::string_view file);

// Reads MagicaVoxel's .vox, versions 150 and 200: the first frame of all models at their places in the scene graph,
// turned so that y is up. Hidden
// models are left out, and a message says so. A file that vox wrote gives back the grid and the materials of
// its scene.
VoxelFile open_magica_vox(const std::filesystem::path& path);

// The color of voxels without materials.
inline constexpr scene::Rgb8 kPlainColor = {200, 200, 200};

// A map of voxels or points: axes are exchanged and mirrored, and then everything is moved.
struct AxisTransform {
  // Coordinate i of the result is coordinate from[i], times sign[i], plus move[i].
  std::array<uint32_t, 3> from = {0, 1, 2};
  std::array<int32_t, 3> sign = {1, 1, 1};
  Vec3<int64_t> move = {0, 0, 0};

  Vec3<int64_t> operator()(const Vec3<int64_t>& v) const {
    return {sign[0] * v[from[0]] + move.x, sign[1] * v[from[1]] + move.y, sign[2] * v[from[2]] + move.z};
  }
};

// Returns the transform that applies `inner` first and then `outer`.
inline AxisTransform composed(const AxisTransform& outer, const AxisTransform& inner) {
  AxisTransform result;
  for (uint32_t i = 0; i < 3; ++i) {
    result.from[i] = inner.from[outer.from[i]];
    result.sign[i] = outer.sign[i] * inner.sign[outer.from[i]];
  }
  result.move = outer(inner.move);
  return result;
}

// Converts a transform of points to one of voxels' lower corners: on a mirrored axis, the lower corner of the
// result is the image of the upper one.
inline AxisTransform of_voxels(AxisTransform points) {
  for (uint32_t i = 0; i < 3; ++i)
    if (points.sign[i] < 0) points.move[i] -= 1;
  return points;
}

// The contents of a MagicaVoxel file as its chunks describe them: models, the nodes that place them, and
// colors. https://github.com/ephtracy/voxel-model, MagicaVoxel-file-format-vox.txt and
// MagicaVoxel-file-format-vox-extension.txt

struct MagicaModel {
  Vec3<int64_t> size = {0, 0, 0};
  std::span<const std::byte> voxels;  // 4 bytes each: x, y, z and a color index
};

struct MagicaNode {
  AxisTransform transform;         // maps points; for transform nodes
  std::vector<uint32_t> children;  // for transforms and groups
  std::optional<uint32_t> model;   // for shapes: the model of the first frame
  bool hidden = false;
  uint32_t layer = UINT32_MAX;
};

// The scene's properties, except for its voxels, which write_magica_vox() stores as attributes of the
// first group.
struct MagicaOrigin {
  uint32_t resolution = 0, materials = 0;
  Vec3d origin = {0, 0, 0};
  VoxelSize voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;
};

struct MagicaFile {
  std::vector<MagicaModel> models;
  std::unordered_map<uint32_t, MagicaNode> nodes;  // empty in files of old versions
  std::unordered_set<uint32_t> hidden_layers;
  uint64_t later_frames = 0;  // the number of later frames of shapes and transforms, which are ignored
  // A voxel with index i has color i; index 0 is unused.
  std::array<scene::Rgb8, 256> colors;
  std::vector<std::string> notes;
  std::optional<MagicaOrigin> origin;
};

// Reads all chunks except the voxels; models point into `bytes`. Throws Error that names the byte.
MagicaFile magica_file(std::span<const std::byte> bytes);

// A model with its place in the scene.
struct MagicaInstance {
  size_t model;
  AxisTransform place;  // maps voxels
};

struct MagicaPlaces {
  std::vector<MagicaInstance> instances;  // in the order of the scene graph
  uint64_t hidden = 0;                    // the number of hidden models, which are left out
};

// Walks through the scene graph; `turn`, a transform of points, is applied last. Throws Error if the graph is
// not a tree.
MagicaPlaces magica_places(const MagicaFile& file, const AxisTransform& turn);

}  // namespace vox
