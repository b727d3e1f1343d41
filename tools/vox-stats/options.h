// The command line of vox-stats.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "formats/io/overwrite.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/table_report.h"
#include "tools/common/command_line.h"

namespace vox {

enum class Section { Scene, Materials, Levels, Sizes, Memory, Bricks };

struct StatsOptions {
  std::filesystem::path scene;
  std::optional<std::filesystem::path> against;  // another scene, with which this one is compared
  std::optional<std::filesystem::path> output;   // the report; with `against`, the voxels that both fill
  std::optional<std::filesystem::path> html;
  bool viewer = false;  // the page has a viewer instead of a picture
  std::set<Section> sections;
  std::set<Section> asked;  // the sections that --only names, which the file must have
  measure::TablesQuery tables;
  EngineOptions engine;
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<Option> given;  // options on the command line
  std::string command;

  bool shows(Section section) const { return sections.count(section) > 0; }
};

// The traits of a run, for the rules of options: what it shows.
enum StatsTrait : uint32_t { kShowsSections = 1, kShowsMemory = 2, kShowsPicture = 4 };

ToolDescription stats_description();

// Throws UsageError, and Error if a scene is missing.
StatsOptions read_stats_options(const CommandLine& arguments);

}  // namespace vox
