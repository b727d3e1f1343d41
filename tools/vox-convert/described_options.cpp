#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <utility>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/script/scripts.h"
#include "formats/voxels/export.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/voxelize/distances.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr uint32_t kGridded = kMesh | kMixed | kPoints;
constexpr uint32_t kClipped = kMesh | kPoints | kVoxels | kVolumeScene | kWholeScene;

constexpr const char* kOfMeshes =
    "it says how a mesh becomes voxels, and belongs to the conversion of the mesh";
constexpr uint32_t kSpaces = kClipped | kMixed;
constexpr const char* kOfSpaces = "it fills space in a scene, and a file of bricks holds none";
constexpr const char* kOfGrids = "it is for meshes and points; a volume and a scene file have a grid";
constexpr const char* kOfColors = "with --materials none there are no colors, and with colors no palette";
constexpr const char* kOfBricks = "it is for bricks in .h5 files, which --structure bricks or both makes";
constexpr const char* kOfHashes = "it is for spatial hashes in .h5 files, which --structure hash makes";
constexpr const char* kOfRawOutput = "it is for scenes that are written as .raw";
constexpr const char* kOfSlices = "it is for pictures of layers, as in -o slices/%05d.png";
constexpr const char* kOfSceneMeshes = "it is for scenes of meshes";

std::string formats() {
  return fmt::format(
      R"(vox-convert reads meshes: {}; volumes: {}; other programs' voxels: {}; points: {}; and its own scene files ({}).

It writes scene files, and scenes in the formats {} if -o has one of these extensions. A name such as
layers/%05d.png stands for a folder with a picture of each layer.

Surfaces of a glTF file show their base color plus their emission; animated objects are shown in their rest pose.
)",
      listed_names(FileRole::Mesh, FileUse::Read, FileList::And),
      listed_extensions(FileRole::Volume, FileUse::Read, FileList::Commas),
      listed_extensions(FileRole::Voxels, FileUse::Read, FileList::Commas),
      listed_extensions(FileRole::Points, FileUse::Read, FileList::Commas),
      listed_extensions(FileRole::Scene, FileUse::Read, FileList::Commas),
      listed_extensions(FileRole::Export, FileUse::Written, FileList::And));
}

OptionTopic grid_topic() {
  return {.name = "grid",
          .title = "the grid",
          .options = {
              option("res", "N",
                     {{kMesh | kPoints | kVoxels | kVolumeScene | kWholeScene,
                       "it is for meshes and scene files that are converted; a volume has its own grid"}},
                     "Number of voxels along the longest side, such as 4096, 4K or 2^12. Of a scene file, "
                     "N is a half, a quarter, ... of its resolution, and a voxel is filled if any voxel in "
                     "it was.",
                     {.letter = "r",
                      .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
                      .setting = "resolution"}),
              option("voxel-size", "S|X,Y,Z", {{kGridded, kOfGrids}},
                     "Instead of --res: the side of a voxel, or three sides, in scene units or, for "
                     "meshes with a known unit, as lengths such as 0.1mm."),
              option("clip", "X0,Y0,Z0,X1,Y1,Z1",
                     {{kClipped, "it is for meshes and scene files; a volume has its own grid"}},
                     "Convert only this box, in scene units. The grid of a mesh spans the box; the part "
                     "of a scene file keeps its grid."),
              flag("center", {{kGridded, kOfGrids}},
                   "Center the shorter sides in the cube instead of starting them at its corner."),
              flag("snap-origin", {{kGridded, kOfGrids}},
                   "Start the grid at a multiple of the voxel size, so that tiles fit together if they "
                   "are converted separately with the same --voxel-size.")}};
}

OptionTopic meshes_topic() {
  return {
      .name = "meshes",
      .title = "meshes",
      .options = {option("up", "AXIS", {{kMesh | kPoints, kOfMeshes}},
                         "The axis that points up in the input; it is turned to y. file: the axis that the "
                         "file states (COLLADA, FBX; z for LAS), and y if it states none.",
                         {.words = {"file", "x", "y", "z"}, .preset = "file"}),
                  option("units", "KIND", {{kMesh, kOfMeshes}},
                         "file: convert to meters if the file states its units (FBX, COLLADA); keep: use its "
                         "numbers as they are; a unit: convert the file's numbers from this unit to meters, "
                         "for example from mm for most STL files.",
                         {.words = {"file", "keep", "um", "mm", "cm", "m", "in", "ft"}, .preset = "file"}),
                  option("texture-path", "DIR", {{kMesh, kOfMeshes}},
                         "Look in this folder for textures that are not beside the mesh. The option may be "
                         "repeated.",
                         {.setting = "texture_paths", .repeats = Repeats::Yes}),
                  flag("allow-outside", {{kMesh, kOfMeshes}},
                       "Read textures, materials and buffers outside of the mesh's folder too. A mesh from "
                       "an untrusted source could name any file.",
                       {.setting = "outside"})}};
}

