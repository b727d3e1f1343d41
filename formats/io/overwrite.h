// Protects files that exist already: a file that vox wrote itself may be replaced by another of its kind;
// everything else stays, unless the user says --force. A picture must not replace the texture beside it, nor
// a report a scene.
#pragma once

#include <filesystem>

namespace vox {

// The kind of file that is written.
enum class OutputKind {
  Scene,    // or bricks: .h5
  Report,   // .h5
  Rows,     // rows of a report: .csv
  Page,     // .html
  Picture,  // .png
  Film,     // .mp4
  Palette,  // .gpl and .png say who wrote them, .pal and .hex do not
  Nrrd,
  MagicaVoxel,
  Binvox,   // does not say who wrote it: existing readers take no other line in its header
  HashDag,  // these three do not say it either; a file of HashDAG has its colours beside it
  SymVox,
  Vl32,
  Nvdb,
  ObjMesh,
  ObjMaterials,  // .mtl
  GlbMesh,
  PlyMesh,  // or points
  VtkHdf
};

// The kind of a file that vox-convert writes: an export, or else a scene file.
OutputKind kind_of_output(const std::filesystem::path& path);
// The kind of a file that belongs to a mesh, by extension: .obj, its .mtl and .png; or .glb.
OutputKind kind_of_mesh(const std::filesystem::path& path);

enum class Overwrite { OwnFiles, AllFiles };

// Throws Error that names the target where nothing can be written there, or where a file would be lost. Call
// it before the work, not after it. An empty file is nobody's work, and may be replaced: mktemp makes such
// files. Of an OBJ mesh its materials, the .mtl file beside it, are looked at too.
void check_writable(const std::filesystem::path& target, OutputKind kind, Overwrite overwrite);

}  // namespace vox
