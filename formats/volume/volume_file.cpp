#include "formats/volume/volume_file.h"

#include <fmt/format.h>

#include <string>

#include "formats/file_types.h"
#include "formats/io/read_file.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

using Opener = StoredVolume (*)(const std::filesystem::path&, std::optional<uint32_t>);

void refuse_channel(std::optional<uint32_t> channel) {
  if (channel) throw UsageError("a channel is chosen, but voxels of such a file have one value each");
}

// Returns the function that opens files of this extension; null for raw values and for any other extension.
Opener opener_for(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Volume);
  if (type == nullptr) return nullptr;
  switch (type->format) {
    case FileFormat::Nrrd:
      return open_nrrd;
    case FileFormat::Npy:
      return open_npy;
    case FileFormat::MetaImage:
      return open_meta_image;
    case FileFormat::Nifti:
      return open_nifti;
    case FileFormat::Vdb:
      return open_vdb_volume;
    case FileFormat::Dat:
      return [](const std::filesystem::path& file, std::optional<uint32_t> channel) {
        refuse_channel(channel);
        return open_dat(file);
      };
    default:
      return nullptr;
  }
}

}  // namespace

StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel) {
  try {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
    const Opener open = opener_for(path);
    if (open == nullptr) {
      if (!raw.any()) refuse_foreign(path);
      refuse_channel(channel);
      return open_raw(path, raw);
    }
    if (raw.any()) throw UsageError("size, type, byte order and offset are for raw files; this has a header");
    return open(path, channel);
  } catch (Error& error) {
    // Values may lie in a file of their own: the header that names it is named, too.
    if (error.has_place() && !std::string_view(error.what()).starts_with(path.string()))
      throw Error(error.what()).at(path.string()).about(error.setting());
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel) {
  return known_volume(open_stored_volume(path, raw, channel));
}

AnyVolume::AnyVolume(const std::filesystem::path& path, InputKind kind, const RawOptions& raw,
                     uint64_t most_voxels) {
  std::string source = path.filename().string();
  if (kind != InputKind::Scene) {
    volume = open_volume(path, raw);
  } else if (const SceneFileParts parts = scene_file_parts(path); parts.bricks && !parts.dag) {
    bricks = read_bricks(path);
    volume = bricks::bricks_volume(bricks);
  } else {
    scene = dag::with_palette(read_scene(path));
    const uint32_t halvings = most_voxels == 0 ? 0 : dag::halvings_below(most_voxels, scene.dag.resolution);
    if (halvings > 0) {
      scene = dag::coarser(std::move(scene), halvings);
      source += fmt::format(" at a resolution of {}", scene.dag.resolution);
    }
    volume = dag::scene_volume(scene);
  }
  volume.info.source = source;
}

}  // namespace vox
