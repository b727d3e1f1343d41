// Writes distances as a .vdb file. A brick of a field is a leaf of the tree. No triangle crosses a cube without a
// brick, so one of its voxels decides if all are inside, even where the triangles that close a hole cross the cube.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/openvdb/vdb_bytes.h"

namespace vox {
namespace {

constexpr int32_t kUpperVdbSide = 4096, kLowerVdbSide = 128;

// A node with the bricks or the nodes below it, in the order of their places.
struct BandNode {
  Int3 corner;
  bool is_upper;
  std::vector<std::pair<size_t, size_t>> below = {};  // place, and brick or nothing
};

class VdbBand {
 public:
  VdbBand(const voxelize::DistanceField& field, const VdbDistances& options)
      : field_(field), options_(options), side_(static_cast<int32_t>(field.grid().resolution)) {
    using Key = std::tuple<int32_t, int32_t, int32_t>;
    const auto key_of = [](Int3 corner, int32_t side) {
      return Key{corner.x / side, corner.y / side, corner.z / side};
    };
    const auto corner_of = [](const Key& key, int32_t side) {
      return Int3{std::get<0>(key), std::get<1>(key), std::get<2>(key)} * side;
    };
    std::map<Key, std::map<Key, BandNode>> nodes;  // in the order of the file
    for (size_t brick = 0; brick < field.bricks(); ++brick) {
      const Int3 corner = field.corner(brick);
      const Key key = key_of(corner, kLowerVdbSide);
      BandNode& lower = nodes[key_of(corner, kUpperVdbSide)]
                            .try_emplace(key, BandNode{corner_of(key, kLowerVdbSide), false})
                            .first->second;
      lower.below.emplace_back(vdb::entry_of(corner, vdb::kLeafVdbLog2, 4), brick);
    }
    for (auto& [key, lowers] : nodes) {
      const size_t upper = nodes_.size();
      ++uppers_;
      nodes_.push_back({corner_of(key, kUpperVdbSide), true});
      for (auto& [lower_key, lower] : lowers) {
        nodes_[upper].below.emplace_back(vdb::entry_of(lower.corner, vdb::kLowerVdbLog2, 5), 0);
        std::ranges::sort(lower.below);
        nodes_.push_back(std::move(lower));
      }
    }
    find_root_tiles();
  }

  void write(ExportFile& file, bool materials) const {
    vdb::write_grid(
        file, {materials ? "material" : "sdf", materials ? "Tree_int32_5_4_3" : "Tree_float_5_4_3"},
        grid_head(materials), nodes_.size(), [&](uint64_t i) { return topology(nodes_[i], materials); },
        [&](uint64_t i) { return values(nodes_[i], materials); });
  }

 private:
  bool is_inside(Int3 corner) const {
    return std::max({corner.x, corner.y, corner.z}) < side_ && field_.is_inside(corner);
  }
  float band() const { return static_cast<float>(field_.band()); }

  // Finds the cubes of 4096³ that are inside without a node.
  void find_root_tiles() {
    for (Int3 at = {0, 0, 0}; at.z < side_; at.z += kUpperVdbSide)
      for (at.y = 0; at.y < side_; at.y += kUpperVdbSide)
        for (at.x = 0; at.x < side_; at.x += kUpperVdbSide)
          if (is_inside(at) && std::ranges::none_of(nodes_, [&](const BandNode& node) {
                return node.is_upper && node.corner == at;
              }))
            tiles_.push_back(at);
  }

  vdb::VdbBytes grid_head(bool materials) const {
    using namespace vdb;
    VdbBytes head;
    put(head, kVdbZip | kVdbActiveMask);
    const std::string_view kind = !materials && options_.has_signs ? "level set" : "unknown";
    put_metadata(head, {{"class", kind}, {"creator", "vox"}, {"name", materials ? "material" : "sdf"}});
    put_transform(head, field_.grid().origin, field_.grid().voxel_size);
    put(head, uint32_t{1});  // one buffer of values
    if (materials)
      put(head, int32_t{0});
    else
      put(head, band());
    const std::vector<Int3>& tiles = materials ? no_tiles_ : tiles_;
    put(head, static_cast<uint32_t>(tiles.size()));
    put(head, uppers_);
    for (const Int3& corner : tiles) {
      put_corner(head, corner);
      put(head, -band());
      put(head, uint8_t{0});  // not active
    }
    return head;
  }

