// Writes scenes in the formats of other programs. The extension chooses the format: .nrrd, .vox, .obj, …
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/bits.h"
#include "libvox/base/files.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/ranks/ranks.h"

namespace vox {

enum class PlyContent { Surface, Points };

// If a side is set, the scene is written as a folder of pieces.
struct PieceOptions {
  uint32_t side = 0;  // voxels; 0: as one file
  Overwrite overwrite = Overwrite::OwnFiles;
};

struct ExportOptions {
  // Each of these options is for one format only.
  BinvoxValues binvox = BinvoxValues::Filled;
  PlyContent ply = PlyContent::Surface;
  VtkKind vtk = VtkKind::Image;
  std::optional<NvdbGrid> nvdb = {};  // if absent: Rgba for a scene with colors, otherwise U8
  LayerOptions slices = {};
  RawLayout raw = {};
  std::optional<EarthPlace> origin = {};  // for 3D Tiles
  PieceOptions pieces = {};
  uint64_t memory_limit = 0;                          // as in EngineOptions, while a DAG is made for the file
  const attributes::PackedValues* normals = nullptr;  // those of all voxels, for formats that hold them
};

bool is_export_path(const std::filesystem::path& path);

// Throws Error if the format stores dense grids and the resolution is too large for one.
void check_export_resolution(uint32_t resolution, const std::filesystem::path& path,
                             const ExportOptions& options);

// True if the format holds a normal for each voxel: .npz, and .ply of points.
bool export_holds_normals(const std::filesystem::path& path, const ExportOptions& options);

// Returns the bytes of a file that was written, or of a folder of layers or pieces.
uint64_t written_bytes(const std::filesystem::path& path, const ExportOptions& options);

// True if the format stores the color of each voxel (dag::VoxelScene::colors); .vox stores up to 255 different ones.
// Some store the numbers of named colors instead. Other formats store materials: a scene with colors gets a palette first
// (dag::with_palette()).
bool export_holds_colors(const dag::VoxelScene& scene, const std::filesystem::path& path,
                         const ExportOptions& options);

// Writes the voxels inside the clip box, or all of them. The file appears complete or not at all. Throws Error that
// names the file. Collective: ranks make the pieces of a file together, and rank 0 writes it. Rank 0 does all other
// work alone, including all work for VTKHDF, HashDAG, SymVox, .schem, .vdb and chunks.
void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options = {},
                  ranks::Ranks& ranks = ranks::alone());

// All exports share this code: the region, and a file that is written from front to back in limited memory,
// from pieces that are made in parallel.

// Returns the scene's [0, R)³ or the part of it inside the clip box. Throws Error that names the target if
// that part is empty.
VoxelBox export_region(const dag::VoxelScene& scene, const std::optional<VoxelBox>& clip,
                       const std::filesystem::path& target);

// Returns, as text such as "1K", the largest resolution of at most `most` that repeated halving of this one reaches.
std::string coarser_resolution(uint32_t resolution, uint32_t most);

// Returns a hint for an error: a scene of this resolution, or a part of the scene, can be written.
std::string coarser_hint(const std::string& resolution);
std::string lower_resolution_hint();

// Returns the world position of a voxel's lower corner.
Vec3d world_corner(const dag::VoxelScene& scene, Int3 voxel);

// Returns the scene's origin in voxels if it is whole on each axis and all coordinates fit into 32 bits. Formats with
// whole-number coordinates then store places in the world; otherwise they store places in the grid, and tell so.
std::optional<Int3> origin_in_voxels(const dag::VoxelScene& scene);
void log_no_whole_origin(const std::filesystem::path& path);

// All ranks must make the same calls, and only rank 0 has a file.
class ExportFile {
 public:
  // `least_bytes` is a lower bound of the file's size. If the disk has less free space, this throws at once.
  ExportFile(const std::filesystem::path& target, uint64_t least_bytes, Writers writers = Writers::Several,
             ranks::Ranks& ranks = ranks::alone());
  void write(std::span<const uint8_t> bytes);
  void write(std::string_view text);

  // Writes make(0), make(1), … make(count - 1) in this order. The pieces are made and written in parallel,
  // with few of them in memory at a time. Collective: each piece is made by one rank.
  void write_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make);

  // Overwrites bytes that have been written before.
  void write_again(uint64_t offset, std::string_view text);

  uint64_t end() const { return end_; }  // the number of bytes so far, on rank 0

  void commit();
  // Commits another file first, then this one, with Writers::One.
  void commit_behind(ExportFile& other);

 private:
  void write_own_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make);
  void write_shared_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make);

  ranks::Ranks& ranks_;
  std::optional<AtomicFile> file_;  // on rank 0
  uint64_t end_ = 0;                // end of everything written or reserved
};

// BorderedCube holds a cube of 64³ voxels of a scene and the layer of voxels around it, for code that
// needs the neighbors of every voxel. The voxels are available as bytes and as rows of bits along x.

