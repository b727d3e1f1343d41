// Writes .nvdb files of scenes: the outline of the tree, and what stands around its nodes.
#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

using namespace nvdb;

constexpr uint32_t kIndexVersion = version_number(32, 4, 2), kOnIndexVersion = version_number(32, 6, 0);

// Returns the facts of a scene's grid. In an index grid, the array of materials is written in pieces.
NvdbGridFacts facts_of(const dag::VoxelScene& scene, NvdbGrid grid, const TreeOutline& tree,
                       const TreeNodes& nodes) {
  const bool materials = scene.dag.materials;
  const auto count = [](uint64_t number) { return static_cast<uint32_t>(number); };
  NvdbGridFacts facts = {.name = grid == NvdbGrid::Rgba ? "colors"
                                 : materials            ? "materials"
                                                        : "voxels",
                         .version = grid == NvdbGrid::OnIndex ? kOnIndexVersion : kIndexVersion,
                         .flags = grid == NvdbGrid::U8 ? kHasMinMax : 0,
                         .type = nodes.type(),
                         .grid_class = nodes.is_index()         ? GridClass::IndexGrid
                                       : grid == NvdbGrid::Rgba ? GridClass::VoxelVolume
                                                                : GridClass::Unknown,  // U8: any class
                         .active = tree.active,
                         .nodes = {count(tree.leaves), count(tree.lowers.size()), count(tree.upper_nodes)},
                         .tiles = {count(tree.tiles[0]), count(tree.tiles[1]), count(tree.tiles[2])},
                         .first = {nodes.leaves_at(), nodes.lowers_at(), nodes.uppers_at()},
                         .end = nodes.end(),
                         .values = nodes.is_index() ? tree.values : 0,
                         .root = nodes.root()};
  if (materials && nodes.is_index()) {
    facts.arrays.push_back(blind_array(kMaterialsName, tree.values, 1));
    facts.arrays.back().record.data_class = kChannelArray;
  }
  if (materials) facts.arrays.push_back(palette_array(scene.palette));
  facts.arrays.push_back(text_array(scene));
  return facts;
}

void check_counts(const TreeOutline& tree, const std::filesystem::path& path) {
  for (const uint64_t count : {tree.leaves, tree.tiles[0], tree.tiles[1], uint64_t{tree.lowers.size()}})
    if (count > UINT32_MAX)
      throw Error(
          fmt::format("would have {} nodes of one size, but a .nvdb file can have {}", count, UINT32_MAX))
          .at(path.string())
          .hint(coarser_hint("64K"))
          .about("resolution");
}

}  // namespace

void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid, ranks::Ranks& ranks) {
  if (grid == NvdbGrid::Rgba && !scene.dag.materials && !scene.colors)
    throw Error("cannot hold colors: the scene has no materials").at(path.string());
  const VoxelBox region = export_region(scene, clip, path);
  const TreeOutline tree =
      outline_of(scene.dag, region, grid == NvdbGrid::U8 ? CountMaterials::Yes : CountMaterials::No,
                 scene.colors && grid == NvdbGrid::Rgba ? FullNodes::AreLeaves : FullNodes::AreTiles);
  check_counts(tree, path);
  const TreeNodes nodes(scene, grid, tree);
  const NvdbHeads heads(scene, facts_of(scene, grid, tree, nodes));
  ExportFile file(path, heads.bytes(), Writers::Several, ranks);
  heads.write(file);
  std::vector<const UpperNode*> uppers;
  for (const UpperNode& upper : tree.uppers)
    if (!upper.solid) uppers.push_back(&upper);
  const std::vector<LowerNode>& lowers = tree.lowers;
  file.write_pieces(uppers.size(), [&](uint64_t i) { return nodes.upper(*uppers[i]); });
  file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.lower(lowers[i], i); });
  file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.leaves(lowers[i]); });
  heads.write_arrays(file, [&] {
    file.write(nodes.first_materials());
    file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.materials(lowers[i]); });
  });
  file.commit();
}

namespace {

// Copies the record at this place of a file. Returns false if the file ends before.
template <class Record>
bool copy_record(std::string_view file, uint64_t at, Record& record) {
  if (at > file.size() || file.size() - at < sizeof(Record)) return false;
  std::memcpy(&record, file.data() + at, sizeof(Record));
  return true;
}

}  // namespace

