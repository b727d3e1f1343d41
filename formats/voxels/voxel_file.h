// The voxels of another program's file as its reader describes them, and the scene that is made from them. A
// reader gives the size of the grid, the cubes that may contain voxels, and these voxels. Colors, palette
// and DAG are made here, in the same way for all readers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "formats/volume/places.h"
#include "formats/volume/stored_volume.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The meaning of the number that a reader gives for a voxel.
enum class VoxelValues {
  Filled,   // no meaning: voxels have no materials
  Entries,  // an entry of `palette`
  Table,    // an index in `table`
  Rgb,      // a color in the form of rgb_value()
};

inline uint32_t rgb_value(scene::Rgb8 color) {
  return uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b;
}

// A VoxelSink takes the voxels of one 64³ cube in any order. If several have the same place, the last one counts.
class VoxelSink;

struct VoxelFile {
  uint32_t resolution = 0;  // voxels lie in [0, resolution)³
  Vec3d origin = {0, 0, 0};
  VoxelSize voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;

  VoxelValues values = VoxelValues::Filled;
  scene::Palette palette;          // the palette for Entries
  bool own_colors = true;          // if false, the user's palette may replace `palette`
  std::vector<scene::Rgb8> table;  // the table for Table

  // The cubes that may contain voxels, see dag::CubeSource. Several threads call read() at once, and call
  // it twice for each cube if colors are chosen. `read` owns everything that it needs.
  std::vector<uint64_t> cubes;
  std::function<void(size_t cube, VoxelSink& to)> read;
  dag::CubeLoading load = {};  // called before cubes are read
  // For Rgb: a function that counts the voxels of each color, if that is less work than reading all cubes.
  std::function<scene::ColorTally()> count_colors = {};
};

struct VoxelFileOptions {
  bool materials = true;  // if false, voxels are only filled or empty
  bool colors = false;    // keep colors unchanged, apart from the DAG, which then has no materials
  std::optional<scene::Palette> palette =
      {};  // replaces the palette of Entries, and has the colors for Table and Rgb
  scene::PaletteOptions weights = {};  // for a palette that is chosen by the number of voxels
  uint64_t memory_limit = 0;
};

struct ScenePlusError {
  dag::VoxelScene scene;                     // the caller sets its source and command
  std::optional<scene::PaletteError> error;  // set if colors were matched
};

// Throws Error that names `path`.
ScenePlusError scene_of_voxels(const VoxelFile& file, const VoxelFileOptions& options,
                               const std::filesystem::path& path);

class VoxelSink {
 public:
  void put(Int3 place, uint32_t value) { put(dag::VoxelCube::code(place), value); }
  void put(uint32_t code, uint32_t value) {
    switch (mode_) {
      case Mode::Fill:
        return cube_->put(code, 0);
      case Mode::Entry:
        return cube_->put(code, value);
      case Mode::Lookup:
        return cube_->put(code, entries_[value]);
      case Mode::Nearest:
        if (value != last_) entry_ = (*nearest_)(color_of(value));  // neighbors often have the same color
        last_ = value;
        return cube_->put(code, entry_);
      case Mode::Keep:
        kept_[code] = value;
        return cube_->put(code, 0);
      case Mode::CountTable:
        ++counts_[value];
        return;
      case Mode::CountColors:
        if (value != last_) flush();
        last_ = value;
        ++run_;
    }
  }

  // Puts voxels with one value in a row along x. `row` is the code of the first voxel of the row; the mask has a bit for each
  // voxel.
  void put_row(uint32_t row, uint64_t mask, uint32_t value) {
    if (mode_ == Mode::CountColors) {
      if (value != last_) flush();
      last_ = value;
      run_ += static_cast<uint64_t>(popcount(mask));
      return;
    }
    for (; mask != 0; mask &= mask - 1) put(row | dag::VoxelCube::code({lowest_bit(mask), 0, 0}), value);
  }

  // Fills those voxels of a leaf that the mask names. The leaf is given by its Morton index in the cube. For
  // VoxelValues::Filled only.
  void put_mask(uint32_t leaf, uint64_t mask) { cube_->put_mask(leaf, mask); }

  // Fills the whole cube.
  void fill(uint32_t value) {
    constexpr uint64_t kVoxels = uint64_t{dag::VoxelCube::kLeaves} * 64;
    switch (mode_) {
      case Mode::Fill:
        return cube_->fill(0);
      case Mode::Entry:
        return cube_->fill(value);
      case Mode::Lookup:
        return cube_->fill(entries_[value]);
      case Mode::Nearest:
        return cube_->fill((*nearest_)(color_of(value)));
      case Mode::Keep:
        std::fill_n(kept_, kVoxels, value);
        return cube_->fill(0);
      case Mode::CountTable:
        counts_[value] += kVoxels;
        return;
      case Mode::CountColors:
        if (value != last_) flush();
        last_ = value;
        run_ += kVoxels;
    }
  }

