// The grid of a .nvdb file: its decompressed bytes in the layout that a grid has in memory. The file may
// have any supported version and codec.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::nvdb {

// The layout of a NanoVDB file, for the writer and the reader. A file holds segments, and a segment holds
// grids. A grid is a tree of nodes of 4096³, 128³ and 8³ voxels below a root, in the form that it has in the
// memory of programs. Numbers are little-endian. Positions are offsets in bytes from the start of the struct
// that contains them.

// "NanoVDB0", the magic of files and of grids. Since version 32.7 a grid's magic ends in 1 and a file's in 2.
inline constexpr uint64_t kMagic = 0x304244566f6e614e;
inline bool is_magic(uint64_t magic) {
  const uint64_t digit = magic >> 56;
  return magic << 8 == kMagic << 8 && digit >= '0' && digit <= '2';
}

constexpr uint32_t version_number(uint32_t major, uint32_t minor, uint32_t patch) {
  return major << 21 | minor << 10 | patch;
}
inline constexpr uint32_t kMajorVersion = 32;  // the version that has this layout

// The types of values, with their numbers in a file.
enum class GridType : uint32_t {
  Float = 1,
  Double = 2,
  Int16 = 3,
  Int32 = 4,
  Int64 = 5,
  Vec3f = 6,
  Vec3d = 7,
  Mask = 8,
  Half = 9,
  UInt32 = 10,
  Boolean = 11,
  Rgba8 = 12,
  Fp4 = 13,
  Fp8 = 14,
  Fp16 = 15,
  FpN = 16,
  Vec4f = 17,
  Vec4d = 18,
  Index = 19,
  OnIndex = 20,  // this type and the next ones exist from version 32.6 on
  IndexMask = 21,
  OnIndexMask = 22,
  PointIndex = 23,
  Vec3u8 = 24,
  Vec3u16 = 25,
  UInt8 = 26,
  End = 27,
};

enum class GridClass : uint32_t { Unknown = 0, LevelSet = 1, VoxelVolume = 7, IndexGrid = 8 };

enum class Codec : uint16_t { None = 0, Zip = 1, Blosc = 2 };

struct FileHeader {
  uint64_t magic = kMagic;    // 8
  uint32_t version = 0;       // 4
  uint16_t grids = 0;         // 2
  Codec codec = Codec::None;  // 2
};
static_assert(sizeof(FileHeader) == 16);

// The description of a grid. A segment has those of all its grids before the first grid.
struct GridRecord {
  uint64_t grid_bytes = 0;                       // 8: in memory
  uint64_t file_bytes = 0;                       // 8: in the file
  uint64_t name_key = 0;                         // 8
  uint64_t voxels = 0;                           // 8: active voxels
  uint32_t type = 0;                             // 4
  uint32_t grid_class = 0;                       // 4
  std::array<double, 6> world_box = {};          // 48
  std::array<int32_t, 6> box = {};               // 24: the last voxel is included
  std::array<double, 3> voxel_size = {};         // 24
  uint32_t name_bytes = 0;                       // 4: with the final zero; the name follows
  std::array<uint32_t, 4> nodes = {0, 0, 0, 1};  // 16: of 8³, 128³, 4096³, root
  std::array<uint32_t, 3> tiles = {};            // 12: active tiles of 8³, 128³, 4096³
  Codec codec = Codec::None;                     // 2
  uint16_t padding = 0;                          // 2
  uint32_t version = 0;                          // 4
};
static_assert(sizeof(GridRecord) == 176);

// The map from index to world coordinates: a matrix, its inverse, and a translation.
struct Map {
  std::array<float, 9> matrix_f = {}, inverse_f = {};  // 72
  std::array<float, 3> shift_f = {};                   // 12
  float taper_f = 1;                                   // 4
  std::array<double, 9> matrix = {}, inverse = {};     // 144
  std::array<double, 3> shift = {};                    // 24
  double taper = 1;                                    // 8
};
static_assert(sizeof(Map) == 264);

// Flags of a grid.
inline constexpr uint32_t kHasBounds = 2, kHasMinMax = 4, kIsBreadthFirst = 32;

inline constexpr uint64_t kNoChecksum = UINT64_MAX;
inline constexpr size_t kChecksumBegin = 16;  // the head's checksum does not cover the magic and itself

