// Protects existing files. A file that vox wrote itself may be replaced by another of its kind; every other
// file is kept unless the user says --force. For example, a picture must not replace the texture beside it,
// nor a report a scene.
#pragma once

#include <filesystem>

namespace vox {

// The kind of file that is written.
enum class OutputKind {
  Scene,    // a scene or bricks: .h5
  Report,   // .h5
  Rows,     // rows of a report: .csv
  Page,     // .html
  Picture,  // .png
  Film,     // .mp4
  Palette,  // .gpl and .png tell who wrote them, .pal and .hex do not
  Nrrd,
  Npy,  // does not tell who wrote it
  Raw,  // likewise
  Npz,
  GprMax,           // .gprmax.h5, with a text of materials beside it
  GprMaxMaterials,  // .txt
  MagicaVoxel,
  Binvox,  // does not tell who wrote it: existing readers accept no extra line in its header
  Schem,
  HashDag,  // does not tell it either, nor do SymVox and Vl32; colors are in a file beside it
  SymVox,
  Vl32,
  Nvdb,
  Vdb,
  ObjMesh,
  ObjMaterials,  // .mtl
  GlbMesh,
  PlyMesh,  // a mesh or points
  VtkHdf,
  Slices,        // a folder of .png
  Chunks,        // a folder of .voxc with scene.json
  Tiles,         // a folder of .glb with tileset.json
  MaterialList,  // .json
  VoxelOctree    // .voxel.json, with .voxel.bin beside it
};

// Returns the kind of a file that vox-convert writes: an export if the extension is one, otherwise a scene
// file.
OutputKind kind_of_output(const std::filesystem::path& path);
// Returns the kind of a file that belongs to a mesh, by extension: .obj, its .mtl and .png; or .glb.
OutputKind kind_of_mesh(const std::filesystem::path& path);

enum class Overwrite { OwnFiles, AllFiles };

// Throws an Error that names the target if nothing can be written there, or if a file that vox did not write
// would be lost. It must be called before the work. An empty file may be replaced, because mktemp makes such
// files. For an OBJ mesh the .mtl file beside it is checked, too.
void check_writable(const std::filesystem::path& target, OutputKind kind, Overwrite overwrite);

}  // namespace vox
