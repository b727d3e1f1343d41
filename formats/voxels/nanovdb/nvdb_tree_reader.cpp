#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/tree_cubes.h"
#include "libvox/base/bits.h"

namespace vox::nvdb {
namespace {

NodeShape shape_of(GridType type) {
  using enum GridType;
  struct OfType {
    GridType type;
    NodeShape shape;
  };
  // clang-format off
  static constexpr OfType kShapes[] = {
      {Float, {4, 4, 4}}, {Int32, {4, 4, 4}}, {Half, {4, 4, 4}}, {UInt32, {4, 4, 4}}, {Rgba8, {4, 4, 4}},
      {Fp4, {4, 4, 4}}, {Fp8, {4, 4, 4}}, {Fp16, {4, 4, 4}}, {FpN, {4, 4, 4}}, {Double, {8, 8, 8}},
      {Int64, {8, 8, 8}}, {Index, {8, 8, 8}}, {OnIndex, {8, 8, 8}}, {IndexMask, {8, 8, 8}},
      {OnIndexMask, {8, 8, 8}}, {PointIndex, {8, 8, 8}}, {Int16, {2, 2, 4}}, {UInt8, {1, 1, 4}},
      {Mask, {1, 1, 1}}, {Boolean, {1, 1, 1}}, {Vec3f, {12, 4, 4}}, {Vec3d, {24, 8, 8}},
      {Vec4f, {16, 4, 4}}, {Vec4d, {32, 8, 8}}, {Vec3u8, {3, 1, 4}}, {Vec3u16, {6, 2, 4}},
  };
  // clang-format on
  for (const OfType& known : kShapes)
    if (known.type == type) return known.shape;
  throw Error(
      fmt::format("its values have type {}, which NanoVDB 32 does not know", static_cast<uint32_t>(type)));
}

// Returns the corner of a node of 4096³ from a key with 21 bits for each axis, of which 20 are used; the
// highest of these is the sign.
Vec3<int64_t> corner_of(uint64_t key) {
  const auto axis = [key](uint32_t shift) {
    return int64_t{static_cast<int32_t>(static_cast<uint32_t>(key >> shift & 0x1fffff) << 12)};
  };
  return {axis(42), axis(21), axis(0)};
}

}  // namespace

TreeReader::TreeReader(const GridBytes& grid)
    : grid_(grid), head_(grid.get<GridHead>(0, "the head of the grid")), shape_(shape_of(type())) {
  if (!is_magic(head_.magic) || head_.version >> 21 != kMajorVersion)
    throw Error("its grid does not begin as one of NanoVDB 32 does").hint("is the file damaged?");
  const auto tree = grid_.get<TreeHead>(sizeof head_, "the head of the tree");
  read_root(sizeof head_ + tree.first[3]);
  check_shared();
}

void TreeReader::read_root(uint64_t root) {
  const auto tiles = grid_.get<uint32_t>(root + kRootTableSize, "the root");
  uint64_t at = root + shape_.root_bytes();
  grid_.part(at, tiles * shape_.root_tile_bytes(), "the table of the root");
  for (uint32_t i = 0; i < tiles; ++i, at += shape_.root_tile_bytes()) {
    const auto key = grid_.get<uint64_t>(at, "a tile"), child = grid_.get<uint64_t>(at + 8, "a tile");
    const Vec3<int64_t> corner = corner_of(key);
    if (child != 0) {
      read_upper(root + child, corner);
    } else if (grid_.get<uint32_t>(at + 16, "a tile") != 0) {
      const uint64_t value = value_at(at + shape_.root_value());
      for (uint32_t n = 0; n < kUpperEntries; ++n)
        add_tile(shifted(corner, place_of_entry(n, 5), kLowerSide), value);
    }
  }
}

void TreeReader::read_upper(uint64_t at, Vec3<int64_t> corner) {
  if (++uppers_ > grid_.size() / shape_.inner_bytes(kUpperEntries))
    throw Error("it has fewer bytes than nodes of 4096³ need").hint("is the file damaged?");
  grid_.part(at, shape_.inner_bytes(kUpperEntries), "a node of 4096³");
  const uint64_t table = at + shape_.table(kUpperEntries);
  for (uint32_t first = 0; first < kUpperEntries; first += 64) {
    const uint64_t children = word_of(at + NodeShape::child_mask(kUpperEntries), first);
    const uint64_t active = word_of(at + NodeShape::value_mask(), first);
    for (uint64_t left = children | active; left != 0; left &= left - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(left));
      const uint64_t value = value_at(table + uint64_t{first + bit} * shape_.entry_bytes());
      const Vec3<int64_t> place = shifted(corner, place_of_entry(first + bit, 5), kLowerSide);
      if ((children >> bit & 1) == 0) {
        add_tile(place, value);
        continue;
      }
      grid_.part(at + value, shape_.inner_bytes(kLowerEntries), "a node of 128³");
      parts_.push_back({place, at + value, 0});
    }
  }
}

