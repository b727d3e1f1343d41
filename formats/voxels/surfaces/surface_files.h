// Writes the surface of a scene as a mesh: OBJ, GLB and PLY (formats/voxels/surfaces/surface.h says what the faces are).
// Corners lie where the scene's voxels do in the world. Materials are those of the palette that the surface shows.
// Vertices are shared inside of a cube of 64³ voxels and one material: there are corners that touch the middle of
// another face's edge.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Four corners a face, grouped by material. The materials are in STEM.mtl beside the file.
void write_surface_obj(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

// Two triangles a face, a primitive for each material. Corners are whole numbers of voxels, which the node's matrix
// brings to the world, with y up. Throws Error where a surface would pass 4 GiB, and where it has no face.
void write_surface_glb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

// Binary, little-endian; four corners a face; vertices have the colour of their material. Coordinates are floats
// where these tell voxels well apart, else doubles.
void write_surface_ply(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip);

}  // namespace vox
