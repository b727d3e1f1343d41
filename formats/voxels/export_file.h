// The parts that the exports share: the region, and a file that is written front to back from pieces made in
// parallel, with bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/atomic_file.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The scene's [0, R)³, or the part of it inside the clip. Throws Error that names the target where that is
// empty.
VoxelBox export_region(const dag::VoxelScene& scene, const std::optional<VoxelBox>& clip,
                       const std::filesystem::path& target);

// The largest resolution that halving reaches and that is at most `most`, in words: "1K".
std::string coarser_resolution(uint32_t resolution, uint32_t most);

// Hints of errors: a scene of this resolution, or of a lower one, or a part of the scene can be written.
std::string coarser_hint(const std::string& resolution);
std::string lower_resolution_hint();

// World position of the lower corner of a voxel.
Vec3d world_corner(const dag::VoxelScene& scene, Int3 voxel);

class ExportFile {
 public:
  // `least_bytes` is a lower bound of what will be written: a disk with less free space is refused at once.
  ExportFile(const std::filesystem::path& target, uint64_t least_bytes);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);

  // Writes make(0), make(1), … make(count - 1) one behind the other; they are made and written in parallel, few at a
  // time.
  void write_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make);

  void commit();

 private:
  void write_at(uint64_t offset, std::span<const uint8_t> bytes) const;
  [[noreturn]] void fail(int code) const;
  AtomicFile file_;
  int descriptor_ = -1;
  uint64_t end_ = 0;  // of what has been written, or has its place
};

}  // namespace vox