struct GridHead {
  uint64_t magic = kMagic;                // 8
  uint64_t checksum = kNoChecksum;        // 8: low half: the head's; high half: the nodes', or all ones
  uint32_t version = 0;                   // 4
  uint32_t flags = 0;                     // 4
  uint32_t index = 0, count = 1;          // 8: among the grids of a buffer
  uint64_t bytes = 0;                     // 8
  std::array<char, 256> name = {};        // 256
  Map map = {};                           // 264
  std::array<double, 6> world_box = {};   // 48
  std::array<double, 3> voxel_size = {};  // 24
  uint32_t grid_class = 0;                // 4
  uint32_t type = 0;                      // 4
  int64_t blind_at = 0;                   // 8: the first BlindRecord, from here
  uint32_t blind_count = 0;               // 4
  uint32_t unused = 0;                    // 4
  uint64_t values = 0;                    // 8: number of an index grid's values, with the background
  uint64_t unused2 = 0;                   // 8
};
static_assert(sizeof(GridHead) == 672);

// The tree's head, which follows the grid's.
struct TreeHead {
  std::array<uint64_t, 4> first = {};  // 32: the first node of 8³, 128³, 4096³ and the root, from here
  std::array<uint32_t, 3> nodes = {};  // 12: of 8³, 128³, 4096³
  std::array<uint32_t, 3> tiles = {};  // 12: active tiles
  uint64_t voxels = 0;                 // 8
};
static_assert(sizeof(TreeHead) == 64);

inline constexpr size_t kBlindNameBytes = 256;

// The description of an array beside the tree.
struct BlindRecord {
  int64_t data_at = 0;                          // 8: from here
  uint64_t count = 0;                           // 8
  uint32_t value_bytes = 1;                     // 4: before version 32.6 these were flags that nothing reads
  uint32_t semantic = 0;                        // 4
  uint32_t data_class = 0;                      // 4
  uint32_t type = 0;                            // 4
  std::array<char, kBlindNameBytes> name = {};  // 256
};
static_assert(sizeof(BlindRecord) == 288);
inline constexpr uint32_t kChannelArray = 4;

// An entry of the root with its key. It is a child, or a tile of one value.
struct RootTile {
  uint64_t key = 0;     // 8: x, y and z over 4096, 21 bits each, z the lowest
  int64_t child = 0;    // 8: offset from the root; 0 for a tile
  uint32_t active = 0;  // 4
};

inline constexpr uint64_t align_up(uint64_t bytes) {
  return (bytes + 31) / 32 * 32;
}

// The positions of the parts of root and inner nodes, which depend on the size of a value.
struct NodeShape {
  uint32_t value_bytes = 4, value_align = 4, stat_bytes = 4;

  static constexpr uint64_t up(uint64_t at, uint64_t align) { return (at + align - 1) / align * align; }
  constexpr uint64_t stat_align() const { return stat_bytes < 8 ? stat_bytes : 8; }
  constexpr uint64_t stats_end(uint64_t begin) const {
    const uint64_t values = value_bytes * uint64_t{2};
    return up(up(begin, value_align) + values, stat_align()) + stat_bytes * uint64_t{2};
  }
  // The root: its box, its number of tiles, background, smallest, largest, mean and deviation.
  constexpr uint64_t root_bytes() const { return align_up(stats_end(up(28, value_align) + value_bytes)); }
  constexpr uint64_t root_value() const { return up(20, value_align); }  // in a tile
  constexpr uint64_t root_tile_bytes() const { return align_up(root_value() + value_bytes); }
  // An inner node with `entries` children: box, flags, mask of active tiles, mask of children,
  // smallest, largest, mean, deviation, and a table of values or offsets from the node.
  constexpr uint64_t entry_bytes() const { return up(value_bytes < 8 ? 8 : value_bytes, 8); }
  static constexpr uint64_t value_mask() { return 32; }
  static constexpr uint64_t child_mask(uint32_t entries) { return 32 + entries / 8; }
  static constexpr uint64_t stats(uint32_t entries) { return 32 + entries / 8 * uint64_t{2}; }
  constexpr uint64_t table(uint32_t entries) const { return align_up(stats_end(stats(entries))); }
  constexpr uint64_t inner_bytes(uint32_t entries) const {
    return align_up(table(entries) + entries * entry_bytes());
  }
};
inline constexpr size_t kRootTableSize = 24;
inline constexpr uint32_t kUpperEntries = 32768, kLowerEntries = 4096;
inline constexpr int32_t kUpperSide = 4096, kLowerSide = 128, kLeafSide = 8;
static_assert(NodeShape{}.inner_bytes(kUpperEntries) == 270400 &&
              NodeShape{}.inner_bytes(kLowerEntries) == 33856);
static_assert(NodeShape{}.root_bytes() == 64 && NodeShape{8, 8, 8}.root_bytes() == 96);
static_assert(NodeShape{8, 8, 8}.inner_bytes(kLowerEntries) == 33856);