  // Puts what says which inactive entries are inside, and the values of the active ones.
  template <size_t kEntries>
  static void put_entries(vdb::VdbBytes& to, const std::bitset<kEntries>& inactive,
                          const std::bitset<kEntries>& outside, const vdb::VdbBytes& values,
                          Deflater& deflater) {
    const auto kind = (inactive & ~outside).none()  ? vdb::VdbInactive::Background
                      : (inactive & outside).none() ? vdb::VdbInactive::Negative
                                                    : vdb::VdbInactive::Masked;
    vdb::put(to, kind);
    if (kind == vdb::VdbInactive::Masked) vdb::put_mask(to, outside);
    vdb::put_deflated(to, values, deflater);
  }

  template <size_t kEntries>
  vdb::VdbBytes node_head(const BandNode& node, bool materials) const {
    const int32_t side = node.is_upper ? kLowerVdbSide : voxelize::DistanceField::kBrickSide;
    const uint32_t bits = node.is_upper ? 5 : 4;
    std::bitset<kEntries> children, outside;
    for (const auto& [place, brick] : node.below) children.set(place);
    outside.set();
    for (size_t place = 0; !materials && place < kEntries; ++place) {
      const auto along = [&](uint32_t shift) {
        return static_cast<int32_t>(place >> shift & ((1u << bits) - 1)) * side;
      };
      if (!children[place] && is_inside(node.corner + Int3{along(2 * bits), along(bits), along(0)}))
        outside.reset(place);
    }
    vdb::VdbBytes bytes;
    if (node.is_upper) vdb::put_corner(bytes, node.corner);
    vdb::put_mask(bytes, children);
    vdb::put_mask(bytes, std::bitset<kEntries>());
    Deflater deflater(vdb::kVdbDeflate);
    put_entries(bytes, ~children, outside, {}, deflater);
    return bytes;
  }

  vdb::VdbBytes topology(const BandNode& node, bool materials) const {
    if (node.is_upper) return node_head<32768>(node, materials);
    vdb::VdbBytes bytes = node_head<4096>(node, materials);
    for (const auto& [place, brick] : node.below) vdb::put_mask(bytes, leaf(brick).active);
    return bytes;
  }

  struct BandLeaf {
    std::bitset<512> active = {}, outside = {};
  };
  // Calls visit(place in the leaf, number in the brick) for the voxels in the grid.
  template <class Visit>
  void for_each_place(size_t brick, const Visit& visit) const {
    const Int3 corner = field_.corner(brick);
    for (size_t place = 0; place < 512; ++place) {
      const Int3 at = {static_cast<int32_t>(place >> 6), static_cast<int32_t>(place >> 3 & 7),
                       static_cast<int32_t>(place & 7)};
      const Int3 voxel = corner + at;
      if (std::max({voxel.x, voxel.y, voxel.z}) < side_)
        visit(place,
              (static_cast<size_t>(at.z) * 8 + static_cast<size_t>(at.y)) * 8 + static_cast<size_t>(at.x));
    }
  }
  BandLeaf leaf(size_t brick) const {
    BandLeaf leaf;
    leaf.outside.set();
    const std::span<const float> distances = field_.distances(brick);
    for_each_place(brick, [&](size_t place, size_t number) {
      if (std::abs(distances[number]) < band())
        leaf.active.set(place);
      else if (distances[number] < 0)
        leaf.outside.reset(place);
    });
    return leaf;
  }

  vdb::VdbBytes values(const BandNode& node, bool materials) const {
    vdb::VdbBytes bytes;
    if (node.is_upper) return bytes;
    Deflater deflater(vdb::kVdbDeflate);
    for (const auto& entry : node.below) {
      const size_t brick = entry.second;
      BandLeaf at = leaf(brick);
      if (materials) at.outside.set();
      vdb::VdbBytes of_leaf;
      for_each_place(brick, [&](size_t place, size_t number) {
        if (!at.active[place]) return;
        if (materials)
          vdb::put(of_leaf, int32_t{field_.materials(brick)[number]});
        else
          vdb::put(of_leaf, field_.distances(brick)[number]);
      });
      vdb::put_mask(bytes, at.active);
      put_entries(bytes, ~at.active, at.outside, of_leaf, deflater);
    }
    return bytes;
  }

  const voxelize::DistanceField& field_;
  const VdbDistances options_;
  const int32_t side_;
  std::vector<BandNode> nodes_;  // each upper one before those below it
  uint32_t uppers_ = 0;
  std::vector<Int3> tiles_, no_tiles_;
};

}  // namespace

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
