// The command line of vox-edit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/script/scripts.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/script.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"

namespace vox {

struct EditOptions {
  std::filesystem::path scene, script;
  std::optional<std::filesystem::path> output;
  std::optional<std::filesystem::path> log, html;
  bool check = false;
  bool drop_bricks = false;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  uint32_t batch = 1;
  uint32_t checkpoint = 0;  // edits between checkpoints; 0: no checkpoints
  ReplayOptions replay;
  EngineOptions engine;
  std::vector<Option> given;  // options on the command line, which check_given() checks
  std::string command;
};

// Reads the options. Throws UsageError, and Error if the scene or the script is missing.
EditOptions read_edit_options(const CommandLine& arguments);

// The description of vox-edit: its options with the scripts for which they have an effect, and examples. The
// command line is read by it.

// The traits of a run, for the rules of options. They say what it does.
enum EditTrait : uint32_t {
  kEdits = 1,  // the script is run, not only checked
  kRecording = 2,
  kMaterials = 4,  // the scene has materials
  kScene = 8       // the file holds a scene, not a volume
};

ToolDescription edit_description();

// Checks that the options of vox-edit match its script, scene and purpose.

// These throw UsageError for an option that would have no effect on a scene, or on a volume.
void check_given(const EditOptions& options, const dag::VoxelScene& scene);
void check_given_for_volume(const EditOptions& options);

// Checks the files that a run of vox-edit writes.

// Checks, before the work, that the results can be written. It is an error if a result would replace a file
// that is read, or another result. `on_error` is called with every error that is found in the script;
// without it, the first one is thrown.
void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error = {});

// Runs --check, which shows what a script would do, without running it, and lists all its errors.

// Reads the script and the scenes that it names, warns of edits outside of the grid, and prints the number of
// edits of each kind. If there are errors, it logs all of them, up to a limit, and then throws Error.
void check_script(const EditOptions& options, const dag::VoxelScene& scene);
void check_script(const EditOptions& options, const bricks::FrozenBricks& bricks);

// vox-edit refuses to run as several processes, and tells how large a scene one device can edit.

// Throws UsageError.
[[noreturn]] void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks);

}  // namespace vox
