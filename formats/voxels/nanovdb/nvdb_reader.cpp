#include "formats/voxels/voxel_formats.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/from_cubes.h"

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

struct NvdbCube {
  uint64_t key = 0;
  uint32_t part = 0, octant = 0;
  bool operator<(const NvdbCube& other) const { return key < other.key; }
};

// The bits of a 4³ leaf for a row of voxels along z, where bit z is the voxel cube_bit(0, 0, z).
constexpr std::array<uint64_t, 16> kRows = [] {
  std::array<uint64_t, 16> rows = {};
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t z = 0; z < 4; ++z) rows[row] |= uint64_t{row >> z & 1} << cube_bit(0, 0, z);
  return rows;
}();

// The Morton codes of the voxels of an 8³ leaf, in the file's order.
constexpr std::array<uint16_t, 512> kCodes = [] {
  std::array<uint16_t, 512> codes = {};
  for (uint32_t place = 0; place < codes.size(); ++place)
    for (uint32_t bit = 0; bit < 3; ++bit)
      codes[place] = static_cast<uint16_t>(codes[place] | (place >> (6 + bit) & 1) << 3 * bit |
                                           (place >> (3 + bit) & 1) << (3 * bit + 1) |
                                           (place >> bit & 1) << (3 * bit + 2));
  return codes;
}();

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

  void read(const NvdbCube& cube, VoxelSink& to) const {
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
    const uint32_t known = tile_value(value);
    for (uint32_t code = leaf * 512; code < leaf * 512 + 512; ++code) to.put(code, known);
  }

  void put_leaf(uint32_t leaf, uint64_t at, VoxelSink& to) const {
    const LeafHead head = tree_.leaf(at);
    switch (meaning_) {
      case NvdbMeaning::Active:
        return put_masks(leaf, head.mask, to);
      case NvdbMeaning::Materials: {
        uint64_t voxels = 0;
        for (const uint64_t mask : head.mask) voxels += static_cast<uint64_t>(popcount(mask));
        const std::byte* next = materials_at(first_index(head), voxels).data();
        return put_each(leaf, head.mask, to,
                        [&](uint32_t) { return checked(std::to_integer<uint32_t>(*next++)); });
      }
      case NvdbMeaning::Codes: {
        const auto codes = tree_.values(at, 512);
        return put_each(leaf, head.mask, to,
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
    put_each(leaf, head.mask, to, [&](uint32_t i) {
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

  // Calls value(i) for the active voxels in the file's order, where i counts them.
  template <class Value>
  static void put_each(uint32_t leaf, const std::array<uint64_t, 8>& mask, VoxelSink& to, Value value) {
    for (uint32_t x = 0; x < 8; ++x)
      for (uint64_t left = mask[x]; left != 0; left &= left - 1) {
        const uint32_t place = x * 64 + static_cast<uint32_t>(lowest_bit(left));
        to.put(leaf * 512 + kCodes[place], value(place));
      }
  }

  static void put_masks(uint32_t leaf, const std::array<uint64_t, 8>& mask, VoxelSink& to) {
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const Int3 corner = octant_corner(octant, 4);
      uint64_t found = 0;
      for (uint32_t x = 0; x < 4; ++x)
        for (uint32_t y = 0; y < 4; ++y) {
          const uint64_t word = mask[static_cast<uint32_t>(corner.x) + x];
          const auto shift = 8 * (static_cast<uint32_t>(corner.y) + y) + static_cast<uint32_t>(corner.z);
          found |= kRows[word >> shift & 15] << cube_bit(x, y, 0);
        }
      to.put_mask(leaf * 8 + octant, found);
    }
  }

  GridBytes grid_;
  TreeReader tree_;
  std::optional<SceneText> ours_;
  NvdbMeaning meaning_ = NvdbMeaning::Active;
  std::span<const std::byte> materials_;
};

// A scene's voxels are boxes along the world's axes. A warning reports everything else that a file's
// transform does.
void place_in_world(VoxelFile& file, const GridHead& head, const std::filesystem::path& path) {
  const auto& m = head.map.matrix;
  const auto column = [&](size_t i) {
    return std::sqrt(m[i] * m[i] + m[i + 3] * m[i + 3] + m[i + 6] * m[i + 6]);
  };
  VoxelSize size = {column(0), column(1), column(2)};
  const auto& shift = head.map.shift;
  if (!(size.shortest() > 0) || !std::isfinite(size.x + size.y + size.z) ||
      !std::ranges::all_of(shift, [](double v) { return std::isfinite(v); }))
    throw Error("its transform to the world is not valid").hint("is the file damaged?");
  constexpr double kRounding = 1e-6;  // relative
  if (size.longest() - size.shortest() <= kRounding * size.x) size = size.x;
  for (size_t i = 0; i < m.size(); ++i) {
    const double side = size[static_cast<uint32_t>(i % 3)];
    if (std::abs(m[i] - (i % 4 == 0 ? side : 0)) <= kRounding * side) continue;
    log_warning(
        "{}: its transform turns or mirrors voxels, which a scene cannot: they lie along the axes of the "
        "file, {} wide",
        path.string(), format_sides(size));
    break;
  }
  file.voxel_size = size;
  file.origin = {shift[0], shift[1], shift[2]};
}

// Sets the grid for a file from another program, and returns the voxel of the file that becomes (0, 0, 0). It
// lies at multiples of a cube's side, so that each cube takes its voxels from one node.
Vec3<int64_t> fit_foreign(VoxelFile& file, const NvdbVoxels& voxels, const std::filesystem::path& path) {
  FileBounds bounds = voxels.tree().bounds();
  if (bounds.empty()) bounds.add(Vec3<int64_t>{0, 0, 0});
  const auto down = [](int64_t v) { return v & -int64_t{dag::VoxelCube::kSide}; };
  bounds.min = {down(bounds.min.x), down(bounds.min.y), down(bounds.min.z)};
  place_in_world(file, voxels.tree().head(), path);
  const Vec3d shift = file.origin;
  fit_grid(file, bounds);
  file.origin = file.origin + shift;
  return bounds.min;
}

void use_ours(VoxelFile& file, const SceneText& ours) {
  file.resolution = ours.resolution;
  file.origin = ours.origin;
  file.voxel_size = ours.voxel_size;
  file.up = ours.up;
  file.palette = ours.palette;
}

std::vector<NvdbCube> cubes_of(const TreeReader& tree, const Vec3<int64_t>& base, uint32_t resolution) {
  std::vector<NvdbCube> cubes;
  for (uint32_t i = 0; i < tree.parts().size(); ++i) {
    const TreePart& part = tree.parts()[i];
    const uint32_t octants = tree.octants(part);
    for (uint32_t octant = 0; octant < 8; ++octant) {
      if ((octants >> octant & 1) == 0) continue;
      const Int3 step = octant_corner(octant, dag::VoxelCube::kSide);
      const Vec3<int64_t> at = {part.corner.x + step.x - base.x, part.corner.y + step.y - base.y,
                                part.corner.z + step.z - base.z};
      if (std::min({at.x, at.y, at.z}) < 0 || std::max({at.x, at.y, at.z}) >= resolution)
        throw Error(fmt::format("a voxel lies outside of the grid of {}³ voxels", resolution))
            .hint("is the file damaged?");
      const Int3 corner = {static_cast<int32_t>(at.x), static_cast<int32_t>(at.y),
                           static_cast<int32_t>(at.z)};
      cubes.push_back({dag::cube_key(corner), i, octant});
    }
  }
  tbb::parallel_sort(cubes.begin(), cubes.end());
  const auto same = [](const NvdbCube& a, const NvdbCube& b) { return a.key == b.key; };
  if (std::ranges::adjacent_find(cubes, same) != cubes.end())
    throw Error("two of its nodes are at one place").hint("is the file damaged?");
  return cubes;
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

VoxelFile file_of(const GridBytes& grid, const std::filesystem::path& path) {
  const auto voxels = std::make_shared<const NvdbVoxels>(grid);
  VoxelFile file;
  file.values = values_of(voxels->meaning());
  Vec3<int64_t> base = {0, 0, 0};
  if (voxels->ours())
    use_ours(file, *voxels->ours());
  else
    base = fit_foreign(file, *voxels, path);
  tell_what_is_lost(*voxels, path);
  const auto cubes =
      std::make_shared<const std::vector<NvdbCube>>(cubes_of(voxels->tree(), base, file.resolution));
  for (const NvdbCube& cube : *cubes) file.cubes.push_back(cube.key);
  file.read = [voxels, cubes](size_t i, VoxelSink& to) { voxels->read((*cubes)[i], to); };
  return file;
}

}  // namespace

VoxelFile open_nvdb(const std::filesystem::path& path) {
  try {
    return file_of(open_grid(path), path);
  } catch (Error& error) {
    throw Error(error).at(path.string());
  }
}

}  // namespace vox