OptionTopic points_topic() {
  return {
      .name = "points",
      .title = "points",
      .options = {
          option("point-radius", "R", {{kSizeless, "it is for points, and for splats with --splats centers"}},
                 "Also fill the voxels whose centers are at most this far from a point, up to 31 voxels; "
                 "auto: 1.25 times the distance within which nine of ten points have eight others, so that "
                 "scanned surfaces have no holes.",
                 {.preset = "0", .unit = "scene units"}),
          option(
              "splats", "HOW", {{kSplats, "it is for Gaussian splats"}},
              "density: fill a voxel if the splats at its center, one behind the other, are at least as "
              "opaque as --splat-opacity says: 1 - product of (1 - a exp(-d^2 / 2)), where a is a splat's "
              "opacity and d the distance from its center in standard deviations. A deviation counts as "
              "at least half a voxel, factors below 1/1024 are left out, and splats larger than a quarter "
              "of the cloud count as their centers if they are fewer than 1 %. centers: fill the voxels that "
              "contain the centers of splats, whatever their sizes are.",
              {.words = {"density", "centers"}, .preset = "density"}),
          option("splat-opacity", "A", {{kSplats, "it is for Gaussian splats, which have an opacity"}},
                 "The least opacity that fills a voxel; with --splats centers, the least opacity of a splat "
                 "that counts.",
                 {.preset = "0.5", .range = OptionRange{0, 1, OptionRange::Ends::MostExcluded}})}};
}

OptionTopic volumes_topic() {
  OptionTopic topic = {.name = "volumes",
                       .title = "volumes",
                       .options = threshold_options({{kRawVolume | kHeaderVolume, "it is for volumes"}})};
  for (Option& option : raw_options({{kRawVolume, "it is for raw volumes, whose files do not say it"}}))
    topic.options.push_back(std::move(option));
  topic.options.push_back(option(
      "channel", "N", {{kHeaderVolume, "it is for volumes whose files say how many values a voxel has"}},
      "If voxels have several values, such as red, green and blue, read this one; the first is 0."));
  return topic;
}

