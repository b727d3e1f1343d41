// Values without a header, and arrays of NumPy, whose header only states their type and their order.
#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <regex>
#include <tuple>
#include <utility>

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

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyType {
  std::string_view name;
  StoredType type;
};
constexpr NpyType kTypes[] = {{"u1", StoredType::U8},  {"i1", StoredType::I8},  {"u2", StoredType::U16},
                              {"i2", StoredType::I16}, {"u4", StoredType::U32}, {"i4", StoredType::I32},
                              {"u8", StoredType::U64}, {"i8", StoredType::I64}, {"f4", StoredType::F32},
                              {"f8", StoredType::F64}, {"b1", StoredType::U8}};

std::string npy_type(volume::ValueType type) {
  const auto is_same = [=](const NpyType& known) { return same_value_type(known.type) == type; };
  const auto* const found = std::ranges::find_if(kTypes, is_same);
  return fmt::format("{}{}", volume::value_bytes(type) == 1 ? '|' : '<', found->name);
}

// Returns what stands behind a key of the header, which is text such as {'descr': '<u2', 'shape': (3, 4, 5), }.
std::string_view behind_key(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const size_t at = text.find(fmt::format("{0}{1}{0}", quote, key));
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trimmed(text.substr(at + key.size() + 2));
    if (rest.starts_with(':')) return trimmed(rest.substr(1));
  }
  throw Error(fmt::format("its header has no '{}'", key));
}

std::pair<StoredType, ByteOrder> type_in(std::string_view text) {
  const char quote = text.empty() ? ' ' : text[0];
  const size_t end = quote == '\'' || quote == '"' ? text.find(quote, 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    throw Error("its elements are records of several values")
        .hint("save one field: numpy.save('a.npy', a['name'])");
  const std::string_view name = text.substr(1, end - 1);
  const bool has_order = !name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos;
  const auto* const found = std::ranges::find(kTypes, name.substr(has_order ? 1 : 0), &NpyType::name);
  if (found == std::end(kTypes))
    throw Error(
        fmt::format("its elements are of NumPy's type '{}', expected bool, whole numbers, f4 or f8", name))
        .hint("convert them: numpy.save('a.npy', a.astype('f4'))");
  return {found->type, name.starts_with('>') ? ByteOrder::Big : ByteOrder::Little};
}

std::vector<int64_t> shape_in(std::string_view text) {
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos)
    throw Error("its 'shape' is no list of numbers");
  std::string numbers(text.substr(1, end - 1));
  std::ranges::replace(numbers, ',', ' ');
  std::vector<int64_t> shape;
  for (const std::string_view word : words_of(numbers)) shape.push_back(header_integer(word, "shape"));
  if (shape.size() < 2 || shape.size() > 4)
    throw Error(fmt::format("its array has {}, expected three axes, or four of which the last are channels",
                            shape.size() == 1 ? "one axis" : fmt::format("{} axes", shape.size())));
  return shape;
}

}  // namespace

std::string npy_header(const volume::VolumeInfo& info, Floats floats) {
  constexpr size_t kBefore = 10, kAlignment = 64;  // as NumPy aligns its values
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': True, 'shape': ({}, {}, {}), }}",
                  floats == Floats::F16 ? "<f2" : npy_type(info.type), info.size.x, info.size.y, info.size.z);
  text.append((kAlignment - (kBefore + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

NpyHeader read_npy_header(std::string_view file) {
  if (!file.starts_with(kMagic)) throw Error("is no file of numpy.save: it does not begin with \\x93NUMPY");
  const auto byte = [&](size_t i) { return i < file.size() ? static_cast<uint8_t>(file[i]) : 0u; };
  const uint32_t version = byte(6);
  if (version < 1 || version > 3)
    throw Error(fmt::format("is of version {} of NumPy's format, expected 1, 2 or 3", version));
  const size_t begin = version == 1 ? 10 : 12;
  const uint64_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (file.size() < begin || length > file.size() - begin) throw Error("ends within its header");
  const std::string_view text = file.substr(begin, length);
  NpyHeader header;
  std::tie(header.type, header.order) = type_in(behind_key(text, "descr"));
  header.first_axis_fastest = behind_key(text, "fortran_order").starts_with("True");
  header.shape = shape_in(behind_key(text, "shape"));
  header.bytes = begin + length;
  return header;
}

StoredVolume open_npy(const std::filesystem::path& path, std::optional<uint32_t> channel) {
  const MappedFile file(path);
  const NpyHeader header = read_npy_header(file.text());
  std::array<int64_t, 3> size = {1, 1, 1};
  std::copy_n(header.shape.begin(), std::min<size_t>(header.shape.size(), 3), size.begin());
  Channels channels;
  if (header.shape.size() == 4) {
    if (header.shape[3] < 1) throw Error(fmt::format("its 'shape' has {} channels", header.shape[3]));
    channels = {header.shape[3],
                header.first_axis_fastest ? Channels::Order::Planar : Channels::Order::Interleaved};
  }
  // The axes of the file, the fastest one first, along those of the world.
  GridPlacement placement = {.steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  if (!header.first_axis_fastest) {
    std::swap(size[0], size[2]);
    std::swap(placement.steps[0], placement.steps[2]);
  }
  StoredInfo info;
  info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  info.type = header.type;
  info.source = path.string();
  VolumeData data = {.files = {path}, .offset = header.bytes};
  data.order = header.order;
  return placed(channel_from_file(info, data, channels, channel), placement);
}

}  // namespace vox
