#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <utility>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/script/scripts.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/voxelize/distances.h"
#include "tools/common/common_options.h"
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

OptionTopic grid_topic() {
  return {
      .name = "grid",
      .title = "the grid",
      .options = {
          {.name = "res",
           .letter = "r",
           .argument = "N",
           .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
           .setting = "resolution",
           .rules = {{kMesh | kPoints | kVoxels | kVolumeScene | kWholeScene,
                      "it is for meshes and scene files that are converted; a volume has its own grid"}},
           .help = "Number of voxels along the longest side, such as 4096, 4K or 2^12; for a scene file "
                   "half of its own number, a quarter, ...; a larger voxel is filled if any voxel inside "
                   "is."},
          {.name = "voxel-size",
           .argument = "S|X,Y,Z",
           .rules = {{kGridded, kOfGrids}},
           .help = "Instead of --res: the side of a voxel, or three sides, in scene units or, for meshes "
                   "with a known unit, as lengths such as 0.1mm."},
          {.name = "clip",
           .argument = "X0,Y0,Z0,X1,Y1,Z1",
           .rules = {{kClipped, "it is for meshes and scene files; a volume has its own grid"}},
           .help = "Convert only this box, in scene units. The grid of a mesh spans the box; the part of a "
                   "scene file keeps its grid."},
          {.name = "center",
           .rules = {{kGridded, kOfGrids}},
           .help = "Center the shorter sides in the cube instead of starting them at its corner."},
          {.name = "snap-origin",
           .rules = {{kGridded, kOfGrids}},
           .help = "Start the grid at a multiple of the voxel size, so that tiles fit together if they are "
                   "converted separately with the same --voxel-size."}}};
}

OptionTopic meshes_topic() {
  return {
      .name = "meshes",
      .title = "meshes",
      .options = {
          {.name = "up",
           .argument = "AXIS",
           .words = {"file", "x", "y", "z"},
           .preset = "file",
           .rules = {{kMesh | kPoints, kOfMeshes}},
           .help = "The axis that points up in the input; it is turned to y. file: the axis that the file "
                   "states (COLLADA, FBX; z for LAS), and y if it states none."},
          {.name = "units",
           .argument = "KIND",
           .words = {"file", "keep", "um", "mm", "cm", "m", "in", "ft"},
           .preset = "file",
           .rules = {{kMesh, kOfMeshes}},
           .help = "file: convert to meters if the file states its units (FBX, COLLADA); keep: use its "
                   "numbers as they are; a unit: convert the file's numbers from this unit to meters, for "
                   "example from mm for most STL files."},
          {.name = "texture-path",
           .argument = "DIR",
           .setting = "texture_paths",
           .rules = {{kMesh, kOfMeshes}},
           .repeats = Repeats::Yes,
           .help = "Look in this folder for textures that are not beside the mesh. The option may be "
                   "repeated."},
          {.name = "allow-outside",
           .setting = "outside",
           .rules = {{kMesh, kOfMeshes}},
           .help = "Read textures, materials and buffers outside of the mesh's folder too. A mesh from an "
                   "untrusted source could name any file."}}};
}

OptionTopic points_topic() {
  return {
      .name = "points",
      .title = "points",
      .options = {
          {.name = "point-radius",
           .argument = "R",
           .preset = "0",
           .unit = "scene units",
           .rules = {{kSizeless, "it is for points, and for splats with --splats centers"}},
           .help = "Also fill the voxels whose centers are at most this far from a point, up to 31 voxels; "
                   "auto: 1.25 times the distance within which nine of ten points have eight others, so "
                   "that scanned surfaces have no holes."},
          {.name = "splats",
           .argument = "HOW",
           .words = {"density", "centers"},
           .preset = "density",
           .rules = {{kSplats, "it is for Gaussian splats"}},
           .help = "density: fill a voxel if the splats at its center, one behind the other, are at least "
                   "as opaque as --splat-opacity says: 1 - product of (1 - a exp(-d^2 / 2)), where a is a "
                   "splat's opacity and d the distance from its center in standard deviations. A deviation "
                   "counts as at least half a voxel, and factors below 1/1024 are left out. centers: fill "
                   "the voxels that contain the centers of splats, whatever their sizes are."},
          {.name = "splat-opacity",
           .argument = "A",
           .preset = "0.5",
           .range = OptionRange{0, 1, OptionRange::Ends::MostExcluded},
           .rules = {{kSplats, "it is for Gaussian splats, which have an opacity"}},
           .help = "The least opacity that fills a voxel; with --splats centers, the least opacity of a "
                   "splat that counts."}}};
}

