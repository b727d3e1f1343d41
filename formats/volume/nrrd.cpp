// NRRD and MetaImage: values behind a header of text, or in a file beside it.
#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

std::string_view nrrd_type(volume::ValueType type) {
  switch (type) {
    case volume::ValueType::U8:
      return "uint8";
    case volume::ValueType::U16:
      return "uint16";
    case volume::ValueType::I16:
      return "int16";
    case volume::ValueType::F32:
      return "float";
  }
  return "";
}

constexpr std::string_view kNrrdBegin = "NRRD0005\n# written by vox\n";

}  // namespace

std::string nrrd_header(const volume::VolumeInfo& info, std::string_view comment) {
  const Vec3d &step = info.spacing, first = info.origin + step * 0.5;  // the center of the first sample
  return fmt::format(
      "{}"
      "{}"
      "type: {}\n"
      "dimension: 3\n"
      "space dimension: 3\n"
      "sizes: {} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\n"
      "centerings: cell cell cell\n"
      "kinds: domain domain domain\n"
      "endian: little\n"
      "encoding: raw\n"
      "space origin: ({},{},{})\n"
      "\n",
      kNrrdBegin, comment, nrrd_type(info.type), info.size.x, info.size.y, info.size.z, step.x, step.y,
      step.z, first.x, first.y, first.z);
}

bool is_nrrd_of_vox(std::string_view file) {
  return file.starts_with(kNrrdBegin);
}

namespace {

constexpr int64_t kMostNrrdAxes = 4;  // three of space and one of channels

// Reads a line; `rest` is the text after it.
void read_field(std::string_view line, std::string_view rest, NrrdHeader& header) {
  if (line.starts_with('#')) return;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    throw Error(fmt::format("its header has the line '{}', expected 'field: value'", line.substr(0, 80)));
  if (line.substr(colon).starts_with(":=")) return;  // a key without meaning in NRRD
  std::string name = lower_case(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if ((name == "data file" || name == "datafile") && value.starts_with("LIST")) header.files = rest;
  header.fields.emplace(std::move(name), value);
}

// Splits "none (1, 0, 0) (0, 1, 0)" into its parts.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const size_t end = text.starts_with('(') ? text.find(')') : text.find_first_of(" \t") - 1;
    parts.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(parts.back().size());
  }
  return parts;
}

// Returns one part for each axis, or none if the header lacks the field.
std::vector<std::string_view> parts_for(const NrrdHeader& header, std::string_view field, size_t axes) {
  std::vector<std::string_view> parts = parts_of(header.value(field));
  if (!parts.empty() && parts.size() != axes)
    throw Error(
        fmt::format("'{}' has {} parts, expected one for each of {} axes", field, parts.size(), axes));
  return parts;
}

