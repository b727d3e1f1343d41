// The command line of vox-convert.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "formats/points/points.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/spatial/frozen_hash.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/inside.h"
#include "tools/common/command_line.h"

namespace vox {

// The structures that are written in addition to the voxels of a scene.
struct Structures {
  bool dag = false, bricks = false, hash = false, symmetric = false;
  friend bool operator==(const Structures&, const Structures&) = default;
};

// The words of --materials, in the order of scene::MaterialMode.
inline constexpr std::array<const char*, 5> kMaterialModes = {"texture", "mesh", "object", "colors", "none"};

// The work that the inputs and the options ask for.
enum class ConversionKind {
  Meshes,       // become a scene
  Points,       // become a scene
  Voxels,       // another program's voxels, which become a scene
  VolumeScene,  // a volume becomes a scene
  Bricks,       // a volume becomes bricks, and these perhaps an .nrrd or .npy file
  SceneFile,    // a scene file is shown, verified or written in another form
  Mixed,        // inputs of several kinds become one scene
};

// A material of voxels inside solids: a number, or a color that joins the palette.
struct InsideMaterial {
  uint8_t number = 0;
  std::optional<scene::Rgb8> color;
};

// A shell of --shell.
struct GivenShell {
  double depth = 0;  // in voxels, or in meters if in_meters is set
  bool in_meters = false;
  InsideMaterial material;
};

struct ConvertOptions {
  std::vector<std::filesystem::path> inputs;
  std::vector<InputKind> kinds;  // one for each input
  ConversionKind conversion = ConversionKind::Meshes;
  std::filesystem::path output;
  bool names_output = false;  // true if the command line names `output`; false for the default
  bool verify = false, info = false, json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  Compression compression;
  uint32_t file_version = 2;
  bool parts = false;  // true if each rank writes its part of the scene
  // Saves the finished work at intervals of so many seconds, and continues with work that was saved.
  std::optional<double> resume;

  voxelize::GridOptions grid;
  bool grid_in_meters = false;  // true if the voxel size is in meters instead of scene units
  MeshOptions mesh;
  PointOptions points;
  std::optional<double> point_radius = 0;  // world units; absent: radius_between_points()
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<uint32_t>
      palette_size;             // with colors: at most so many different ones; with names: at most so many
  std::optional<double> lossy;  // --lossy: the share of voxels that may change
  std::optional<double> color_error;  // with colors: by how much each may change, ΔE
  bool makes_palette = false;         // --materials palette: a scene file's colors become a palette
  bool normals = false;               // voxels get the normals of their triangles
  bool dither = false;                // colors are mixed from those of the palette
  std::optional<VolumeMaterials> volume_materials;  // bins or labels
  std::optional<uint32_t> channel;
  std::optional<std::filesystem::path> palette;  // absent: --palette auto
  std::optional<double> palette_weight;          // absent: the default of PaletteOptions
  std::optional<std::filesystem::path> palette_out;
  double close = 0;  // in voxels: gaps of the mesh up to this width are closed to find what is inside
  std::optional<std::filesystem::path>
      materials_out;                            // the file for a list of the materials' numbers and names
  std::optional<std::filesystem::path> assign;  // rules by which names get numbers
  std::optional<double> sdf;                    // the band in voxels, if distances are written
  Floats sdf_type = Floats::F32;
  std::optional<std::filesystem::path> report;  // the file for the mesh's faults
  bool flood =
      false;  // --inside flood: the surface is built, and space that no path reaches is filled afterwards
  std::optional<InsideMaterial> interior;
  std::vector<GivenShell> shells;          // from the surface inwards
  std::optional<double> seal;              // --fill outside: gaps up to twice this wide are closed
  std::optional<voxelize::Walker> walker;  // --carve
  Vec3d seed = {0, 0, 0};
  std::optional<std::filesystem::path> holes_out;  // a mesh of the membranes that close holes
  std::optional<std::filesystem::path> paint;      // a script of strokes
  painting::PaintOptions painting;
  voxelize::BuildOptions build;
  std::optional<voxelize::Combination> combine;  // combines two meshes
  std::optional<Structures> structure;
  spatial::HashOptions hash;
  bricks::BricksOptions bricks;
  std::optional<uint32_t> levels = 0;  // coarser levels of a volume; absent: its size decides
  bricks::Optimize optimize = bricks::Optimize::Memory;
  double slope = 1;  // for Optimize::Balanced, see worth_replacing()
  RawOptions raw;
  ExportOptions exports;
  EngineOptions engine;
  std::optional<build::SpillOptions> spill;  // for scenes larger than the device
  std::vector<Option> given;                 // options on the command line, which check_given() checks
  std::string command;
  ranks::Ranks* ranks = nullptr;  // the processes that a launcher started together
};

// Reads the options. Examines the inputs to decide their kinds. Throws UsageError, and Error if one is missing.
ConvertOptions read_convert_options(const CommandLine& arguments);

// Reads the options that decide which voxels are inside, and their materials.
void read_insides(const CommandLine& arguments, ConvertOptions& options);

// True if space that no walker reaches is filled.
// True if the mesh's materials or objects keep their names by colors, of which there may be more than 16.
inline bool names_by_color(const ConvertOptions& options) {
  return options.palette_size.has_value() && has_named_entries(options.materials);
}

inline bool fills_space(const ConvertOptions& options) {
  return options.seal || options.walker;
}

// True if holes of meshes are closed to decide what is inside.
bool closes_holes(const ConvertOptions& options);

// Checks that the options of vox-convert match its inputs and its output.

// Throws UsageError for an option that would have no effect, and Error if an input has a type that vox cannot read.
void check_given(const ConvertOptions& options);

// Returns --lossy.
Option lossy_option();

// The description of vox-convert: its options with the inputs and outputs for which they have an effect, and
// examples. The command line is read by it.

// The traits of a conversion, for the rules of options. They say what it reads and writes.
enum ConvertTrait : uint32_t {
  kMesh = 1,
  kRawVolume = 2,  // a file that does not describe its values
  kHeaderVolume = 4,
  kWholeScene = 8,  // the SVDAG of a scene file is converted
  kWrites = 16,     // a file is written, not shown or verified
  kWritesH5 = 32,
  kExports = 64,  // the file is in another program's format
  kBricks = 128,  // bricks are made and kept
  kColors = 256,  // the colors of a mesh become materials, or its names have numbers
  kWritesBinvox = 512,
  kHash = 1024,    // a spatial hash is made
  kVoxels = 2048,  // the input is another program's voxels
  kPoints = 4096,
  kSplats = 8192,           // points with opacities
  kMixed = 1 << 14,         // several inputs on one grid, not all of them meshes
  kVolumeScene = 1 << 15,   // a volume becomes a scene
  kVolumeBricks = 1 << 16,  // a volume becomes bricks
  kSizeless = 1 << 17,      // points without sizes, or splats whose sizes are ignored
  kWritesPly = 1 << 20,
  kWritesVtk = 1 << 21,
  kWritesNvdb = 1 << 22,
  kWritesSvdag = 1 << 23,   // the SVDAG is written into an .h5 file
  kMakesPalette = 1 << 24,  // from a scene file's colors
  kWritesSlices = 1 << 25,
  kWritesRaw = 1 << 26,
  kWritesTiles = 1 << 28,
  kWritesPieces = 1 << 27  // into a format that can be written in pieces
};

ToolDescription convert_description();
OptionTopic files_topic();  // options about the files that are written

// Returns the extensions that -o may have: ".h5, .nrrd, … or .vtkhdf".
std::string output_extensions();

}  // namespace vox
