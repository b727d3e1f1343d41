#include "formats/volume/dat_volume.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>

#include "formats/io/mapped_file.h"
#include "formats/volume/header_text.h"
#include "formats/volume/volume_data.h"
#include "libvox/base/error.h"

namespace vox {
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
