// Writes the parts of a .nvdb file that stand before and behind the nodes of its grid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"

namespace vox::nvdb {

// An array beside the tree. An array that is written in pieces has no bytes here.
struct BlindArray {
  BlindRecord record;
  NodeBytes bytes = {};
};

BlindArray blind_array(const char* name, uint64_t count, uint32_t value_bytes);
BlindArray palette_array(const scene::Palette& palette);
BlindArray text_array(const dag::VoxelScene& scene);

// Returns the key of a root's entry.
inline uint64_t root_key(Int3 corner) {
  const auto part = [](int32_t v) { return uint64_t{static_cast<uint32_t>(v) / uint32_t{kUpperSide}}; };
  return part(corner.x) << 42 | part(corner.y) << 21 | part(corner.z);
}
inline void set_bit(NodeBytes& bytes, uint64_t mask_at, uint32_t bit) {
  bytes[mask_at + bit / 8] = static_cast<uint8_t>(bytes[mask_at + bit / 8] | 1u << bit % 8);
}

struct NvdbGridFacts {
  std::string name;
  uint32_t version = 0, flags = 0;
  GridType type = GridType::Float;
  GridClass grid_class = GridClass::Unknown;
  ActiveVoxels active = {};
  std::array<uint32_t, 3> nodes = {}, tiles = {};  // of 8³, 128³, 4096³
  std::array<uint64_t, 3> first = {};              // where those nodes begin, from the tree's head
  uint64_t end = 0;                                // of the nodes, from the tree's head
  uint64_t values = 0;                             // in an index grid
  NodeBytes root = {};                             // follows the tree's head
  std::vector<BlindArray> arrays = {};             // the scene's description is the last one
};

// Sets the places of the arrays beside the tree, and writes the file up to the grid's first node. The resolution and the
// place of the scene count, not its voxels.
class NvdbHeads {
 public:
  NvdbHeads(const dag::VoxelScene& scene, NvdbGridFacts facts);
  uint64_t bytes() const { return file_head().size() + grid_bytes_; }
  void write(ExportFile& file) const;
  // Calls write_pieces() in place of writing an array that has no bytes here.
  template <class WritePieces>
  void write_arrays(ExportFile& file, const WritePieces& write_pieces) const {
    for (const BlindArray& array : facts_.arrays) {
      NodeBytes record(sizeof(BlindRecord));
      put_at(record, 0, array.record);
      file.write(record);
    }
    for (const BlindArray& array : facts_.arrays) {
      const uint64_t bytes = array.record.count * array.record.value_bytes;
      if (array.bytes.empty() && bytes > 0) write_pieces();
      file.write(array.bytes);
      file.write(NodeBytes(align_up(bytes) - bytes));
    }
  }

 private:
  uint64_t blind_at() const { return sizeof(GridHead) + facts_.end; }
  NodeBytes file_head() const;
  NodeBytes grid_head() const;

  const dag::VoxelScene& scene_;
  NvdbGridFacts facts_;
  uint64_t grid_bytes_ = 0;
};

}  // namespace vox::nvdb
