// The kind of a file that a program reads. The file's name decides, or its content if files with such names may be
// of several kinds. Programs ask once for each input and pass the answer on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/volume/volume_formats.h"

namespace vox {

enum class InputKind : uint8_t {
  Mesh,       // also a file of unknown kind: the reader of meshes examines it or tells what is wrong
  Points,     // a cloud of points
  Splats,     // points with sizes and opacities
  Volume,     // values that the file describes
  RawVolume,  // values that the file's name or the user describes
  Voxels,     // another program's voxels
  Scene,      // a scene file: an SVDAG, a spatial hash or bricks
};

// Decides the kind of a file. If `raw` describes values, a file whose name tells nothing is a raw volume. A
// missing file has the kind that its name tells.
InputKind kind_of_input(const std::filesystem::path& path, const RawOptions& raw = {});

// Decides the kind of each of several files, in their order.
std::vector<InputKind> kinds_of_inputs(std::span<const std::filesystem::path> paths, const RawOptions& raw);

// Returns the files' names without folders, for a scene's source: "house.obj, garden.obj".
std::string names_of_inputs(std::span<const std::filesystem::path> paths);

// True if the file holds points of any kind.
constexpr bool is_cloud(InputKind kind) {
  return kind == InputKind::Points || kind == InputKind::Splats;
}

constexpr bool is_volume(InputKind kind) {
  return kind == InputKind::Volume || kind == InputKind::RawVolume;
}

// True if the file has voxels, so that their size is given.
constexpr bool has_own_grid(InputKind kind) {
  return is_volume(kind) || kind == InputKind::Voxels || kind == InputKind::Scene;
}

}  // namespace vox