OptionTopic materials_topic() {
  return {
      .name = "materials",
      .title = "voxels and materials",
      .options = {
          option("coverage", "KIND", {{kMesh, kOfMeshes}},
                 "conservative: fill every voxel that a triangle touches; thin: fill fewer, but let no path "
                 "leak through faces (6-separating).",
                 {.words = {"conservative", "thin"}, .preset = "conservative"}),
          flag("solid", {{kMesh, kOfMeshes}},
               "Also fill the inside of surfaces. Holes count as closed, but the triangles that close them "
               "fill no voxels."),
          option("inside", "RULE", {{kMesh, kOfMeshes}},
                 "With --solid, the rule for what is inside. winding: everything that surfaces enclose, even "
                 "if several overlap or lie inside each other; parity: everything behind an odd number of "
                 "surfaces along x, so that a surface inside another one is the wall of a hollow; flood: all "
                 "empty voxels that no path through faces reaches from outside the grid.",
                 {.words = {"winding", "parity", "flood"}, .preset = "winding"}),
          option("close", "N", {{kMesh, kOfMeshes}},
                 "With --solid: to decide what is inside, join borders of the mesh that are at most N voxels "
                 "apart, even between parts that share no vertices. The gaps stay open in the scene.",
                 {.preset = "0", .range = OptionRange{0, 64}, .unit = "voxels"}),
          option("interior", "MATERIAL", {{kMesh, kOfMeshes}},
                 "With --solid, the material of voxels inside: its number, 0 to 15, or a color #rrggbb. "
                 "Default: that of the surface before them along x; with --inside flood, that of most "
                 "surface voxels."),
          option("shell", "DEPTH=MATERIAL,...", {{kMesh, kOfMeshes}},
                 "With --interior: other materials for voxels inside that lie at most this deep, such as "
                 "2mm=3 or 2=3,5=#ff8000. Depths are in voxels (their shortest side) or have a unit of "
                 "length, and are measured to the nearest surface voxel, from center to center."),
          option("fill", "outside[=DISTANCE]", {{kSpaces, kOfSpaces}},
                 "Fill all space outside of the rooms around --seed, as far as the scene's voxels reach. "
                 "Outside is what paths from beyond the scene reach that keep this far from voxels, in scene "
                 "units, and the space within it; gaps up to twice as wide are closed. Without a distance: "
                 "1.6"),
          option("carve", "HEIGHT,RADIUS", {{kSpaces, kOfSpaces}},
                 "Fill all space that a walker does not pass, as far as the scene's voxels reach: an upright "
                 "capsule of this size in scene units, such as 1.6,0.2, which begins with its middle at "
                 "--seed and moves wherever it touches no voxel's center."),
          option("seed", "X,Y,Z", {{kSpaces, kOfSpaces}},
                 "The place where the walker of --carve begins, and which --fill keeps empty.",
                 {.preset = "0,0,0", .unit = "scene units"}),
          option("holes-out", "FILE.glb", {{kMesh, kOfMeshes}},
                 "With --solid: write a mesh of the triangles that close holes, red, or blue if the part is "
                 "too open to be a body."),
          option("report", "FILE.json", {{kMesh, kOfMeshes}},
                 "Write what is wrong with the mesh, object by object and with places: open edges, edges of "
                 "more than two triangles, triangles that face the other way than their neighbors, and "
                 "triangles that cross. --holes-out then also shows turned triangles in yellow and crossing "
                 "ones in purple."),
          option("sdf", "BAND", {{kMesh, kOfMeshes}},
                 "Write distances instead of voxels, as .nrrd, .npy, .nvdb or .vdb in the mesh's units: "
                 "exact up to BAND voxels from the triangles, and BAND beyond. With --solid, those inside "
                 "are negative. With --materials mesh or object, FILE-materials, or another grid of the .vdb "
                 "file, has the nearest triangles' materials + 1.",
                 {.range = OptionRange{voxelize::kLeastBand, voxelize::kMostBand}, .unit = "voxels"}),
          option("sdf-type", "TYPE", {{kMesh, kOfMeshes}},
                 "With --sdf: numbers of 32 bits, or of 16 bits in .npy, .vdb and .nvdb files. Default: f32",
                 {.words = {"f32", "f16"}}),
          option("combine", "HOW", {{kMesh, kOfMeshes}},
                 "Combine the surfaces of two meshes, which need not be closed: union keeps the parts of "
                 "each outside of the other, intersect the parts inside, and subtract the parts of the first "
                 "outside and of the second inside. Voxels of both surfaces always remain. Triangles must "
                 "face outwards.",
                 {.words = {voxelize::kCombinationNames.begin(), voxelize::kCombinationNames.end()}}),
          option("materials", "KIND", {{kMesh | kPoints | kVoxels | kVolumeScene | kMakesPalette, kOfMeshes}},
                 "texture: choose a palette of 16 from the surface's colors; mesh: use the mesh's own "
                 "materials, with their names; object: the same for its objects; colors: keep each voxel's "
                 "24-bit color, stored beside the geometry; none: store only which voxels are filled. For a "
                 "scene file, palette: turn 24-bit colors into a palette. For a volume that becomes a scene, "
                 "bins[:N]: N equal parts of the range of values; labels[:N]: label k is material k - 1, and "
                 "if there are more than N labels, the most frequent ones have a material each and all "
                 "others share the last one.",
                 {.preset = "texture"}),
          option("palette", "FILE",
                 {{kMesh | kPoints | kVoxels | kVolumeScene | kMakesPalette, kOfMeshes},
                  {kColors | kMakesPalette, kOfColors}},
                 "auto: choose colors from the mesh; or take up to 16 from a file: .gpl, .pal (JASC), .hex, "
                 ".json (materials) or an image.",
                 {.preset = "auto"}),
          flag("dither",
               {{kMesh | kPoints | kVoxels | kMakesPalette,
                 "it is for colors that become a palette: --materials palette makes one of a scene file's"}},
               "Mix colors from those of the palette, such as a printer's materials, voxel by voxel."),
          option("palette-size", "COLORS", {{kMesh | kPoints | kVoxels | kWholeScene, kOfMeshes}},
                 "With --materials colors, and for scene files with colors: reduce them to at most this "
                 "number. With --materials mesh or object: keep so many names instead of 16, by colors.",
                 {.range = OptionRange{17, 65536}}),
          option("color-error", "DELTA_E", {{kMesh | kPoints | kVoxels | kWholeScene, kOfMeshes}},
                 "With --materials colors, and for scene files with colors: change each voxel's color by at "
                 "most this much, so that the file is smaller. Differences below 2 are hardly visible.",
                 {.range = OptionRange{.least = 0.01, .most = 100}}),
          flag("normals", {{kMesh, kOfMeshes}},
               "Keep for each voxel of the surface the normal of its triangle, beside the DAG: in .h5, .npz "
               "and .ply of points. vox-render shades with it."),
          option("palette-weight", "WEIGHT", {{kMesh | kPoints | kVoxels, kOfMeshes}, {kColors, kOfColors}},
                 "Weight of a color for --palette auto. area: the area that it covers; even: the same for "
                 "all; a number from 0 (even) to 1 (area): this power of the area. Lower numbers favor "
                 "colors of small areas.",
                 {.preset = "area"}),
          option("palette-out", "FILE",
                 {{kMesh | kPoints | kVoxels | kVolumeScene, kOfMeshes}, {kColors, kOfColors}},
                 fmt::format("Write the palette that is used: {}.", palette_extensions())),
          option("assign", "FILE.csv", {{kMesh, kOfMeshes}},
                 "With --materials mesh or object: give names the numbers in this file, which has lines of "
                 "PATTERN,NUMBER[,NAME], where * stands for any text and ? for one character. Later lines "
                 "win, numbers are 1 to 15, or less than --palette-size, and names without a line share 0."),
          option("materials-out", "FILE.json",
                 {{kMesh | kPoints | kVoxels | kVolumeScene | kWholeScene, kOfMeshes},
                  {kColors | kWholeScene, kOfColors}},
                 "Write what the numbers of materials mean: name, color, share, and the names of the mesh "
                 "that they stand for.")}};
}

