#include "formats/volume/nrrd_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "formats/volume/header_text.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr int64_t kMostNrrdAxes = 4;  // three of space and one of channels

// Reads a line; `rest` is the text after it.
void read_field(std::string_view line, std::string_view rest, NrrdHeader& header) {
  if (line.starts_with('#')) return;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    throw Error(fmt::format("its header has the line '{}', expected 'field: value'", line.substr(0, 80)));
  if (line.substr(colon).starts_with(":=")) return;  // a key without meaning in NRRD
  std::string name(trimmed(line.substr(0, colon)));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
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

Placement nrrd_placement(const NrrdHeader& header, const NrrdAxes& axes) {
  Placement placement = {.steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  for (uint32_t axis = 0; axis < axes.steps.size(); ++axis)
    placement.steps[axis] = vector_of(axes.steps[axis], "space directions");
  if (axes.steps.empty())
    for (uint32_t axis = 0; axis < axes.spacings.size(); ++axis)
      placement.steps[axis][axis] = header_number(axes.spacings[axis], "spacings");
  for (const Vec3d& step : placement.steps)
    if (step == Vec3d{0, 0, 0}) throw Error("its spacing has a zero");
  if (!header.value("space origin").empty())
    placement.first_centre = vector_of(header.value("space origin"), "space origin");
  return placement;
}

}  // namespace vox
