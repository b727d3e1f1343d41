#include "formats/voxels/nanovdb/nvdb_tree.h"

#include "formats/volume/places.h"
#include "libvox/dag/walk.h"

namespace vox::nvdb {
namespace {

constexpr NodeShape kOfIndexes = {.value_bytes = 8, .value_align = 8, .stat_bytes = 8};

// Returns the four voxels of a row along z of a leaf's mask. The row begins at bit `first` and has the bits
// 0, 4, 32 and 36 from there (base/morton.h).
uint32_t row_of(uint64_t mask, uint32_t first) {
  const uint64_t row = mask >> first;
  const uint64_t apart = (row & 0x11) | (row >> 30 & 0x44);  // bits 0, 4, 2, 6
  return static_cast<uint32_t>((apart | apart >> 3) & 15);
}

// Returns where the values of each word of a leaf's mask begin among the leaf's values, 9 bits for each word
// but the first.
uint64_t prefix_sums(const std::array<uint64_t, 8>& mask) {
  uint64_t sums = 0, sum = 0;
  for (uint32_t word = 0; word < 7; ++word) {
    sum += static_cast<uint64_t>(popcount(mask[word]));
    sums |= sum << 9 * word;
  }
  return sums;
}

// The index of each voxel of an octant of a leaf among the leaf's voxels.
constexpr std::array<uint16_t, 64> kPlaces = [] {
  std::array<uint16_t, 64> places = {};
  for (uint32_t bit = 0; bit < 64; ++bit) {
    const Int3 at = cube_place(bit);
    places[bit] = static_cast<uint16_t>(at.x << 6 | at.y << 3 | at.z);
  }
  return places;
}();

// Returns the mask of a leaf in the file's order.
std::array<uint64_t, 8> file_mask(const LeafCell& cell) {
  std::array<uint64_t, 8> words = {};
  for (uint32_t o = 0; o < 8; ++o) {
    if (cell.masks[o] == 0) continue;
    const Vec3<uint32_t> corner = {o & 1 ? 4u : 0, o & 2 ? 4u : 0, o & 4 ? 4u : 0};
    for (uint32_t x = 0; x < dag::kLeafSide; ++x)
      for (uint32_t y = 0; y < dag::kLeafSide; ++y)
        words[corner.x + x] |= uint64_t{row_of(cell.masks[o], cube_bit(x, y, 0))}
                               << (8 * (corner.y + y) + corner.z);
  }
  return words;
}

// Returns the box around the voxels of a leaf, which must have some.
VoxelBox bounds_of(const LeafCell& cell) {
  VoxelBox box = {};
  for (uint32_t o = 0; o < 8; ++o) {
    if (cell.masks[o] == 0) continue;
    const Int3 corner = cell.corner + octant_corner(o, dag::kLeafSide);
    const VoxelBox bounds = dag::leaf_bounds(cell.masks[o]);
    const VoxelBox octant = {corner + bounds.min, corner + bounds.max};
    box = box.empty() ? octant : hull(box, octant);
  }
  return box;
}

// Calls body(voxel) for the voxels of a mask in the file's order.
template <class Body>
void for_each_active(const std::array<uint64_t, 8>& mask, Body body) {
  for (uint32_t word = 0; word < 8; ++word)
    for (uint64_t left = mask[word]; left != 0; left &= left - 1)
      body(word * 64 + static_cast<uint32_t>(lowest_bit(left)));
}

}  // namespace

std::array<int32_t, 6> inclusive_box(const ActiveVoxels& active) {
  if (active.count == 0) return {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
  const auto& [min, max] = active.box;
  return {min.x, min.y, min.z, max.x - 1, max.y - 1, max.z - 1};
}

TreeNodes::TreeNodes(const dag::VoxelScene& scene, NvdbGrid grid, const TreeOutline& tree)
    : scene_(scene), grid_(grid), tree_(tree), shape_(is_index() ? kOfIndexes : NodeShape{}) {
  if (scene.colors && grid == NvdbGrid::Rgba) colors_.emplace(scene);
}

GridType TreeNodes::type() const {
  if (grid_ == NvdbGrid::Index) return GridType::Index;
  if (grid_ == NvdbGrid::OnIndex) return GridType::OnIndex;
  return grid_ == NvdbGrid::U8 ? GridType::Fp8 : GridType::Rgba8;
}

uint64_t TreeNodes::leaf_bytes() const {
  return is_index() ? sizeof(LeafHead) : sizeof(LeafHead) + (grid_ == NvdbGrid::U8 ? 512 : 4 * 512);
}

void TreeNodes::put_value(NodeBytes& bytes, uint64_t at, uint32_t material, uint64_t index) const {
  if (is_index()) {
    put_at(bytes, at, index);
  } else if (grid_ == NvdbGrid::U8) {
    put_at(bytes, at, static_cast<float>(dag::solid_value(material)));
  } else {
    const scene::Rgb8 color = scene_.palette.colors[material];
    put_at(bytes, at, std::array<uint8_t, 4>{color.r, color.g, color.b, 255});
  }
}

void TreeNodes::put_min_max(NodeBytes& bytes, uint64_t at, uint32_t materials) const {
  if (grid_ != NvdbGrid::U8 || materials == 0) return;
  put_value(bytes, at, static_cast<uint32_t>(lowest_bit(materials)), 0);
  put_value(bytes, at + 4, static_cast<uint32_t>(highest_bit(materials)), 0);
}

NodeBytes TreeNodes::root() const {
  NodeBytes bytes(root_bytes());
  put_at(bytes, 0, inclusive_box(tree_.active));
  put_at(bytes, kRootTableSize, static_cast<uint32_t>(tree_.uppers.size()));
  put_min_max(bytes, 28 + 4, tree_.active.materials);
  uint64_t at = shape_.root_bytes(), child = root_bytes();
  for (const UpperNode& upper : tree_.uppers) {
    RootTile tile = {.key = root_key(upper.corner)};
    if (upper.solid) {
      tile.active = 1;
      put_value(bytes, at + shape_.root_value(), upper.material, upper.first_value);
    } else {
      tile.child = static_cast<int64_t>(child);
      child += shape_.inner_bytes(kUpperEntries);
    }
    put_at(bytes, at, tile.key);
    put_at(bytes, at + 8, tile.child);
    put_at(bytes, at + 16, tile.active);
    at += shape_.root_tile_bytes();
  }
  return bytes;
}

void TreeNodes::put_inner_head(NodeBytes& bytes, const ActiveVoxels& active, uint32_t entries) const {
  put_at(bytes, 0, inclusive_box(active));
  put_at(bytes, 24, kNodeHasBounds);
  put_min_max(bytes, NodeShape::stats(entries), active.materials);
}

NodeBytes TreeNodes::upper(const UpperNode& upper) const {
  constexpr uint32_t kLog2 = 5;
  NodeBytes bytes(shape_.inner_bytes(kUpperEntries));
  put_inner_head(bytes, upper.active, kUpperEntries);
  const auto entry = [&](Int3 corner) {
    const Int3 at = corner - upper.corner;
    return entry_of({at.x / kLowerSide, at.y / kLowerSide, at.z / kLowerSide}, kLog2);
  };
  const uint64_t table = shape_.table(kUpperEntries), lower_bytes = shape_.inner_bytes(kLowerEntries);
  const uint64_t here = uppers_at() + upper.number * bytes.size();
  for (uint64_t i = upper.first_lower; i < upper.first_lower + upper.lowers; ++i) {
    const uint32_t n = entry(tree_.lowers[i].corner);
    set_bit(bytes, NodeShape::child_mask(kUpperEntries), n);
    put_at(bytes, table + uint64_t{n} * 8, lowers_at() + i * lower_bytes - here);
  }
  if (upper.tiles == 0) return bytes;
  uint64_t index = upper.first_value;
  const VoxelBox box = intersection(cube_at(upper.corner, kUpperSide), tree_.region);
  for_each_tree_cell(scene_.dag, box, kLowerSide, tree_.full, [&](const TreeCell& cell) {
    if (!cell.solid) return;
    const uint32_t n = entry(cell.corner);
    set_bit(bytes, NodeShape::value_mask(), n);
    put_value(bytes, table + uint64_t{n} * 8, cell.material, index++);
  });
  return bytes;
}

// Calls on_tile(cell, index) and on_leaf(leaf, index) for the contents of a node of 128³, in the order of its
// values.
template <class OnTile, class OnLeaf>
void TreeNodes::for_each_cell(const LowerNode& lower, OnTile on_tile, OnLeaf on_leaf) const {
  const VoxelBox box = intersection(cube_at(lower.corner, kLowerSide), tree_.region);
  uint64_t index = lower.first_value;
  for_each_tree_cell(scene_.dag, box, kLeafSide, tree_.full, [&](const TreeCell& cell) {
    if (cell.solid) return on_tile(cell, index++);
    const LeafCell leaf = leaf_cell(scene_.dag, box, cell);
    uint64_t count = 0;
    for (const uint64_t mask : leaf.masks) count += static_cast<uint64_t>(popcount(mask));
    if (count == 0) return;
    on_leaf(leaf, index);
    index += count;
  });
}

NodeBytes TreeNodes::lower(const LowerNode& lower, uint64_t number) const {
  constexpr uint32_t kLog2 = 4;
  NodeBytes bytes(shape_.inner_bytes(kLowerEntries));
  put_inner_head(bytes, lower.active, kLowerEntries);
  const auto entry = [&](Int3 corner) {
    const Int3 at = corner - lower.corner;
    return entry_of({at.x / kLeafSide, at.y / kLeafSide, at.z / kLeafSide}, kLog2);
  };
  const uint64_t table = shape_.table(kLowerEntries);
  uint64_t child = leaves_at() + lower.first_leaf * leaf_bytes() - (lowers_at() + number * bytes.size());
  const auto put_tile = [&](const TreeCell& cell, uint64_t index) {
    const uint32_t n = entry(cell.corner);
    set_bit(bytes, NodeShape::value_mask(), n);
    put_value(bytes, table + uint64_t{n} * 8, cell.material, index);
  };
  const auto put_child = [&](Int3 corner) {
    const uint32_t n = entry(corner);
    set_bit(bytes, NodeShape::child_mask(kLowerEntries), n);
    put_at(bytes, table + uint64_t{n} * 8, child);
    child += leaf_bytes();
  };
  const VoxelBox cube = cube_at(lower.corner, kLowerSide);
  const bool is_cut = !(intersection(cube, tree_.region) == cube);
  if (is_cut || (is_index() && lower.tiles > 0)) {
    for_each_cell(lower, put_tile, [&](const LeafCell& leaf, uint64_t) { put_child(leaf.corner); });
    return bytes;
  }
  // Indices are not needed and no cell is empty, so the scene's leaves need not be read.
  for_each_tree_cell(scene_.dag, cube, kLeafSide, tree_.full, [&](const TreeCell& cell) {
    if (cell.solid) return put_tile(cell, 0);
    put_child(cell.corner);
  });
  return bytes;
}

// Calls body(i, material) for the voxels of a leaf in the scene's order; i is the voxel's index in the file's
// leaf.
template <class Body>
void TreeNodes::for_each_voxel(const LeafCell& cell, Body body) const {
  for (uint32_t o = 0; o < 8; ++o) {
    const uint64_t inside = cell.masks[o];
    if (inside == 0) continue;
    const uint32_t first = entry_of(octant_corner(o, dag::kLeafSide), 3);
    const uint32_t* leaf = cell.leaves[o];
    if (leaf == nullptr || !scene_.dag.materials) {
      for (uint64_t left = inside; left != 0; left &= left - 1)
        body(first + kPlaces[static_cast<size_t>(lowest_bit(left))], cell.material);
      continue;
    }
    const uint32_t* materials = dag::leaf_materials(leaf);
    uint32_t rank = 0;
    for (uint64_t left = dag::leaf_mask(leaf); left != 0; left &= left - 1, ++rank) {
      const auto bit = static_cast<uint32_t>(lowest_bit(left));
      if ((inside >> bit & 1) != 0) body(first + kPlaces[bit], dag::ranked_material(materials, rank));
    }
  }
}

// Values of inactive voxels stay 0, the background.
void TreeNodes::put_codes(uint8_t* to, const LeafCell& cell, LeafHead& head) const {
  uint32_t found = 0;
  for_each_voxel(cell, [&](uint32_t i, uint32_t material) {
    to[i] = dag::solid_value(material);
    found |= 1u << material;
  });
  constexpr float kZero = 0, kQuantum = 1;  // the value of code 0, and the step from code to code
  const uint16_t least = dag::solid_value(static_cast<uint32_t>(lowest_bit(found))),
                 most = dag::solid_value(static_cast<uint32_t>(highest_bit(found)));
  std::memcpy(head.of_type.data(), &kZero, 4);
  std::memcpy(head.of_type.data() + 4, &kQuantum, 4);
  std::memcpy(head.of_type.data() + 8, &least, 2);
  std::memcpy(head.of_type.data() + 10, &most, 2);
}

void TreeNodes::put_colors(uint8_t* to, const LeafCell& cell) const {
  const auto put = [&](uint32_t i, scene::Rgb8 color) {
    const std::array<uint8_t, 4> rgba = {color.r, color.g, color.b, 255};
    std::memcpy(to + size_t{4} * i, rgba.data(), rgba.size());
  };
  if (!colors_)
    return for_each_voxel(cell,
                          [&](uint32_t i, uint32_t material) { put(i, scene_.palette.colors[material]); });
  for (uint32_t o = 0; o < 8; ++o) {
    if (cell.masks[o] == 0) continue;
    const Int3 corner = octant_corner(o, dag::kLeafSide);
    const std::array<uint32_t, 64> colors = (*colors_)(cell.corner + corner);
    for (uint64_t left = cell.masks[o]; left != 0; left &= left - 1) {
      const auto bit = static_cast<size_t>(lowest_bit(left));
      put(entry_of(corner, 3) + kPlaces[bit], scene::unpacked_color(colors[bit]));
    }
  }
}

void TreeNodes::put_leaf(NodeBytes& bytes, uint64_t at, const LeafCell& cell, uint64_t index) const {
  LeafHead head = {.flags = kLeafHasBounds, .mask = file_mask(cell)};
  const VoxelBox box = bounds_of(cell);
  const auto [x, y, z] = vec_of<uint8_t>(box.size() - Int3{1, 1, 1});
  head.corner = {box.min.x, box.min.y, box.min.z};
  head.reach = {x, y, z};
  if (grid_ == NvdbGrid::Index) {
    head.flags |= kLeafIndexesActive;
    std::memcpy(head.of_type.data() + 8, &index, 8);
  } else if (grid_ == NvdbGrid::OnIndex) {
    const uint64_t sums = prefix_sums(head.mask);
    std::memcpy(head.of_type.data(), &index, 8);
    std::memcpy(head.of_type.data() + 8, &sums, 8);
  } else if (grid_ == NvdbGrid::U8) {
    put_codes(bytes.data() + at + kLeafValues, cell, head);
  } else {
    put_colors(bytes.data() + at + kLeafValues, cell);
  }
  std::memcpy(bytes.data() + at, &head, sizeof head);
}

NodeBytes TreeNodes::leaves(const LowerNode& lower) const {
  NodeBytes bytes(lower.leaves * leaf_bytes());
  uint64_t at = 0;
  for_each_cell(
      lower, [](const TreeCell&, uint64_t) {},
      [&](const LeafCell& cell, uint64_t index) {
        put_leaf(bytes, at, cell, index);
        at += leaf_bytes();
      });
  return bytes;
}

NodeBytes TreeNodes::first_materials() const {
  NodeBytes bytes = {0};
  for (const UpperNode& upper : tree_.uppers) {
    if (upper.solid) bytes.push_back(static_cast<uint8_t>(upper.material));
    if (upper.tiles == 0) continue;
    const VoxelBox box = intersection(cube_at(upper.corner, kUpperSide), tree_.region);
    for_each_tree_cell(scene_.dag, box, kLowerSide, tree_.full, [&](const TreeCell& cell) {
      if (cell.solid) bytes.push_back(static_cast<uint8_t>(cell.material));
    });
  }
  return bytes;
}

NodeBytes TreeNodes::materials(const LowerNode& lower) const {
  NodeBytes bytes(lower.values());
  for_each_cell(
      lower,
      [&](const TreeCell& cell, uint64_t index) {
        bytes[index - lower.first_value] = static_cast<uint8_t>(cell.material);
      },
      [&](const LeafCell& cell, uint64_t index) {
        std::array<uint8_t, 512> values;  // NOLINT: those of active voxels are set
        for_each_voxel(cell,
                       [&](uint32_t i, uint32_t material) { values[i] = static_cast<uint8_t>(material); });
        uint8_t* to = bytes.data() + (index - lower.first_value);
        for_each_active(file_mask(cell), [&](uint32_t i) { *to++ = values[i]; });
      });
  return bytes;
}

}  // namespace vox::nvdb
