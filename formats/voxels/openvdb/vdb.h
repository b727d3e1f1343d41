// Writes OpenVDB's .vdb, format version 224, as OpenVDB 10 does with its compression ZIP | ACTIVE_MASK: scenes, and
// distances to a mesh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/scan.h"
#include "formats/volume/stored_volume.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/tree_cubes.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/voxelize/distances.h"

namespace vox {

// Writes the active voxels as up to three grids: `density`, float, 1; `material`, int32, the material + 1; and `color`,
// vec3s, in linear light. Index coordinates are those of the scene's voxels, even with a clip box. The transform maps
// them to the voxels' centers in the world. Cubes full of one material become tiles.
void write_vdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip);

// Writes the distances that are less than the band as active voxels of the grid `sdf`, float, with
// the band as background, and its negative inside: a level set if distances have signs. `materials`, int32, has the nearest
// triangles' materials + 1. Indices are those of the grid's voxels.
// Floats::F16 stores the distances as halves, as OpenVDB does for grids that are saved as such.
struct VdbDistances {
  bool has_signs = false, materials = false;
  Floats floats = Floats::F32;
};
void write_vdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
               const VdbDistances& options);

// Does the same as a .nvdb file. Floats::F16 is the format's type Fp16: of each leaf, the range of values is divided into
// 65535 steps. Materials are whole numbers stored as floats, of the type Fp8, as those of a scene.
enum class DistanceSigns : uint8_t { No, Yes };
struct NvdbDistances {
  DistanceSigns signs = DistanceSigns::No;
  Floats floats = Floats::F32;
  bool materials = false;
};
void write_nvdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
                const NvdbDistances& options);

// True if a file was written by write_vdb().
bool is_vdb_of_vox(const std::filesystem::path& path);

// True if the grid that is read of the file has numbers, which make a volume. Colors, bool, masks and everything that
// write_vdb() has written are voxels, and so is a file that cannot be read.
bool is_vdb_volume(const std::filesystem::path& path);

// Reads the active voxels of a file's first grid that can be read, with the colors of a vec3s grid. A file of write_vdb()
// gives the scene that was written.
VoxelFile open_vdb(const std::filesystem::path& path);

// Opens a grid of numbers, the first one or the grid `channel`, as the box around its active voxels. A level set becomes a
// fog that rises from 0 at the surface to 1 at the depth of its background.
StoredVolume open_vdb_volume(const std::filesystem::path& path, std::optional<uint32_t> channel);

// Reads an OpenVDB file of version 222 to 224: its grids, the tree of one of them, and the values of the tree's nodes.
// openvdb/io and openvdb/tree define the layout. Every size and count that the file states is checked before its use.

// Ways in which values are compressed, as bits.
inline constexpr uint32_t kVdbZip = 1, kVdbActiveMask = 2, kVdbBlosc = 4;

// The name of the metadatum of a file in which vox describes the scene (nvdb_file.h).
inline constexpr std::string_view kVdbSceneName = "vox scene";

// A supported type of values.
struct VdbType {
  enum class Kind { Number, Color, Bool, Mask };
  std::string_view name;  // as in "Tree_float_5_4_3"
  Kind kind;
  uint32_t bytes;                      // size of a value in memory
  uint32_t reals = 0;                  // the number of real numbers in a value, which may be stored as halves
  StoredType number = StoredType::U8;  // for numbers
};

// An entry of the file's list of grids.
struct VdbEntry {
  std::string name, tree;         // the tree's type without "Tree_" and "_5_4_3"
  std::string parent = {};        // for an instance: the name of the grid whose tree it shares
  const VdbType* type = nullptr;  // null if the type is not supported
  bool halves = false;            // real numbers are stored as halves
  uint64_t grid_at = 0;
};

// The head of a grid.
struct VdbGrid {
  std::string name;
  VdbType type = {};
  bool halves = false;
  uint32_t compression = 0;
  bool is_level_set = false;
  nvdb::TreePlacement
      placement;  // `corner` is the place in the world of index coordinates (0, 0, 0), a voxel's center
  uint64_t tree_at = 0;
};

class VdbFile {
 public:
  explicit VdbFile(const std::filesystem::path& path);

  const nvdb::GridBytes& bytes() const { return bytes_; }
  const std::vector<VdbEntry>& entries() const { return entries_; }
  // Returns the scene's description, if vox wrote the file.
  const std::optional<nvdb::SceneText>& ours() const { return ours_; }

  // Returns the index of the grid that is read if none is chosen: in vox's files the grid that holds the most, in
  // others the first grid of a supported type. Throws Error if there is none.
  size_t usual_grid() const;

  // Reads the head of a grid; an instance has the tree of its parent.
  VdbGrid grid(size_t i) const;

 private:
  VdbGrid head_of(const VdbEntry& entry) const;