// Reads three numbers such as "(1,0,0)".
Vec3d vector_of(std::string_view text, std::string_view what) {
  std::string plain(text);
  // Brackets and commas become blanks.
  for (char& c : plain)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  const auto numbers = header_numbers(plain, what, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

bool is_of_space(std::string_view kind) {
  return kind.empty() || kind == "domain" || kind == "space" || kind == "???" || kind == "none";
}

}  // namespace

std::string_view NrrdHeader::value(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view NrrdHeader::needed(std::string_view name) const {
  if (value(name).empty()) throw Error(fmt::format("its header has no field '{}'", name));
  return value(name);
}

std::string_view NrrdHeader::value(std::string_view name, std::string_view other_name) const {
  return value(name).empty() ? value(other_name) : value(name);
}

NrrdHeader read_nrrd_header(std::string_view text) {
  if (!text.starts_with("NRRD00")) throw Error("is no NRRD file: it does not begin with NRRD000");
  std::string_view rest = text;
  take_line(rest);
  NrrdHeader header;
  while (!rest.empty() && header.files.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) break;
    read_field(line, rest, header);
  }
  header.bytes = text.size() - rest.size();
  return header;
}

NrrdAxes nrrd_axes(const NrrdHeader& header) {
  const int64_t dimension = header_integer(header.needed("dimension"), "dimension");
  const auto fail = [&] {
    throw Error(
        fmt::format("its dimension is {}, expected 3, or 4 of which 'kinds' says that the first or the "
                    "last is none of space",
                    dimension));
  };
  if (dimension < 2 || dimension > kMostNrrdAxes) fail();
  const auto axes = static_cast<size_t>(dimension);
  const auto sizes = header_integers(header.needed("sizes"), "sizes", axes);
  const auto kinds = parts_for(header, "kinds", axes), steps = parts_for(header, "space directions", axes),
             spacings = parts_for(header, "spacings", axes);
  NrrdAxes result;
  for (size_t axis = 0; axis < axes; ++axis) {
    const bool of_space =
        (kinds.empty() || is_of_space(kinds[axis])) && (steps.empty() || steps[axis].starts_with('('));
    if (of_space) {
      result.sizes.push_back(sizes[axis]);
      if (!steps.empty()) result.steps.push_back(steps[axis]);
      if (!spacings.empty()) result.spacings.push_back(spacings[axis]);
      continue;
    }
    const bool is_first = axis == 0, is_last = axis + 1 == axes;
    if ((!is_first && !is_last) || result.channels.count != 1) fail();
    if (sizes[axis] < 1) throw Error(fmt::format("'sizes' has {} channels", sizes[axis]));
    result.channels = {sizes[axis], is_first ? Channels::Order::Interleaved : Channels::Order::Planar};
  }
  if (result.sizes.size() < 2 || result.sizes.size() > 3) fail();
  return result;
}

GridPlacement nrrd_placement(const NrrdHeader& header, const NrrdAxes& axes) {
  GridPlacement placement = {.steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  for (uint32_t axis = 0; axis < axes.steps.size(); ++axis)
    placement.steps[axis] = vector_of(axes.steps[axis], "space directions");
  if (axes.steps.empty())
    for (uint32_t axis = 0; axis < axes.spacings.size(); ++axis)
      placement.steps[axis][axis] = header_number(axes.spacings[axis], "spacings");
  for (const Vec3d& step : placement.steps)
    if (step == Vec3d{0, 0, 0}) throw Error("its spacing has a zero");
  if (!header.value("space origin").empty())
    placement.first_center = vector_of(header.value("space origin"), "space origin");
  return placement;
}

namespace {

// The part of formats/volume/volume_formats.h that reads.

// True if the third axis of space points to a body's head: "left-posterior-superior", "LPS".
bool is_of_a_body(std::string_view space) {
  const std::string lower = lower_case(space);
  return lower.find("superior") != std::string::npos || lower.starts_with("ras") ||
         lower.starts_with("las") || lower.starts_with("lps");
}

StoredInfo stored_info(const NrrdHeader& header, const NrrdAxes& axes) {
  StoredInfo info;
  info.size =
      volume::checked_volume_size(axes.sizes[0], axes.sizes[1], axes.sizes.size() > 2 ? axes.sizes[2] : 1);
  info.type = checked_stored_type(header.needed("type"));
  if (is_of_a_body(header.value("space"))) info.up = dag::UpAxis::Z;
  return info;
}

Encoding encoding_of(std::string_view name) {
  if (name == "raw") return Encoding::Raw;
  if (name == "gzip" || name == "gz") return Encoding::Gzip;
  if (name == "ascii" || name == "text" || name == "txt") return Encoding::Text;
  throw Error(fmt::format("its encoding is '{}', expected raw, gzip or ascii", name));
}

std::vector<std::filesystem::path> files_of(const NrrdHeader& header, const std::filesystem::path& path,
                                            int64_t most) {
  const std::string_view field = header.value("data file", "datafile");
  if (field.empty()) return {path};
  if (!header.files.empty() || field.starts_with("LIST"))
    return listed_files(header.files, path.parent_path(), most);
  if (names_several_files(field)) return numbered_files(field, path.parent_path(), most);
  return {path.parent_path() / field};
}

VolumeData volume_data(const NrrdHeader& header, const NrrdAxes& axes, const std::filesystem::path& path) {
  const int64_t layers = axes.sizes.size() > 2 ? axes.sizes[2] : 1;
  const int64_t planes = axes.channels.order == Channels::Order::Planar
                             ? std::min(axes.channels.count, volume::kMaxVolumeSide)
                             : 1;
  VolumeData data;
  data.files = files_of(header, path, layers * planes);
  data.offset = header.value("data file", "datafile").empty() ? header.bytes : 0;
  data.encoding = encoding_of(header.needed("encoding"));
  if (!header.value("endian").empty()) data.order = parse_byte_order(header.value("endian"));

  auto skip = [&](std::string_view name, std::string_view other_name) {
    const std::string_view text = header.value(name, other_name);
    const int64_t count = text.empty() ? 0 : header_integer(text, name);
    if (count < -1 || (count == -1 && name == "line skip"))
      throw Error(fmt::format("its '{}' is {}, expected 0 or more", name, count));
    return count;
  };
  const int64_t lines = skip("line skip", "lineskip"), bytes = skip("byte skip", "byteskip");
  if (bytes > 0 && data.encoding != Encoding::Raw) throw Error("it skips bytes, but its encoding is not raw");
  data.lines = static_cast<uint64_t>(lines);
  if (bytes >= 0) {
    data.bytes_behind_lines = static_cast<uint64_t>(bytes);
  } else {
    data.offset.reset();
  }
  return data;
}

}  // namespace

StoredVolume open_nrrd(const std::filesystem::path& path, std::optional<uint32_t> channel) {
  const MappedFile file(path);
  const NrrdHeader header = read_nrrd_header(file.text());
  const NrrdAxes axes = nrrd_axes(header);
  StoredInfo info = stored_info(header, axes);
  info.source = path.string();
  const VolumeData data = volume_data(header, axes, path);
  if (stored_bytes(info.type) > 1 && data.encoding != Encoding::Text) header.needed("endian");
  return placed(channel_from_file(info, data, axes.channels, channel), nrrd_placement(header, axes));
}

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
  // MetaIO looks at the first character only: True, TRUE, t and 1 are the same.
  bool is_true(std::string_view name) const {
    return !value(name).empty() && std::string_view("Tt1").find(value(name)[0]) != std::string_view::npos;
  }
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
  if (!header.value("BinaryData").empty() && !header.is_true("BinaryData")) data.encoding = Encoding::Text;
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