// The last array beside the tree is the scene's description.
bool is_nvdb_of_vox(std::string_view file) {
  GridRecord record;
  GridHead head;
  BlindRecord last;
  if (!file.starts_with("NanoVDB") || !copy_record(file, sizeof(FileHeader), record)) return false;
  const uint64_t grid = sizeof(FileHeader) + sizeof(GridRecord) + record.name_bytes;
  if (!copy_record(file, grid, head) || head.blind_count == 0) return false;
  const uint64_t at =
      grid + static_cast<uint64_t>(head.blind_at) + (head.blind_count - uint64_t{1}) * sizeof(BlindRecord);
  return copy_record(file, at, last) &&
         std::string_view(last.name.data(), last.name.size()).starts_with(std::string(kSceneName) + '\0');
}

}  // namespace vox

namespace vox::nvdb {
namespace {

ActiveVoxels solid_cube(Int3 corner, int32_t side, uint32_t material) {
  const VoxelBox cube = cube_at(corner, static_cast<uint32_t>(side));
  return {cube, cube.voxels(), 1u << material};
}

uint32_t materials_of(const dag::FrozenDag& dag, const uint32_t* leaf, uint64_t inside) {
  if (!dag.materials) return 1;
  const uint32_t* words = dag::leaf_materials(leaf);
  const uint64_t mask = dag::leaf_mask(leaf);
  uint32_t found = 0, rank = 0;
  for (uint64_t left = mask; left != 0; left &= left - 1, ++rank)
    if ((inside & left & (0 - left)) != 0) found |= 1u << dag::ranked_material(words, rank);
  return found;
}

ActiveVoxels active_of(const dag::FrozenDag& dag, const LeafCell& cell, CountMaterials materials) {
  ActiveVoxels active;
  for (uint32_t o = 0; o < 8; ++o) {
    const uint64_t mask = cell.masks[o];
    if (mask == 0) continue;
    const Int3 corner = cell.corner + octant_corner(o, dag::kLeafSide);
    const VoxelBox bounds = dag::leaf_bounds(mask);
    const uint32_t* leaf = cell.leaves[o];
    const uint32_t found = materials == CountMaterials::No ? 0
                           : leaf != nullptr               ? materials_of(dag, leaf, mask)
                                                           : 1u << cell.material;
    active.add({{corner + bounds.min, corner + bounds.max}, static_cast<uint64_t>(popcount(mask)), found});
  }
  return active;
}

void count_lower(const dag::FrozenDag& dag, const TreeOutline& tree, CountMaterials materials,
                 LowerNode& lower) {
  const VoxelBox box = intersection(cube_at(lower.corner, kLowerSide), tree.region);
  for_each_tree_cell(dag, box, kLeafSide, tree.full, [&](const TreeCell& cell) {
    if (cell.solid) {
      ++lower.tiles;
      lower.active.add(solid_cube(cell.corner, kLeafSide, cell.material));
      return;
    }
    const ActiveVoxels active = active_of(dag, leaf_cell(dag, box, cell), materials);
    if (active.count == 0) return;
    ++lower.leaves;
    lower.leaf_voxels += active.count;
    lower.active.add(active);
  });
}

std::vector<UpperNode> find_uppers(const dag::FrozenDag& dag, const TreeOutline& tree) {
  std::vector<UpperNode> uppers;
  for_each_tree_cell(dag, tree.region, kUpperSide, tree.full, [&](const TreeCell& cell) {
    uppers.push_back({.corner = cell.corner, .solid = cell.solid, .material = cell.material});
  });
  std::ranges::sort(uppers, {},
                    [](const UpperNode& u) { return std::tuple(u.corner.x, u.corner.y, u.corner.z); });
  return uppers;
}

// Counts the tiles directly below a node of 4096³, and appends its children to those of other nodes.
void find_lowers(const dag::FrozenDag& dag, UpperNode& upper, TreeOutline& tree) {
  upper.first_lower = tree.lowers.size();
  const VoxelBox box = intersection(cube_at(upper.corner, kUpperSide), tree.region);
  for_each_tree_cell(dag, box, kLowerSide, tree.full, [&](const TreeCell& cell) {
    if (!cell.solid) return tree.lowers.push_back({.corner = cell.corner});
    ++upper.tiles;
    upper.active.add(solid_cube(cell.corner, kLowerSide, cell.material));
  });
  upper.lowers = tree.lowers.size() - upper.first_lower;
}

// Removes the nodes that have no voxels because the clip box cuts these off, and sets where the others begin.
void place_nodes(TreeOutline& tree) {
  std::vector<LowerNode> lowers;
  lowers.reserve(tree.lowers.size());
  for (UpperNode& upper : tree.uppers) {
    const size_t first = lowers.size();
    for (uint64_t i = upper.first_lower; i < upper.first_lower + upper.lowers; ++i) {
      if (tree.lowers[i].active.count == 0) continue;
      upper.active.add(tree.lowers[i].active);
      lowers.push_back(tree.lowers[i]);
    }
    upper.first_lower = first;
    upper.lowers = lowers.size() - first;
  }
  tree.lowers = std::move(lowers);
  std::erase_if(tree.uppers, [](const UpperNode& upper) { return upper.active.count == 0; });
  for (UpperNode& upper : tree.uppers) {
    upper.first_value = tree.values;
    tree.values += upper.solid ? 1 : upper.tiles;
    upper.number = tree.upper_nodes;
    tree.upper_nodes += upper.solid ? 0 : 1;
    tree.tiles[upper.solid ? 2 : 1] += upper.solid ? 1 : upper.tiles;
    tree.active.add(upper.active);
  }
  for (LowerNode& lower : tree.lowers) {
    lower.first_leaf = tree.leaves;
    lower.first_value = tree.values;
    tree.leaves += lower.leaves;
    tree.values += lower.values();
    tree.tiles[0] += lower.tiles;
  }
}

// Returns the hash of a name by which readers look up a grid.
uint64_t name_key(std::string_view name) {
  uint64_t key = 0;
  for (const char c : name) {
    const uint64_t overflow = key >> 56;
    key = key * 67 + static_cast<uint8_t>(c) + overflow;
  }
  return key;
}

Map map_of(const dag::VoxelScene& scene) {
  Map map;
  for (size_t axis = 0; axis < 3; ++axis) {
    const size_t diagonal = 4 * axis;
    map.matrix[diagonal] = scene.voxel_size[static_cast<uint32_t>(axis)];
    map.inverse[diagonal] = 1 / map.matrix[diagonal];
    map.matrix_f[diagonal] = static_cast<float>(map.matrix[diagonal]);
    map.inverse_f[diagonal] = static_cast<float>(map.inverse[diagonal]);
    map.shift[axis] = scene.origin[static_cast<uint32_t>(axis)];
    map.shift_f[axis] = static_cast<float>(map.shift[axis]);
  }
  return map;
}

std::array<double, 6> world_box(const dag::VoxelScene& scene, const ActiveVoxels& active) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (active.count == 0) return {kMost, kMost, kMost, -kMost, -kMost, -kMost};
  const Vec3d min = world_corner(scene, active.box.min), max = world_corner(scene, active.box.max);
  return {min.x, min.y, min.z, max.x, max.y, max.z};
}

}  // namespace

