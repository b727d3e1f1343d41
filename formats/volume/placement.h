// Volumes whose axes do not run along those of the world.
#pragma once

#include <array>
#include <optional>

#include "formats/volume/stored_volume.h"

namespace vox {

// A header's description of where voxels lie.
struct Placement {
  std::array<Vec3d, 3> steps = {};         // for each axis of the file, from voxel to voxel
  std::optional<Vec3d> first_centre = {};  // voxel (0, 0, 0)'s; without it the volume begins at the origin
};

// Returns the volume with the world's axes x, y and z; the file's axes are exchanged if necessary. An axis
// that runs backwards has a negative spacing. An axis that is rotated against the world's is replaced by the
// nearest one, with its spacing and around the same centre, and a warning states the angle. Throws Error for
// a step of 0.
StoredVolume placed(StoredVolume volume, const Placement& placement);

// Returns the same volume with all axes running forwards.
StoredVolume forwards(StoredVolume volume);

}  // namespace vox
