// The voxels of another program's file as its reader describes them, and the scene that is made from them. A
// reader states how large the grid is, which cubes may contain voxels, and what these voxels are. Colours,
// palette and DAG are made here, in one way for all readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "libvox/dag/from_cubes.h"
#include "libvox/dag/voxel_cube.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/nearest_entry.h"

namespace vox {

// The meaning of the number that a reader gives for a voxel.
enum class VoxelValues {
  Filled,   // none: voxels have no materials
  Entries,  // an entry of `palette`
  Table,    // an index in `table`
  Rgb,      // a colour in the form of rgb_value()
};

inline uint32_t rgb_value(scene::Rgb8 color) {
  return uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b;
}

// Takes the voxels of one 64³ cube in any order. If several have the same place, the last one counts.
class VoxelSink;

struct VoxelFile {
  uint32_t resolution = 0;  // voxels lie in [0, resolution)³
  Vec3d origin = {0, 0, 0};
  double voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;

  VoxelValues values = VoxelValues::Filled;
  scene::Palette palette;          // for Entries
  bool own_colors = true;          // if false, the user's palette may replace `palette`
  std::vector<scene::Rgb8> table;  // for Table

  // The cubes that may contain voxels, see dag::CubeSource. Several threads call read() at once, and twice
  // for each cube if colours are chosen. `read` keeps alive everything that it needs.
  std::vector<uint64_t> cubes;
  std::function<void(size_t cube, VoxelSink& to)> read;
  dag::CubeLoading load = {};  // called before cubes are read
  // For Rgb: returns the number of voxels of each colour, if that is less work than reading all cubes.
  std::function<scene::ColorTally()> count_colors = {};
};

struct VoxelFileOptions {
  bool materials = true;  // if false, only which voxels are filled counts
  std::optional<scene::Palette> palette =
      {};  // replaces the palette of Entries, and supplies the colours for Table and Rgb
  scene::PaletteOptions weights = {};  // for a palette that is chosen by the number of voxels
  uint64_t memory_limit = 0;
};

struct ScenePlusError {
  dag::VoxelScene scene;                     // its source and command are left to the caller
  std::optional<scene::PaletteError> error;  // set if colours were matched
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
        if (value != last_) entry_ = (*nearest_)(color_of(value));  // neighbours often have one colour
        last_ = value;
        return cube_->put(code, entry_);
      case Mode::CountTable:
        ++counts_[value];
        return;
      case Mode::CountColors:
        if (value != last_) flush();
        last_ = value;
        ++run_;
    }
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
  enum class Mode { Fill, Entry, Lookup, Nearest, CountTable, CountColors };
  VoxelSink(Mode mode, dag::VoxelCube* cube) : mode_(mode), cube_(cube) {}

  static scene::Rgb8 color_of(uint32_t value) {
    return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
  }

  Mode mode_;
  dag::VoxelCube* cube_;
  const uint8_t* entries_ = nullptr;
  const scene::NearestEntry* nearest_ = nullptr;
  uint64_t* counts_ = nullptr;
  scene::ColorTally* tally_ = nullptr;
  // The previous voxel's colour, none at first; entry_ is its entry, run_ its number of voxels.
  uint32_t last_ = UINT32_MAX;
  uint32_t entry_ = 0;
  uint64_t run_ = 0;
};

}  // namespace vox
