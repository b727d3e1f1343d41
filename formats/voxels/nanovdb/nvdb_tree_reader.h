// The tree of a NanoVDB grid in a file: the positions of its nodes, and its active voxels. Every position
// that the file states is checked before it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/nvdb_layout.h"
#include "formats/voxels/voxel_grid.h"

namespace vox::nvdb {

// A cube of 128³: a node, or a tile of one value.
struct TreePart {
  Vec3<int64_t> corner;
  uint64_t node = 0;   // the node's position; 0 for a tile
  uint64_t value = 0;  // for a tile: the file's bytes
};

// The content of one place of a node of 128³.
struct LeafEntry {
  enum class Kind { Empty, Tile, Leaf };
  Kind kind = Kind::Empty;
  uint64_t value = 0;  // for a tile
  uint64_t at = 0;     // for a leaf
};

class TreeReader {
 public:
  // Throws Error if the tree's structure is impossible.
  explicit TreeReader(const GridBytes& grid);

  const GridHead& head() const { return head_; }
  GridType type() const { return static_cast<GridType>(head_.type); }
  const std::vector<TreePart>& parts() const { return parts_; }

  LeafEntry entry(const TreePart& part, Int3 place) const;
  LeafHead leaf(uint64_t at) const { return grid_.get<LeafHead>(at, "a leaf"); }
  std::span<const std::byte> values(uint64_t leaf, uint64_t bytes) const {
    return grid_.part(leaf + kLeafValues, bytes, "the values of a leaf");
  }

  // Returns the octants of a part that may have voxels: bit o stands for octant o.
  uint32_t octants(const TreePart& part) const;
  // Returns the bounds of the active voxels.
  FileBounds bounds() const;

 private:
  void read_root(uint64_t root);
  void read_upper(uint64_t at, Vec3<int64_t> corner);
  void add_tile(Vec3<int64_t> corner, uint64_t value);
  void check_shared() const;
  uint64_t value_at(uint64_t at) const;
  uint64_t word_of(uint64_t mask_at, uint32_t bit) const {
    return grid_.get<uint64_t>(mask_at + bit / 64 * 8, "a mask");
  }
  FileBounds bounds_of(const TreePart& part) const;

  GridBytes grid_;
  GridHead head_;
  NodeShape shape_;
  uint64_t uppers_ = 0;
  std::vector<TreePart> parts_;
};

}  // namespace vox::nvdb
