#include "formats/volume/volume_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "formats/io/foreign_file.h"
#include "formats/volume/dat_volume.h"
#include "formats/volume/meta_image.h"
#include "formats/volume/nrrd.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using Opener = Volume (*)(const std::filesystem::path&);

struct Format {
  std::string_view extension;
  Opener open;
};

constexpr std::array<Format, 5> kFormats = {{{".nrrd", open_nrrd},
                                             {".nhdr", open_nrrd},
                                             {".mhd", open_meta_image},
                                             {".mha", open_meta_image},
                                             {".dat", open_dat}}};

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return extension;
}

Opener opener_for(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  for (const Format& format : kFormats)
    if (format.extension == extension) return format.open;
  return nullptr;
}

}  // namespace

bool is_volume_path(const std::filesystem::path& path) {
  return opener_for(path) != nullptr || lower_extension(path) == ".raw" ||
         (lower_extension(path) == ".gz" && lower_extension(path.stem()) == ".raw");
}

bool has_volume_header(const std::filesystem::path& path) {
  return opener_for(path) != nullptr;
}

Volume open_volume(const std::filesystem::path& path, const RawOptions& raw) {
  try {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
    const Opener open = opener_for(path);
    if (open == nullptr) {
      if (!raw.any()) refuse_foreign(path);
      return open_raw(path, raw);
    }
    if (raw.any())
      throw UsageError("--dims, --type, --endian and --offset are for raw files; this has a header");
    return open(path);
  } catch (Error& error) {
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

}  // namespace vox
