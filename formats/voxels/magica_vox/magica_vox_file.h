// The contents of a MagicaVoxel file as its chunks describe them: models, the nodes that place them, and
// colours. https://github.com/ephtracy/voxel-model, MagicaVoxel-file-format-vox.txt and
// MagicaVoxel-file-format-vox-extension.txt
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/voxels/magica_vox/axis_transform.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/palette.h"

namespace vox {

struct MagicaModel {
  Vec3<int64_t> size = {0, 0, 0};
  std::span<const std::byte> voxels;  // 4 bytes each: x, y, z and a colour index
};

struct MagicaNode {
  AxisTransform transform;         // maps points; used in a transform node
  std::vector<uint32_t> children;  // used in a transform or a group
  std::optional<uint32_t> model;   // used in a shape: the model of its first frame
  bool hidden = false;
  uint32_t layer = UINT32_MAX;
};

// The scene's properties besides its voxels, which write_magica_vox() stores as attributes of the first
// group.
struct MagicaOrigin {
  uint32_t resolution = 0, materials = 0;
  Vec3d origin = {0, 0, 0};
  double voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;
};

struct MagicaFile {
  std::vector<MagicaModel> models;
  std::unordered_map<uint32_t, MagicaNode> nodes;  // empty in files of old versions
  std::unordered_set<uint32_t> hidden_layers;
  uint64_t later_frames = 0;  // the number of later frames of shapes and transforms, which are ignored
  // A voxel with index i has colour i; index 0 is unused.
  std::array<scene::Rgb8, 256> colors;
  std::vector<std::string> notes;
  std::optional<MagicaOrigin> origin;
};

// Reads all chunks, but not the voxels; models point into `bytes`. Throws Error that names the byte.
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
