// A file has a head, and for each grid a head, the topology of its tree from the root down, and the values of its leaves
// in the same order. All numbers are little-endian. The layout is that of openvdb/io and openvdb/tree.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/openvdb/vdb_bytes.h"
#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

using nvdb::FullNodes;
using nvdb::LeafCell;
using nvdb::LowerNode;
using nvdb::TreeCell;
using nvdb::TreeOutline;
using nvdb::UpperNode;
using namespace vdb;

enum class VdbChannel { Density, Material, Color };

struct VdbChannelFacts {
  std::string_view name, tree, grid_class;
};
constexpr VdbChannelFacts kChannels[] = {{"density", "Tree_float_5_4_3", "fog volume"},
                                         {"material", "Tree_int32_5_4_3", "unknown"},
                                         {"color", "Tree_vec3s_5_4_3", "unknown"}};

// The tree of one grid.
class VdbGridWriter {
 public:
  VdbGridWriter(const dag::VoxelScene& scene, const VoxelBox& region, VdbChannel channel)
      : scene_(scene),
        channel_(channel),
        outline_(nvdb::outline_of(
            scene.dag, region, nvdb::CountMaterials::No,
            scene.colors && channel == VdbChannel::Color ? FullNodes::AreLeaves : FullNodes::AreTiles)) {
    if (scene.colors && channel == VdbChannel::Color) colors_.emplace(scene);
    for (const UpperNode& upper : outline_.uppers) {
      if (upper.solid) continue;
      nodes_.push_back({&upper, nullptr});
      const size_t first = nodes_.size();
      for (uint64_t i = 0; i < upper.lowers; ++i)
        nodes_.push_back({nullptr, &outline_.lowers[upper.first_lower + i]});
      std::sort(
          nodes_.begin() + static_cast<ptrdiff_t>(first), nodes_.end(), [](const Node& a, const Node& b) {
            return entry_of(a.lower->corner, kLowerVdbLog2, 5) < entry_of(b.lower->corner, kLowerVdbLog2, 5);
          });
    }
  }

  void write(ExportFile& file) const {
    const VdbChannelFacts& facts = kChannels[static_cast<size_t>(channel_)];
    write_grid(
        file, {facts.name, facts.tree}, grid_head(facts), nodes_.size(),
        [&](uint64_t i) {
          return nodes_[i].upper != nullptr ? topology(*nodes_[i].upper) : topology(*nodes_[i].lower);
        },
        [&](uint64_t i) { return nodes_[i].lower != nullptr ? values(*nodes_[i].lower) : VdbBytes(); });
  }

 private:
  // One of them, in the order of the file.
  struct Node {
    const UpperNode* upper;
    const LowerNode* lower;
  };
  // A leaf or a tile of a node of 128³.
  struct LowerEntry {
    size_t place;
    TreeCell cell;
    LeafCell leaf = {};
  };

  // `code` is a material, or the packed color of a scene that has them apart.
  void put_value(VdbBytes& to, uint32_t code) const {
    if (channel_ == VdbChannel::Density) return put(to, 1.0f);
    if (channel_ == VdbChannel::Material) return put(to, code + 1);
    const Vec3d light =
        scene::srgb_to_linear(colors_ ? scene::unpacked_color(code) : scene_.palette.colors[code]);
    for (uint32_t axis = 0; axis < 3; ++axis) put(to, static_cast<float>(light[axis]));
  }

  VdbBytes grid_head(const VdbChannelFacts& facts) const {
    VdbBytes head;
    put(head, kVdbZip | kVdbActiveMask);
    put_metadata(head, {{"class", facts.grid_class}, {"creator", "vox"}, {"name", facts.name}});
    put_transform(head, scene_.origin, scene_.voxel_size);
    put(head, uint32_t{1});  // one buffer of values
    const size_t value_bytes = channel_ == VdbChannel::Color ? 12 : 4;
    head.resize(head.size() + value_bytes);  // the background
    const auto tiles = static_cast<uint32_t>(std::ranges::count(outline_.uppers, true, &UpperNode::solid));
    put(head, tiles);
    put(head, static_cast<uint32_t>(outline_.upper_nodes));
    for (const UpperNode& upper : outline_.uppers) {
      if (!upper.solid) continue;
      put_corner(head, upper.corner);
      put_value(head, upper.material);
      put(head, uint8_t{1});  // active
    }
    return head;
  }

