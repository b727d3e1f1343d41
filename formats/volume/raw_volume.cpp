#include "formats/volume/raw_volume.h"

#include <fmt/format.h>

#include <regex>

#include "formats/volume/header_text.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

std::optional<Int3> size_in(const std::string& name) {
  static const std::regex pattern("(?:^|[_.-])(\\d+)x(\\d+)x(\\d+)(?=[_.-]|$)");
  std::smatch found;
  if (!std::regex_search(name, found, pattern)) return std::nullopt;
  auto side = [&](size_t i) { return header_integer(found[i].str(), "the size in its name"); };
  return volume::checked_volume_size(side(1), side(2), side(3));
}

// Returns the type that follows the size in a name: "uint8" in bonsai_256x256x178_uint8.raw.
std::optional<StoredType> type_in(const std::string& name) {
  static const std::regex pattern("\\d+x\\d+x\\d+_([A-Za-z0-9]+)");
  std::smatch found;
  if (!std::regex_search(name, found, pattern)) return std::nullopt;
  return checked_stored_type(found[1].str());
}

}  // namespace

StoredVolume open_raw(const std::filesystem::path& path, const RawOptions& options) {
  const std::string name = path.filename().string();
  const std::optional<Int3> size = options.size ? options.size : size_in(name);
  if (!size)
    throw Error("its size in voxels is unknown")
        .hint("state its size, or name the file like name_256x256x178_uint8.raw")
        .about("size");
  const std::optional<StoredType> type = options.type ? options.type : type_in(name);
  if (!type)
    throw Error("the type of its values is unknown")
        .hint("state it, such as u8, i16 or f32, or name the file like name_256x256x178_uint8.raw")
        .about("type");
  StoredInfo info;
  info.size = *size;
  info.type = *type;
  info.source = path.string();
  const Encoding encoding = path.extension() == ".gz" ? Encoding::Gzip : Encoding::Raw;
  VolumeData data = {.files = {path}};
  data.offset = options.offset;
  data.order = options.order;
  data.encoding = encoding;
  return volume_from_file(std::move(info), data);
}

}  // namespace vox
