// Tells if a PLY file holds points instead of a mesh.
#pragma once

#include <filesystem>

namespace vox {

enum class PlyPoints {
  None,   // a mesh, or not a PLY file
  Plain,  // points, with or without colours
  Splats  // 3D Gaussian splats (Kerbl et al. 2023): with a colour as spherical harmonics, and an opacity
};

// Reads only the header.
PlyPoints ply_points_of(const std::filesystem::path& path);

}  // namespace vox
