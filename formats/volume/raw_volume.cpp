#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <regex>

#include "formats/io/read_file.h"
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

namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

Fields text_fields(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      fields.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return fields;
}

StoredVolume open_text(const Fields& fields, const std::filesystem::path& path) {
  auto needed = [&](std::string_view name) -> std::string_view {
    const auto found = fields.find(name);
    if (found == fields.end()) throw Error(fmt::format("it has no line '{}:'", name));
    return found->second;
  };
  StoredInfo info;
  const auto size = header_integers(needed("Resolution"), "Resolution", 3);
  info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  info.type = checked_stored_type(needed("Format"));
  if (fields.contains("SliceThickness")) {
    const auto step = header_numbers(needed("SliceThickness"), "SliceThickness", 3);
    if (step[0] == 0 || step[1] == 0 || step[2] == 0) throw Error("SliceThickness has a zero");
    info.spacing = {step[0], step[1], step[2]};
  }
  info.source = path.string();
  VolumeData data;
  data.files = {path.parent_path() / needed("ObjectFileName")};
  return volume_from_file(std::move(info), data);
}

}  // namespace

StoredVolume open_dat(const std::filesystem::path& path) {
  constexpr uint64_t kTextBytes = 4096;  // the text form is shorter than this
  const MappedFile file(path);
  const std::string_view start = file.text().substr(0, kTextBytes);
  if (start.find("ObjectFileName") != std::string_view::npos) return open_text(text_fields(start), path);

  std::array<uint16_t, 3> size;
  if (start.size() < sizeof(size)) throw Error("it is too short for a size of three 16-bit numbers");
  std::memcpy(size.data(), start.data(), sizeof(size));
  StoredInfo info;
  info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  info.type = StoredType::U16;
  info.source = path.string();
  VolumeData data;
  data.files = {path};
  data.offset = sizeof(size);
  return volume_from_file(std::move(info), data);
}

}  // namespace vox
