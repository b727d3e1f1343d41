// Writes the surface of a scene as a mesh: OBJ, GLB and PLY (formats/voxels/surfaces/surface.h defines the
// faces). Corners have the voxels' positions in the world. The file has those materials of the palette that
// the surface shows. Vertices are shared only inside a 64³ cube and one material, so a corner may touch the
// middle of another face's edge.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Writes four corners for each face, grouped by material. The materials are in STEM.mtl beside the file.
void write_surface_obj(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

// Writes two triangles for each face and a primitive for each material. Corners are whole numbers of voxels;
// the node's matrix takes them to the world with y up. Throws Error if the file would exceed 4 GiB or the
// surface has no face.
void write_surface_glb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

// Writes a binary, little-endian file with four corners for each face and the material's colour at each
// vertex. Coordinates are floats if these are precise enough for the voxels, otherwise doubles.
void write_surface_ply(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

}  // namespace vox
