// What a PLY file without faces holds.
#pragma once

#include <filesystem>

namespace vox {

enum class PlyPoints {
  None,   // a mesh, or no PLY file at all
  Plain,  // points, with or without colours
  Splats  // 3D Gaussian splats (Kerbl et al. 2023): a colour by spherical harmonics, and an opacity
};

// Looks at the header alone.
PlyPoints ply_points_of(const std::filesystem::path& path);

}  // namespace vox
