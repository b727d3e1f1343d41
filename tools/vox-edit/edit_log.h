// What a run of edits did: totals for the screen and --json, a table with a row for each pass for --log,
// charts for --html.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "formats/pages/html_page.h"
#include "formats/results/report_file.h"
#include "libvox/base/json.h"
#include "libvox/edit/editor.h"

namespace vox {

enum class KeepRows { No, Yes };

class EditLog {
 public:
  explicit EditLog(KeepRows rows) : keep_rows_(rows) {}

  void add(const PassRecord& pass);
  void add(const CollectRecord& collection);

  uint64_t edits() const;

  // One line for each tool, and one on garbage where some was collected.
  std::string text() const;
  // Sets edits, passes, changed_voxels, pass_ms, tools and garbage.
  void set(Json& json) const;
  // Groups edits and collections: one row per pass, one per collection.
  Report report() const;
  // Adds a section with charts over the passes. In edit_page.cpp.
  void show(HtmlPage& page) const;

 private:
  struct Tool {
    uint64_t edits = 0, changed_voxels = 0;
    EditWork work;
    std::vector<float> ms;  // of each pass

    double mean() const;
    double median() const;
    double longest() const;
  };
  struct Garbage {
    uint64_t collections = 0, items = 0, bytes_returned = 0;
    double seconds = 0;
  };
  static void set(Json& json, const Tool& tool);
  Tool all_tools() const;
  std::string table() const;
  std::string garbage_text() const;
  // `cells` of each tool, and of all together where there are several.
  HtmlTable tool_table(std::vector<HtmlTable::Column> columns,
                       const std::function<std::vector<HtmlCell>(const Tool&)>& cells) const;

  KeepRows keep_rows_;
  std::map<std::string, Tool> tools_;
  Garbage garbage_;
  std::deque<PassRecord> passes_;
  std::deque<CollectRecord> collections_;
};

// .csv: the table of passes alone; else HDF5 with all. Throws Error that names the file.
void write_log(const Report& report, const std::filesystem::path& path);

}  // namespace vox
