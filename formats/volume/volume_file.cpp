#include "formats/volume/volume_file.h"

#include <string>

#include "formats/file_types.h"
#include "formats/io/foreign_file.h"
#include "formats/volume/dat_volume.h"
#include "formats/volume/meta_image.h"
#include "formats/volume/nrrd.h"
#include "libvox/base/error.h"
#include "libvox/base/phrase.h"

namespace vox {
namespace {

using Opener = volume::Volume (*)(const std::filesystem::path&);

// The function that opens files of this extension; null for raw values, and for any other extension.
Opener opener_for(const std::filesystem::path& path) {
  const FileType* type = file_type(path, FileRole::Volume);
  if (type == nullptr) return nullptr;
  switch (type->format) {
    case FileFormat::Nrrd:
      return open_nrrd;
    case FileFormat::MetaImage:
      return open_meta_image;
    case FileFormat::Dat:
      return open_dat;
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

volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw) {
  try {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
    const Opener open = opener_for(path);
    if (open == nullptr) {
      if (!raw.any()) refuse_foreign(path);
      return open_raw(path, raw);
    }
    if (raw.any()) throw UsageError(phrase(Phrase::RawFields) + " are for raw files; this has a header");
    return open(path);
  } catch (Error& error) {
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

}  // namespace vox
