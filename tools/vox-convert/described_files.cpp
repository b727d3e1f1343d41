// The options of vox-convert that say what is written, and how.

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/voxels/export.h"
#include "tools/vox-convert/options.h"

namespace vox {
namespace {

constexpr const char* kOfRawOutput = "it is for scenes that are written as .raw";
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

}  // namespace

OptionTopic files_topic() {
  return {
      .name = "files",
      .title = "files",
      .text = formats(),
      .options = {
          {.name = "output",
           .letter = "o",
           .argument = "FILE",
           .usual = "the first INPUT's name with .h5, in the current folder",
           .rules = {{kWrites, "nothing is written"}},
           .help = fmt::format("Write this file: {}.", output_extensions())},
          {.name = "compression",
           .argument = "HOW",
           .preset = "1",
           .rules = {{kWritesH5, "it is for what is written as .h5"}},
           .help = "Compression of .h5 files: none, 1 (fast) to 9 (small), or zstd (readers need HDF5's "
                   "zstd plug-in)."},
          lossy_option(),
          {.name = "file-version",
           .words = {"1", "2"},
           .preset = "2",
           .rules = {{kWritesSvdag, "it is for SVDAGs in what is written as .h5"}},
           .help = "Version of the SVDAG in an .h5 file; 1 is for older programs, and needs levels of less "
                   "than 2^32 words."},
          {.name = "parts",
           .rules = {{kMesh, kOfSceneMeshes}},
           .help = "Let each process, or each device of a list, write its part of the scene into a file in "
                   "NAME.parts/ beside NAME.h5, instead of collecting the parts (docs/ranks.md)."},
          {.name = "resume",
           .rules = {{kMesh, kOfSceneMeshes}},
           .help = "Keep finished parts of the work in NAME.parts/, so that the same command continues "
                   "there if it was interrupted. All machines must see this folder (docs/ranks.md)."},
          {.name = "keep-every",
           .argument = "SECONDS",
           .preset = "120",
           .range = OptionRange{},
           .unit = "seconds",
           .rules = {{kMesh, kOfSceneMeshes}},
           .help = "With --resume, keep the work after this time, and when a third of the memory is full."},
          {.name = "info", .help = "Show the description in a scene file; --verify checks the content."},
          {.name = "binvox-materials",
           .rules = {{kWritesBinvox, "it is for what is written as .binvox"}},
           .help = "Write the material of each filled voxel into a .binvox file, which has version 2 then."},
          {.name = "nvdb-grid",
           .words = {"auto", "u8", "rgba", "index", "onindex"},
           .preset = "auto",
           .rules = {{kWritesNvdb, "it is for what is written as .nvdb"}},
           .help = "Values of a .nvdb file. u8: a voxel's material + 1 (Fp8, whole numbers); rgba: its "
                   "color; index: the place of its entry in an array of materials, which gives the "
                   "smallest file, for NanoVDB before 32.6; onindex: the same for 32.6 and newer (OpenVDB "
                   "11); auto: rgba for 24-bit colors, else u8."},
          {.name = "slices",
           .argument = "AXIS",
           .words = {"up", "x", "y", "z"},
           .preset = "up",
           .rules = {{kWritesSlices, "it is for pictures of layers, as in -o slices/%05d.png"}},
           .help =
               "Axis along which the pictures of a .png output follow each other; up: the scene's up axis."},
          {.name = "slices-by-material",
           .rules = {{kWritesSlices, "it is for pictures of layers, as in -o slices/%05d.png"}},
           .help = "Write a folder of black and white pictures for each material."},
          {.name = "order",
           .words = {"xyz", "zyx"},
           .preset = "xyz",
           .rules = {{kWritesRaw, kOfRawOutput}},
           .help =
               "Order of the values of a .raw file; xyz: x changes fastest, as in FluidX3D and NRRD; zyx: z "
               "does, as in an array [x, y, z] of C and NumPy."},
          {.name = "origin",
           .argument = "LAT,LON,HEIGHT",
           .usual = "the Earth's center",
           .rules = {{kWritesTiles, "it is for 3D Tiles, -o FOLDER/tileset.json"}},
           .help = "Place of the scene's origin on the Earth, in degrees and in meters above the ellipsoid "
                   "(WGS 84). x "
                   "points east and up is up."},
          {.name = "bits",
           .words = {"1", "8", "16"},
           .preset = "8",
           .rules = {{kWritesRaw, kOfRawOutput}},
           .help =
               "Bits of a voxel in a .raw file. 8 and 16: 0 for empty voxels, else material + 1, or 1 "
               "without materials; 1: a bit that is set for filled voxels, the lowest bit first, and each "
               "row begins a new byte."},
          {.name = "pieces",
           .argument = "N",
           .range = OptionRange{kLeastPieceSide, kMostPieceSide},
           .unit = "voxels",
           .rules = {{kWritesPieces,
                      "it is for scenes that are written as .raw, .nrrd, .npy, .npz, .schem, .nvdb, .vdb or "
                      ".vtkhdf"}},
           .help = "Write cubes with this side, each into a file of its own, for grids of any size: -o "
                   "cells/part.raw writes cells/part_0_0_0.raw and so on, and cells/pieces.json, which says "
                   "where each lies. Empty pieces are left out."},
          {.name = "ply",
           .words = {"surface", "points"},
           .preset = "surface",
           .rules = {{kWritesPly, "it is for what is written as .ply"}},
           .help = "Content of a .ply file: the faces of the voxels, as in .obj and .glb files, or the "
                   "centers of the voxels with normals of the surface."},
          {.name = "vtk",
           .words = {"image", "amr"},
           .preset = "image",
           .rules = {{kWritesVtk, "it is for what is written as .vtkhdf"}},
           .help = "Content of a .vtkhdf file: a dense grid, or boxes where voxels are filled."},
          {.name = "verify",
           .help = "Check a scene file: every pointer, the counts, the digest, and that bricks and a "
                   "spatial hash hold the SVDAG's voxels. After a conversion, read the result back and "
                   "compare it."}}};
}

}  // namespace vox
