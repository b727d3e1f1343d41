#include "formats/voxels/voxel_formats.h"

#include <bit>
#include <memory>

#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/tree_cubes.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

using namespace nvdb;

// The meaning of a grid's values.
enum class NvdbMeaning {
  Active,     // the voxel is active
  Materials,  // an index in the array of materials
  Codes,      // the voxel's material + 1
  Entries,    // the color of the voxel's material
  Colors,     // the voxel's color
};

// Converts an RGBA8 value to the form of rgb_value().
uint32_t rgb_of(uint32_t rgba) {
  return (rgba & 0xff) << 16 | (rgba & 0xff00) | (rgba >> 16 & 0xff);
}

class NvdbVoxels {
 public:
  explicit NvdbVoxels(const GridBytes& grid) : grid_(grid), tree_(grid) {
    const auto text = blind_data(grid, tree_.head(), kSceneName);
    if (text) ours_ = parse_scene_text({reinterpret_cast<const char*>(text->data()), text->size()});
    meaning_ = find_meaning();
    if (meaning_ != NvdbMeaning::Materials) return;
    const auto materials = blind_data(grid, tree_.head(), kMaterialsName);
    if (!materials) throw Error("the array of its materials is missing").hint("is the file damaged?");
    materials_ = *materials;
  }

  const TreeReader& tree() const { return tree_; }
  const std::optional<SceneText>& ours() const { return ours_; }
  NvdbMeaning meaning() const { return meaning_; }

  void read(const TreeCube& cube, VoxelSink& to) const {
    const TreePart& part = tree_.parts()[cube.part];
    if (part.node == 0) return to.fill(tile_value(part.value));
    const Int3 corner = octant_corner(cube.octant, 8);
    for (uint32_t leaf = 0; leaf < 512; ++leaf) {  // in Morton order
      const LeafEntry entry = tree_.entry(part, corner + morton_decode(leaf));
      if (entry.kind == LeafEntry::Kind::Tile) put_tile(leaf, entry.value, to);
      if (entry.kind == LeafEntry::Kind::Leaf) put_leaf(leaf, entry.at, to);
    }
  }

 private:
  NvdbMeaning find_meaning() const {
    const GridType type = tree_.type();
    const bool has_palette = ours_ && ours_->palette.count > 0;
    if (type == GridType::Rgba8) return has_palette ? NvdbMeaning::Entries : NvdbMeaning::Colors;
    if (!has_palette) return NvdbMeaning::Active;
    if (type == GridType::Fp8) return NvdbMeaning::Codes;
    if (type == GridType::Index || type == GridType::OnIndex) return NvdbMeaning::Materials;
    return NvdbMeaning::Active;
  }

  [[noreturn]] static void throw_no_material(uint64_t value) {
    throw Error(fmt::format("its value {} stands for no material of the palette", value))
        .hint("is the file damaged?");
  }
  uint32_t checked(uint64_t material) const {
    if (material >= ours_->palette.count) throw_no_material(material);
    return static_cast<uint32_t>(material);
  }
  std::span<const std::byte> materials_at(uint64_t index, uint64_t count) const {
    if (index > materials_.size() || count > materials_.size() - index)
      throw Error("an index is not within the array of materials").hint("is the file damaged?");
    return materials_.subspan(index, count);
  }
  uint32_t entry_of_color(uint32_t rgba) const {
    const scene::Palette& palette = ours_->palette;
    for (uint32_t i = 0; i < palette.count; ++i)
      if (rgb_value(palette.colors[i]) == rgb_of(rgba)) return i;
    throw_no_material(rgba);
  }

  uint32_t tile_value(uint64_t value) const {
    switch (meaning_) {
      case NvdbMeaning::Active:
        return 0;
      case NvdbMeaning::Materials:
        return checked(std::to_integer<uint32_t>(materials_at(value, 1)[0]));
      case NvdbMeaning::Codes: {
        const auto code = std::bit_cast<float>(static_cast<uint32_t>(value));
        if (!(code >= 1 && code <= 256)) throw_no_material(value);
        return checked(static_cast<uint32_t>(code) - 1);
      }
      case NvdbMeaning::Entries:
        return entry_of_color(static_cast<uint32_t>(value));
      case NvdbMeaning::Colors:
        break;
    }
    return rgb_of(static_cast<uint32_t>(value));
  }

