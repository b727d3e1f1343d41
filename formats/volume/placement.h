// Volumes whose axes run in other directions than those of the world.
#pragma once

#include <array>
#include <optional>

#include "formats/volume/stored_volume.h"

namespace vox {

// What a header says of where voxels lie.
struct Placement {
  std::array<Vec3d, 3> steps = {};         // of each axis of the file, from voxel to voxel
  std::optional<Vec3d> first_centre = {};  // of voxel (0, 0, 0); without one, its volume begins at the origin
};

// The volume with axes x, y and z of the world, of which one that runs backwards has a negative spacing: the
// file's axes are exchanged where they need to be. Axes that are turned against the world's become those that
// are nearest, with their spacing and around the same centre; a warning says by how much they are turned.
// Throws Error for a step that is 0.
StoredVolume placed(StoredVolume volume, const Placement& placement);

// The same volume with its axes running forwards.
StoredVolume forwards(StoredVolume volume);

}  // namespace vox