void TreeReader::add_tile(Vec3<int64_t> corner, uint64_t value) {
  if (parts_.size() >= kMostParts)
    throw Error(fmt::format("more than {} cubes of 128³ are filled with one value each", kMostParts))
        .hint("make a coarser grid");
  parts_.push_back({corner, 0, value});
}

// Throws Error if a node is reached in two ways: a tree shares no nodes, and with shared nodes a small file
// could stand for far more voxels than it has bytes.
void TreeReader::check_shared() const {
  uint64_t lowers = 0, leaves = 0;
  for (const TreePart& part : parts_) {
    if (part.node == 0) continue;
    ++lowers;
    for (uint32_t first = 0; first < kLowerEntries; first += 64)
      leaves +=
          static_cast<uint64_t>(popcount(word_of(part.node + NodeShape::child_mask(kLowerEntries), first)));
  }
  if (lowers * shape_.inner_bytes(kLowerEntries) > grid_.size() || leaves * sizeof(LeafHead) > grid_.size())
    throw Error("it has fewer bytes than its nodes need").hint("is the file damaged?");
}

// Returns the first 8 bytes of a value, which suffice for the types that are used.
uint64_t TreeReader::value_at(uint64_t at) const {
  return grid_.get<uint64_t>(at, "a value");
}

LeafEntry TreeReader::entry(const TreePart& part, Int3 place) const {
  if (part.node == 0) return {LeafEntry::Kind::Tile, part.value, 0};
  const uint32_t n = entry_of(place, 4);
  const uint64_t bit = uint64_t{1} << n % 64;
  const bool is_child = (word_of(part.node + NodeShape::child_mask(kLowerEntries), n) & bit) != 0;
  if (!is_child && (word_of(part.node + NodeShape::value_mask(), n) & bit) == 0) return {};
  const uint64_t value =
      value_at(part.node + shape_.table(kLowerEntries) + uint64_t{n} * shape_.entry_bytes());
  if (is_child) return {LeafEntry::Kind::Leaf, 0, part.node + value};
  return {LeafEntry::Kind::Tile, value, 0};
}

uint32_t TreeReader::octants(const TreePart& part) const {
  if (part.node == 0) return 0xff;
  return filled_octants([&](uint32_t first) {
    return word_of(part.node + NodeShape::child_mask(kLowerEntries), first) |
           word_of(part.node + NodeShape::value_mask(), first);
  });
}

FileBounds TreeReader::bounds_of(const TreePart& part) const {
  if (part.node == 0) return cube_bounds(part.corner, kLowerSide);
  FileBounds bounds;
  for (uint32_t n = 0; n < kLowerEntries; ++n) {
    const Int3 place = place_of_entry(n, 4);
    const LeafEntry found = entry(part, place);
    const Vec3<int64_t> corner = shifted(part.corner, place, kLeafSide);
    if (found.kind == LeafEntry::Kind::Tile) bounds.add(cube_bounds(corner, kLeafSide));
    if (found.kind == LeafEntry::Kind::Leaf) bounds.add(leaf_bounds(leaf(found.at).mask, corner));
  }
  return bounds;
}

}  // namespace vox::nvdb
