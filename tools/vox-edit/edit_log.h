// Records the work of a run of edits: totals for the screen and --json, a table with a row for each
// pass for --log, and charts for --html.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/profiler.h"
#include "libvox/edit/editor.h"
#include "libvox/edit/script.h"
#include "tools/common/reports.h"
#include "tools/vox-edit/options.h"

namespace vox {

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

}  // namespace vox
