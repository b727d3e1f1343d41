#include "formats/volume/meta_image.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "formats/io/mapped_file.h"
#include "formats/volume/header_text.h"
#include "formats/volume/volume_data.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr std::string_view kLastField = "ElementDataFile";

struct MetaHeader {
  std::map<std::string, std::string, std::less<>> fields;
  uint64_t bytes = 0;

  std::string_view value(std::string_view name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
  }
  std::string_view needed(std::string_view name) const {
    if (value(name).empty()) throw Error(fmt::format("its header has no {}", name));
    return value(name);
  }
  // The value of the first of these names that the header has.
  std::string_view first_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (!value(name).empty()) return value(name);
    return {};
  }
  bool is_true(std::string_view name) const { return value(name) == "True" || value(name) == "true"; }
};

MetaHeader read_meta_header(std::string_view text) {
  MetaHeader header;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      if (trimmed(line).empty()) continue;
      throw Error("is no MetaImage header: expected lines of 'Name = value'");
    }
    const std::string_view name = trimmed(line.substr(0, equals));
    header.fields.emplace(name, trimmed(line.substr(equals + 1)));
    if (name != kLastField) continue;
    header.bytes = text.size() - rest.size();
    return header;
  }
  throw Error(fmt::format("its header has no {}", kLastField));
}

volume::VolumeInfo volume_info(const MetaHeader& header) {
  if (header.needed("NDims") != "3")
    throw Error(fmt::format("NDims is {}, expected 3", header.value("NDims")));
  if (const auto channels = header.value("ElementNumberOfChannels"); !channels.empty() && channels != "1")
    throw Error(fmt::format("ElementNumberOfChannels is {}, expected 1", channels));
  volume::VolumeInfo info;
  const auto size = header_integers(header.needed("DimSize"), "DimSize", 3);
  info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  info.type = checked_value_type(header.needed("ElementType"));
  if (const auto text = header.first_of({"ElementSpacing", "ElementSize"}); !text.empty()) {
    const auto spacing = header_numbers(text, "ElementSpacing", 3);
    for (const double step : spacing)
      if (step == 0) throw Error("ElementSpacing has a zero");
    info.spacing = {spacing[0], spacing[1], spacing[2]};
  }
  if (const auto text = header.first_of({"Offset", "Position", "Origin"}); !text.empty()) {
    const auto offset = header_numbers(text, "Offset", 3);  // the first voxel's centre
    info.origin = Vec3d{offset[0], offset[1], offset[2]} - info.spacing * 0.5;
  }
  return info;
}

VolumeData volume_data(const MetaHeader& header, const std::filesystem::path& path) {
  VolumeData data;
  const std::string_view file = header.needed(kLastField);
  if (file == "LIST" || file.find('%') != std::string_view::npos)
    throw Error("its values are spread over several files, expected one");
  const bool local = file == "LOCAL" || file == "Local" || file == "local";
  data.file = local ? path : path.parent_path() / file;
  data.offset = local ? header.bytes : 0;
  if (const auto text = header.value("HeaderSize"); !text.empty()) {
    const int64_t skip = header_integer(text, "HeaderSize");
    if (skip < -1) throw Error(fmt::format("HeaderSize is {}, expected -1 or more", skip));
    if (skip == -1) {
      data.offset.reset();
    } else if (!local) {
      data.offset = static_cast<uint64_t>(skip);
    }
  }
  if (header.is_true("BinaryDataByteOrderMSB") || header.is_true("ElementByteOrderMSB"))
    data.order = ByteOrder::Big;
  if (header.is_true("CompressedData")) data.encoding = Encoding::Zlib;
  return data;
}

}  // namespace

volume::Volume open_meta_image(const std::filesystem::path& path) {
  const MappedFile file(path);
  const MetaHeader header = read_meta_header(file.text());
  volume::VolumeInfo info = volume_info(header);
  info.source = path.string();
  return volume_from_file(std::move(info), volume_data(header, path));
}

}  // namespace vox
