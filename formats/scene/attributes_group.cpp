// The groups of a scene file that say how voxels look: the palette, and the voxels' own colors and normals.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/scene/groups.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/base/progress.h"
#include "libvox/dag/digests.h"

namespace vox {
namespace {

constexpr uint64_t kHeadWords = sizeof(attributes::ValueGroup) / sizeof(uint64_t);

// The name of an attribute's group, what its values are called in messages, and their bits.
struct AttributeKind {
  const char* group;
  const char* values;
  uint32_t bits;
};
AttributeKind kind_of(VoxelAttribute attribute) {
  return attribute == VoxelAttribute::Colors
             ? AttributeKind{"colors", "colors", 24}
             : AttributeKind{"normals", "normals", attributes::kDirectionBits};
}

std::optional<h5::Object> open_attribute(const h5::Object& file, VoxelAttribute attribute) {
  if (!h5::has_child(file, "attributes")) return std::nullopt;
  const h5::Object all = h5::open_group(file, "attributes");
  if (!h5::has_child(all, kind_of(attribute).group)) return std::nullopt;
  return h5::open_group(all, kind_of(attribute).group);
}

// Returns the words of a dataset, which are read when they are used if there is a budget and their chunks allow that.
Words words_of(const h5::Object& dataset, const std::shared_ptr<PagedBudget>& budget) {
  constexpr uint64_t kMostChunkWords = uint64_t{1} << 24;
  std::optional<h5::WordReader> reader;
  if (budget) reader = h5::WordReader::open(dataset, h5::file_of(dataset));
  if (!reader || reader->words() == 0 || reader->chunk_words() > kMostChunkWords)
    return h5::read_words(dataset);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t piece_bytes = (reader->chunk_words() * sizeof(uint32_t) + page - 1) / page * page;
  const auto fill = [reader = *reader, piece_bytes](uint64_t piece, std::span<uint8_t> to) {
    reader.read(piece * (piece_bytes / sizeof(uint32_t)),
                {reinterpret_cast<uint32_t*>(to.data()), to.size() / sizeof(uint32_t)});
  };
  return paged_vector<uint32_t>(
      std::make_shared<PagedMemory>(reader->words() * sizeof(uint32_t), piece_bytes, fill, budget));
}

// The names of a mesh may be many, and one of them long: they stand one behind the other, each up to a zero byte.
void write_long_names(const h5::Object& group, const std::string& dataset,
                      const std::vector<std::string_view>& names) {
  std::vector<uint8_t> bytes;
  for (const std::string_view name : names) {
    for (const char c : name) bytes.push_back(c == '\0' ? ' ' : static_cast<uint8_t>(c));
    bytes.push_back(0);
  }
  h5::write_table(group, dataset, std::span<const uint8_t>(bytes), {bytes.size()});
}

// A small file could hold very many names that are equal, or very long ones.
constexpr hsize_t kMostNames = 1 << 22, kMostNameBytes = 1 << 28;

// Reads a table of at most `most` rows.
template <class T>
std::vector<T> read_up_to(hsize_t most, const h5::Object& group, const std::string& name,
                          std::vector<hsize_t> dims = {h5::kAnyLength}) {
  const std::vector<hsize_t> size = h5::dimensions(h5::open_dataset(group, name));
  if (!size.empty() && size[0] > most)
    throw Error(fmt::format("has {} rows in '{}', expected at most {}", size[0], name, most))
        .at(group.where());
  return h5::read_table<T>(group, name, std::move(dims));
}

// Throws Error unless there are `count` names.
std::vector<std::string> read_long_names(const h5::Object& group, const std::string& dataset, size_t count) {
  const std::vector<uint8_t> bytes = read_up_to<uint8_t>(kMostNameBytes, group, dataset);
  std::vector<std::string> names;
  auto name = bytes.begin();
  for (size_t i = 0; i < count; ++i) {
    const auto end = std::find(name, bytes.end(), 0);
    if (end == bytes.end())
      throw Error(fmt::format("has fewer names in '{}' than expected, {}", dataset, count)).at(group.where());
    names.emplace_back(name, end);
    name = end + 1;
  }
  return names;
}

void write_members(const h5::Object& group, const std::vector<scene::NamedEntry>& members) {
  if (members.empty()) return;
  std::vector<std::string_view> names;
  std::vector<uint8_t> entries;
  for (const scene::NamedEntry& member : members) {
    names.push_back(member.name);
    entries.push_back(member.entry);
  }
  write_long_names(group, "members", names);
  h5::write_table(group, "member_entries", std::span<const uint8_t>(entries), {entries.size()});
}

std::vector<scene::NamedEntry> read_members(const h5::Object& group) {
  std::vector<scene::NamedEntry> members;
  if (!h5::has_child(group, "members")) return members;
  const std::vector<uint8_t> entries = read_up_to<uint8_t>(kMostNames, group, "member_entries");
  std::vector<std::string> names = read_long_names(group, "members", entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] >= scene::kPaletteSize)
      throw Error("has members that do not fit their entries").at(group.where());
    members.push_back({std::move(names[i]), entries[i]});
  }
  return members;
}

