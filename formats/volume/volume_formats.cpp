// The parts that all formats of volumes share: text headers, and writing dense grids.
#include "formats/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/scan.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::vector<std::string_view> counted_words(std::string_view text, std::string_view what, size_t count) {
  std::vector<std::string_view> words = words_of(text);
  if (words.size() != count)
    throw Error(fmt::format("{} is '{}', expected {} numbers", what, trimmed(text), count));
  return words;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

int64_t header_integer(std::string_view word, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} is {}, which is too large", what, word));
  if (error != std::errc() || end != word.data() + word.size())
    throw Error(fmt::format("{} is '{}', expected a whole number", what, word));
  return value;
}

double header_number(std::string_view word, std::string_view what) {
  const auto value = parsed_number<double>(word);
  if (!value || !std::isfinite(*value)) throw Error(fmt::format("{} is '{}', expected a number", what, word));
  return *value;
}

std::vector<int64_t> header_integers(std::string_view text, std::string_view what, size_t count) {
  std::vector<int64_t> numbers;
  for (const std::string_view word : counted_words(text, what, count))
    numbers.push_back(header_integer(word, what));
  return numbers;
}

std::vector<double> header_numbers(std::string_view text, std::string_view what, size_t count) {
  std::vector<double> numbers;
  for (const std::string_view word : counted_words(text, what, count))
    numbers.push_back(header_number(word, what));
  return numbers;
}

namespace {

constexpr size_t kMostDigits = 20;  // more than any number needs

// A file name with a place for a number in the notation of printf(): "%03d".
struct NumberedName {
  std::string before, after;
  size_t width = 0;
  char fill = ' ';

  std::string with(int64_t number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < width) {
      const size_t sign = fill == '0' && number < 0 ? 1 : 0;
      digits.insert(sign, width - digits.size(), fill);
    }
    return before + digits + after;
  }
};

[[noreturn]] void fail_pattern(std::string_view pattern) {
  throw Error(fmt::format("its values are in files named '{}', expected one number such as %03d", pattern));
}

NumberedName parse_pattern(std::string_view pattern) {
  NumberedName name;
  bool found = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    std::string& text = found ? name.after : name.before;
    if (pattern[i] != '%') {
      text += pattern[i];
      continue;
    }
    if (pattern.substr(i + 1).starts_with('%')) {
      text += pattern[i++];
      continue;
    }
    if (found) fail_pattern(pattern);
    found = true;
    size_t at = i + 1;
    if (pattern.substr(at).starts_with('0')) name.fill = '0';
    for (; at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && name.width <= kMostDigits; ++at)
      name.width = name.width * 10 + static_cast<size_t>(pattern[at] - '0');
    if (at >= pattern.size() || name.width > kMostDigits ||
        std::string_view("diu").find(pattern[at]) == std::string_view::npos)
      fail_pattern(pattern);
    i = at;
  }
  if (!found) fail_pattern(pattern);
  return name;
}

void add_file(std::vector<std::filesystem::path>& files, std::filesystem::path file, int64_t most) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed))
    throw Error("no such file, although the header names it as one with values").at(file.string());
  if (static_cast<int64_t>(files.size()) == most)
    throw Error(fmt::format("its values are spread over more than {} files, one for each layer", most));
  files.push_back(std::move(file));
}

}  // namespace

bool names_several_files(std::string_view field) {
  return field.starts_with("LIST") || field.find('%') != std::string_view::npos;
}

std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most) {
  const std::vector<std::string_view> words = words_of(field);
  if (words.size() < 3)
    throw Error(
        fmt::format("its values are in files '{}', expected a pattern, the first number, the last, "
                    "and the step",
                    field));
  const NumberedName name = parse_pattern(words[0]);
  const int64_t first = header_integer(words[1], "the first file's number"),
                last = header_integer(words[2], "the last file's number"),
                step = words.size() > 3 ? header_integer(words[3], "the step between files") : 1;
  if (step == 0 || (step > 0) != (last >= first))
    throw Error(
        fmt::format("its files run from {} to {} in steps of {}, which names none", first, last, step));
  const auto distance = [](int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  };
  const uint64_t steps = step > 0 ? distance(first, last) / static_cast<uint64_t>(step)
                                  : distance(last, first) / distance(step, 0);
  std::vector<std::filesystem::path> files;
  for (uint64_t i = 0; i <= steps; ++i) {
    const uint64_t number = static_cast<uint64_t>(first) + i * static_cast<uint64_t>(step);
    add_file(files, folder / name.with(static_cast<int64_t>(number)), most);
  }
  return files;
}

std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most) {
  std::vector<std::filesystem::path> files;
  while (!lines.empty()) {
    const std::string_view name = trimmed(take_line(lines));
    if (name.empty()) break;
    add_file(files, folder / name, most);
  }
  if (files.empty()) throw Error("its list of files with values is empty");
  return files;
}

