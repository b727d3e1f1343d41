// The part of formats/volume/nrrd.h that reads.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "formats/io/mapped_file.h"
#include "formats/volume/header_text.h"
#include "formats/volume/nrrd.h"
#include "formats/volume/nrrd_header.h"
#include "formats/volume/value_files.h"
#include "formats/volume/volume_data.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

// True if the third axis of space points to a body's head: "left-posterior-superior", "LPS".
bool is_of_a_body(std::string_view space) {
  std::string lower(space);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
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

}  // namespace vox
