// Reads a camera's way: a table whose first line names its columns, in any order, and each further one is a pose in scene
// units.
//
//   eye_x,eye_y,eye_z,target_x,target_y,target_z,fov,time
//   60,28,75,3,-6,0,36,0           # fov, in degrees, and time, in seconds, need not be there; nor up_x,up_y,up_z,
//                                  # which point up in the picture
//   20,10,40,3,-6,0,36,2.5
#pragma once

#include <filesystem>

#include "libvox/render/camera_path.h"

namespace vox {

// With a column of times these grow from row to row, else rows are pictures. Throws Error with file and line.
render::CameraPath read_camera_csv(const std::filesystem::path& path);

}  // namespace vox
