#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "formats/io/read_file.h"
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
  // Returns the value of the first of these names that the header has.
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

constexpr size_t kMostAxes = 4;  // three of space and one of channels

size_t axes_of(const MetaHeader& header) {
  const int64_t axes = header_integer(header.needed("NDims"), "NDims");
  if (axes < 2 || axes > static_cast<int64_t>(kMostAxes))
    throw Error(fmt::format("NDims is {}, expected 3, or 4 with channels as the last axis", axes));
  return static_cast<size_t>(axes);
}

// Returns the sizes of all axes; axes that the file lacks have size 1.
std::array<int64_t, kMostAxes> sizes_of(const MetaHeader& header) {
  std::array<int64_t, kMostAxes> sizes = {1, 1, 1, 1};
  std::ranges::copy(header_integers(header.needed("DimSize"), "DimSize", axes_of(header)), sizes.begin());
  return sizes;
}

Channels channels_of(const MetaHeader& header) {
  const int64_t planes = sizes_of(header)[3];
  const auto text = header.value("ElementNumberOfChannels");
  const int64_t values = text.empty() ? 1 : header_integer(text, "ElementNumberOfChannels");
  if (planes < 1 || values < 1 || (planes > 1 && values > 1))
    throw Error(fmt::format(
        "has {} values for each voxel and {} channels, expected 1 or more, and several of only one", values,
        planes));
  if (planes > 1) return {planes, Channels::Order::Planar};
  return {values, Channels::Order::Interleaved};
}

StoredInfo stored_info(const MetaHeader& header) {
  StoredInfo info;
  const auto sizes = sizes_of(header);
  info.size = volume::checked_volume_size(sizes[0], sizes[1], sizes[2]);
  info.type = checked_stored_type(header.needed("ElementType"));
  const auto orientation = header.value("AnatomicalOrientation");
  if (!orientation.empty() && orientation != "???") info.up = dag::UpAxis::Z;
  return info;
}

GridPlacement placement_of(const MetaHeader& header) {
  const size_t axes = axes_of(header), space = std::min<size_t>(axes, 3);
  std::array<double, 3> spacing = {1, 1, 1};
  if (const auto text = header.first_of({"ElementSpacing", "ElementSize"}); !text.empty()) {
    const auto steps = header_numbers(text, "ElementSpacing", axes);
    std::copy_n(steps.begin(), space, spacing.begin());
  }
  if (spacing[0] == 0 || spacing[1] == 0 || spacing[2] == 0) throw Error("ElementSpacing has a zero");
  GridPlacement placement;
  for (uint32_t axis = 0; axis < 3; ++axis) placement.steps[axis][axis] = spacing[axis];
  if (const auto text = header.first_of({"TransformMatrix", "Rotation", "Orientation"}); !text.empty()) {
    // The row of an axis in the matrix is its direction.
    const auto turn = header_numbers(text, "TransformMatrix", axes * axes);
    for (uint32_t axis = 0; axis < space; ++axis)
      for (uint32_t i = 0; i < space; ++i) placement.steps[axis][i] = turn[axis * axes + i] * spacing[axis];
  }
  if (const auto text = header.first_of({"Offset", "Position", "Origin"}); !text.empty()) {
    const auto offset = header_numbers(text, "Offset", axes);
    placement.first_center = Vec3d{offset[0], offset[1], axes > 2 ? offset[2] : 0};
  }
  return placement;
}

// Returns the files that hold the values.
std::vector<std::filesystem::path> files_of(const MetaHeader& header, const std::filesystem::path& path,
                                            std::string_view behind) {
  const std::string_view file = header.needed(kLastField);
  if (!names_several_files(file)) return {path.parent_path() / file};
  const auto sizes = sizes_of(header);
  const int64_t layers = std::clamp<int64_t>(sizes[2], 1, volume::kMaxVolumeSide) *
                         std::clamp<int64_t>(sizes[3], 1, volume::kMaxVolumeSide);
  if (file.starts_with("LIST")) return listed_files(behind, path.parent_path(), layers);
  return numbered_files(file, path.parent_path(), layers);
}

VolumeData volume_data(const MetaHeader& header, const std::filesystem::path& path, std::string_view text) {
  VolumeData data;
  const std::string_view file = header.needed(kLastField);
  const bool local = file == "LOCAL" || file == "Local" || file == "local";
  data.files = local ? std::vector{path} : files_of(header, path, text.substr(header.bytes));
  data.offset = local ? header.bytes : 0;
  if (const auto size = header.value("HeaderSize"); !size.empty()) {
    const int64_t skip = header_integer(size, "HeaderSize");
    if (skip < -1) throw Error(fmt::format("HeaderSize is {}, expected -1 or more", skip));
    if (skip == -1) {
      data.offset.reset();
    } else if (!local) {
      data.offset = static_cast<uint64_t>(skip);
    }
  }
  if (header.is_true("BinaryDataByteOrderMSB") || header.is_true("ElementByteOrderMSB"))
    data.order = ByteOrder::Big;
  if (header.value("BinaryData") == "False" || header.value("BinaryData") == "false")
    data.encoding = Encoding::Text;
  if (header.is_true("CompressedData")) data.encoding = Encoding::Zlib;
  return data;
}

}  // namespace

StoredVolume open_meta_image(const std::filesystem::path& path, std::optional<uint32_t> channel) {
  const MappedFile file(path);
  const MetaHeader header = read_meta_header(file.text());
  StoredInfo info = stored_info(header);
  info.source = path.string();
  StoredVolume volume =
      channel_from_file(info, volume_data(header, path, file.text()), channels_of(header), channel);
  return placed(std::move(volume), placement_of(header));
}

}  // namespace vox