  void put_tile(uint32_t leaf, uint64_t value, VoxelSink& to) const {
    if (meaning_ == NvdbMeaning::Active) {
      for (uint32_t octant = 0; octant < 8; ++octant) to.put_mask(leaf * 8 + octant, UINT64_MAX);
      return;
    }
    put_leaf_tile(leaf, tile_value(value), to);
  }

  void put_leaf(uint32_t leaf, uint64_t at, VoxelSink& to) const {
    const LeafHead head = tree_.leaf(at);
    switch (meaning_) {
      case NvdbMeaning::Active:
        return put_leaf_mask(leaf, head.mask, to);
      case NvdbMeaning::Materials: {
        uint64_t voxels = 0;
        for (const uint64_t mask : head.mask) voxels += static_cast<uint64_t>(popcount(mask));
        const std::byte* next = materials_at(first_index(head), voxels).data();
        return put_leaf_values(leaf, head.mask, to,
                               [&](uint32_t) { return checked(std::to_integer<uint32_t>(*next++)); });
      }
      case NvdbMeaning::Codes: {
        const auto codes = tree_.values(at, 512);
        return put_leaf_values(leaf, head.mask, to,
                               [&](uint32_t i) { return checked(std::to_integer<uint64_t>(codes[i]) - 1); });
      }
      case NvdbMeaning::Entries:
      case NvdbMeaning::Colors:
        put_colors(leaf, at, head, to);
    }
  }

  void put_colors(uint32_t leaf, uint64_t at, const LeafHead& head, VoxelSink& to) const {
    const auto colors = tree_.values(at, 4 * 512);
    std::optional<uint32_t> last;  // neighboring voxels often have the same color
    uint32_t known = 0;
    put_leaf_values(leaf, head.mask, to, [&](uint32_t i) {
      uint32_t rgba = 0;
      std::memcpy(&rgba, colors.data() + size_t{4} * i, 4);
      if (rgba != last) known = tile_value(rgba);
      last = rgba;
      return known;
    });
  }

  // Returns the index of a leaf's first value.
  uint64_t first_index(const LeafHead& head) const {
    const bool is_old = tree_.type() == GridType::Index;
    if (is_old && (head.flags & kLeafIndexesActive) == 0)
      throw Error("a leaf numbers all of its voxels and not only the active ones")
          .hint("is the file damaged?");
    uint64_t index = 0;
    std::memcpy(&index, head.of_type.data() + (is_old ? 8 : 0), 8);
    return index;
  }

  GridBytes grid_;
  TreeReader tree_;
  std::optional<SceneText> ours_;
  NvdbMeaning meaning_ = NvdbMeaning::Active;
  std::span<const std::byte> materials_;
};

TreePlacement placement_of(const GridHead& head) {
  const auto& m = head.map.matrix;
  const auto& shift = head.map.shift;
  return {{Vec3d{m[0], m[3], m[6]}, Vec3d{m[1], m[4], m[7]}, Vec3d{m[2], m[5], m[8]}},
          {shift[0], shift[1], shift[2]}};
}

VoxelValues values_of(NvdbMeaning meaning) {
  if (meaning == NvdbMeaning::Active) return VoxelValues::Filled;
  return meaning == NvdbMeaning::Colors ? VoxelValues::Rgb : VoxelValues::Entries;
}

void tell_what_is_lost(const NvdbVoxels& voxels, const std::filesystem::path& path) {
  const GridType type = voxels.tree().type();
  if (voxels.ours() || voxels.meaning() != NvdbMeaning::Active || type == GridType::Mask) return;
  log_warning("{}: its values are not colors and are ignored: active voxels are filled, without materials",
              path.string());
}

}  // namespace

VoxelFile open_nvdb(const std::filesystem::path& path) {
  const auto voxels = std::make_shared<const NvdbVoxels>(open_grid(path));
  tell_what_is_lost(*voxels, path);
  return file_of_tree(voxels, values_of(voxels->meaning()), voxels->ours(),
                      placement_of(voxels->tree().head()), path);
}

}  // namespace vox

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