OptionTopic volumes_topic() {
  OptionTopic topic = {.name = "volumes",
                       .title = "volumes",
                       .options = threshold_options({{kRawVolume | kHeaderVolume, "it is for volumes"}})};
  for (Option& option : raw_options({{kRawVolume, "it is for raw volumes, whose files do not say it"}}))
    topic.options.push_back(std::move(option));
  topic.options.push_back(
      {.name = "channel",
       .argument = "N",
       .rules = {{kHeaderVolume, "it is for volumes whose files say how many values a voxel has"}},
       .help = "If voxels have several values, such as red, green and blue, read this one; the first is 0."});
  return topic;
}

OptionTopic materials_topic() {
  return {
      .name = "materials",
      .title = "voxels and materials",
      .options = {
          {.name = "coverage",
           .argument = "KIND",
           .words = {"conservative", "thin"},
           .preset = "conservative",
           .rules = {{kMesh, kOfMeshes}},
           .help = "conservative: fill every voxel that a triangle touches; thin: fill fewer, but let no "
                   "path leak through faces (6-separating)."},
          {.name = "solid",
           .rules = {{kMesh, kOfMeshes}},
           .help = "Also fill the inside of surfaces. Holes count as closed, but the triangles that close "
                   "them fill no voxels."},
          {.name = "inside",
           .argument = "RULE",
           .words = {"winding", "parity", "flood"},
           .preset = "winding",
           .rules = {{kMesh, kOfMeshes}},
           .help =
               "With --solid, the rule for what is inside. winding: everything that surfaces enclose, even "
               "if several overlap or lie inside each other; parity: everything behind an odd number of "
               "surfaces along x, so that a surface inside another one is the wall of a hollow; flood: all "
               "empty voxels that no path through faces reaches from outside the grid."},
          {.name = "close",
           .argument = "N",
           .preset = "0",
           .range = OptionRange{0, 64},
           .unit = "voxels",
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --solid: to decide what is inside, join borders of the mesh that are at most N "
                   "voxels apart, even between parts that share no vertices. The gaps stay open in the "
                   "scene."},
          {.name = "interior",
           .argument = "MATERIAL",
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --solid, the material of voxels inside: its number, 0 to 15, or a color #rrggbb. "
                   "Default: that of the surface before them along x; with --inside flood, that of most "
                   "surface voxels."},
          {.name = "shell",
           .argument = "DEPTH=MATERIAL,...",
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --interior: other materials for voxels inside that lie at most this deep, such as "
                   "2mm=3 or 2=3,5=#ff8000. Depths are in voxels (their shortest side) or have a unit of "
                   "length, and are measured to the nearest surface voxel, from center to center."},
          {.name = "fill",
           .argument = "outside[=DISTANCE]",
           .rules = {{kSpaces, kOfSpaces}},
           .help =
               "Fill all space outside of the rooms around --seed, as far as the scene's voxels reach. "
               "Outside is what paths from beyond the scene reach that keep this far from voxels, in scene "
               "units, and the space within it; gaps up to twice as wide are closed. Without a distance: "
               "1.6"},
          {.name = "carve",
           .argument = "HEIGHT,RADIUS",
           .rules = {{kSpaces, kOfSpaces}},
           .help =
               "Fill all space that a walker does not pass, as far as the scene's voxels reach: an upright "
               "capsule of this size in scene units, such as 1.6,0.2, which begins with its middle at --seed "
               "and moves wherever it touches no voxel's center."},
          {.name = "seed",
           .argument = "X,Y,Z",
           .preset = "0,0,0",
           .unit = "scene units",
           .rules = {{kSpaces, kOfSpaces}},
           .help = "The place where the walker of --carve begins, and which --fill keeps empty."},
          {.name = "holes-out",
           .argument = "FILE.glb",
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --solid: write a mesh of the triangles that close holes, red, or blue if the part "
                   "is too open to be a body."},
          {.name = "report",
           .argument = "FILE.json",
           .rules = {{kMesh, kOfMeshes}},
           .help =
               "Write what is wrong with the mesh, object by object and with places: open edges, edges of "
               "more than two triangles, triangles that face the other way than their neighbors, and "
               "triangles that cross. --holes-out then also shows turned triangles in yellow and crossing "
               "ones in purple."},
          {.name = "sdf",
           .argument = "BAND",
           .range = OptionRange{voxelize::kLeastBand, voxelize::kMostBand},
           .unit = "voxels",
           .rules = {{kMesh, kOfMeshes}},
           .help =
               "Write distances instead of voxels, as .nrrd, .npy, .nvdb or .vdb in the mesh's units: exact "
               "up to "
               "BAND voxels from the triangles, and BAND beyond. With --solid, those inside are negative. "
               "With --materials mesh or object, FILE-materials, or another grid of the .vdb file, has the "
               "nearest triangles' materials + 1."},
          {.name = "sdf-type",
           .argument = "TYPE",
           .words = {"f32", "f16"},
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --sdf: numbers of 32 bits, or of 16 bits in .npy and .nvdb files. Default: f32"},
          {.name = "combine",
           .argument = "HOW",
           .words = {voxelize::kCombinationNames.begin(), voxelize::kCombinationNames.end()},
           .rules = {{kMesh, kOfMeshes}},
           .help = "Combine the surfaces of two meshes, which need not be closed: union keeps the parts of "
                   "each outside of the other, intersect the parts inside, and subtract the parts of the "
                   "first outside and of the second inside. Voxels of both surfaces always remain. "
                   "Triangles must face outwards."},
          {.name = "materials",
           .argument = "KIND",
           .preset = "texture",
           .rules = {{kMesh | kPoints | kVoxels | kVolumeScene | kMakesPalette, kOfMeshes}},
           .help = "texture: choose a palette of 16 from the surface's colors; mesh: use the mesh's own "
                   "materials, with their names; object: the same for its objects; colors: keep each "
                   "voxel's 24-bit color, stored beside the geometry; none: store only which voxels are "
                   "filled. For a scene file, palette: turn 24-bit colors into a palette. For a volume "
                   "that becomes a scene, bins[:N]: N equal parts of the range of values; labels[:N]: "
                   "label k is material k - 1, and if there are more than N labels, the most frequent ones "
                   "have a material each and all others share the last one."},
          {.name = "palette",
           .argument = "FILE",
           .preset = "auto",
           .rules = {{kMesh | kPoints | kVoxels | kVolumeScene | kMakesPalette, kOfMeshes},
                     {kColors | kMakesPalette, kOfColors}},
           .help = "auto: choose colors from the mesh; or take up to 16 from a file: .gpl, .pal (JASC), "
                   ".hex, .json (materials) or an image."},
          {.name = "dither",
           .rules =
               {{kMesh | kPoints | kVoxels | kMakesPalette,
                 "it is for colors that become a palette: --materials palette makes one of a scene file's"}},
           .help = "Mix colors from those of the palette, such as a printer's materials, voxel by voxel."},
          {.name = "palette-size",
           .argument = "COLORS",
           .range = OptionRange{17, 65536},
           .rules = {{kMesh | kPoints | kVoxels | kWholeScene, kOfMeshes}},
           .help = "With --materials colors, and for scene files with colors: reduce them to at most this "
                   "number."},
          {.name = "color-error",
           .argument = "DELTA_E",
           .range = OptionRange{.least = 0.01, .most = 100},
           .rules = {{kMesh | kPoints | kVoxels | kWholeScene, kOfMeshes}},
           .help = "With --materials colors, and for scene files with colors: change each voxel's color by "
                   "at most this much, so that the file is smaller. Differences below 2 are hardly "
                   "visible."},
          {.name = "normals",
           .rules = {{kMesh, kOfMeshes}},
           .help =
               "Keep for each voxel of the surface the normal of its triangle, beside the DAG: in .h5, .npz "
               "and .ply of points. vox-render shades with it."},
          {.name = "palette-weight",
           .argument = "WEIGHT",
           .preset = "area",
           .rules = {{kMesh | kPoints | kVoxels, kOfMeshes}, {kColors, kOfColors}},
           .help = "Weight of a color for --palette auto. area: the area that it covers; even: the same "
                   "for all; a number from 0 (even) to 1 (area): this power of the area. Lower numbers "
                   "favor colors of small areas."},
          {.name = "palette-out",
           .argument = "FILE",
           .rules = {{kMesh | kPoints | kVoxels | kVolumeScene, kOfMeshes}, {kColors, kOfColors}},
           .help = fmt::format("Write the palette that is used: {}.", palette_extensions())},
          {.name = "assign",
           .argument = "FILE.csv",
           .rules = {{kMesh, kOfMeshes}},
           .help = "With --materials mesh or object: give names the numbers in this file, which has lines of "
                   "PATTERN,NUMBER[,NAME], where * stands for any text and ? for one character. Later lines "
                   "win, numbers are 1 to 15, and names without a line share 0."},
          {.name = "materials-out",
           .argument = "FILE.json",
           .rules = {{kMesh | kPoints | kVoxels | kVolumeScene | kWholeScene, kOfMeshes},
                     {kColors | kWholeScene, kOfColors}},
           .help = "Write what the numbers of materials mean: name, color, share, and the names of the mesh "
                   "that they stand for."}}};
}

OptionTopic painting_topic() {
  return {.name = "painting",
          .title = "painting",
          .text = stroke_script_help(),
          .options = {
              {.name = "paint",
               .argument = "FILE",
               .rules = {{kMesh, "it is for meshes, on whose surface it paints"}},
               .help = "Paint the strokes of this script on the surface."},
              {.name = "paint-size",
               .argument = "N",
               .preset = "4K",
               .range = OptionRange{1, painting::kMostSize},
               .unit = "texels",
               .rules = {{kMesh, "it is for meshes, on whose surface --paint paints"}},
               .help = "Number of texels along each side of the square of texture coordinates, such as 4K "
                       "or 2^12. Only painted texels take memory."}}};
}

OptionTopic structures_topic() {
  return {.name = "structures",
          .title = "structures in .h5 files",
          .options = {{.name = "structure",
                       .argument = "KIND,...",
                       .usual = "svdag, and bricks for volumes",
                       .rules = {{kWritesH5, "it is for what is written as .h5"}},
                       .help = "Structures in the .h5 file: some of svdag, bricks, hash (spatial hash), "
                               "symmetric (turned and mirrored parts stored once); both: svdag,bricks."},
                      {.name = "load-factor",
                       .argument = "N",
                       .preset = "0.95",
                       .range = OptionRange{0, 1, OptionRange::Ends::LeastExcluded},
                       .rules = {{kHash, kOfHashes}},
                       .help = "Number of voxels for each cell of a spatial hash."},
                      {.name = "key-layout",
                       .argument = "KIND",
                       .words = {"morton", "linear"},
                       .preset = "morton",
                       .rules = {{kHash, kOfHashes}},
                       .help = "Order of the keys of a spatial hash: Morton codes, or row by row."}}};
}

OptionTopic bricks_topic() {
  const std::vector<OptionRule> rules = {{kBricks, kOfBricks}};
  OptionTopic topic = {
      .name = "bricks",
      .title = "bricks",
      .options = {
          {.name = "optimize",
           .argument = "FOR",
           .preset = "memory",
           .rules = rules,
           .help = "memory: make each brick as small as possible; speed: make dense and empty bricks only; "
                   "balanced[=SLOPE]: make a brick dense if the time that this saves a mean filter of 3 x "
                   "3 x 3, as measured on this machine, is worth the memory; SLOPE says how much memory, "
                   "relative to the mean of all bricks."},
          {.name = "levels",
           .argument = "N",
           .preset = "0",
           .rules = {{kVolumeBricks, "it is for volumes, whose values have means"}, {kBricks, kOfBricks}},
           .help = "Add this number of coarser levels to a volume, in which a voxel is the mean of 2³ "
                   "finer ones; auto: down to 64 voxels. vox-render shows the finest level that fits "
                   "within --memory-limit."}}};
  for (Option& option : brick_options(rules)) topic.options.push_back(std::move(option));
  return topic;
}

OptionTopic convert_device_topic() {
  OptionTopic topic =
      device_topic({{kMesh | kVolumeBricks | kBricks | kHash, "nothing of it runs on a device"}});
  topic.options.push_back(table_option("Hash table that holds the SVDAG while it is built.",
                                       {{kMesh, "it holds the SVDAG while that is built of a mesh"}}));
  topic.options.push_back({.name = "spill",
                           .argument = "DIR|host",
                           .rules = {{kMesh, "it is for SVDAGs that are made of meshes"}},
                           .help = "Build a scene whose SVDAG is larger than --memory-limit or the "
                                   "device's memory in rounds, and move data that does not fit to unnamed "
                                   "files in this folder; host: to the host's memory."});
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
      .usage = "INPUT... (--res N | --voxel-size S) [options]",
      .about =
          "Turns textured meshes, points, volumes and other programs' voxels into a scene file: a sparse "
          "voxel directed acyclic graph (SVDAG) with a palette of 16 materials, hybrid bricks or a spatial "
          "hash. It also exports scene files for other programs. --help files lists all formats.\n",
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
      .operands = {{.name = "inputs",
                    .argument = "FILE",
                    .repeats = Repeats::Yes,
                    .help = "Meshes, points, volumes, files of voxels and scene files."}}};
}

}  // namespace vox
