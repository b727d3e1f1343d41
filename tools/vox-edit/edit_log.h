// Keeps what a run of edits did: totals for the screen and --json, a table with a row for each pass for
// --log, charts for --html.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "formats/pages/html_page.h"
#include "formats/results/results.h"
#include "libvox/edit/editor.h"

namespace vox {

enum class KeepRows { No, Yes };
enum class ToolColumns { Times, Nodes };  // the columns that a page shows

class EditLog {
 public:
  explicit EditLog(KeepRows rows) : keep_rows_(rows) {}

  void add(const edit::PassRecord& pass);
  void add(const edit::CollectRecord& collection);

  uint64_t edits() const;

  // The text has one line for each tool, and one on garbage where some was collected.
  std::string text() const;
  // Sets for JSON the totals, also of each tool, and the garbage that was collected; for a report the tables
  // `edits` and `collections` with a row for each pass and each collection.
  void set(ResultGroup& results) const;
  ResultTable passes_table() const;
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
  ResultTable total_table(ToolColumns columns) const;  // one row for all tools
  std::string garbage_text() const;

  KeepRows keep_rows_;
  std::map<std::string, Tool> tools_;
  Garbage garbage_;
  std::deque<edit::PassRecord> passes_;
  std::deque<edit::CollectRecord> collections_;
};

}  // namespace vox
