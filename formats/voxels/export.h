// Writes scenes in the formats of other programs. The extension chooses the format: .nrrd, .vox, .obj, …
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/voxels/binvox/binvox.h"
#include "formats/voxels/nanovdb/nvdb.h"
#include "formats/voxels/vtk/vtkhdf.h"
#include "libvox/base/files.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

enum class PlyContent { Surface, Points };

struct ExportOptions {
  // Each of these applies to one format alone.
  BinvoxValues binvox = BinvoxValues::Filled;
  PlyContent ply = PlyContent::Surface;
  VtkKind vtk = VtkKind::Image;
  NvdbGrid nvdb = NvdbGrid::U8;
  uint64_t memory_limit = 0;  // as in EngineOptions, while a DAG is made for the file
};

bool is_export_path(const std::filesystem::path& path);

// Throws Error if the format stores dense grids and the resolution is too large for one.
void check_export_resolution(uint32_t resolution, const std::filesystem::path& path,
                             const ExportOptions& options);

// Writes the voxels inside the clip box, or all of them. The file appears complete or not at all. Throws
// Error that names the file.
void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options = {});

// Code that all exports share: the region, and a file that is written from front to back out of pieces made
// in parallel, in bounded memory.

// Returns the scene's [0, R)³ or the part of it inside the clip box. Throws Error that names the target if
// that part is empty.
VoxelBox export_region(const dag::VoxelScene& scene, const std::optional<VoxelBox>& clip,
                       const std::filesystem::path& target);

// Returns, in words ("1K"), the largest resolution of at most `most` that repeated halving reaches.
std::string coarser_resolution(uint32_t resolution, uint32_t most);

// Returns an error's hint that a scene of this resolution, or a part of the scene, can be written.
std::string coarser_hint(const std::string& resolution);
std::string lower_resolution_hint();

// Returns the world position of a voxel's lower corner.
Vec3d world_corner(const dag::VoxelScene& scene, Int3 voxel);

class ExportFile {
 public:
  // `least_bytes` is a lower bound of the file's size. A disk with less free space is refused at once.
  ExportFile(const std::filesystem::path& target, uint64_t least_bytes, Writers writers = Writers::Several);
  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);

  // Writes make(0), make(1), … make(count - 1) in this order. The pieces are made and written in parallel,
  // with few of them in memory at a time.
  void write_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make);

  void commit() { file_.commit(); }
  AtomicFile& file() { return file_; }  // for commit_together(), with Writers::One

 private:
  AtomicFile file_;
  uint64_t end_ = 0;  // end of everything written or reserved
};

}  // namespace vox
