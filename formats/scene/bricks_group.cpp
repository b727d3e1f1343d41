#include "formats/scene/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "formats/scene/any_scene.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/morton.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint32_t kTypeMask = (1u << bricks::kRootTypeBits) - 1;

// --- reading ---

uint32_t bits_of(volume::ValueType type, double number, const h5::Object& group) {
  uint32_t bits = 0;
  if (type == volume::ValueType::F32) {
    bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  } else if (number >= -32768 && number <= 65535) {
    bits =
        static_cast<uint32_t>(static_cast<int32_t>(number)) & (type == volume::ValueType::U8 ? 0xff : 0xffff);
  }
  if (volume::value_number(type, bits) != number)
    throw Error(fmt::format("the background is {}, which no {} is", number, volume::value_type_name(type)))
        .at(group.where());
  return bits;
}

void read_info(const h5::Object& group, bricks::FrozenBricks& bricks) {
  uint32_t size[3];
  h5::read_attribute(group, "size", std::span<uint32_t>(size));
  const std::string type = h5::read_text(group, "value_type");
  const auto known = volume::parse_value_type(type);
  if (!known) throw Error(fmt::format("has values of the unknown type '{}'", type)).at(group.where());
  try {
    bricks.info.size = volume::checked_volume_size(size[0], size[1], size[2]);
  } catch (Error& error) {
    throw error.at(group.where());
  }
  bricks.info.type = *known;
  bricks.info.spacing = read_vector(group, "spacing");
  bricks.info.origin = read_vector(group, "origin");
  bricks.info.source = h5::read_text(group, "source");
  bricks.background = bits_of(*known, h5::read_attribute<double>(group, "background"), group);
  bricks.filled = h5::read_attribute<uint64_t>(group, "filled");
  if (bricks.filled > bricks.info.box().voxels())
    throw Error(fmt::format("states {} filled voxels, but the volume has {}", bricks.filled,
                            bricks.info.box().voxels()))
        .at(group.where());
  const uint32_t side = h5::read_attribute<uint32_t>(group, "brick_side");
  if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 || side > 1u << bricks::kMaxBrickLog2)
    throw Error(fmt::format("bricks of {} voxels a side, expected 4, 8, 16, 32, 64, 128, 256 or 512", side))
        .at(group.where());
  bricks.log2_side = static_cast<uint32_t>(std::countr_zero(side));
  bricks.entry_words = h5::read_attribute<uint32_t>(group, "entry_words");
}

// Returns this program's number for the type of this name.
uint32_t type_number(std::string_view name, const h5::Object& group) {
  const auto found = std::ranges::find(bricks::BrickTypes::kNames, name);
  if (found == bricks::BrickTypes::kNames.end())
    throw Error(fmt::format("has bricks of the unknown type '{}'", name))
        .at(group.where())
        .hint("a newer vox may read it");
  return static_cast<uint32_t>(found - bricks::BrickTypes::kNames.begin());
}

// Reads how the bricks were made. If the file does not say so, bricks that are all dense or empty count as
// made for speed.
void read_making(const h5::Object& group, bricks::FrozenBricks& bricks) {
  if (h5::has_attribute(group, "allowed_types")) {
    const std::string names = h5::read_text(group, "allowed_types");
    bricks.allowed_types = 0;
    for (size_t at = 0; at <= names.size();) {
      const size_t end = std::min(names.find(',', at), names.size());
      bricks.allowed_types |= 1u << type_number(std::string_view(names).substr(at, end - at), group);
      at = end + 1;
    }
  } else {
    uint32_t present = 0;
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      if (bricks.counts[type] > 0) present |= 1u << type;
    if ((present & ~bricks::kFastBrickTypes) == 0) bricks.allowed_types = bricks::kFastBrickTypes;
  }
  if (h5::has_attribute(group, "slope")) bricks.slope = h5::read_attribute<double>(group, "slope");
  if (!(bricks.slope.value_or(0) >= 0)) throw Error("slope is not 0 or more").at(group.where());
}

std::string type_names(uint32_t types) {
  std::string names;
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    if ((types >> type & 1) != 0)
      names += (names.empty() ? "" : ",") + std::string(bricks::BrickTypes::kNames[type]);
  return names;
}

// Returns this program's number for each type of the file, because another version may number the types
// differently.
std::vector<uint32_t> type_numbers(const h5::Object& group) {
  std::vector<uint32_t> numbers;
  for (const std::string& name : h5::read_texts(group, "types")) {
    if (numbers.size() > kTypeMask) throw Error("has more than 16 types").at(group.where());
    numbers.push_back(type_number(name, group));
  }
  return numbers;
}

std::string level_name(const char* what, uint32_t level) {
  return fmt::format("{}{}", what, level);
}

uint32_t read_group_levels(const h5::Object& group) {
  const uint32_t levels = h5::read_attribute<uint32_t>(group, "group_levels");
  if (levels < 1 || levels > bricks::GroupsRef::kMostLevels)
    throw Error(
        fmt::format("has {} levels of groups, expected 1 to {}", levels, bricks::GroupsRef::kMostLevels))
        .at(group.where());
  return levels;
}

