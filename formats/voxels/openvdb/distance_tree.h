// The tree of a file of OpenVDB or NanoVDB for distances to a mesh: nodes of 4096³ and 128³ voxels, and leaves, which are
// the bricks of the field. No triangle crosses a cube without a brick, so one of its voxels decides if all are inside, even
// where the triangles that close a hole cross the cube.
#pragma once

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/openvdb/vdb_bytes.h"
#include "libvox/voxelize/distances.h"

namespace vox {

struct BandNode {
  static constexpr int32_t kUpperSide = 4096, kLowerSide = 128;

  Int3 corner;
  bool is_upper;
  // The place and the number of each child, in the order of their places: of a lower node among all of them, or of a brick.
  std::vector<std::pair<size_t, size_t>> below = {};
};

class DistanceTree {
 public:
  explicit DistanceTree(const voxelize::DistanceField& field)
      : field_(field), side_(static_cast<int32_t>(field.grid().resolution)) {
    using Key = std::tuple<int32_t, int32_t, int32_t>;
    const auto key_of = [](Int3 corner, int32_t side) {
      return Key{corner.x / side, corner.y / side, corner.z / side};
    };
    const auto corner_of = [](const Key& key, int32_t side) {
      return Int3{std::get<0>(key), std::get<1>(key), std::get<2>(key)} * side;
    };
    std::map<Key, std::map<Key, BandNode>> nodes;  // in the order of files
    for (size_t brick = 0; brick < field.bricks(); ++brick) {
      const Int3 corner = field.corner(brick);
      const Key key = key_of(corner, BandNode::kLowerSide);
      BandNode& lower = nodes[key_of(corner, BandNode::kUpperSide)]
                            .try_emplace(key, BandNode{corner_of(key, BandNode::kLowerSide), false})
                            .first->second;
      lower.below.emplace_back(vdb::entry_of(corner, vdb::kLeafVdbLog2, 4), brick);
    }
    size_t lowers = 0;
    for (auto& [key, below] : nodes) {
      const size_t upper = nodes_.size();
      ++uppers_;
      nodes_.push_back({corner_of(key, BandNode::kUpperSide), true});
      for (auto& [lower_key, lower] : below) {
        nodes_[upper].below.emplace_back(vdb::entry_of(lower.corner, vdb::kLowerVdbLog2, 5), lowers++);
        std::ranges::sort(lower.below);
        nodes_.push_back(std::move(lower));
      }
    }
    find_root_tiles();
  }

  const voxelize::DistanceField& field() const { return field_; }
  const std::vector<BandNode>& nodes() const { return nodes_; }  // each upper one before those below it
  uint32_t uppers() const { return uppers_; }
  const std::vector<Int3>& tiles() const { return tiles_; }  // cubes of 4096³ that are inside without a node
  float band() const { return static_cast<float>(field_.band()); }

  bool is_inside(Int3 corner) const {
    return std::max({corner.x, corner.y, corner.z}) < side_ && field_.is_inside(corner);
  }

  // Returns the places of a node without children at which everything is outside.
  template <size_t kEntries>
  std::bitset<kEntries> outside_of(const BandNode& node, const std::bitset<kEntries>& children) const {
    const int32_t side = node.is_upper ? BandNode::kLowerSide : voxelize::DistanceField::kBrickSide;
    const uint32_t bits = node.is_upper ? 5 : 4;
    std::bitset<kEntries> outside;
    outside.set();
    for (size_t place = 0; place < kEntries; ++place) {
      const auto along = [&](uint32_t shift) {
        return static_cast<int32_t>(place >> shift & ((1u << bits) - 1)) * side;
      };
      if (!children[place] && is_inside(node.corner + Int3{along(2 * bits), along(bits), along(0)}))
        outside.reset(place);
    }
    return outside;
  }

  // Calls visit(place in the leaf, number in the brick) for the voxels in the grid.
  template <class Visit>
  void for_each_place(size_t brick, const Visit& visit) const {
    const Int3 corner = field_.corner(brick);
    for (size_t place = 0; place < 512; ++place) {
      const Int3 at = {static_cast<int32_t>(place >> 6), static_cast<int32_t>(place >> 3 & 7),
                       static_cast<int32_t>(place & 7)};
      const Int3 voxel = corner + at;
      if (std::max({voxel.x, voxel.y, voxel.z}) < side_) visit(place, index_in({8, 8, 8}, at));
    }
  }

  struct BandLeaf {
    std::bitset<512> active = {}, outside = {};
  };
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

 private:
  void find_root_tiles() {
    for (Int3 at = {0, 0, 0}; at.z < side_; at.z += BandNode::kUpperSide)
      for (at.y = 0; at.y < side_; at.y += BandNode::kUpperSide)
        for (at.x = 0; at.x < side_; at.x += BandNode::kUpperSide)
          if (is_inside(at) && std::ranges::none_of(nodes_, [&](const BandNode& node) {
                return node.is_upper && node.corner == at;
              }))
            tiles_.push_back(at);
  }

  const voxelize::DistanceField& field_;
  const int32_t side_;
  std::vector<BandNode> nodes_;
  uint32_t uppers_ = 0;
  std::vector<Int3> tiles_;
};

}  // namespace vox
