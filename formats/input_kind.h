// The kind of a file that a program reads. The file's name decides; its content does if files of one name may be of
// several kinds. Programs ask once for each input and pass the answer on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "formats/volume/volume_formats.h"

namespace vox {

enum class InputKind : uint8_t {
  Mesh,       // also a file of no known kind: the reader of meshes looks at its content or says what is wrong
  Points,     // a cloud of points
  Splats,     // points that have an opacity
  Volume,     // values that the file describes
  RawVolume,  // values that the file's name or the user describes
  Voxels,     // voxels of another program
  Scene,      // a scene file: an SVDAG, a spatial hash or bricks
};

// Decides what a file is read as. If `raw` describes values, then a file whose name tells nothing is a raw volume.
// A missing file has the kind that its name tells.
InputKind kind_of_input(const std::filesystem::path& path, const RawOptions& raw = {});

// Decides the kind of each of several files, in their order.
std::vector<InputKind> kinds_of_inputs(std::span<const std::filesystem::path> paths, const RawOptions& raw);

// True if the file holds points of any kind.
constexpr bool is_cloud(InputKind kind) {
  return kind == InputKind::Points || kind == InputKind::Splats;
}

constexpr bool is_volume(InputKind kind) {
  return kind == InputKind::Volume || kind == InputKind::RawVolume;
}

// True if the file has voxels, which have a size of their own.
constexpr bool has_own_grid(InputKind kind) {
  return is_volume(kind) || kind == InputKind::Voxels || kind == InputKind::Scene;
}

}  // namespace vox
