// Reads and writes the palette of a scene file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formats/scene/groups.h"

namespace vox {
namespace {

// The names of a mesh may be many, and one of them long: they stand one behind the other, each up to a zero byte.
void write_members(const h5::Object& group, const std::vector<scene::NamedEntry>& members) {
  if (members.empty()) return;
  std::vector<uint8_t> names, entries;
  for (const scene::NamedEntry& member : members) {
    for (const char c : member.name) names.push_back(c == '\0' ? ' ' : static_cast<uint8_t>(c));
    names.push_back(0);
    entries.push_back(member.entry);
  }
  h5::write_table(group, "members", std::span<const uint8_t>(names), {names.size()});
  h5::write_table(group, "member_entries", std::span<const uint8_t>(entries), {entries.size()});
}

std::vector<scene::NamedEntry> read_members(const h5::Object& group) {
  std::vector<scene::NamedEntry> members;
  if (!h5::has_child(group, "members")) return members;
  const std::vector<uint8_t> names = h5::read_table<uint8_t>(group, "members", {h5::kAnyLength}),
                             entries = h5::read_table<uint8_t>(group, "member_entries", {h5::kAnyLength});
  auto name = names.begin();
  for (const uint8_t entry : entries) {
    const auto end = std::find(name, names.end(), 0);
    if (end == names.end() || entry >= scene::kPaletteSize)
      throw Error("has members that do not fit their entries").at(group.where());
    members.push_back({std::string(name, end), entry});
    name = end + 1;
  }
  return members;
}

}  // namespace

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
}

}  // namespace vox