LeafCell leaf_cell(const dag::FrozenDag& dag, const VoxelBox& region, const TreeCell& cell) {
  LeafCell leaf = {.corner = cell.corner, .material = cell.material};
  const VoxelBox cube = cube_at(cell.corner, kLeafSide);
  const bool cut = !(intersection(cube, region) == cube);
  const auto put = [&](uint32_t octant, uint64_t mask, const uint32_t* words) {
    const Int3 corner = cell.corner + octant_corner(octant, dag::kLeafSide);
    leaf.masks[octant] = cut ? mask & dag::leaf_mask_inside(corner, region) : mask;
    leaf.leaves[octant] = words;
  };
  if (cell.node == nullptr) {
    for (uint32_t octant = 0; octant < 8; ++octant) put(octant, UINT64_MAX, nullptr);
  } else if (cell.level == dag.depth()) {
    put(0, dag::leaf_mask(cell.node), cell.node);  // the whole scene is one leaf of 4³
  } else {
    const dag::DagLevel& children = dag.levels[cell.level + 1];
    const uint32_t* pointer = cell.node + 1;
    for (uint32_t mask = dag::child_mask(*cell.node); mask != 0; mask &= mask - 1, ++pointer) {
      const uint32_t* words = children.node(*pointer);
      put(static_cast<uint32_t>(lowest_bit(mask)), dag::leaf_mask(words), words);
    }
  }
  return leaf;
}

TreeOutline outline_of(const dag::FrozenDag& dag, const VoxelBox& region, CountMaterials materials,
                       FullNodes full) {
  TreeOutline tree = {.region = region, .full = full};
  tree.uppers = find_uppers(dag, tree);
  for (UpperNode& upper : tree.uppers) {
    throw_if_cancelled();
    if (upper.solid)
      upper.active = solid_cube(upper.corner, kUpperSide, upper.material);
    else
      find_lowers(dag, upper, tree);
  }
  parallel_for(size_t{0}, tree.lowers.size(), [&](size_t i) {
    throw_if_cancelled();
    count_lower(dag, tree, materials, tree.lowers[i]);
  });
  place_nodes(tree);
  return tree;
}

