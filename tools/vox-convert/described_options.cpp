#include "tools/vox-convert/described_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/file_types.h"
#include "formats/images/palette_file.h"
#include "formats/script/stroke_script.h"
#include "formats/voxels/export.h"
#include "libvox/hash/table_list.h"
#include "tools/common/bricks_options.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr const char* kAbout =
    R"(Turns textured meshes into a sparse voxel DAG with a palette of 16 materials, and volumes into hybrid bricks.

Reads meshes: {}; volumes: {}; other programs' voxels: {}; points: {}; and scene files ({}) of its own.
Writes scene files, and by the extension of -o also {} of scenes.
Surfaces of a glTF show their base colour plus their emission; what moves is shown in its rest pose.

Examples:
  vox-convert house.obj --res 4K                        house.h5, 4096 voxels along its longest side
  vox-convert house.glb --res 64K --device cuda         the same on a GPU, 65536 voxels
  mpirun -n 4 vox-convert house.glb --res 256K          four processes, a GPU each (docs/ranks.md)
  vox-convert a.obj b.obj --voxel-size 0.01 -o ab.h5    two meshes on one grid, voxels of 0.01 units
  vox-convert a.xyz b.xyz --voxel-size 0.1 -o ab.h5     two files of points on one grid
  vox-convert land.vox house.obj --res 2K -o all.h5     voxels and a mesh over them, on one grid
  vox-convert house.h5 -o house.vox                     for MagicaVoxel
  vox-convert house.h5 -o house.glb                     the faces of its voxels as a mesh
  vox-convert house.h5 --res 1K -o small.h5             a coarser level: half, a quarter, …
  vox-convert house.h5 --info                           what is in it
  vox-convert --verify house.h5                         check every pointer, the counts, the digest
  vox-convert ct_64x64x93_uint16.raw --threshold 0.08   bricks of a volume, without the lowest 8 %
  vox-convert ct.nrrd --structure svdag -o bones.h5     a volume as a scene: bins of its values, or labels
  vox-convert house.h5 --structure bricks -o bricks.h5  bricks of a scene's materials
  vox-convert house.h5 --structure svdag,hash           a spatial hash of its voxels beside the DAG
  vox-convert house.obj --res 4K --spill host           where the DAG is larger than the device's memory
  vox-convert house.obj --res 4K --paint strokes.txt    what the script paints on it comes before its textures

{})";

std::string about() {
  return fmt::format(kAbout, listed_names(FileRole::Mesh, FileUse::Read, FileList::And),
                     listed_extensions(FileRole::Volume, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Voxels, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Points, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Scene, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Export, FileUse::Written, FileList::And),
                     stroke_script_help());
}

}  // namespace

std::string output_extensions() {
  return listed_extensions(FileRole::Scene, FileUse::Written, FileList::Commas) + ", " +
         listed_extensions(FileRole::Export, FileUse::Written, FileList::Or);
}