// A leaf: its lower corner, the extent of its active voxels from there, flags, the mask of active voxels,
// then fields that depend on its type, and values.
struct LeafHead {
  std::array<int32_t, 3> corner = {};    // 12: of the active voxels
  std::array<uint8_t, 3> reach = {};     // 3
  uint8_t flags = 0;                     // 1
  std::array<uint64_t, 8> mask = {};     // 64: word x, byte y, bit z
  std::array<uint8_t, 16> of_type = {};  // 16
};
static_assert(sizeof(LeafHead) == 96);
inline constexpr uint64_t kLeafValues = sizeof(LeafHead);
inline constexpr uint8_t kLeafHasBounds = 2, kLeafIndexesActive = 16;
inline constexpr uint64_t kNodeHasBounds = 2;

// Returns the number of a child in a node of `log2` bits per axis.
inline uint32_t entry_of(Int3 place, uint32_t log2) {
  return static_cast<uint32_t>(place.x) << (2 * log2) | static_cast<uint32_t>(place.y) << log2 |
         static_cast<uint32_t>(place.z);
}
inline Int3 place_of_entry(uint32_t entry, uint32_t log2) {
  const uint32_t mask = (1u << log2) - 1;
  return {static_cast<int32_t>(entry >> (2 * log2)), static_cast<int32_t>(entry >> log2 & mask),
          static_cast<int32_t>(entry & mask)};
}

// The names of vox's arrays beside the tree.
inline constexpr const char* kMaterialsName = "materials";  // index grid: u8, each value's material
inline constexpr const char* kPaletteName = "palette";      // RGBA8
inline constexpr const char* kSceneName = "vox scene";      // text

class GridBytes {
 public:
  // `owner` keeps the bytes alive.
  GridBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  uint64_t size() const { return bytes_.size(); }

  // Returns the part that begins at `at`, which may be any number. Throws Error if the part is not inside the
  // grid.
  std::span<const std::byte> part(uint64_t at, uint64_t count, std::string_view what) const {
    if (at > bytes_.size() || count > bytes_.size() - at)
      throw Error(
          fmt::format("{} at byte {} is not within the {} bytes of the grid", what, at, bytes_.size()))
          .hint("is the file damaged?");
    return bytes_.subspan(at, count);
  }
  template <class T>
  T get(uint64_t at, std::string_view what) const {
    T value;
    std::memcpy(&value, part(at, sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

// Returns the first grid of the file. If there are more, a warning says so. Throws Error that names the file.
GridBytes open_grid(const std::filesystem::path& path);

// Returns the array of this name beside the tree, if there is one.
std::optional<std::span<const std::byte>> blind_data(const GridBytes& grid, const GridHead& head,
                                                     std::string_view name);

// Beside the tree of a .nvdb file, vox stores the scene's properties so that they can be restored. They are
// lines of text:
//
//   vox scene 1
//   resolution 1024
//   origin -0.5 0 2.25        of the lower corner of voxel (0, 0, 0)
//   voxel_size 0.001          or three numbers, if voxels are no cubes
//   up y
//   materials 2               the lines that follow: red, green, blue and the name of each
//   200 30 30 brick
//   90 90 90 slate

struct SceneText {
  uint32_t resolution = 0;
  Vec3d origin = {0, 0, 0};
  VoxelSize voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;
  scene::Palette palette = {};  // count is 0 if the scene has no materials
};

std::string scene_text(const dag::VoxelScene& scene);

// Throws Error if the text is damaged.
SceneText parse_scene_text(std::string_view text);

// The tree of a NanoVDB grid in a file gives the positions of its nodes, and its active voxels. Every
// position in the file is checked before it is used.

// A cube of 128³: a node, or a tile of one value.
struct TreePart {
  Vec3<int64_t> corner;
  uint64_t node = 0;   // the node's position; 0 for a tile
  uint64_t value = 0;  // for a tile: its value as in the file
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
  // Returns the bounds of a part's active voxels.
  FileBounds bounds_of(const TreePart& part) const;

 private:
  void read_root(uint64_t root);
  void read_upper(uint64_t at, Vec3<int64_t> corner);
  void add_tile(Vec3<int64_t> corner, uint64_t value);
  void check_shared() const;
  uint64_t value_at(uint64_t at) const;
  uint64_t word_of(uint64_t mask_at, uint32_t bit) const {
    return grid_.get<uint64_t>(mask_at + bit / 64 * 8, "a mask");
  }

  GridBytes grid_;
  GridHead head_;
  NodeShape shape_;
  uint64_t uppers_ = 0;
  std::vector<TreePart> parts_;
};

}  // namespace vox::nvdb
