// The command line of vox-edit, the log of its run, and its edits of volumes.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "formats/scene/any_scene.h"
#include "formats/script/scripts.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/profiler.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/editor.h"
#include "libvox/edit/script.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/volume/volume.h"
#include "tools/common/command_line.h"
#include "tools/common/reports.h"

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

// The traits of a run, for the rules of options.
enum EditTrait : uint32_t {
  kEdits = 1,  // the script is run, not only checked
  kRecording = 2,
  kMaterials = 4,  // the scene has materials
  kScene = 8       // the file holds a scene, not a volume
};

// Describes vox-edit: its options, with the scripts for which they have an effect, and examples. The command line is
// read by this description.
ToolDescription edit_description();

// These throw UsageError for an option of vox-edit that would have no effect on a scene, or on a volume.
void check_given(const EditOptions& options, const dag::VoxelScene& scene);
void check_given_for_volume(const EditOptions& options);

// Checks, before the work, that the results can be written. It is an error if a result would replace a file
// that is read, or another result. `on_error` is called with every error that is found in the script;
// without it, the first one is thrown.
void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error = {});

// Runs --check: reads the script and the scenes that it names without running it, warns of edits outside of the grid,
// and prints the number of edits of each kind. If there are errors, it logs all of them, up to a limit, and then
// throws Error.
void check_script(const EditOptions& options, const dag::VoxelScene& scene);
void check_script(const EditOptions& options, const bricks::FrozenBricks& bricks);

// Throws a UsageError that says why vox-edit does not run as several processes, and how large a scene one device can
// edit.
[[noreturn]] void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks);

// Records the work of a run of edits: totals for the screen and --json, a table with a row for each
// pass for --log, and charts for --html.

enum class KeepRows { No, Yes };
enum class ToolColumns { Times, Nodes };  // the columns that a page shows

class EditLog {
 public:
  explicit EditLog(KeepRows rows) : keep_rows_(rows) {}

  void add(const edit::PassRecord& pass);
  void add(const edit::CollectRecord& collection);

  uint64_t edits() const;

  // Returns a text with one line for each tool, and one about garbage if some was collected.
  std::string text() const;
  // For JSON, sets the totals, those of each tool, and the garbage that was collected. For a report, sets
  // the tables `edits` and `collections` with a row for each pass and each collection.
  void set(ResultGroup& results) const;
  ResultTable passes_table() const;
  ResultTable total_table(ToolColumns columns) const;  // one row for all tools
  // Adds a section with charts over the passes (defined in tools/vox-edit/edit_log.cpp).
  void show(HtmlPage& page) const;

 private:
  struct Tool {
    uint64_t edits = 0, changed_voxels = 0;
    edit::EditWork work;
    std::vector<float> ms;  // one for each pass

    double mean() const;
    double median() const;
    double longest() const;
  };
  struct Garbage {
    uint64_t collections = 0, items = 0, bytes_returned = 0;
    double seconds = 0;
  };
  using NamedTool = std::pair<std::string, Tool>;
  Tool all_tools() const;
  static ResultTable table_of(const std::vector<NamedTool>& tools, ToolColumns columns);
  ResultTable tools_table(ToolColumns columns) const;  // a row for each tool
  std::string garbage_text() const;

  KeepRows keep_rows_;
  std::map<std::string, Tool> tools_;
  Garbage garbage_;
  std::deque<edit::PassRecord> passes_;
  std::deque<edit::CollectRecord> collections_;
};

// The results of a run of edits.
struct EditResults {
  const EditOptions& options;
  const dag::VoxelScene& scene;        // the state after the edits
  const bricks::FrozenBricks* bricks;  // the scene's bricks, if the file has any
  const EditLog& log;
  edit::StoreSize store;
  std::vector<NamedSeconds> seconds;
  std::string device;
  std::vector<device::KernelTime> kernels;
};
ResultGroup results_of(const EditResults& run);
ResultGroup results_on(const EditOptions& options, const std::string& device);  // their beginning

// Writes the file of --log if it is asked for: rows as .csv, or all results.
void write_edit_log(const EditOptions& options, const ResultTable& rows,
                    const std::function<ResultGroup()>& results);
std::vector<NamedSeconds> edit_seconds(double load, double edit, double write);

// The results of --check: the commands of a script without errors, or some of the errors.
ResultGroup check_results(const EditOptions& options, uint64_t commands, const edit::ScriptFindings& found);
ResultGroup check_results(const EditOptions& options, uint64_t errors,
                          const std::vector<std::string>& messages);

// Edits the values of a volume whose file holds only bricks.

// The volumes that a script uses as masks, and the bricks or scenes from which they are read.
class ScriptMasks {
 public:
  // Opens the script's files. A file that cannot be opened is an error at the first line that uses it.
  explicit ScriptMasks(const edit::Script& script, const edit::OnScriptError& on_error = {});

  std::span<const volume::Volume> volumes() const { return volumes_; }

 private:
  std::deque<AnyVolume> opened_;
  std::vector<volume::Volume> volumes_;
};

// Reads a script for this volume. Throws UsageError for a recording, because its edits are for scenes.
edit::Script read_volume_script(const EditOptions& options, const bricks::FrozenBricks& bricks,
                                const edit::OnScriptError& on_error = {});

// The results of a run of edits of a volume.
struct VolumeEditResults {
  const EditOptions& options;
  const bricks::FrozenBricks& bricks;  // after the edits
  std::vector<edit::VolumeEditRecord> edits;
  std::vector<NamedSeconds> seconds;
  std::string device;
  std::vector<device::KernelTime> kernels;
};
ResultGroup results_of(const VolumeEditResults& run);

void edit_volume(const EditOptions& options, const bricks::FrozenBricks& bricks);

}  // namespace vox
