// An edit script as a list of commands. formats/script/scripts.h reads scripts, and an Editor runs them.
//
// Repetitions are not unrolled. A ScriptCursor returns the commands one by one, in the order in which they
// run, so that a script that makes ten million edits takes only the memory of its lines.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

struct Undo {
  uint32_t count = 1;
  friend bool operator==(const Undo&, const Undo&) = default;
};
struct Redo {
  uint32_t count = 1;
  friend bool operator==(const Redo&, const Redo&) = default;
};
// Gives the current state of the scene this name. Another state that had the name loses it.
struct Snapshot {
  std::string name;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};
// Goes back to the snapshot of this name, which must come earlier in the script.
struct Restore {
  std::string name;
  friend bool operator==(const Restore&, const Restore&) = default;
};

struct Collect {  // collects all garbage at once
  friend bool operator==(const Collect&, const Collect&) = default;
};

enum class CollectWhen : uint8_t { Never, Every, Threshold };

struct CollectTrigger {
  CollectWhen when = CollectWhen::Never;
  uint32_t every = 0;    // in edits
  double threshold = 0;  // share of garbage in the store, from 0 to 1
  friend bool operator==(const CollectTrigger&, const CollectTrigger&) = default;
};

// Sets how garbage is collected from here on. Absent values do not change.
struct CollectPolicy {
  std::optional<CollectTrigger> trigger;
  std::optional<double> budget_ms;  // time of one step of a collection after an edit; 0: all at once
  friend bool operator==(const CollectPolicy&, const CollectPolicy&) = default;
};

struct Save {
  std::filesystem::path path;
  friend bool operator==(const Save&, const Save&) = default;
};

// Scripts for scenes have Edits, scripts for volumes VolumeEdits.
using Action = std::variant<Edit, VolumeEdit, Undo, Redo, Snapshot, Restore, Collect, CollectPolicy, Save>;

struct Command {
  uint32_t line = 0;       // from 1
  uint32_t frame = 0;      // in a recording, from 1; 0 in a script
  uint64_t text = 0;       // where the command begins in Script::text
  uint32_t text_size = 0;  // bytes
  Action action;
};

// Repeats commands [first, end) of the script `count` times. In repetition n, from 0, the places of edits
// move by n * step and by a random offset of -jitter to +jitter on each axis. The offsets of enclosing
// repetitions are added. A copy's target moves, its source stays. Places in whole voxels move by the rounded
// sum, with halves rounded away from zero.
struct Repeat {
  uint32_t line = 0;
  uint32_t first = 0, end = 0;
  uint32_t count = 1;
  EditPlace step = {0, 0, 0};
  EditPlace jitter = {0, 0, 0};  // no component is negative
  uint64_t seed = 0;
};

struct Script {
  std::filesystem::path path;                // the script's path, for messages
  std::string text;                          // the whole text of the script
  std::vector<std::filesystem::path> files;  // an edit's scene is 1 + the index of its file
  // For a scene with 24-bit colors: an edit's material is 1 + the index of its color.
  std::vector<scene::Rgb8> colors;
  std::deque<Command> commands;
  std::deque<Repeat> repeats;  // sorted by `first`, outer before inner; none is empty
  uint64_t total = 0;          // the number of commands that a cursor returns
};

// Returns the text of the command, without the comment.
std::string_view source_text(const Script& script, const Command& command);

// Returns the line of a command for Error::at(): "trees.txt:12".
std::string location(const Script& script, const Command& command);
// Returns the place where a command begins, with its column: "trees.txt:12:3".
std::string place_of(const Script& script, const Command& command);

class ScriptCursor {
 public:
  explicit ScriptCursor(const Script& script) : script_(script) {}  // the script must outlive the cursor

  // Returns the next command, with all repetitions applied, or nothing at the end.
  std::optional<Command> next();

 private:
  struct Running {
    uint32_t repeat;
    uint32_t round;    // from 0
    uint64_t key;      // identifies this round and those around it; the jitter depends on it
    EditPlace offset;  // the sum over this repetition and all that contain it
  };

  void end_rounds();
  void begin_repeats();
  Running round_of(uint32_t repeat, uint32_t round) const;

  const Script& script_;
  uint32_t at_ = 0;           // the index of the next command
  uint32_t next_repeat_ = 0;  // the first repetition that has not begun
  std::vector<Running> running_;
};

// Return the edit with its places moved.
Edit moved(Edit edit, EditPlace offset);
VolumeEdit moved(VolumeEdit edit, EditPlace offset);

// A function of a caller that wants to check every line of a script, even after an error. It is called for each line
// with an error, which is then skipped. If the function is empty, the first error is thrown.
using OnScriptError = std::function<void(const Error&)>;

// Calls `step`. If it throws an error, adds the command's place to it.
template <class Step>
void at_command(const Script& script, const Command& command, const OnScriptError& on_error,
                const Step& step) {
  try {
    step();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    const Error placed = Error(error.what()).at(place_of(script, command)).about(error.setting());
    if (!on_error) throw placed;
    on_error(placed);
  }
}

// The edits that a script would make, found without running it.
struct ScriptFindings {
  std::map<std::string, uint64_t> tools;  // the number of edits of each tool
  uint64_t edits = 0, outside = 0;
};

// Warns of edits outside of the grid. A fill whose seed lies outside is an error. `scenes` are the script's
// files, in the script's order.
ScriptFindings survey_script(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                             uint32_t resolution, const OnScriptError& on_error = {});

// Returns boxes around all voxels that the script's edits may read or change: a few, one for edits that lie near each
// other. `scenes` are those of the script's files.
VoxelRegion touched_region(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                           uint32_t resolution);

// Returns boxes around all voxels that may differ from their first state at any point of the script.
VoxelRegion written_boxes(const Script& script, const std::vector<dag::VoxelScene>& scenes,
                          uint32_t resolution);

// These functions add palette entries for the materials that edits bring into a scene.

// Adds the entries that the scene lacks, from the palette of a scene that is used as a brush.
void extend_palette(dag::VoxelScene& scene, const scene::Palette& other);
// Adds entries for all materials with which the script fills or paints.
void extend_palette(dag::VoxelScene& scene, const Script& script);

// Scenes with 24-bit colors are edited as scenes of materials: 0 stands for a voxel that keeps its color, the others for
// the script's colors. This returns the colors of the voxels of `edited`, which such edits have made of `before`, whose DAG
// was given the material 0. A voxel with material 0 must be one of `before`.
attributes::PackedValues edited_colors(const dag::VoxelScene& before, const dag::FrozenDag& edited,
                                       std::span<const scene::Rgb8> colors);

}  // namespace vox::edit