  VdbBytes topology(const UpperNode& upper) const {
    std::bitset<32768> children, active;
    std::vector<std::pair<size_t, uint32_t>> tiles;
    for (uint64_t i = 0; i < upper.lowers; ++i)
      children.set(entry_of(outline_.lowers[upper.first_lower + i].corner, kLowerVdbLog2, 5));
    const VoxelBox box = intersection(cube_at(upper.corner, nvdb::kUpperSide), outline_.region);
    for_each_tree_cell(scene_.dag, box, nvdb::kLowerSide, outline_.full, [&](const TreeCell& cell) {
      if (cell.solid) tiles.emplace_back(entry_of(cell.corner, kLowerVdbLog2, 5), cell.material);
    });
    VdbBytes bytes, values;
    std::ranges::sort(tiles);
    for (const auto& [place, material] : tiles) {
      active.set(place);
      put_value(values, material);
    }
    Deflater deflater(kVdbDeflate);
    put_corner(bytes, upper.corner);
    put_mask(bytes, children);
    put_mask(bytes, active);
    put_values(bytes, values, deflater);
    return bytes;
  }

  // Returns the leaves with voxels, and the tiles, in the order of the file.
  std::vector<LowerEntry> entries_of(const LowerNode& lower) const {
    std::vector<LowerEntry> entries;
    const VoxelBox box = intersection(cube_at(lower.corner, nvdb::kLowerSide), outline_.region);
    for_each_tree_cell(scene_.dag, box, nvdb::kLeafSide, outline_.full, [&](const TreeCell& cell) {
      LowerEntry entry = {entry_of(cell.corner, kLeafVdbLog2, 4), cell};
      if (!cell.solid) entry.leaf = leaf_cell(scene_.dag, box, cell);
      if (cell.solid || std::ranges::any_of(entry.leaf.masks, [](uint64_t mask) { return mask != 0; }))
        entries.push_back(entry);
    });
    std::ranges::sort(entries, {}, &LowerEntry::place);
    return entries;
  }

  // Calls body(place in the leaf, octant, bit in the octant) for each voxel.
  template <class Body>
  static void for_each_voxel_of(const LeafCell& leaf, Body body) {
    for (uint32_t octant = 0; octant < 8; ++octant)
      for (uint64_t left = leaf.masks[octant]; left != 0; left &= left - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(left));
        body(entry_of(octant_corner(octant, dag::kLeafSide) + cube_place(bit), kVoxelLog2, 3), octant, bit);
      }
  }
  static std::bitset<512> mask_of(const LeafCell& leaf) {
    std::bitset<512> mask;
    for_each_voxel_of(leaf, [&](size_t place, uint32_t, uint32_t) { mask.set(place); });
    return mask;
  }

  VdbBytes topology(const LowerNode& lower) const {
    std::bitset<4096> children, active;
    VdbBytes bytes, values;
    const std::vector<LowerEntry> entries = entries_of(lower);
    for (const LowerEntry& entry : entries) {
      (entry.cell.solid ? active : children).set(entry.place);
      if (entry.cell.solid) put_value(values, entry.cell.material);
    }
    Deflater deflater(kVdbDeflate);
    put_mask(bytes, children);
    put_mask(bytes, active);
    put_values(bytes, values, deflater);
    for (const LowerEntry& entry : entries)
      if (!entry.cell.solid) put_mask(bytes, mask_of(entry.leaf));
    return bytes;
  }

  VdbBytes values(const LowerNode& lower) const {
    VdbBytes bytes;
    Deflater deflater(kVdbDeflate);
    for (const LowerEntry& entry : entries_of(lower)) {
      if (entry.cell.solid) continue;
      const LeafCell& leaf = entry.leaf;
      std::array<uint32_t, 512> codes;
      std::array<std::array<uint32_t, 64>, 8> colors;
      for (uint32_t octant = 0; colors_ && octant < 8; ++octant)
        if (leaf.masks[octant] != 0)
          colors[octant] = (*colors_)(leaf.corner + octant_corner(octant, dag::kLeafSide));
      for_each_voxel_of(leaf, [&](size_t place, uint32_t octant, uint32_t bit) {
        codes[place] = colors_ ? colors[octant][bit]
                       : scene_.dag.materials && leaf.leaves[octant] != nullptr
                           ? dag::leaf_material(leaf.leaves[octant], bit)
                           : leaf.material;
      });
      const std::bitset<512> mask = mask_of(leaf);
      VdbBytes of_leaf;
      for (size_t place = 0; place < mask.size(); ++place)
        if (mask[place]) put_value(of_leaf, codes[place]);
      put_mask(bytes, mask);
      put_values(bytes, of_leaf, deflater);
    }
    return bytes;
  }

  const dag::VoxelScene& scene_;
  const VdbChannel channel_;
  const TreeOutline outline_;
  std::vector<Node> nodes_;
  std::optional<dag::LeafColors> colors_;
};