void read_groups(const h5::Object& group, bricks::FrozenBricks& bricks) {
  const uint32_t levels = read_group_levels(group);
  bricks.place_log2 = h5::read_attribute<uint32_t>(group, "place_log2");
  bricks.groups.top = h5::read_words(h5::open_dataset(group, "groups"));
  for (uint32_t level = 0; level < levels; ++level) {
    bricks.groups.blocks.push_back(h5::read_words(h5::open_dataset(group, level_name("blocks", level))));
    if (level + 1 < levels)
      bricks.groups.lists.push_back(h5::read_words(h5::open_dataset(group, level_name("list", level))));
  }
}

void write_groups(const h5::Object& group, const bricks::RootGroups& groups, const Compression& compression) {
  h5::write_attribute(group, "group_levels", groups.levels());
  h5::write_words(group, "groups", groups.top, compression);
  for (uint32_t level = 0; level < groups.levels(); ++level) {
    h5::write_words(group, level_name("blocks", level), groups.blocks[level], compression);
    if (level + 1 < groups.levels())
      h5::write_words(group, level_name("list", level), groups.lists[level], compression);
  }
}

void read_root(const h5::Object& group, bricks::FrozenBricks& bricks) {
  const h5::Object root = h5::open_dataset(group, "root");
  bricks.root = h5::read_words(root);
  if (h5::has_attribute(group, "group_levels")) read_groups(group, bricks);
  try {
    bricks::check_entry_words(bricks);
  } catch (Error& error) {
    throw error.at(root.where());
  }
  const std::vector<uint32_t> numbers = type_numbers(group);
  for (uint64_t i = 0; i < bricks.root.size(); i += bricks.entry_words) {
    uint32_t& entry = bricks.root[i];
    const uint32_t type = entry & kTypeMask;
    if (type >= numbers.size()) throw Error(fmt::format("a brick is of type {}", type)).at(root.where());
    entry = (entry & ~kTypeMask) | numbers[type];
    ++bricks.counts[numbers[type]];
  }
}

}  // namespace

std::string bricks_group_name(uint32_t level) {
  return level == 0 ? "bricks" : fmt::format("bricks_{}", level);
}

std::vector<uint64_t> bricks_group_bytes(const h5::Object& file) {
  std::vector<uint64_t> bytes;
  const h5::Object finest = h5::open_group(file, bricks_group_name(0));
  const uint32_t coarser =
      h5::has_attribute(finest, "levels") ? h5::read_attribute<uint32_t>(finest, "levels") : 0;
  if (coarser > bricks::kMostLevels)
    throw Error(fmt::format("has {} coarser levels, expected up to {}", coarser, bricks::kMostLevels))
        .at(finest.where());
  for (uint32_t level = 0; level <= coarser; ++level) {
    const h5::Object group = h5::open_group(file, bricks_group_name(level));
    std::vector<std::string> names = {"root"};
    if (h5::has_attribute(group, "group_levels")) {
      const uint32_t levels = read_group_levels(group);
      names.push_back("groups");
      for (uint32_t i = 0; i < levels; ++i) names.push_back(level_name("blocks", i));
      for (uint32_t i = 0; i + 1 < levels; ++i) names.push_back(level_name("list", i));
    }
    for (const std::string& name : h5::read_texts(group, "types"))
      if (h5::has_child(group, name)) names.push_back(name);
    uint64_t words = 0;
    for (const std::string& name : names) words += h5::words_in(h5::open_dataset(group, name));
    bytes.push_back(words * sizeof(uint32_t));
  }
  return bytes;
}

void write_bricks_group(const h5::Object& file, const bricks::FrozenBricks& bricks,
                        const Compression& compression, uint32_t level, uint32_t coarser) {
  const h5::Object group = h5::create_group(file, bricks_group_name(level));
  if (coarser > 0) h5::write_attribute(group, "levels", coarser);
  const volume::VolumeInfo& info = bricks.info;
  const Int3& size = info.size;
  h5::write_attribute<uint32_t>(group, "size",
                                std::array{static_cast<uint32_t>(size.x), static_cast<uint32_t>(size.y),
                                           static_cast<uint32_t>(size.z)});
  h5::write_text(group, "value_type", std::string(volume::value_type_name(info.type)));
  h5::write_attribute<double>(group, "spacing", std::array{info.spacing.x, info.spacing.y, info.spacing.z});
  h5::write_attribute<double>(group, "origin", std::array{info.origin.x, info.origin.y, info.origin.z});
  h5::write_attribute(group, "background", volume::value_number(info.type, bricks.background));
  h5::write_attribute(group, "brick_side", bricks.shape().side());
  h5::write_attribute(group, "filled", bricks.filled);
  h5::write_attribute(group, "entry_words", bricks.entry_words);
  h5::write_text(group, "source", info.source);
  h5::write_text(group, "allowed_types", type_names(bricks.allowed_types));
  if (bricks.slope) h5::write_attribute(group, "slope", *bricks.slope);
  h5::write_texts(group, "types", {bricks::BrickTypes::kNames.begin(), bricks::BrickTypes::kNames.end()});
  h5::write_words(group, "root", bricks.root, compression);
  if (bricks.is_sparse()) {
    h5::write_attribute(group, "place_log2", bricks.place_log2);
    write_groups(group, bricks.groups, compression);
  }
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const h5::Object data =
        h5::write_words(group, std::string(bricks::BrickTypes::kNames[type]), bricks.data[type], compression);
    h5::write_attribute(data, "bricks", bricks.counts[type]);
  }
}

