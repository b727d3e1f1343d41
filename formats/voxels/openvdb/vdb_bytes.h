// Writes the parts of a .vdb file that do not depend on the content of its grids.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/geometry.h"
#include "libvox/voxelize/distances.h"

namespace vox::vdb {

using VdbBytes = std::vector<uint8_t>;

inline constexpr int kVdbDeflate =
    2;  // the fastest level does not promise that equal values give equal bytes
inline constexpr size_t kUuidDigits = 36;
// A node's inactive values: all are the background, all are its negative, or a mask says which are the background.
enum class VdbInactive : uint8_t { Background = 0, Negative = 1, Masked = 3 };

template <class T>
void put(VdbBytes& to, const T& value) {
  to.resize(to.size() + sizeof value);
  std::memcpy(to.data() + to.size() - sizeof value, &value, sizeof value);
}
inline void put_text(VdbBytes& to, std::string_view text) {
  put(to, static_cast<uint32_t>(text.size()));
  to.insert(to.end(), text.begin(), text.end());
}
template <size_t kBits>
void put_mask(VdbBytes& to, const std::bitset<kBits>& mask) {
  std::array<uint64_t, kBits / 64> words = {};
  for (size_t i = 0; i < kBits; ++i) words[i / 64] |= uint64_t{mask[i]} << i % 64;
  put(to, words);
}
inline void put_corner(VdbBytes& to, const Int3& corner) {
  for (uint32_t axis = 0; axis < 3; ++axis) put(to, corner[axis]);
}

// Appends the values of a node's active voxels or tiles, deflated if that makes them smaller.
inline void put_deflated(VdbBytes& to, const VdbBytes& values, Deflater& deflater) {
  const Bytes deflated = values.empty() ? Bytes() : deflater.deflated(values);
  if (!values.empty() && deflated.size() < values.size()) {
    put(to, static_cast<int64_t>(deflated.size()));
    to.insert(to.end(), deflated.begin(), deflated.end());
  } else {
    put(to, -static_cast<int64_t>(values.size()));
    to.insert(to.end(), values.begin(), values.end());
  }
}
inline void put_values(VdbBytes& to, const VdbBytes& values, Deflater& deflater) {
  put(to, VdbInactive::Background);
  put_deflated(to, values, deflater);
}

using TextPairs = std::vector<std::pair<std::string_view, std::string_view>>;

inline void put_metadata(VdbBytes& to, const TextPairs& texts, bool has_halves = false) {
  put(to, static_cast<uint32_t>(texts.size() + (has_halves ? 1 : 0)));
  for (const auto& [name, value] : texts) {
    put_text(to, name);
    put_text(to, "string");
    put_text(to, value);
  }
  if (!has_halves) return;
  put_text(to, "is_saved_as_half_float");
  put_text(to, "bool");
  put_text(to, "\1");
}

// Returns the place of a child among the children of a node, z fastest. `log2` is the logarithm of the child's side,
// and `bits` that of the number of children along an axis.
inline size_t entry_of(const Int3& corner, uint32_t log2, uint32_t bits) {
  size_t entry = 0;
  for (uint32_t axis = 0; axis < 3; ++axis)
    entry = entry << bits | (static_cast<uint32_t>(corner[axis]) >> log2 & ((1u << bits) - 1));
  return entry;
}
inline constexpr uint32_t kVoxelLog2 = 0, kLeafVdbLog2 = 3, kLowerVdbLog2 = 7;

// Returns the file's first bytes. The file's name follows them; it is made from the scene's digest.
inline VdbBytes first_bytes() {
  VdbBytes head;
  put(head, uint64_t{0x56444220});  // "VDB "
  put(head, uint32_t{224});         // the version of the format
  put(head, uint32_t{10});          // the version of the library
  put(head, uint32_t{0});
  put(head, uint8_t{1});  // the entries of grids state their places
  return head;
}

// Returns the metadata of the file: first the mark and then, if the file holds a scene, its description. Older files
// have none, so is_vdb_of_vox() ignores the number of metadata.
inline TextPairs file_metadata(std::string_view scene) {
  TextPairs metadata = {{"creator", "vox"}};
  if (!scene.empty()) metadata.emplace_back(kVdbSceneName, scene);
  return metadata;
}

inline VdbBytes file_head(std::string_view uuid, uint32_t grids, std::string_view scene = {}) {
  VdbBytes head = first_bytes();
  head.insert(head.end(), uuid.begin(), uuid.end());
  put_metadata(head, file_metadata(scene));
  put(head, grids);
  return head;
}

// Appends the transform from voxels to the places of their centers.
inline void put_transform(VdbBytes& head, const Vec3d& origin, const VoxelSize& voxel_size) {
  put_text(head, "ScaleTranslateMap");
  const Vec3d sides = voxel_size.sides(), inverse = quotient(Vec3d{1, 1, 1}, sides);
  put(head, origin + sides * 0.5);
  for (const Vec3d& numbers : {sides, sides, inverse, product(inverse, inverse), inverse * 0.5})
    put(head, numbers);
}

struct VdbGridName {
  std::string_view name, tree;
};

// Writes a grid: its head, topology(i) of each node, and then values(i) of each node.
template <class Topology, class Values>
void write_grid(ExportFile& file, const VdbGridName& grid, const VdbBytes& grid_head, uint64_t nodes,
                const Topology& topology, const Values& values) {
  VdbBytes head;
  put_text(head, grid.name);
  put_text(head, grid.tree);
  put_text(head, "");  // this grid is no instance of another one
  file.write(head);
  const uint64_t places_at = file.end();
  std::array<int64_t, 3> places = {static_cast<int64_t>(places_at + sizeof places)};
  file.write(std::string_view(reinterpret_cast<const char*>(&places), sizeof places));
  file.write(grid_head);
  file.write_pieces(nodes, topology);
  places[1] = static_cast<int64_t>(file.end());
  file.write_pieces(nodes, values);
  places[2] = static_cast<int64_t>(file.end());
  file.write_again(places_at, std::string_view(reinterpret_cast<const char*>(&places), sizeof places));
}

}  // namespace vox::vdb

namespace vox {

// The tree of a file of OpenVDB or NanoVDB for distances to a mesh: nodes of 4096³ and 128³ voxels, and leaves, which are
// the bricks of the field. No triangle crosses a cube without a brick, so one of its voxels decides if all are inside, even
// where the triangles that close a hole cross the cube.

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