std::string uuid_of(const dag::Digest& digest) {
  std::string digits = dag::to_string(digest);
  for (const size_t at : std::array<size_t, 4>{20, 16, 12, 8}) digits.insert(at, "-");
  return digits;
}

// Writes distances as a .vdb file. A brick of a field is a leaf of the tree.

class VdbBand {
 public:
  VdbBand(const voxelize::DistanceField& field, const VdbDistances& options)
      : field_(field), tree_(field), options_(options) {}

  void write(ExportFile& file, bool materials) const {
    const std::vector<BandNode>& nodes = tree_.nodes();
    vdb::write_grid(
        file, {materials ? "material" : "sdf", materials ? "Tree_int32_5_4_3" : float_tree()},
        grid_head(materials), nodes.size(), [&](uint64_t i) { return topology(nodes[i], materials); },
        [&](uint64_t i) { return values(nodes[i], materials); });
  }

 private:
  bool has_halves() const { return options_.floats == Floats::F16; }
  std::string_view float_tree() const {
    return has_halves() ? "Tree_float_5_4_3_HalfFloat" : "Tree_float_5_4_3";
  }
  // Returns the value of the background, which readers compare with values.
  float background() const { return has_halves() ? float_of_half(half_of(tree_.band())) : tree_.band(); }

  vdb::VdbBytes grid_head(bool materials) const {
    using namespace vdb;
    VdbBytes head;
    put(head, kVdbZip | kVdbActiveMask);
    const std::string_view kind = !materials && options_.has_signs ? "level set" : "unknown";
    put_metadata(head, {{"class", kind}, {"creator", "vox"}, {"name", materials ? "material" : "sdf"}},
                 has_halves() && !materials);
    put_transform(head, field_.grid().origin, field_.grid().voxel_size);
    put(head, uint32_t{1});  // one buffer of values
    if (materials)
      put(head, int32_t{0});
    else
      put(head, background());
    const std::vector<Int3> tiles = materials ? std::vector<Int3>() : tree_.tiles();
    put(head, static_cast<uint32_t>(tiles.size()));
    put(head, tree_.uppers());
    for (const Int3& corner : tiles) {
      put_corner(head, corner);
      put(head, -background());
      put(head, uint8_t{0});  // not active
    }
    return head;
  }

  // Puts what says which inactive entries are inside, and the values of the active ones.
  template <size_t kEntries>
  void put_entries(vdb::VdbBytes& to, const std::bitset<kEntries>& inactive,
                   const std::bitset<kEntries>& outside, const vdb::VdbBytes& values, bool materials,
                   Deflater& deflater) const {
    const auto kind = (inactive & ~outside).none()  ? vdb::VdbInactive::Background
                      : (inactive & outside).none() ? vdb::VdbInactive::Negative
                                                    : vdb::VdbInactive::Masked;
    vdb::put(to, kind);
    if (kind == vdb::VdbInactive::Masked) vdb::put_mask(to, outside);
    // The library writes no size for halves that are not there.
    if (materials || !has_halves() || !values.empty()) vdb::put_deflated(to, values, deflater);
  }

