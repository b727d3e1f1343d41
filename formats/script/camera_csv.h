// Reads a camera path from a table. The first line names the columns, in any order; each further line is one
// pose in scene units. The columns fov (degrees), time (seconds) and up_x, up_y, up_z (the direction that
// points up in the picture) are optional.
//
//   eye_x,eye_y,eye_z,target_x,target_y,target_z,fov,time
//   60,28,75,3,-6,0,36,0
//   20,10,40,3,-6,0,36,2.5
#pragma once

#include <filesystem>

#include "libvox/render/viewpoints.h"

namespace vox {

// If there is a column of times, they must grow from row to row; otherwise each row is one picture. Throws
// Error with file and line.
render::CameraPath read_camera_csv(const std::filesystem::path& path);

}  // namespace vox