BlindArray blind_array(const char* name, uint64_t count, uint32_t value_bytes) {
  BlindArray array = {.record = {.count = count, .value_bytes = value_bytes}};
  std::strncpy(array.record.name.data(), name, array.record.name.size() - 1);
  return array;
}

BlindArray palette_array(const scene::Palette& palette) {
  BlindArray array = blind_array(kPaletteName, palette.count, 4);
  array.record.type = static_cast<uint32_t>(GridType::Rgba8);
  for (uint32_t i = 0; i < palette.count; ++i) {
    const scene::Rgb8 color = palette.colors[i];
    array.bytes.insert(array.bytes.end(), {color.r, color.g, color.b, 255});
  }
  return array;
}

BlindArray text_array(const dag::VoxelScene& scene) {
  const std::string text = scene_text(scene);
  BlindArray array = blind_array(kSceneName, text.size(), 1);
  array.bytes.assign(text.begin(), text.end());
  return array;
}

NvdbHeads::NvdbHeads(const dag::VoxelScene& scene, NvdbGridFacts facts)
    : scene_(scene), facts_(std::move(facts)) {
  uint64_t at = blind_at() + facts_.arrays.size() * sizeof(BlindRecord);
  for (size_t i = 0; i < facts_.arrays.size(); ++i) {
    BlindRecord& record = facts_.arrays[i].record;
    record.data_at = static_cast<int64_t>(at - (blind_at() + i * sizeof(BlindRecord)));
    at += align_up(record.count * record.value_bytes);
  }
  grid_bytes_ = at;
}

void NvdbHeads::write(ExportFile& file) const {
  file.write(file_head());
  file.write(grid_head());
}

NodeBytes NvdbHeads::file_head() const {
  const VoxelSize size = scene_.voxel_size;
  const FileHeader header = {.version = facts_.version, .grids = 1};
  const GridRecord record = {.grid_bytes = grid_bytes_,
                             .file_bytes = grid_bytes_,
                             .name_key = name_key(facts_.name),
                             .voxels = facts_.active.count,
                             .type = static_cast<uint32_t>(facts_.type),
                             .grid_class = static_cast<uint32_t>(facts_.grid_class),
                             .world_box = world_box(scene_, facts_.active),
                             .box = inclusive_box(facts_.active),
                             .voxel_size = {size.x, size.y, size.z},
                             .name_bytes = static_cast<uint32_t>(facts_.name.size() + 1),
                             .nodes = {facts_.nodes[0], facts_.nodes[1], facts_.nodes[2], 1},
                             .tiles = facts_.tiles,
                             .version = facts_.version};
  NodeBytes bytes(sizeof header + sizeof record + facts_.name.size() + 1);
  put_at(bytes, 0, header);
  put_at(bytes, sizeof header, record);
  std::ranges::copy(facts_.name, bytes.begin() + sizeof header + sizeof record);
  return bytes;
}

NodeBytes NvdbHeads::grid_head() const {
  const VoxelSize size = scene_.voxel_size;
  GridHead head = {.version = facts_.version,
                   .flags = kIsBreadthFirst | (facts_.active.count > 0 ? kHasBounds | facts_.flags : 0),
                   .bytes = grid_bytes_,
                   .map = map_of(scene_),
                   .world_box = world_box(scene_, facts_.active),
                   .voxel_size = {size.x, size.y, size.z},
                   .grid_class = static_cast<uint32_t>(facts_.grid_class),
                   .type = static_cast<uint32_t>(facts_.type),
                   .blind_at = static_cast<int64_t>(blind_at()),
                   .blind_count = static_cast<uint32_t>(facts_.arrays.size()),
                   .values = facts_.values};
  std::strncpy(head.name.data(), facts_.name.c_str(), head.name.size() - 1);
  const auto first = [&](size_t kind) { return facts_.nodes[kind] > 0 ? facts_.first[kind] : 0; };
  const TreeHead tree = {.first = {first(0), first(1), first(2), sizeof(TreeHead)},
                         .nodes = facts_.nodes,
                         .tiles = facts_.tiles,
                         .voxels = facts_.active.count};
  NodeBytes bytes(sizeof head + sizeof tree + facts_.root.size());
  put_at(bytes, 0, head);
  put_at(bytes, sizeof head, tree);
  std::ranges::copy(facts_.root, bytes.begin() + sizeof head + sizeof tree);
  const uint32_t checksum = libdeflate_crc32(0, bytes.data() + kChecksumBegin, bytes.size() - kChecksumBegin);
  put_at(bytes, offsetof(GridHead, checksum), kNoChecksum << 32 | checksum);
  return bytes;
}

}  // namespace vox::nvdb