  nvdb::GridBytes bytes_;
  std::vector<VdbEntry> entries_;
  std::optional<nvdb::SceneText> ours_;
};

// A position in a file, from which values are read one after the other. It checks that the file is long enough.
struct VdbScan {
  const nvdb::GridBytes& bytes;
  uint64_t at;

  template <class T>
  T next(std::string_view what) {
    const T value = bytes.get<T>(at, what);
    at += sizeof(T);
    return value;
  }
  std::span<const std::byte> take(uint64_t count, std::string_view what) {
    const auto part = bytes.part(at, count, what);
    at += count;
    return part;
  }
  std::string text(std::string_view what) {
    const auto part = take(next<uint32_t>(what), what);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
};

// A block of values of a node. If only active values are stored, each inactive one is one of two values.
struct VdbBlock {
  static constexpr size_t kMostValueBytes = 16;
  using Value = std::array<std::byte, kMostValueBytes>;
  Value inactive[2] = {};
  std::optional<uint64_t> selection_at = {};  // a mask: 1 if an inactive value is inactive[1]
  uint64_t values = 0;                        // the number of all values
  uint64_t stored = 0;                        // the number of values in the file
  bool packed = false;                        // true if they are compressed
  uint64_t data_at = 0, data_bytes = 0;
};

// The values of a grid's nodes.
class VdbValues {
 public:
  VdbValues(const nvdb::GridBytes& bytes, const VdbGrid& grid, VdbBlock::Value background)
      : bytes_(bytes),
        type_(grid.type),
        halves_(grid.halves),
        compression_(grid.compression),
        background_(background) {}

  const VdbType& type() const { return type_; }
  const VdbBlock::Value& background() const { return background_; }
  bool is_background(const std::byte* value) const;

  // Reads the head of the next block of values. Bit i of the mask is 1 if value i is active.
  VdbBlock next_block(VdbScan& scan, std::span<const std::byte> mask) const;

  // Returns all values of a block, type().bytes each.
  std::vector<std::byte> decoded(const VdbBlock& block, std::span<const std::byte> mask) const;

 private:
  uint64_t stored_bytes_each() const { return halves_ ? 2 * type_.reals : type_.bytes; }
  std::vector<std::byte> unpacked(const VdbBlock& block) const;

  nvdb::GridBytes bytes_;
  VdbType type_;
  bool halves_;
  uint32_t compression_;
  VdbBlock::Value background_;
};

// Decompresses Blosc 1 with LZ4, as OpenVDB uses it. Returns false if the data is damaged or of another kind, or if its
// size is not that of `to`.
bool unblosc(std::span<const std::byte> data, std::span<std::byte> to);

// A cube of 128³: a node, or a tile of one value.
struct VdbPart {
  Vec3<int64_t> corner;
  uint64_t node = 0;   // the node's position; 0 for a tile
  uint64_t first = 0;  // the number of a node's first leaf, or of a tile's value
  bool active = true;  // for a tile
};

// A node of 128³ with its masks and the values of its tiles.
struct VdbNode {
  std::span<const std::byte> children, active;  // masks of 4096 bits
  std::vector<std::byte> values;                // values at children are not set
  uint64_t leaf_masks_at = 0;
};

inline bool mask_bit(std::span<const std::byte> mask, uint32_t i) {
  return (std::to_integer<uint32_t>(mask[i / 8]) >> i % 8 & 1) != 0;
}

class VdbTree {
 public:
  VdbTree(const VdbFile& file, const VdbGrid& grid);

  const VdbValues& values() const { return values_; }
  const std::vector<VdbPart>& parts() const { return parts_; }
  const std::byte* tile(const VdbPart& part) const { return tiles_[part.first].data(); }

  VdbNode node(const VdbPart& part) const;
  // Return the mask and the values of a leaf; `n` counts the node's leaves.
  nvdb::LeafMask leaf_mask(const VdbNode& node, uint32_t n) const;
  std::vector<std::byte> leaf_values(const VdbPart& part, const VdbNode& node, uint32_t n) const;

  // For nvdb::cubes_of() and bounds_of_parts().
  uint32_t octants(const VdbPart& part) const;
  FileBounds bounds_of(const VdbPart& part) const;

 private:
  void read_root(VdbScan& scan);
  void read_upper(VdbScan& scan);
  bool is_empty(const std::byte* value, bool active) const;
  void add_tile(const Vec3<int64_t>& corner, const std::byte* value, bool active);
  void read_leaves(VdbScan& scan);
  void check_places() const;

  nvdb::GridBytes bytes_;
  VdbValues values_;
  std::vector<VdbPart> parts_;
  std::vector<VdbBlock::Value> tiles_;
  std::vector<uint64_t> leaves_;  // the positions of the leaves' values, in the order of the parts
};

}  // namespace vox