void write_named_colors(const h5::Object& group, const std::vector<scene::NamedColor>& named) {
  if (named.empty()) return;
  std::vector<std::string_view> names, members;
  std::vector<uint8_t> colors;
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < named.size(); ++number) {
    const auto& [name, color, own] = named[number];
    names.push_back(name);
    colors.insert(colors.end(), {color.r, color.g, color.b});
    members.insert(members.end(), own.begin(), own.end());
    numbers.insert(numbers.end(), own.size(), number);
  }
  write_long_names(group, "named", names);
  h5::write_table(group, "named_colors", std::span<const uint8_t>(colors), {names.size(), 3});
  if (members.empty()) return;
  write_long_names(group, "named_members", members);
  h5::write_table(group, "named_member_numbers", std::span<const uint32_t>(numbers), {numbers.size()});
}

std::vector<scene::NamedColor> read_named_colors(const h5::Object& group) {
  std::vector<scene::NamedColor> named;
  if (!h5::has_child(group, "named")) return named;
  const std::vector<uint8_t> colors =
      read_up_to<uint8_t>(scene::kMostNamedColors, group, "named_colors", {h5::kAnyLength, 3});
  const std::vector<std::string> names = read_long_names(group, "named", colors.size() / 3);
  std::unordered_set<uint32_t> known;
  for (size_t i = 0; i < names.size(); ++i) {
    named.push_back({names[i], {colors[3 * i], colors[3 * i + 1], colors[3 * i + 2]}});
    if (!known.insert(scene::packed_color(named.back().color)).second)
      throw Error(
          fmt::format("has the color {} twice in 'named_colors'", scene::hex_name(named.back().color)))
          .at(group.where());
  }
  if (!h5::has_child(group, "named_members")) return named;
  const std::vector<uint32_t> numbers = read_up_to<uint32_t>(kMostNames, group, "named_member_numbers");
  std::vector<std::string> members = read_long_names(group, "named_members", numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= named.size())
      throw Error("has members that do not fit their numbers").at(group.where());
    named[numbers[i]].members.push_back(std::move(members[i]));
  }
  return named;
}

}  // namespace

bool has_attribute_group(const h5::Object& file, VoxelAttribute attribute) {
  return open_attribute(file, attribute).has_value();
}

void write_attribute_group(const h5::Object& file, VoxelAttribute attribute,
                           const attributes::PackedValues& values, const Compression& compression) {
  const h5::Object all = h5::has_child(file, "attributes") ? h5::open_group(file, "attributes")
                                                           : h5::create_group(file, "attributes");
  const h5::Object group = h5::create_group(all, kind_of(attribute).group);
  h5::write_attribute(group, "count", values.count);
  h5::write_attribute(group, "value_bits", values.value_bits);
  h5::write_attribute(group, "bytes", values.byte_count);
  h5::write_text(group, "digest", dag::to_string(dag::digest_of(values)));
  LongWords heads(values.groups.size() * kHeadWords);
  if (!heads.empty()) std::memcpy(heads.data(), values.groups.data(), heads.size() * sizeof(uint64_t));
  h5::write_words(group, "groups", heads, compression);
  h5::write_words(group, "words", values.words, compression);
  if (!values.table.empty()) h5::write_words(group, "table", values.table, compression);
}

std::optional<AttributeInfo> attribute_info_of(const h5::Object& file, VoxelAttribute attribute) {
  const std::optional<h5::Object> group = open_attribute(file, attribute);
  if (!group) return std::nullopt;
  uint64_t bytes =
      h5::read_attribute<uint64_t>(*group, "bytes") +
      attributes::groups_of(h5::read_attribute<uint64_t>(*group, "count")) * sizeof(attributes::ValueGroup);
  if (h5::has_child(*group, "table"))
    bytes += h5::words_in(h5::open_dataset(*group, "table")) * sizeof(uint32_t);
  return AttributeInfo{bytes, checked_digest(h5::read_text(*group, "digest"), *group)};
}