  // --- for scene_of_voxels() ---
  static VoxelSink filling(dag::VoxelCube& cube) { return VoxelSink(Mode::Fill, &cube); }
  static VoxelSink entries(dag::VoxelCube& cube) { return VoxelSink(Mode::Entry, &cube); }
  static VoxelSink looked_up(dag::VoxelCube& cube, const uint8_t* entries) {
    VoxelSink sink(Mode::Lookup, &cube);
    sink.entries_ = entries;
    return sink;
  }
  static VoxelSink nearest(dag::VoxelCube& cube, const scene::NearestEntry& nearest) {
    VoxelSink sink(Mode::Nearest, &cube);
    sink.nearest_ = &nearest;
    return sink;
  }
  // Keeps each voxel's value in `values`, by its code in the cube.
  static VoxelSink keeping(dag::VoxelCube& cube, uint32_t* values) {
    VoxelSink sink(Mode::Keep, &cube);
    sink.kept_ = values;
    return sink;
  }
  static VoxelSink counting_table(uint64_t* counts) {
    VoxelSink sink(Mode::CountTable, nullptr);
    sink.counts_ = counts;
    return sink;
  }
  static VoxelSink counting_colors(scene::ColorTally& tally) {
    VoxelSink sink(Mode::CountColors, nullptr);
    sink.tally_ = &tally;
    return sink;
  }
  void flush() {
    if (run_ > 0) tally_->add(color_of(last_), run_);
    run_ = 0;
  }

 private:
  enum class Mode { Fill, Entry, Lookup, Nearest, Keep, CountTable, CountColors };
  VoxelSink(Mode mode, dag::VoxelCube* cube) : mode_(mode), cube_(cube) {}

  static scene::Rgb8 color_of(uint32_t value) {
    return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
  }

  Mode mode_;
  dag::VoxelCube* cube_;
  const uint8_t* entries_ = nullptr;
  const scene::NearestEntry* nearest_ = nullptr;
  uint32_t* kept_ = nullptr;
  uint64_t* counts_ = nullptr;
  scene::ColorTally* tally_ = nullptr;
  // The previous voxel's color, none at first. entry_ is its entry, and run_ the number of voxels with it so far.
  uint32_t last_ = UINT32_MAX;
  uint32_t entry_ = 0;
  uint64_t run_ = 0;
};

// The bounds of voxels in a file's own coordinates, including both `min` and `max`. If they may lie anywhere, their
// lower corner becomes the grid's voxel (0, 0, 0).
struct FileBounds {
  Vec3<int64_t> min = {INT64_MAX, INT64_MAX, INT64_MAX}, max = {INT64_MIN, INT64_MIN, INT64_MIN};

  bool empty() const { return min.x > max.x; }
  void add(const Vec3<int64_t>& voxel) {
    min = {std::min(min.x, voxel.x), std::min(min.y, voxel.y), std::min(min.z, voxel.z)};
    max = {std::max(max.x, voxel.x), std::max(max.y, voxel.y), std::max(max.z, voxel.z)};
  }
  void add(const FileBounds& other) {
    if (other.empty()) return;
    add(other.min);
    add(other.max);
  }
};

// Sets resolution and origin for a file whose voxels are `voxel_size` wide and whose (0, 0, 0) lies at the
// world's origin. Throws Error if no grid is large enough.
inline void fit_grid(VoxelFile& file, const FileBounds& bounds) {
  file.resolution = voxelize::kMinResolution;
  if (bounds.empty()) return;
  const auto [x, y, z] = vec_of<uint64_t>(bounds.max) - vec_of<uint64_t>(bounds.min);
  const uint64_t side = std::max({x, y, z});
  if (side >= voxelize::kMaxResolution)
    throw Error(fmt::format("its voxels are spread over {} along one axis, but a scene has at most {}",
                            side + 1, voxelize::kMaxResolution));
  file.resolution = std::max(static_cast<uint32_t>(side + 1), voxelize::kMinResolution);
  file.origin = vec_of<double>(bounds.min) * file.voxel_size;
}

// Converts between vox's order of octants and voxels, z << 2 | y << 1 | x, and the order in files with the
// slot x << 2 | y << 1 | z (HashDAG, SymVox). In those files y points up; a scene with another axis up is
// rotated, not mirrored.

// Converts a place in a grid in which `up` points up to the same grid with y up. The axes are exchanged
// cyclically.
template <class T>
constexpr Vec3<T> turned_y_up(const Vec3<T>& place, dag::UpAxis up) {
  switch (up) {
    case dag::UpAxis::X:
      return {place.z, place.x, place.y};
    case dag::UpAxis::Y:
      break;
    case dag::UpAxis::Z:
      return {place.y, place.z, place.x};
  }
  return place;
}