OptionTopic painting_topic() {
  return {
      .name = "painting",
      .title = "painting",
      .text = stroke_script_help(),
      .options = {option("paint", "FILE", {{kMesh, "it is for meshes, on whose surface it paints"}},
                         "Paint the strokes of this script on the surface."),
                  option("paint-size", "N", {{kMesh, "it is for meshes, on whose surface --paint paints"}},
                         "Number of texels along each side of the square of texture coordinates, such as 4K "
                         "or 2^12. Only painted texels take memory.",
                         {.preset = "4K", .range = OptionRange{1, painting::kMostSize}, .unit = "texels"})}};
}

OptionTopic structures_topic() {
  return {
      .name = "structures",
      .title = "structures in .h5 files",
      .options = {option("structure", "KIND,...", {{kWritesH5, "it is for what is written as .h5"}},
                         "Structures in the .h5 file: some of svdag, bricks, hash (spatial hash), symmetric "
                         "(turned and mirrored parts stored once); both: svdag,bricks.",
                         {.usual = "svdag, and bricks for volumes"}),
                  option("load-factor", "N", {{kHash, kOfHashes}},
                         "Number of voxels for each cell of a spatial hash.",
                         {.preset = "0.95", .range = OptionRange{0, 1, OptionRange::Ends::LeastExcluded}}),
                  option("key-layout", "KIND", {{kHash, kOfHashes}},
                         "Order of the keys of a spatial hash: Morton codes, or row by row.",
                         {.words = {"morton", "linear"}, .preset = "morton"})}};
}

OptionTopic bricks_topic() {
  const std::vector<OptionRule> rules = {{kBricks, kOfBricks}};
  OptionTopic topic = {.name = "bricks",
                       .title = "bricks",
                       .options = {option("optimize", "FOR", rules,
                                          "memory: make each brick as small as possible; speed: make dense "
                                          "and empty bricks only; balanced[=SLOPE]: make a brick dense if "
                                          "the time that this saves a mean filter of 3 x 3 x 3, as measured "
                                          "on this machine, is worth the memory; SLOPE says how much memory, "
                                          "relative to the mean of all bricks.",
                                          {.preset = "memory"}),
                                   option("levels", "N",
                                          {{kVolumeBricks, "it is for volumes, whose values have means"},
                                           {kBricks, kOfBricks}},
                                          "Add this number of coarser levels to a volume, in which a voxel "
                                          "is the mean of 2³ finer ones; auto: down to 64 voxels. vox-render "
                                          "shows the finest level that fits within --memory-limit.",
                                          {.preset = "0"})}};
  for (Option& option : brick_options(rules)) topic.options.push_back(std::move(option));
  return topic;
}

