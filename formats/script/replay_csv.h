// Reads recorded edits of HashDAG (Careil, Billeter and Eisemann 2020) as commands of an edit script. Each
// edit is one row, in voxels of the depth at which it was recorded, with y up. Empty cells at the end of a
// row are ignored:
//
//   EditSphere,x,y,z,radius,true|false     fills or empties a sphere
//   EditCube,x,y,z,radius,true|false       the cube of 2 radius a side around x,y,z
//   EditCopy,x,y,z,from x,y,z,to x,y,z,radius[,m00,m01,…,m22,true|false,period]
//                                          the cube around x,y,z, from `from` to `to`, turned about them by a
//                                          matrix (rows, column vectors), twisted where true; fills what is
//                                          empty only
//   EditFill,x,y,z,radius                  floods what is empty from x,y,z, in the cube around it
//   EditPaint,x,y,z,radius                 changes the colour in a sphere
//   Undo   Redo   EndFrame
//   SetLocation, SetRotation, SetToolParameters: the camera and the window, of no use here
//   # a comment (ours)
//
// The results differ from HashDAG's in two ways. Here a voxel is in a sphere if its centre is, while HashDAG
// takes every voxel that the sphere touches. A fill that starts in a filled voxel floods that voxel's
// material here, while HashDAG continues to empty neighbours. Cubes and copies agree. A recording names no
// material.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "libvox/base/vec.h"
#include "libvox/edit/script.h"

namespace vox {

struct ReplayScale {
  double numerator = 1, denominator = 1;
};

// Maps recorded voxels to the scene's: first the axes, then the scale (which applies to radii too), then the
// shift.
struct ReplayOptions {
  std::array<uint8_t, 3> swizzle = {0, 1, 2};  // the recorded axis that becomes x, y, z
  ReplayScale scale = {};
  Vec3d shift = {0, 0, 0};
  uint8_t material = 0;   // the material of filled and painted voxels
  bool materials = true;  // if false, rows that paint are skipped with a warning
};

// True if the extension is .csv.
bool is_replay_path(const std::filesystem::path& path);

// Reads a recording. A row that cannot be understood or done is an Error with file, line and column. Copies
// that are twisted or rotated by other than right angles cannot be done.
edit::Script read_replay_csv(const std::filesystem::path& path, const ReplayOptions& options,
                             const edit::OnScriptError& on_error = {});
edit::Script parse_replay_csv(std::string text, const std::filesystem::path& path,
                              const ReplayOptions& options, const edit::OnScriptError& on_error = {});

// Parse a scale ("4", "0.5", "1/3"), an order of axes ("xzy") and a shift ("10,0,-5"). Throw UsageError.
ReplayScale parse_replay_scale(std::string_view text);
std::array<uint8_t, 3> parse_replay_swizzle(std::string_view text);
Vec3d parse_replay_shift(std::string_view text);

}  // namespace vox