std::optional<attributes::PackedValues> read_attribute_group(const h5::Object& file, VoxelAttribute attribute,
                                                             uint64_t voxels,
                                                             const std::shared_ptr<PagedBudget>& budget) {
  const std::optional<h5::Object> found = open_attribute(file, attribute);
  if (!found) return std::nullopt;
  const h5::Object& group = *found;
  const AttributeKind kind = kind_of(attribute);
  const auto fail = [&](const std::string& problem) { throw Error(problem).at(group.where()); };
  attributes::PackedValues values;
  values.count = h5::read_attribute<uint64_t>(group, "count");
  values.value_bits = h5::read_attribute<uint32_t>(group, "value_bits");
  values.byte_count = h5::read_attribute<uint64_t>(group, "bytes");
  if (h5::has_child(group, "table")) {
    const Words table = h5::read_words(h5::open_dataset(group, "table"));
    values.table.assign(table.begin(), table.end());
  }
  if (values.table.empty() && values.value_bits != kind.bits)
    fail(fmt::format("{} have {} bits, expected {}", kind.values, values.value_bits, kind.bits));
  for (const uint32_t value : values.table)
    if (value >> kind.bits != 0)
      fail(fmt::format("the table holds a number of more than {} bits", kind.bits));
  if (values.count != voxels)
    fail(fmt::format("there are {} {} for {} voxels", values.count, kind.values, voxels));
  const LongWords heads = h5::read_long_words(h5::open_dataset(group, "groups"));
  if (heads.size() != attributes::groups_of(values.count) * kHeadWords)
    fail(fmt::format("the heads of groups have {} words, expected {}", heads.size(),
                     attributes::groups_of(values.count) * kHeadWords));
  values.groups.resize(heads.size() / kHeadWords);
  if (!heads.empty())
    std::memcpy(static_cast<void*>(values.groups.data()), heads.data(), heads.size() * sizeof(uint64_t));
  values.words = words_of(h5::open_dataset(group, "words"), budget);
  try {
    attributes::check_structure(values);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw_if_cancelled();  // a piece that could not be read is all zeros
    fail(error.what());
  }
  const std::string digest = h5::read_text(group, "digest"), held = dag::to_string(dag::digest_of(values));
  throw_if_cancelled();
  if (digest != held)
    fail(fmt::format("the digest is {}, but the {} have {}: the file is damaged", digest, kind.values, held));
  return values;
}

void write_palette(const h5::Object& file, const dag::VoxelScene& scene) {
  h5::Object group = h5::create_group(file, "palette");
  std::array<uint8_t, 3 * scene::kPaletteSize> colors;
  for (size_t i = 0; i < scene::kPaletteSize; ++i) {
    scene::Rgb8 color = scene.palette.colors[i];
    colors[3 * i] = color.r;
    colors[3 * i + 1] = color.g;
    colors[3 * i + 2] = color.b;
  }
  h5::write_attribute(group, "count", scene.palette.count);
  h5::write_table(group, "colors", std::span<const uint8_t>(colors), {scene::kPaletteSize, 3});
  h5::write_texts(group, "names", {scene.palette.names.begin(), scene.palette.names.end()});
  h5::write_table(group, "share", std::span<const double>(scene.shares), {scene::kPaletteSize});
  write_members(group, scene.palette.members);
  write_named_colors(group, scene.named_colors);
}

void read_palette(const h5::Object& file, dag::VoxelScene& scene) {
  h5::Object group = h5::open_group(file, "palette");
  scene.palette.count = h5::read_attribute<uint32_t>(group, "count");
  if (scene.palette.count > scene::kPaletteSize)
    throw Error(fmt::format("has {} colors, expected at most {}", scene.palette.count, scene::kPaletteSize))
        .at(group.where());
  std::vector<uint8_t> colors = h5::read_table<uint8_t>(group, "colors", {scene::kPaletteSize, 3});
  for (size_t i = 0; i < scene::kPaletteSize; ++i)
    scene.palette.colors[i] = {colors[3 * i], colors[3 * i + 1], colors[3 * i + 2]};
  std::vector<std::string> names = h5::read_texts(group, "names");
  if (names.size() != scene::kPaletteSize)
    throw Error(fmt::format("has {} names, expected {}", names.size(), scene::kPaletteSize))
        .at(group.where());
  std::move(names.begin(), names.end(), scene.palette.names.begin());
  std::vector<double> shares = h5::read_table<double>(group, "share", {scene::kPaletteSize});
  std::copy(shares.begin(), shares.end(), scene.shares.begin());
  scene.palette.members = read_members(group);
  scene.named_colors = read_named_colors(group);
}

}  // namespace vox