OptionTopic convert_device_topic() {
  OptionTopic topic =
      device_topic({{kMesh | kVolumeBricks | kBricks | kHash, "nothing of it runs on a device"}});
  topic.options.push_back(table_option("Hash table that holds the SVDAG while it is built.",
                                       {{kMesh, "it holds the SVDAG while that is built of a mesh"}}));
  topic.options.push_back(option("spill", "DIR|host", {{kMesh, "it is for SVDAGs that are made of meshes"}},
                                 "Build a scene whose SVDAG is larger than --memory-limit or the device's "
                                 "memory in rounds, and move data that does not fit to unnamed files in this "
                                 "folder; host: to the host's memory."));
  return topic;
}

}  // namespace

std::string output_extensions() {
  return listed_extensions(FileRole::Scene, FileUse::Written, FileList::Commas) + ", " +
         listed_extensions(FileRole::Export, FileUse::Written, FileList::Or);
}

ToolDescription convert_description() {
  return {
      .program = "vox-convert",
      .usage = "INPUT... [--res N | --voxel-size S] [options]",
      .about =
          "Turns textured meshes, points, volumes and other programs' voxels into a scene file: a sparse "
          "voxel directed acyclic graph (SVDAG) with a palette of 16 materials, hybrid bricks or a spatial "
          "hash. Meshes and points need --res or --voxel-size. It also exports scene files for other "
          "programs. --help files lists all formats.\n",
      .examples =
          {"vox-convert house.obj --res 4K                        house.h5, 4096 voxels along its long side",
           "vox-convert ct_64x64x93_uint16.raw --threshold 0.08   bricks of a volume, without the lowest 8 %",
           "vox-convert house.h5 -o house.vox                     for MagicaVoxel",
           "vox-convert house.glb --res 64K --device cuda         65536 voxels, on a GPU",
           "mpirun -n 4 vox-convert house.glb --res 256K          four processes, a GPU each (docs/ranks.md)",
           "vox-convert a.obj b.obj --voxel-size 0.01 -o ab.h5    two meshes on one grid, of 0.01 units",
           "vox-convert a.obj b.obj --combine union --res 1K -o c.h5  without what lies inside the other",
           "vox-convert a.xyz b.xyz --voxel-size 0.1 -o ab.h5     two files of points on one grid",
           "vox-convert land.vox house.obj --res 2K -o all.h5     voxels and a mesh over them, on one grid",
           "vox-convert house.h5 -o house.glb                     the faces of its voxels as a mesh",
           "vox-convert house.h5 --res 1K -o small.h5             a coarser level: half, a quarter, ...",
           "vox-convert house.h5 --info                           shows what it holds",
           "vox-convert --verify house.h5                         checks pointers, counts and the digest",
           "vox-convert ct.nrrd --structure svdag -o bones.h5     a scene of a volume's values or labels",
           "vox-convert house.h5 --structure bricks -o bricks.h5  bricks of a scene's materials",
           "vox-convert house.h5 --structure svdag,hash -o h.h5   a spatial hash beside the SVDAG",
           "vox-convert house.obj --res 4K --spill host           if the SVDAG is too large for the GPU",
           "vox-convert house.obj --res 4K --paint strokes.txt    paints strokes over its textures"},
      .basics = {"output", "res", "voxel-size", "solid", "palette", "threshold", "structure", "info",
                 "device", "memory-limit"},
      .topics = {files_topic(), meshes_topic(), points_topic(), grid_topic(), materials_topic(),
                 painting_topic(), structures_topic(), bricks_topic(), volumes_topic(),
                 convert_device_topic(), general_topic()},
      .operands = {option("inputs", "FILE", {}, "Meshes, points, volumes, files of voxels and scene files.",
                          {.repeats = Repeats::Yes})}};
}

