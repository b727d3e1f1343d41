// The command line of vox-stats.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "formats/io/overwrite.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/table_report.h"
#include "tools/common/option_table.h"

namespace vox {

enum class Section { Scene, Materials, Levels, Sizes, Memory, Bricks };

struct StatsOptions {
  std::filesystem::path scene;
  std::optional<std::filesystem::path> against;  // another scene, with which this one is compared
  std::optional<std::filesystem::path> output;  // of the report; with `against`, of the voxels that both fill
  std::optional<std::filesystem::path> html;
  bool viewer = false;  // the page has one to fly through in place of its picture
  std::set<Section> sections;
  std::set<Section> asked;  // the sections that --only names, which the file must have
  measure::TablesQuery tables;
  EngineOptions engine;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<std::string> given;  // options on the command line
  std::string command;

  bool shows(Section section) const { return sections.count(section) > 0; }
};

// What a run shows, on which it depends which options have an effect.
enum : uint32_t { kShowsSections = 1, kShowsMemory = 2, kShowsPicture = 4 };

// Throws UsageError for an option that has none.
void check_given(std::span<const std::string> given, const RunTraits& run);

// Prints --help and --version itself. Throws UsageError.
StatsOptions parse_stats_options(int argc, char** argv);

}  // namespace vox
