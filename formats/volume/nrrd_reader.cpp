// The reading half of formats/volume/nrrd.h.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "formats/io/mapped_file.h"
#include "formats/volume/header_text.h"
#include "formats/volume/nrrd.h"
#include "formats/volume/volume_data.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> fields;  // names in lower case
  uint64_t bytes = 0;

  std::string_view value(std::string_view name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
  }
  std::string_view needed(std::string_view name) const {
    if (value(name).empty()) throw Error(fmt::format("its header has no field '{}'", name));
    return value(name);
  }
  std::string_view value(std::string_view name, std::string_view other_name) const {
    return value(name).empty() ? value(other_name) : value(name);
  }
};

void read_field(std::string_view line, NrrdHeader& header) {
  if (line.starts_with('#')) return;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    throw Error(fmt::format("its header has the line '{}', expected 'field: value'", line.substr(0, 80)));
  if (line.substr(colon).starts_with(":=")) return;  // a key that NRRD gives no meaning
  std::string name(trimmed(line.substr(0, colon)));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  header.fields.emplace(std::move(name), trimmed(line.substr(colon + 1)));
}

// Reads the header up to the empty line, which a detached header need not have.
NrrdHeader read_nrrd_header(std::string_view text) {
  if (!text.starts_with("NRRD00")) throw Error("is no NRRD file: it does not begin with NRRD000");
  std::string_view rest = text;
  take_line(rest);
  NrrdHeader header;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) break;
    read_field(line, header);
  }
  header.bytes = text.size() - rest.size();
  return header;
}

// Reads vectors such as "(1,0,0) (0,1,0) (0,0,1)": brackets and commas become blanks.
std::vector<double> vectors(std::string_view text, std::string_view what, size_t count) {
  std::string plain(text);
  for (char& c : plain)
    if (c == '(' || c == ')' || c == ',') c = ' ';
  return header_numbers(plain, what, count);
}

double along(const double* axis, int which) {
  for (int i = 0; i < 3; ++i)
    if (i != which && axis[i] != 0)
      throw Error("its 'space directions' are turned against the axes, expected a scaling of each alone");
  return axis[which];
}

Vec3d spacing_of(const NrrdHeader& header) {
  Vec3d step = {1, 1, 1};
  if (!header.value("space directions").empty()) {
    const auto axes = vectors(header.value("space directions"), "space directions", 9);
    step = {along(axes.data(), 0), along(axes.data() + 3, 1), along(axes.data() + 6, 2)};
  } else if (!header.value("spacings").empty()) {
    const auto steps = header_numbers(header.value("spacings"), "spacings", 3);
    step = {steps[0], steps[1], steps[2]};
  }
  if (step.x == 0 || step.y == 0 || step.z == 0) throw Error("its spacing has a zero");
  return step;
}

volume::VolumeInfo volume_info(const NrrdHeader& header) {
  if (header_integer(header.needed("dimension"), "dimension") != 3)
    throw Error(fmt::format("its dimension is {}, expected 3", header.value("dimension")));
  volume::VolumeInfo info;
  const auto size = header_integers(header.needed("sizes"), "sizes", 3);
  info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  info.type = checked_value_type(header.needed("type"));
  info.spacing = spacing_of(header);
  if (!header.value("space origin").empty()) {
    const auto first = vectors(header.value("space origin"), "space origin", 3);
    info.origin = Vec3d{first[0], first[1], first[2]} - info.spacing * 0.5;
  }
  return info;
}

Encoding encoding_of(std::string_view name) {
  if (name == "raw") return Encoding::Raw;
  if (name == "gzip" || name == "gz") return Encoding::Gzip;
  throw Error(fmt::format("its encoding is '{}', expected raw or gzip", name));
}

uint64_t behind_lines(const std::filesystem::path& file, uint64_t offset, int64_t lines) {
  const MappedFile mapped(file);
  std::string_view rest = mapped.text().substr(std::min<uint64_t>(offset, mapped.text().size()));
  for (; lines > 0 && !rest.empty(); --lines) take_line(rest);
  return mapped.text().size() - rest.size();
}

VolumeData volume_data(const NrrdHeader& header, const std::filesystem::path& path) {
  const std::string_view other = header.value("data file", "datafile");
  if (other.starts_with("LIST") || other.find('%') != std::string_view::npos)
    throw Error("its values are spread over several files, expected one");
  VolumeData data;
  data.file = other.empty() ? path : path.parent_path() / other;
  data.offset = other.empty() ? header.bytes : 0;
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
  if (lines > 0) data.offset = behind_lines(data.file, *data.offset, lines);
  if (bytes > 0 && data.encoding != Encoding::Raw) throw Error("it skips bytes of what it inflates");
  if (bytes >= 0) {
    *data.offset += static_cast<uint64_t>(bytes);
  } else {
    data.offset.reset();
  }
  return data;
}

}  // namespace

volume::Volume open_nrrd(const std::filesystem::path& path) {
  const MappedFile file(path);
  const NrrdHeader header = read_nrrd_header(file.text());
  volume::VolumeInfo info = volume_info(header);
  info.source = path.string();
  if (volume::value_bytes(info.type) > 1) header.needed("endian");
  return volume_from_file(std::move(info), volume_data(header, path));
}

}  // namespace vox