OptionTopic files_topic() {
  return {
      .name = "files",
      .title = "files",
      .text = formats(),
      .options = {
          option("output", "FILE", {{kWrites, "nothing is written"}},
                 fmt::format("Write this file: {}.", output_extensions()),
                 {.letter = "o", .usual = "the first INPUT's name with .h5, in the current folder"}),
          option("compression", "HOW", {{kWritesH5, "it is for what is written as .h5"}},
                 "Compression of .h5 files: none, 1 (fast) to 9 (small), or zstd (readers need HDF5's zstd "
                 "plug-in).",
                 {.preset = "1"}),
          lossy_option(),
          option("file-version", "", {{kWritesSvdag, "it is for SVDAGs in what is written as .h5"}},
                 "Version of the SVDAG in an .h5 file; 1 is for older programs, and needs levels of less "
                 "than 2^32 words.",
                 {.words = {"1", "2"}, .preset = "2"}),
          flag("parts", {{kMesh, kOfSceneMeshes}},
               "Let each process, or each device of a list, write its part of the scene into a file in "
               "NAME.parts/ beside NAME.h5, instead of collecting the parts (docs/ranks.md)."),
          flag("resume", {{kMesh, kOfSceneMeshes}},
               "Keep finished parts of the work in NAME.parts/, so that the same command continues there if "
               "it was interrupted. All machines must see this folder (docs/ranks.md)."),
          option("keep-every", "SECONDS", {{kMesh, kOfSceneMeshes}},
                 "With --resume, keep the work after this time, and when a third of the memory is full.",
                 {.preset = "120", .range = OptionRange{}, .unit = "seconds"}),
          flag("info", {}, "Show the description in a scene file; --verify checks the content."),
          flag("binvox-materials", {{kWritesBinvox, "it is for what is written as .binvox"}},
               "Write the material of each filled voxel into a .binvox file, which has version 2 then."),
          option("nvdb-grid", "", {{kWritesNvdb, "it is for what is written as .nvdb"}},
                 "Values of a .nvdb file. u8: a voxel's material + 1 (Fp8, whole numbers); rgba: its color; "
                 "index: the place of its entry in an array of materials, which gives the smallest file, for "
                 "NanoVDB before 32.6; onindex: the same for 32.6 and newer (OpenVDB 11); auto: rgba for "
                 "24-bit colors, else u8.",
                 {.words = {"auto", "u8", "rgba", "index", "onindex"}, .preset = "auto"}),
          option("slices", "AXIS", {{kWritesSlices, kOfSlices}},
                 "Axis along which the pictures of a .png output follow each other; up: the scene's up axis.",
                 {.words = {"up", "x", "y", "z"}, .preset = "up"}),
          flag("slices-by-material", {{kWritesSlices, kOfSlices}},
               "Write a folder of black and white pictures for each material."),
          option("order", "", {{kWritesRaw, kOfRawOutput}},
                 "Order of the values of a .raw file; xyz: x changes fastest, as in FluidX3D and NRRD; zyx: "
                 "z does, as in an array [x, y, z] of C and NumPy.",
                 {.words = {"xyz", "zyx"}, .preset = "xyz"}),
          option("origin", "LAT,LON,HEIGHT", {{kWritesTiles, "it is for 3D Tiles, -o FOLDER/tileset.json"}},
                 "Place of the scene's origin on the Earth, in degrees and in meters above the ellipsoid "
                 "(WGS 84). x points east and up is up.",
                 {.usual = "the Earth's center"}),
          option("bits", "", {{kWritesRaw, kOfRawOutput}},
                 "Bits of a voxel in a .raw file. 8 and 16: 0 for empty voxels, else material + 1, or 1 "
                 "without materials; 1: a bit that is set for filled voxels, the lowest bit first, and each "
                 "row begins a new byte.",
                 {.words = {"1", "8", "16"}, .preset = "8"}),
          option("pieces", "N",
                 {{kWritesPieces,
                   "it is for scenes that are written as .raw, .nrrd, .npy, .npz, .schem, .nvdb, .vdb or "
                   ".vtkhdf"}},
                 "Write cubes with this side, each into a file of its own, for grids of any size: -o "
                 "cells/part.raw writes cells/part_0_0_0.raw and so on, and cells/pieces.json, which says "
                 "where each lies. Empty pieces are left out.",
                 {.range = OptionRange{kLeastPieceSide, kMostPieceSide}, .unit = "voxels"}),
          option("ply", "", {{kWritesPly, "it is for what is written as .ply"}},
                 "Content of a .ply file: the faces of the voxels, as in .obj and .glb files, or the centers "
                 "of the voxels with normals of the surface.",
                 {.words = {"surface", "points"}, .preset = "surface"}),
          option("vtk", "", {{kWritesVtk, "it is for what is written as .vtkhdf"}},
                 "Content of a .vtkhdf file: a dense grid, or boxes where voxels are filled.",
                 {.words = {"image", "amr"}, .preset = "image"}),
          flag("verify", {},
               "Check a scene file: every pointer, the counts, the digest, and that bricks and a spatial "
               "hash hold the SVDAG's voxels. After a conversion, read the result back and compare it.")}};
}

}  // namespace vox