// Maps vox's octants to a file's slots. If y points up, the map is its own inverse.
class SlotOrder {
 public:
  explicit SlotOrder(dag::UpAxis up) {
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const Int3 place = turned_y_up(octant_place(octant), up);
      const auto slot = static_cast<uint8_t>(place.x << 2 | place.y << 1 | place.z);
      slots_[octant] = slot;
      octants_[slot] = static_cast<uint8_t>(octant);
    }
    for (uint32_t mask = 0; mask < masks_.size(); ++mask)
      for (uint32_t octant = 0; octant < 8; ++octant)
        masks_[mask] = static_cast<uint8_t>(masks_[mask] | (mask >> octant & 1) << slots_[octant]);
  }

  uint32_t slot(uint32_t octant) const { return slots_[octant]; }
  uint32_t octant(uint32_t slot) const { return octants_[slot]; }

  // Converts a mask of octants to a mask of slots.
  uint32_t mask_of_slots(uint32_t octants) const { return masks_[octants]; }

  // Converts a mask of 4³ voxels: byte s has the voxels of slot s, in the order of slots.
  uint64_t leaf_mask(uint64_t mask) const {
    uint64_t turned = 0;
    for (uint32_t octant = 0; octant < 8; ++octant)
      turned |= uint64_t{masks_[mask >> 8 * octant & 0xff]} << 8 * slots_[octant];
    return turned;
  }

  // Returns vox's bit for the voxel that has this bit in a file's mask of 4³ voxels.
  uint32_t voxel(uint32_t bit) const { return uint32_t{octants_[bit >> 3]} << 3 | octants_[bit & 7]; }

 private:
  std::array<uint8_t, 8> slots_ = {}, octants_ = {};
  std::array<uint8_t, 256> masks_ = {};
};

// Reads a voxel file of another program as a scene. The extension decides the format. Throws Error that names the
// file and the defect. The scene's source, generator, command and time stay
// empty.
ScenePlusError read_voxels(const std::filesystem::path& path, const VoxelFileOptions& options = {});

// Returns the box around the filled voxels of a scene, in the world. If there are none, min > max.
voxelize::Box filled_box(const dag::VoxelScene& scene);

// Puts scenes that may lie anywhere on one grid. If several fill a voxel, the last one counts. The scenes and the
// grid have y up. If a scene's voxels are
// larger than the grid's, a grid voxel is filled if its center lies in a filled scene voxel. If they are
// smaller, a grid voxel is filled if it contains the center of a filled scene voxel, so that closed surfaces
// stay closed; the last such voxel in Morton order gives the material. Everything outside the grid is cut
// off. A scene without colors is gray.
VoxelFile composed_voxels(std::vector<std::shared_ptr<const dag::VoxelScene>> scenes,
                          const voxelize::Grid& grid);

// Makes the voxels of a scene from the values of a volume.

// The way in which the values of a volume become materials of a scene: as bins of their range, or as labels.
struct VolumeMaterials {
  enum class Kind {
    Bins,    // `count` parts of the range, all equally wide
    Labels,  // each number is a material
    None     // voxels are only filled or empty
  };
  Kind kind = Kind::Bins;
  // The number of entries. If absent, it is 16 for bins, or the palette's number of colors. If there are
  // more labels, those with the most voxels have an entry each and all others share the last one; if it
  // is absent, too many labels are an error.
  std::optional<uint32_t> count = {};
};

inline constexpr uint8_t kNoEntry = 0xff;  // the entry of an empty voxel

// The materials for the values of a volume, chosen with all of its values.
struct ValueEntries {
  scene::Palette palette;  // empty for Kind::None
  // Writes the entry of each of `count` values.
  std::function<void(const std::byte* values, uint64_t count, uint8_t* entries)> classify;
};

// The filled voxels are the same as for bricks: those that are neither below the threshold nor equal to the
// background (libvox/volume/volume.h). The colors run from dark blue to yellow. Throws Error if a value
// is not finite or the palette has fewer colors than there are bins.
ValueEntries bins_of(const StoredVolume& stored, const VolumeMaterials& materials,
                     const volume::ThresholdOptions& threshold,
                     const std::optional<scene::Palette>& palette = std::nullopt);

// Label 0 is empty. If no label is above 16, label k becomes entry k - 1; otherwise labels become entries
// in ascending order. Throws Error if a value is not a whole number or there are too many labels.
ValueEntries labels_of(const StoredVolume& stored, const VolumeMaterials& materials,
                       const std::optional<scene::Palette>& palette = std::nullopt);

// True if the values seem to be labels, at most 16 of them (libvox/render/volume_render.h). Only u8 and u16 are
// examined.
bool seem_labels(const StoredVolume& stored);

// Voxels are as wide as the finest spacing of the three axes. Along the other axes each voxel takes the value
// nearest to its center. The grid is at the volume's place in the world. Throws Error if spacings differ by
// more than a factor of 64 or if no grid is large enough.
VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries);

}  // namespace vox