  template <size_t kEntries>
  vdb::VdbBytes node_head(const BandNode& node, bool materials) const {
    std::bitset<kEntries> children, outside;
    for (const auto& [place, number] : node.below) children.set(place);
    outside = materials ? outside.set() : tree_.outside_of(node, children);
    vdb::VdbBytes bytes;
    if (node.is_upper) vdb::put_corner(bytes, node.corner);
    vdb::put_mask(bytes, children);
    vdb::put_mask(bytes, std::bitset<kEntries>());
    Deflater deflater(vdb::kVdbDeflate);
    put_entries(bytes, ~children, outside, {}, materials, deflater);
    return bytes;
  }

  vdb::VdbBytes topology(const BandNode& node, bool materials) const {
    if (node.is_upper) return node_head<32768>(node, materials);
    vdb::VdbBytes bytes = node_head<4096>(node, materials);
    for (const auto& [place, brick] : node.below) vdb::put_mask(bytes, tree_.leaf(brick).active);
    return bytes;
  }

  vdb::VdbBytes values(const BandNode& node, bool materials) const {
    vdb::VdbBytes bytes;
    if (node.is_upper) return bytes;
    Deflater deflater(vdb::kVdbDeflate);
    for (const auto& entry : node.below) {
      const size_t brick = entry.second;
      DistanceTree::BandLeaf at = tree_.leaf(brick);
      if (materials) at.outside.set();
      vdb::VdbBytes of_leaf;
      tree_.for_each_place(brick, [&](size_t place, size_t number) {
        if (!at.active[place]) return;
        if (materials)
          vdb::put(of_leaf, int32_t{field_.materials(brick)[number]});
        else if (has_halves())
          vdb::put(of_leaf, half_of(field_.distances(brick)[number]));
        else
          vdb::put(of_leaf, field_.distances(brick)[number]);
      });
      vdb::put_mask(bytes, at.active);
      put_entries(bytes, ~at.active, at.outside, of_leaf, materials, deflater);
    }
    return bytes;
  }

  const voxelize::DistanceField& field_;
  const DistanceTree tree_;
  const VdbDistances options_;
};

}  // namespace

void write_vdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip) {
  const VoxelBox region = export_region(scene, clip, path);
  std::vector<VdbChannel> channels = {VdbChannel::Density};
  if (scene.dag.materials) channels.push_back(VdbChannel::Material);
  if (scene.colors || scene.dag.materials) channels.push_back(VdbChannel::Color);
  ExportFile file(path, 0);
  file.write(
      file_head(uuid_of(scene.dag.digest), static_cast<uint32_t>(channels.size()), nvdb::scene_text(scene)));
  for (const VdbChannel channel : channels) VdbGridWriter(scene, region, channel).write(file);
  file.commit();
}

bool is_vdb_of_vox(const std::filesystem::path& path) {
  try {
    const MappedFile file(path);
    const VdbBytes first = first_bytes();
    VdbBytes mark;
    put_metadata(mark, {file_metadata("")[0]});
    mark.erase(mark.begin(), mark.begin() + sizeof(uint32_t));
    const auto holds = [&](size_t at, const VdbBytes& bytes) {
      return file.bytes().size() >= at + bytes.size() &&
             std::memcmp(file.bytes().data() + at, bytes.data(), bytes.size()) == 0;
    };
    return holds(0, first) && holds(first.size() + kUuidDigits + sizeof(uint32_t), mark);
  } catch (const Error&) {
    return false;  // the file cannot be read
  }
}

void write_vdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
               const VdbDistances& options) {
  const VdbBand band(field, options);
  ExportFile file(path, 0);
  file.write(vdb::file_head("00000000-0000-0000-0000-000000000000", options.materials ? 2 : 1));
  band.write(file, false);
  if (options.materials) band.write(file, true);
  file.commit();
}

}  // namespace vox
