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
#include "tools/common/command_line.h"

namespace vox {

// The structures that are written for a scene's voxels.
struct Structures {
  bool dag = false, bricks = false, hash = false;
  friend bool operator==(const Structures&, const Structures&) = default;
};

struct ConvertOptions {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path output;
  bool names_output = false;  // true if the command line names `output`; else it is the default
  bool verify = false, info = false, json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  Compression compression;
  uint32_t file_version = 2;
  bool parts = false;  // each rank writes its part of the scene
  // Keeps the finished work at intervals of so many seconds, and continues with work that was kept.
  std::optional<double> resume;

  voxelize::GridOptions grid;
  MeshOptions mesh;
  PointOptions points;
  double point_radius = 0;  // world units
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<VolumeMaterials> volume_materials;  // bins or labels
  std::optional<uint32_t> channel;
  std::optional<std::filesystem::path> palette;  // none for --palette auto
  std::optional<double> palette_weight;          // none for the default of PaletteOptions
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
  std::vector<Option> given;                  // options on the command line, which check_given() checks
  std::string command;
  ranks::Ranks* ranks = nullptr;  // the processes that a launcher has started together
};

// Throws UsageError, and Error if an input is missing.
ConvertOptions read_convert_options(const CommandLine& arguments);

}  // namespace vox
