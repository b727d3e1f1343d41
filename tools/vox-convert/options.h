// The command line of vox-convert.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/overwrite.h"
#include "formats/mesh/mesh_options.h"
#include "formats/points/points.h"
#include "formats/volume/raw_volume.h"
#include "formats/voxels/export.h"
#include "formats/voxels/volumes/volume_materials.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/make_bricks.h"
#include "libvox/ranks/ranks.h"
#include "libvox/rounds/build_rounds.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// The forms of a scene's voxels that are written.
struct Structures {
  bool dag = false, bricks = false, hash = false;
  friend bool operator==(const Structures&, const Structures&) = default;
};

struct ConvertOptions {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path output;
  bool names_output = false;  // whether the command line names `output`; else it is the default
  bool verify = false, info = false, json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  Compression compression;
  uint32_t file_version = 2;
  bool parts = false;  // each rank writes what it has built itself
  // Keeps what has been built, each time after so many seconds, and goes on with what is kept.
  std::optional<double> resume;

  voxelize::GridOptions grid;
  MeshOptions mesh;
  PointOptions points;
  double point_radius = 0;  // world units
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<VolumeMaterials> volume_materials;  // bins or labels
  std::optional<uint32_t> channel;
  std::optional<std::filesystem::path> palette;  // without one: --palette auto
  std::optional<double> palette_weight;          // without one: the default of PaletteOptions
  std::optional<std::filesystem::path> palette_out;
  std::optional<std::filesystem::path> paint;  // a script of strokes
  painting::PaintOptions painting;
  voxelize::BuildOptions build;
  std::optional<Structures> structure;
  spatial::HashOptions hash;
  bricks::BricksOptions bricks;
  measure::Optimize optimize = measure::Optimize::Memory;
  double slope = 1;  // for Optimize::Balanced, see worth_replacing()
  RawOptions raw;
  ExportOptions exports;
  EngineOptions engine;
  std::optional<rounds::SpillOptions> spill;  // the scene may be larger than the device
  std::vector<std::string> given;             // options on the command line, which check_given() checks
  std::string command;
  ranks::Ranks* ranks = nullptr;  // with whom a launcher has started this process
};

// Prints --help and --version itself. Throws UsageError.
ConvertOptions parse_convert_options(int argc, char** argv);

}  // namespace vox