cxxopts::Options described_options() {
  cxxopts::Options options("vox-convert", about());
  options.custom_help("INPUT... (--res N | --voxel-size S) [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  auto preset = [](const char* value) { return cxxopts::value<std::string>()->default_value(value); };
  options.add_options("Files")("inputs", "Meshes, points, volumes, files of voxels and scene files",
                               cxxopts::value<std::vector<std::string>>(), "FILE")(
      "o,output",
      fmt::format("Where to: {} (default: the first INPUT's name with .h5, in the current folder)",
                  output_extensions()),
      text(),
      "FILE")("compression",
              "Of what is written as .h5: none; 1 (fast) to 9 (small): deflate; zstd: where HDF5 finds "
              "a plugin for it, which all need who read the file",
              preset("1"), "HOW")(
      "file-version",
      "Of an SVDAG that is written as .h5: 1 is for older programs, and has less than 2^32 words a level",
      preset("2"), "1|2")(
      "parts",
      "Of a scene of meshes: each process, or device of a list, writes what it holds into a file of its own "
      "in NAME.parts/ beside NAME.h5, and nothing is brought together (docs/ranks.md)")(
      "resume",
      "Of scenes of meshes: keep in NAME.parts/, which all machines have to see, what has been built, so "
      "that "
      "the same command goes on from there when it was ended; with nothing kept, it begins anew "
      "(docs/ranks.md)")(
      "keep-every",
      "With --resume: keep it each time after so many seconds, and when a third of the memory is full",
      preset("120"),
      "SECONDS")("info", "Show what a scene file says of itself; --verify also looks whether it is true")(
      "binvox-materials", "In a .binvox file, say of filled voxels which material they are, as version 2")(
      "nvdb-grid",
      "Of a .nvdb file what a voxel holds: u8: its material + 1 (Fp8, whole numbers); rgba: its colour; "
      "index: its number in an array of materials, the smallest file, for NanoVDB before 32.6; onindex: the "
      "same for 32.6 and newer (OpenVDB 11)",
      preset("u8"), "u8|rgba|index|onindex")(
      "ply",
      "Of a .ply file: surface: the faces of the voxels, as .obj and .glb hold them; points: the middles of "
      "the voxels, with normals of the surface",
      preset("surface"),
      "surface|points")("vtk", "Of a .vtkhdf file: image: a dense grid; amr: boxes where voxels are",
                        preset("image"), "image|amr")(
      "verify",
      "Check a scene file: every pointer, the counts, the digest, that bricks and a spatial hash hold the "
      "DAG's voxels; "
      "of what is converted: read it back and compare");
  options.add_options("Grid")(
      "r,res",
      "Voxels along the longest side, 4 to 1M: 4096, 4K, 64K or 2^16; of a scene file half as many as it "
      "has, a "
      "quarter, ...: a voxel is filled where any in it is, with the material of most of these",
      text(), "N")("voxel-size", "Instead of --res: the side of a voxel in scene units", text(), "S")(
      "clip", "Only this box, in scene units; the grid spans it, or, of a scene file, the export", text(),
      "X0,Y0,Z0,X1,Y1,Z1")("center",
                           "Centre the shorter sides in the cube instead of starting at its corner")(
      "snap-origin",
      "Start the grid at a multiple of the voxel size, so that tiles converted apart with one --voxel-size "
      "fit together");
  options.add_options("Meshes")(
      "up",
      "The axis that points up, x, y or z, whatever the file says; it is turned to y; "
      "file: as it says (COLLADA, FBX; LAS: z), y where it says nothing",
      preset("file"), "AXIS")(
      "units",
      "file: scene units are metres, where the file says what its own are (FBX, COLLADA); keep: its numbers",
      preset("file"), "KIND")(
      "texture-path", "A folder to look into for textures that are not beside the mesh; may be repeated",
      text(), "DIR")("allow-outside",
                     "Read textures, materials and buffers outside of the mesh's folder, which a mesh from "
                     "elsewhere could name");
  options.add_options("Points")(
      "point-radius",
      "Fill the voxels too whose centre is at most so many scene units away from a point, up to 31 voxels",
      preset("0"), "R")("splat-opacity", "Of splats, those that are at least so opaque, from 0 to below 1",
                        preset("0.5"), "A");
  options.add_options("Voxels")("coverage",
                                "conservative: every voxel a triangle touches; thin: fewer, but no path "
                                "through faces leaks (6-separating)",
                                preset("conservative"),
                                "KIND")("solid", "Fill the inside of closed surfaces too")(
      "materials",
      "texture: the surface's colours; mesh: the mesh's own materials; none: occupancy alone; of a "
      "volume as a scene: bins[:N]: N parts of the range of values; labels[:N]: label k is material k - 1, "
      "or, "
      "of more than N, those of most voxels have one each and all others the last",
      preset("texture"),
      "KIND")("palette",
              "auto: chosen from the mesh; or a file of up to 16 colours: .gpl, .pal (JASC), .hex, an image",
              preset("auto"), "FILE")(
      "palette-weight",
      "What a colour of --palette auto weighs: area: what it covers; even: all alike; or a number "
      "from 0 (even) to 1 (area), that power of the area. Lower ones favour colours of small "
      "areas, at the cost of all others",
      preset("area"),
      "WEIGHT")("palette-out", "Write the palette used: " + palette_extensions(), text(), "FILE");
  options.add_options("Painting")("paint",
                                  "A script of strokes that are painted on the surface, as told above",
                                  text(), "FILE")("paint-size",
                                                  "Texels along each side of the square of texture "
                                                  "coordinates, 1 to 64K: 4096, 4K or 2^12; memory is taken "
                                                  "for those that are painted",
                                                  preset("4K"), "N");
  options.add_options("Structures")(
      "structure",
      "svdag (of meshes the default), bricks (of volumes), hash: a spatial hash of the filled voxels; "
      "or several with commas between them; both: svdag,bricks",
      text(), "KIND,...")("load-factor",
                          "Of a spatial hash: voxels for each cell of the table, above 0 and at most 1",
                          preset("0.95"), "N")(
      "key-layout", "Of a spatial hash: morton: keys are Morton codes; linear: row by row", preset("morton"),
      "KIND");
  options.add_options("Bricks")("optimize",
                                "memory: each brick as small as can be; speed: dense and "
                                "empty bricks alone; balanced[=SLOPE]: dense where the "
                                "time that a mean filter of 3 x 3 x 3 saves, measured here, "
                                "is worth SLOPE times the mean of all in memory",
                                preset("memory"), "FOR");
  add_bricks_options(options);
  add_volume_options(options);
  options.add_options("Volumes")(
      "channel",
      "Of a file whose voxels have several values, such as red, green and blue: which "
      "one, from 0 on",
      text(), "N");
  add_device_options(options);
  options.add_options("Device")(
      "table", fmt::format("The hash table that holds the DAG: {}", fmt::join(hash::table_names(), ", ")),
      preset(EngineOptions().table.c_str()),
      "NAME")("spill",
              "Build a scene whose SVDAG is larger than --memory-limit or the device, in rounds: what does "
              "not fit goes "
              "to files in this folder, which have no names; host: to the host's memory",
              text(), "DIR|host");
  add_common_options(options);
  options.parse_positional({"inputs"});
  return options;
}

}  // namespace vox
