// The command line of vox-stats.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "formats/io/overwrite.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/table_report.h"

namespace vox {

enum class Section { Scene, Materials, Levels, Sizes, Memory, Bricks };

struct StatsOptions {
  std::filesystem::path scene;
  std::optional<std::filesystem::path> output, html;
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

// Prints --help and --version itself. Throws UsageError.
StatsOptions parse_stats_options(int argc, char** argv);

}  // namespace vox
