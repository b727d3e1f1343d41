// The readers of scripts: of edits, recordings of edits, strokes, camera paths, and rules for names.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/script/script_parts.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/render/camera.h"
#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox {

// Edit scripts are plain text with one command on each line. edit_script_help() describes the language,
// except for these rules:
//
// Numbers are read exactly and rounded to 1/256 voxel, halves away from zero. In scene units, a place is
// (world - origin) / voxel_size and a length is divided by voxel_size; both are computed in double precision
// and then rounded in the same way. A place that must be a whole voxel is rounded to one in scene units,
// whereas in voxel units a fraction is an error. Places lie within ±2^21 voxels, also after every repetition;
// lengths are at most 2^20 voxels.

SceneFrame frame_of(const dag::VoxelScene& scene);
SceneFrame frame_of(const volume::VolumeInfo& info);  // for a script that edits a volume

// Reads a script. The files that it names are relative to its folder, and none of them is opened. Mistakes
// are Errors with file, line and column.
edit::Script read_edit_script(const std::filesystem::path& path, const SceneFrame& frame,
                              const edit::OnScriptError& on_error = {});
edit::Script parse_edit_script(std::string text, const std::filesystem::path& path, const SceneFrame& frame,
                               const edit::OnScriptError& on_error = {});

// Return descriptions of all commands and their arguments, for --help.
std::string edit_script_help();
std::string volume_script_help();

// Recorded edits of HashDAG (Careil, Billeter and Eisemann 2020) are read as commands of an edit script.
// Each edit is one row, in voxels of the depth at which it was recorded, with y up. Empty cells at the end
// of a row are ignored:
//
//   EditSphere,x,y,z,radius,true|false     fills or empties a sphere
//   EditCube,x,y,z,radius,true|false       the cube of 2 radius a side around x,y,z
//   EditCopy,x,y,z,from x,y,z,to x,y,z,radius[,m00,m01,…,m22,true|false,period]
//                                          the cube around x,y,z, from `from` to `to`, turned about them by a
//                                          matrix (rows, column vectors), twisted where true; fills what is
//                                          empty only
//   EditFill,x,y,z,radius                  floods what is empty from x,y,z, in the cube around it
//   EditPaint,x,y,z,radius                 changes the color in a sphere
//   Undo   Redo   EndFrame
//   SetLocation, SetRotation, SetToolParameters: the camera and the window, of no use here
//   # a comment (ours)
//
// The results differ from HashDAG's in two ways. Here a voxel is in a sphere if its center is, while HashDAG
// takes every voxel that the sphere touches. A fill that starts in a filled voxel floods that voxel's
// material here, while HashDAG continues to empty neighbors. Cubes and copies agree. A recording names no
// material.

struct ReplayScale {
  double numerator = 1, denominator = 1;
};

// Maps recorded voxels to the scene's: first the axes, then the scale (also for radii), then the
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

// Reads a recording. A row that cannot be understood or carried out is an Error with file, line and column.
// Copies that are twisted, or rotated by other angles than right angles, cannot be carried out.
edit::Script read_replay_csv(const std::filesystem::path& path, const ReplayOptions& options,
                             const edit::OnScriptError& on_error = {});
edit::Script parse_replay_csv(std::string text, const std::filesystem::path& path,
                              const ReplayOptions& options, const edit::OnScriptError& on_error = {});

// These parse a scale ("4", "0.5", "1/3"), an order of axes ("xzy") and a shift ("10,0,-5"). They throw UsageError.
ReplayScale parse_replay_scale(std::string_view text);
std::array<uint8_t, 3> parse_replay_swizzle(std::string_view text);
Vec3d parse_replay_shift(std::string_view text);

// Reads edits for this scene from a script of vox or a recording of HashDAG; the extension decides which. `replay`
// says how a recording is
// placed in the scene; its field `materials` is taken from the scene.
edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay = {}, const edit::OnScriptError& on_error = {});

// Scripts of strokes, which are painted on a surface, are plain text with one stroke on each
// line. stroke_script_help() describes the language. Places and lengths are read as doubles.

inline constexpr uint32_t kMaxStrokes = 1'000'000, kMaxStrokePoints = 4'000'000;  // limits on a script

// Throws Error with file, line and column, also if the script has no stroke.
painting::Strokes read_stroke_script(const std::filesystem::path& path);
painting::Strokes parse_stroke_script(const std::string& text, const std::filesystem::path& path);

// Returns a description of the language, for --help.
std::string stroke_script_help();

// Reads a camera path from a table. The first line names the columns, in any order; each further line is one
// pose in scene units. The columns fov (degrees), time (seconds) and up_x, up_y, up_z (the direction that
// points up in the picture) are optional.
//
//   eye_x,eye_y,eye_z,target_x,target_y,target_z,fov,time
//   60,28,75,3,-6,0,36,0
//   20,10,40,3,-6,0,36,2.5

// If there is a column of times, they must grow from row to row; otherwise each row is one picture. Throws
// Error with file and line.
render::CameraPath read_camera_csv(const std::filesystem::path& path);

// Reads the rules by which names of a mesh get numbers: lines of `pattern,number` or `pattern,number,name`. Blank lines
// and lines that begin with # are skipped. The name belongs to the number, in all rules with this number. Numbers
// are 1 to `numbers` - 1. Mistakes are Errors with file, line and column.
std::vector<scene::AssignRule> read_assign_rules(const std::filesystem::path& path,
                                                 uint32_t numbers = scene::kPaletteSize);

}  // namespace vox