namespace {

constexpr std::string_view kBetweenNumbers = " \t\r\n\v\f";

class NumberText {
 public:
  NumberText(std::string_view text, uint64_t offset, const std::filesystem::path& source)
      : text_(text), at_(offset), source_(source) {}

  // Returns the next word, and an empty one after the last.
  std::string_view next() {
    const size_t begin = text_.find_first_not_of(kBetweenNumbers, at_);
    if (begin == std::string_view::npos) return {};
    at_ = std::min(text_.find_first_of(kBetweenNumbers, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  [[noreturn]] void fail(const std::string& problem, std::string_view word) const {
    const char* place = word.empty() ? text_.data() + text_.size() - 1 : word.data();
    throw Error(problem).at(fmt::format("{}:{}", source_.string(), line_number(text_, place)));
  }

 private:
  std::string_view text_;
  size_t at_;
  const std::filesystem::path& source_;
};

}  // namespace

std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source) {
  NumberText numbers(text, offset, source);
  // Each value takes at least one character, and all but the first a blank before it.
  if (count > (text.size() - offset + 1) / 2)
    numbers.fail(
        fmt::format("expected {} values, which {} bytes of text cannot hold", count, text.size() - offset),
        {});
  auto file = std::make_shared<NamelessFile>(count * stored_bytes(type), source);
  with_stored_type(type, [&]<class T>() {
    std::byte* to = file->bytes().data();
    for (uint64_t i = 0; i < count; ++i, to += sizeof(T)) {
      if (i % (1 << 20) == 0) throw_if_cancelled();
      const std::string_view word = numbers.next();
      if (word.empty()) numbers.fail(fmt::format("expected {} values, found {}", count, i), word);
      const auto value = parsed_number<T>(word);
      if (!value)
        numbers.fail(fmt::format("'{}' is no value of type {}", word.substr(0, 40), stored_type_name(type)),
                     word);
      std::memcpy(to, &*value, sizeof(T));
    }
  });
  if (const std::string_view more = numbers.next(); !more.empty())
    numbers.fail(fmt::format("expected {} values, found more", count), more);
  return file;
}

namespace {

constexpr uint64_t kPieceBytes = 16 << 20;  // four layers of 2048 x 2048, so that each leaf is visited once

// Returns what stands before the values. Formats without comments leave the comment out.
std::string header_of(const std::filesystem::path& path, const volume::VolumeInfo& info,
                      std::string_view comment, Floats floats = Floats::F32) {
  const FileFormat format = file_format(path, FileRole::Export);
  if (format == FileFormat::Npy) return npy_header(info, floats);
  if (format == FileFormat::Raw) return "";
  return nrrd_header(info, comment);
}

volume::VolumeInfo region_info(const dag::VoxelScene& scene, const VoxelBox& region) {
  volume::VolumeInfo info;
  info.size = region.size();
  info.spacing = scene.voxel_size.sides();
  info.origin = world_corner(scene, region.min);
  return info;
}

}  // namespace

bool is_dense_grid(const std::filesystem::path& path) {
  return is_one_of(file_format(path, FileRole::Export), {FileFormat::Nrrd, FileFormat::Npy, FileFormat::Raw});
}

void check_dense_resolution(uint32_t resolution, const std::filesystem::path& path) {
  if (resolution <= kMaxDenseResolution) return;
  throw Error(fmt::format("a dense grid of {0} x {0} x {0} voxels would be too large, expected at most {1}",
                          resolution, kMaxDenseResolution))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(resolution, kMaxDenseResolution)) + "; pieces hold all of it")
      .about("resolution");
}