// Returns the lower corners, multiples of `side`, of the cubes that touch the region and in which the DAG has
// a node, in Morton order. `side` is a power of two, at least 4; a DAG with a smaller side has one cube.
std::vector<Int3> corners_of_cubes(const dag::FrozenDag& dag, const VoxelBox& region, uint32_t side);

// Returns the lower corners of the chunks of this size, counted from the region's lower corner, that touch a cube of 64³
// voxels with a node, in the order of an array with x fastest.
std::vector<Int3> corners_of_chunks(const dag::FrozenDag& dag, const VoxelBox& region, const Int3& side);

class BorderedCube {
 public:
  static constexpr int32_t kSide = 64;

  BorderedCube();

  // Reads the voxels of the region; everything outside it counts as empty. The object is large, so a thread
  // keeps one and reads one cube after another into it.
  void read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner);

  // Places are relative to the corner, from -1 to 64. Values are those of dag/walk.h: 0 is empty.
  uint8_t value(const Int3& at) const { return values_[place(at)]; }

  // Bit x of row() is set if the voxel (x, y, z) is filled. In the other two, bit x is set if the voxel
  // before or after it along x is filled.
  uint64_t row(int32_t y, int32_t z) const { return rows_[row_index(y, z)]; }
  uint64_t row_before(int32_t y, int32_t z) const {
    return row(y, z) << 1 | uint64_t{value({-1, y, z}) != 0};
  }
  uint64_t row_behind(int32_t y, int32_t z) const {
    return row(y, z) >> 1 | uint64_t{value({kSide, y, z}) != 0} << (kSide - 1);
  }

 private:
  static constexpr int32_t kRows = kSide + 2;
  static constexpr int32_t kBefore = 8;  // aligns eight voxels of the cube to a word
  static constexpr int32_t kStride = kBefore + kSide + 8;

  static size_t row_index(int32_t y, int32_t z) {
    return static_cast<size_t>(z + 1) * kRows + static_cast<size_t>(y + 1);
  }
  static size_t place(const Int3& at) {
    return row_index(at.y, at.z) * kStride + static_cast<size_t>(at.x + kBefore);
  }

  std::vector<uint8_t> values_, dense_;
  std::vector<uint64_t> rows_;
};

// One bit for each 64³ cube of a dense grid, set if the cube contains a filled voxel. Several threads may set
// bits.
class CubeMarks {
 public:
  // The grid's voxels lie in [0, size) on each axis.
  explicit CubeMarks(Vec3<uint64_t> size)
      : cubes_{(size.x + 63) / 64, (size.y + 63) / 64, (size.z + 63) / 64},
        words_((cubes_.x * cubes_.y * cubes_.z + 63) / 64) {}

  void mark(Vec3<uint64_t> voxel) {
    const uint64_t bit = ((voxel.z / 64) * cubes_.y + voxel.y / 64) * cubes_.x + voxel.x / 64;
    const std::atomic_ref<uint64_t> word(words_[bit / 64]);
    const uint64_t mask = uint64_t{1} << (bit & 63);
    if ((word.load(std::memory_order_relaxed) & mask) == 0) word.fetch_or(mask, std::memory_order_relaxed);
  }

  // Returns the keys of the marked cubes, ascending.
  std::vector<uint64_t> keys() const {
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < words_.size(); ++i)
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        const uint64_t bit = i * 64 + static_cast<uint64_t>(lowest_bit(word));
        keys.push_back(morton_encode(static_cast<uint32_t>(bit % cubes_.x),
                                     static_cast<uint32_t>(bit / cubes_.x % cubes_.y),
                                     static_cast<uint32_t>(bit / cubes_.x / cubes_.y)));
      }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

 private:
  Vec3<uint64_t> cubes_;
  std::vector<uint64_t> words_;
};

// Writes a scene that is too large for one file as a folder of pieces: cubes of the grid, each a complete file.
// pieces.json states the place of each piece and the meaning of its values. Pieces without voxels are left out.

// The smallest and the largest side of a piece.
inline constexpr uint32_t kLeastPieceSide = 16, kMostPieceSide = kMaxDenseResolution;

// True if the format of this path can be written in pieces. "cells/part.raw" stands for cells/part_0_0_0.raw, …, with
// the piece's numbers along x, y and z.
bool is_format_of_pieces(const std::filesystem::path& path);

// Throws Error if the path names no separate folder, or if files in it would be lost.
void check_pieces_writable(const std::filesystem::path& path, Overwrite overwrite);

// Writes the voxels inside the clip box, or all of them, in pieces of options.pieces.side voxels a side.
void write_in_pieces(const dag::VoxelScene& scene, const std::filesystem::path& path,
                     const std::optional<VoxelBox>& clip, const ExportOptions& options);

}  // namespace vox
