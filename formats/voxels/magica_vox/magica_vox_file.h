// What a MagicaVoxel file holds, as its chunks tell it: models, the nodes that place them, colours.
// https://github.com/ephtracy/voxel-model, MagicaVoxel-file-format-vox.txt and
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
  std::span<const std::byte> voxels;  // 4 bytes each: x, y, z and a colour's index
};

struct MagicaNode {
  AxisTransform transform;         // of points, where it is a transform node
  std::vector<uint32_t> children;  // of a transform or a group
  std::optional<uint32_t> model;   // of a shape: that of its first frame
  bool hidden = false;
  uint32_t layer = UINT32_MAX;
};

// What write_magica_vox() says of the scene besides its voxels, in the attributes of the first group.
struct MagicaOrigin {
  uint32_t resolution = 0, materials = 0;
  Vec3d origin = {0, 0, 0};
  double voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;
};

struct MagicaFile {
  std::vector<MagicaModel> models;
  std::unordered_map<uint32_t, MagicaNode> nodes;  // none in files of old versions
  std::unordered_set<uint32_t> hidden_layers;
  uint64_t later_frames = 0;  // of shapes and transforms, which stay at their first one
  // Index i of a voxel has the colour i; 0 is none.
  std::array<scene::Rgb8, 256> colors;
  std::vector<std::string> notes;
  std::optional<MagicaOrigin> origin;
};

// Reads all chunks but does not look at voxels; models point into `bytes`. Throws Error that names the byte.
MagicaFile magica_file(std::span<const std::byte> bytes);

// A model in its place.
struct MagicaInstance {
  size_t model;
  AxisTransform place;  // of voxels
};

struct MagicaPlaces {
  std::vector<MagicaInstance> instances;  // in the order of the scene graph
  uint64_t hidden = 0;                    // models that are hidden, or in a hidden layer, and left out
};

// Goes through the scene graph; `turn`, of points, comes last. Throws Error where it is no tree.
MagicaPlaces magica_places(const MagicaFile& file, const AxisTransform& turn);

}  // namespace vox
