// Writes OpenVDB's .vdb, format version 224, as OpenVDB 10 does with its compression ZIP | ACTIVE_MASK: scenes, and
// distances to a mesh.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "formats/io/scan.h"
#include "formats/volume/stored_volume.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/distances.h"

namespace vox {

// Writes the active voxels as up to three grids: `density`, float, 1; `material`, int32, the material + 1; and `color`,
// vec3s, in linear light. Index coordinates are those of the scene's voxels, even with a clip box. The transform maps
// them to the voxels' centers in the world. Cubes full of one material become tiles.
void write_vdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip);

// Writes the distances that are less than the band as active voxels of the grid `sdf`, float, with
// the band as background, and its negative inside: a level set if distances have signs. `materials`, int32, has the nearest
// triangles' materials + 1. Indices are those of the grid's voxels.
// Floats::F16 stores the distances as halves, as OpenVDB does for grids that are saved as such.
struct VdbDistances {
  bool has_signs = false, materials = false;
  Floats floats = Floats::F32;
};
void write_vdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
               const VdbDistances& options);

// Does the same as a .nvdb file. Floats::F16 is the format's type Fp16: of each leaf, the range of values is divided into
// 65535 steps. Materials are whole numbers stored as floats, of the type Fp8, as those of a scene.
enum class DistanceSigns : uint8_t { No, Yes };
struct NvdbDistances {
  DistanceSigns signs = DistanceSigns::No;
  Floats floats = Floats::F32;
  bool materials = false;
};
void write_nvdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
                const NvdbDistances& options);

// True if a file was written by write_vdb().
bool is_vdb_of_vox(const std::filesystem::path& path);

// True if the grid that is read of the file has numbers, which make a volume. Colors, bool, masks and everything that
// write_vdb() has written are voxels, and so is a file that cannot be read.
bool is_vdb_volume(const std::filesystem::path& path);

// Reads the active voxels of a file's first grid that can be read, with the colors of a vec3s grid. A file of write_vdb()
// gives the scene that was written.
VoxelFile open_vdb(const std::filesystem::path& path);

// Opens a grid of numbers, the first one or the grid `channel`, as the box around its active voxels. A level set becomes a
// fog that rises from 0 at the surface to 1 at the depth of its background.
StoredVolume open_vdb_volume(const std::filesystem::path& path, std::optional<uint32_t> channel);

}  // namespace vox
