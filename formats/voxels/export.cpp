#include "formats/voxels/export.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string_view>

#include "formats/volume/nrrd.h"
#include "formats/voxels/magica_vox.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using Writer = void (*)(const VoxelScene&, const std::filesystem::path&, const std::optional<VoxelBox>&);

// As the others are called.
void write_filled_binvox(const VoxelScene& scene, const std::filesystem::path& path,
                         const std::optional<VoxelBox>& clip) {
  write_binvox(scene, path, clip);
}

struct Format {
  std::string_view extension;
  Writer write;
};

constexpr std::array<Format, 3> kFormats = {
    {{".nrrd", write_nrrd}, {".vox", write_magica_vox}, {".binvox", write_filled_binvox}}};

Writer writer_for(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Format& format : kFormats)
    if (format.extension == extension) return format.write;
  return nullptr;
}

}  // namespace

bool is_export_path(const std::filesystem::path& path) {
  return writer_for(path) != nullptr;
}

void export_scene(const VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues binvox) {
  Writer write = writer_for(path);
  if (write == nullptr)
    throw Error(fmt::format("its extension '{}' names no format, expected .nrrd, .vox or .binvox",
                            path.extension().string()))
        .at(path.string());
  if (write == write_filled_binvox) return write_binvox(scene, path, clip, binvox);
  write(scene, path, clip);
}

}  // namespace vox
