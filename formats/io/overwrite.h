// Files that are there already: what vox wrote itself may be replaced by more of its kind, everything else
// stays, unless the user says --force. A picture must not replace the texture beside it, nor a report a
// scene.
#pragma once

#include <filesystem>

namespace vox {

// What is written.
enum class OutputKind {
  Scene,    // or bricks: .h5
  Report,   // .h5
  Rows,     // of a report: .csv
  Page,     // .html
  Picture,  // .png
  Palette,  // .gpl and .png say who wrote them, .pal and .hex do not
  Nrrd,
  MagicaVoxel,
  Binvox,  // says nothing: the readers that there are take no other line in its header
  ObjMesh,
  ObjMaterials,  // .mtl
  GlbMesh
};

// Of what vox-convert writes: .nrrd, .vox, .binvox, all else is a scene file.
OutputKind kind_of_output(const std::filesystem::path& path);
// Of what belongs to an OBJ file, by extension: itself, .mtl, .png; or of a GLB file.
OutputKind kind_of_mesh(const std::filesystem::path& path);

enum class Overwrite { OwnFiles, AllFiles };

// Before the work, not after it: throws Error that names the target where nothing can be written there, or
// where a file would be lost. An empty file is nobody's work, and may be replaced: mktemp makes such.
void check_writable(const std::filesystem::path& target, OutputKind kind, Overwrite overwrite);

}  // namespace vox
