#include "formats/volume/volume_file.h"

#include <string>

#include "formats/file_types.h"
#include "formats/io/foreign_file.h"
#include "formats/volume/dat_volume.h"
#include "formats/volume/known_volume.h"
#include "formats/volume/meta_image.h"
#include "formats/volume/nifti.h"
#include "formats/volume/nrrd.h"
#include "libvox/base/error.h"

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
    case FileFormat::MetaImage:
      return open_meta_image;
    case FileFormat::Nifti:
      return open_nifti;
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

bool is_volume_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Volume);
}

bool has_volume_header(const std::filesystem::path& path) {
  return opener_for(path) != nullptr;
}

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

}  // namespace vox