bricks::FrozenBricks read_bricks_group(const h5::Object& file, uint32_t level) {
  const h5::Object group = h5::open_group(file, bricks_group_name(level));
  bricks::FrozenBricks bricks;
  read_info(group, bricks);
  read_root(group, bricks);
  read_making(group, bricks);
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    if (bricks.counts[type] > 0)
      bricks.data[type] =
          h5::read_words(h5::open_dataset(group, std::string(bricks::BrickTypes::kNames[type])));
  at_place(group.where(), [&] {
    bricks::check_brick_types(bricks.allowed_types);
    bricks::check_structure(bricks);
  });
  return bricks;
}

namespace {

// Adds the keys of the cubes of 64³ voxels in which a volume may hold anything but 0, inside a cube.
void add_filled_cubes(const volume::Volume& volume, Int3 corner, uint32_t side,
                      std::vector<uint64_t>& cubes) {
  const VoxelBox box = intersection(cube_at(corner, side), volume.info.box());
  if (box.empty() || (volume.is_zero && volume.is_zero(box))) return;
  if (side == dag::VoxelCube::kSide) return cubes.push_back(dag::cube_key(corner));
  for (uint32_t octant = 0; octant < 8; ++octant)
    add_filled_cubes(volume, corner + octant_place(octant) * static_cast<int32_t>(side / 2), side / 2, cubes);
}

// The bricks of a scene store 0 for an empty voxel and m + 1 for material m. Other values are an error.
VoxelFile voxels_of_bricks(const bricks::FrozenBricks& bricks, const dag::VoxelScene& facts,
                           const std::filesystem::path& path) {
  const volume::Volume volume = bricks::bricks_volume(bricks);
  const Int3 size = volume.info.size;
  VoxelFile file;
  file.resolution =
      std::max(static_cast<uint32_t>(std::max({size.x, size.y, size.z})), voxelize::kMinResolution);
  file.values = facts.dag.materials ? VoxelValues::Entries : VoxelValues::Filled;
  file.palette = facts.palette;
  add_filled_cubes(volume, {0, 0, 0},
                   std::max(std::bit_ceil(file.resolution), uint32_t{dag::VoxelCube::kSide}), file.cubes);
  std::ranges::sort(file.cubes);
  const uint32_t most = facts.palette.count > 0 ? facts.palette.count : scene::kPaletteSize;
  file.read = [volume, most, path, cubes = file.cubes](size_t i, VoxelSink& to) {
    const Int3 corner = dag::cube_corner(cubes[i]);
    const VoxelBox box = intersection(cube_at(corner, dag::VoxelCube::kSide), volume.info.box());
    std::vector<std::byte> values(box.voxels());
    volume.read(box, values.data());
    const std::byte* value = values.data();
    Int3 at;
    for (at.z = 0; at.z < box.size().z; ++at.z)
      for (at.y = 0; at.y < box.size().y; ++at.y)
        for (at.x = 0; at.x < box.size().x; ++at.x, ++value) {
          if (std::to_integer<uint32_t>(*value) > most) fail_as_volume(path);
          if (*value != std::byte{0}) to.put(at, std::to_integer<uint32_t>(*value) - 1);
        }
  };
  return file;
}

}  // namespace

void fail_as_volume(const std::filesystem::path& path) {
  throw Error("holds bricks of a volume, whose values are no materials of a scene")
      .at(path.string())
      .hint("vox-convert makes a scene of a volume");
}

dag::FrozenDag dag_of_bricks(const std::filesystem::path& path, const dag::VoxelScene& facts,
                             uint64_t memory_limit) {
  const bricks::FrozenBricks bricks = read_bricks(path);
  if (bricks.info.type != volume::ValueType::U8 || bricks.background != 0) fail_as_volume(path);
  return scene_of_voxels(voxels_of_bricks(bricks, facts, path), {.memory_limit = memory_limit}, path)
      .scene.dag;
}

bricks::FrozenBricks bricks_beside(const dag::VoxelScene& scene, const std::filesystem::path& file) {
  bricks::FrozenBricks bricks = read_bricks(file);
  const volume::VolumeInfo expected = dag::scene_volume(scene).info;
  if (bricks.info.size != expected.size || bricks.info.type != expected.type ||
      bricks.filled != scene.dag.voxels)
    throw Error("its bricks are not those of the scene, so that they cannot follow its edits")
        .at(file.string())
        .hint("they can be left out")
        .about("drop_bricks");
  return bricks;
}

}  // namespace vox
