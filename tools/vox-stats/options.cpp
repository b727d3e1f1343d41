#include "tools/vox-stats/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_types.h"
#include "libvox/base/error.h"
#include "libvox/hash/table_list.h"
#include "tools/common/device_options.h"
#include "tools/common/targets.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr uint32_t kMaxLoadFactor = 4096;

constexpr OptionRule kMemoryRule = {kShowsMemory,
                                    "it is for the section memory, the hash tables that hold a scene"};

// In the order of Section.
const std::vector<std::string> kSections = {"scene", "materials", "levels", "sizes", "memory", "bricks"};

OptionTopic report_topic() {
  return {.name = "report",
          .title = "the report",
          .options = {{.name = "against",
                       .argument = "OTHER.h5",
                       .help = "Compare with another scene on the same grid: show which voxels both fill, "
                               "and with which materials."},
                      {.name = "output",
                       .letter = "o",
                       .argument = "FILE",
                       .help = "Write a report (HDF5) with everything that is measured; with --against, a "
                               "scene of the voxels that "
                               "both scenes fill, with the materials of the first one."},
                      {.name = "html",
                       .argument = "FILE",
                       .help = "Write a page with pictures: one file, for a browser or for paper."},
                      {.name = "viewer",
                       .rules = {{kShowsPicture, "it is for --html, of the section scene"}},
                       .help = "Let the reader of the page fly through the scene, of which it holds at most "
                               "8 MiB, instead of showing "
                               "a picture."},
                      {.name = "only",
                       .argument = "SECTION,...",
                       .words = kSections,
                       .rules = {{kShowsSections, "it picks what is shown of one scene"}},
                       .repeats = Repeats::Yes,
                       .help = "Show only these sections."}}};
}

OptionTopic tables_topic() {
  return {
      .name = "tables",
      .title = "hash tables",
      .options = {{.name = "tables",
                   .argument = "NAME,...",
                   .words = with_all(hash::table_names()),
                   .preset = "all",
                   .rules = {kMemoryRule},
                   .repeats = Repeats::Yes,
                   .help = "Measure these hash tables."},
                  {.name = "load-factor",
                   .argument = "N,...",
                   .preset = "96",
                   .range = OptionRange{1, kMaxLoadFactor},
                   .unit = "items for each bucket",
                   .rules = {kMemoryRule},
                   .repeats = Repeats::Yes,
                   .help = "Measure the tables with these load factors."},
                  {.name = "times",
                   .rules = {kMemoryRule},
                   .help = "Also search all items of each level and show the time, which a GPU always does."},
                  {.name = "verify",
                   .rules = {kMemoryRule},
                   .help = "Also read each table back and compare it with the scene."}}};
}

template <class T>
void add_once(std::vector<T>& values, T value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
}

std::vector<std::string> read_tables(const CommandLine& arguments) {
  std::vector<std::string> tables;
  for (const std::string& name : arguments.names("tables")) {
    if (name == "all")
      for (const std::string& each : hash::table_names()) add_once(tables, each);
    else
      add_once(tables, name);
  }
  return tables;
}

void read_sections(const CommandLine& arguments, StatsOptions& options) {
  if (arguments.has("only"))
    for (const Section section : arguments.choices<Section>("only")) options.asked.insert(section);
  options.sections = options.asked;
  if (options.asked.empty())
    for (size_t section = 0; section < kSections.size(); ++section)
      options.sections.insert(static_cast<Section>(section));
}

}  // namespace

ToolDescription stats_description() {
  return {
      .program = "vox-stats",
      .usage = "SCENE.h5 [options]",
      .about =
          "Measures a scene file: what it holds, how much deduplication saves, how large other structures of "
          "the "
          "scene would be, and how much memory each hash table takes that holds it, beside the prediction of "
          "a "
          "formula. For bricks it shows how large each size and set of types would be.\n",
      .examples =
          {"vox-stats house.h5                              everything, on one page",
           "vox-stats house.h5 --html report.html           a page with a picture of the scene and charts",
           "vox-stats a.h5 --against b.h5                   which voxels both scenes fill",
           "vox-stats house.h5 --tables all --only memory   the hash tables alone",
           "vox-stats house.h5 --tables accel8 --load-factor 16,96,512 --only memory",
           "vox-stats house.h5 -o report.h5                 the same and more, for h5py",
           "vox-stats house.h5 --json                       the same, as JSON",
           "vox-stats house.h5 --html report.html --viewer  a page to fly through the scene",
           "vox-stats a.h5 --against b.h5 -o both.h5        the voxels that both fill, as a scene"},
      .basics = {"only", "against", "output", "html", "viewer", "tables", "load-factor", "verify", "json",
                 "device"},
      .topics = {report_topic(), tables_topic(), device_topic(), general_topic()},
      .operands = {
          {.name = "scene", .argument = "SCENE.h5", .help = "A scene file that vox-convert wrote."}}};
}

StatsOptions read_stats_options(const CommandLine& arguments) {
  StatsOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  if (!arguments.has("scene")) throw UsageError("no scene file named");
  options.scene = arguments.text("scene");
  options.against = arguments.given("against");
  options.output = arguments.given("output");
  options.html = arguments.given("html");
  options.viewer = arguments.has("viewer");
  if (options.against && options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5: with --against it is "
                    "the scene of the voxels that both fill",
                    options.output->string()));
  read_sections(arguments, options);
  options.tables.tables = read_tables(arguments);
  options.tables.load_factors.clear();
  for (const uint32_t factor : arguments.axis("load-factor")) add_once(options.tables.load_factors, factor);
  options.tables.times = arguments.has("times");
  options.tables.verify = arguments.has("verify");
  options.engine = read_device_options(arguments);
  check_input(options.scene);
  if (options.against) check_input(*options.against);
  return options;
}

}  // namespace vox