namespace {

std::vector<uint8_t> halves_of(const std::vector<uint8_t>& floats) {
  std::vector<uint8_t> halves(floats.size() / 2);
  for (size_t i = 0; i < halves.size(); i += 2) {
    float value = 0;
    std::memcpy(&value, &floats[2 * i], sizeof value);
    const uint16_t half = half_of(value);
    std::memcpy(&halves[i], &half, sizeof half);
  }
  return halves;
}

VoxelBox swapped(const VoxelBox& box) {
  return {{box.min.z, box.min.y, box.min.x}, {box.max.z, box.max.y, box.max.x}};
}

uint64_t raw_row_bytes(uint64_t voxels, uint32_t bits) {
  return (voxels * bits + 7) / 8;
}

// Returns the values of a box with z fastest, if they are given with x fastest.
template <class Value>
std::vector<Value> with_z_fastest(const std::vector<Value>& values, const Int3& size) {
  std::vector<Value> turned(values.size());
  const auto width = static_cast<size_t>(size.x), height = static_cast<size_t>(size.y),
             depth = static_cast<size_t>(size.z);
  for (size_t x = 0; x < width; ++x)
    for (size_t y = 0; y < height; ++y)
      for (size_t z = 0; z < depth; ++z)
        turned[(x * height + y) * depth + z] = values[(z * height + y) * width + x];
  return turned;
}

template <class Value>
std::vector<uint8_t> with_bits(std::vector<Value> values, size_t row, uint32_t bits) {
  if constexpr (sizeof(Value) == 1)
    if (bits == 8) return values;
  const size_t bytes = raw_row_bytes(row, bits);
  std::vector<uint8_t> result(values.size() / row * bytes);
  uint8_t* to = result.data();
  for (size_t from = 0; from < values.size(); from += row, to += bytes)
    for (size_t i = 0; i < row; ++i) {
      const uint32_t value = values[from + i];
      if (bits == 8) {
        to[i] = static_cast<uint8_t>(value);
      } else if (bits == 16) {
        to[2 * i] = static_cast<uint8_t>(value);
        to[2 * i + 1] = static_cast<uint8_t>(value >> 8);
      } else if (value != 0) {
        to[i / 8] = static_cast<uint8_t>(to[i / 8] | 1u << i % 8);
      }
    }
  return result;
}

// The bits of a voxel's value in a dense grid. Numbers of named colors may be larger than a byte.
uint32_t bits_of_values(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const RawLayout& layout) {
  if (!scene.colors || scene.named_colors.empty()) return layout.bits;
  const bool is_raw = file_format(path, FileRole::Export) == FileFormat::Raw;
  const uint32_t bits = is_raw ? layout.bits : 16;
  const size_t count = scene.named_colors.size();
  if (bits == 8 && count > UINT8_MAX)
    throw Error(fmt::format("the scene has {} materials, and values of 8 bits hold 255", count))
        .at(path.string())
        .hint("values of 16 bits hold more");
  return bits;
}

}  // namespace

void write_dense_grid(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks, const RawLayout& layout) {
  if (!clip) check_dense_resolution(scene.dag.resolution, path);
  const VoxelBox region = export_region(scene, clip, path);
  const bool z_fastest = layout.fastest == RawLayout::Fastest::Z;
  const VoxelBox in_order = z_fastest ? swapped(region) : region;  // x is the fastest axis of this box
  const auto row = static_cast<size_t>(in_order.size().x);
  const uint32_t bits = bits_of_values(scene, path, layout);
  const bool has_numbers = bits > 1 && scene.colors && !scene.named_colors.empty();
  volume::VolumeInfo info = region_info(scene, region);
  if (bits == 16) info.type = volume::ValueType::U16;
  ExportFile file(path, region.voxels() / row * raw_row_bytes(row, bits), Writers::Several, ranks);
  file.write(header_of(path, info,
                       fmt::format("# 0 is empty, a filled voxel is {}\n",
                                   scene.dag.materials || has_numbers ? "its material + 1" : "1")));
  std::optional<dag::LeafColors> colors;
  const dag::MaterialNumbers numbers(scene.named_colors);
  if (has_numbers) colors.emplace(scene);
  // A piece has whole rows.
  const volume::Pieces pieces(in_order, std::max<uint64_t>(kPieceBytes / std::max(bits / 8, 1u), row));
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    const VoxelBox box = z_fastest ? swapped(pieces[piece]) : pieces[piece];
    const auto bytes = [&](auto values) {
      return with_bits(z_fastest ? with_z_fastest(values, box.size()) : std::move(values), row, bits);
    };
    if (colors) {
      std::vector<uint16_t> values(box.voxels());
      dag::write_dense_numbers(scene.dag, *colors, numbers, box, values.data());
      return bytes(std::move(values));
    }
    std::vector<uint8_t> values(box.voxels());
    dag::write_dense(scene.dag, box, values.data());
    return bytes(std::move(values));
  });
  file.commit();
}

void write_dense_grid(const volume::Volume& volume, const std::filesystem::path& path, Floats floats) {
  const bool halves = floats == Floats::F16;
  const uint32_t each = volume::value_bytes(volume.info.type);
  ExportFile file(path, volume.info.bytes() / (halves ? 2 : 1));
  file.write(header_of(path, volume.info, "", floats));
  const volume::Pieces pieces(volume.info.box(), kPieceBytes / each);
  file.write_pieces(pieces.count(), [&](uint64_t piece) {
    std::vector<uint8_t> bytes(pieces[piece].voxels() * each);
    volume.read(pieces[piece], reinterpret_cast<std::byte*>(bytes.data()));
    return halves ? halves_of(bytes) : bytes;
  });
  file.commit();
}

}  // namespace vox
