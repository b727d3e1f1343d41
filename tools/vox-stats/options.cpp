#include "tools/vox-stats/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/file_types.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_list.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr const char* kAbout =
    R"(Measures a scene file: what it holds, what deduplication has made of it, what other forms of it would
take, and what each hash table takes that holds it, beside what a formula predicts; of bricks, what each size and set of
types would take.

Examples:
  vox-stats house.h5                              everything, on one page
  vox-stats house.h5 --tables all --only memory   the hash tables alone
  vox-stats house.h5 --tables accel8 --load-factor 16,96,512 --only memory
  vox-stats house.h5 -o report.h5                 the same and more, for h5py
  vox-stats house.h5 --json                       the same, as JSON
  vox-stats house.h5 --html report.html           a page with a picture of the scene and charts
  vox-stats house.h5 --html report.html --viewer  the same, and one flies through the scene
  vox-stats a.h5 --against b.h5                   which voxels both scenes fill: how many, where, of which material
  vox-stats a.h5 --against b.h5 -o both.h5        the same, and these voxels as a scene
)";

constexpr uint32_t kMaxLoadFactor = 4096;

const std::vector<std::pair<std::string, Section>> kSections = {
    {"scene", Section::Scene}, {"materials", Section::Materials}, {"levels", Section::Levels},
    {"sizes", Section::Sizes}, {"memory", Section::Memory},       {"bricks", Section::Bricks}};

cxxopts::Options describe() {
  cxxopts::Options options("vox-stats", kAbout);
  options.custom_help("SCENE.h5 [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  auto list = [](const char* value) {
    return cxxopts::value<std::vector<std::string>>()->default_value(value);
  };
  options.add_options("Report")("scene", "A scene file that vox-convert wrote", text(), "SCENE.h5")(
      "against",
      "Another scene on the same grid: show instead which voxels both fill, and by which materials of either",
      text(), "OTHER.h5")("o,output",
                          "Write a report, HDF5, with everything that is measured; with --against a scene of "
                          "the voxels that both "
                          "fill, with the materials of the first",
                          text(), "FILE")(
      "html", "Write a page with pictures: one file, for a browser or for paper", text(), "FILE")(
      "viewer", "In the page one flies through the scene, at most 8 MiB of it, in place of a picture")(
      "only", "Only these sections: scene, materials, levels, sizes, memory, bricks", list(""), "SECTION,…");
  options.add_options("Hash tables")(
      "tables", fmt::format("all, or some of: {}", fmt::join(hash::table_names(), ", ")), list("all"),
      "NAME,…")("load-factor", fmt::format("Items per bucket, 1 to {}", kMaxLoadFactor), list("96"), "N,…")(
      "times", "Also search all items of each level, timed (always done on a GPU)")(
      "verify", "Also read each table back and compare it with the scene");
  add_device_options(options);
  add_common_options(options);
  options.parse_positional({"scene"});
  return options;
}

std::vector<std::string> words(const cxxopts::ParseResult& parsed, const std::string& option) {
  std::vector<std::string> values = parsed[option].as<std::vector<std::string>>();
  std::erase(values, "");
  if (parsed.count(option) > 0 && values.empty()) throw UsageError(fmt::format("--{} is empty", option));
  return values;
}

template <class T>
void add_once(std::vector<T>& values, T value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
}

Section parse_section(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, section] : kSections) {
    if (name == known) return section;
    names.push_back(known);
  }
  throw UsageError(fmt::format("--only is '{}', expected some of: {}", name, fmt::join(names, ", ")));
}

std::vector<std::string> parse_tables(const cxxopts::ParseResult& parsed) {
  const std::vector<std::string> known = hash::table_names();
  std::vector<std::string> tables;
  for (const std::string& name : words(parsed, "tables")) {
    if (name == "all") {
      for (const std::string& each : known) add_once(tables, each);
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      add_once(tables, name);
    } else {
      throw UsageError(
          fmt::format("--tables is '{}', expected all or some of: {}", name, fmt::join(known, ", ")));
    }
  }
  return tables;
}

std::vector<uint32_t> parse_load_factors(const cxxopts::ParseResult& parsed) {
  std::vector<uint32_t> factors;
  for (const std::string& text : words(parsed, "load-factor")) {
    const uint64_t factor = parse_count(text, "--load-factor");
    if (factor < 1 || factor > kMaxLoadFactor)
      throw UsageError(fmt::format("--load-factor is {}, expected 1 to {}", text, kMaxLoadFactor));
    add_once(factors, static_cast<uint32_t>(factor));
  }
  return factors;
}

void read_sections(const cxxopts::ParseResult& parsed, StatsOptions& options) {
  for (const std::string& name : words(parsed, "only")) options.asked.insert(parse_section(name));
  options.sections = options.asked;
  if (options.asked.empty())
    for (const auto& [name, section] : kSections) options.sections.insert(section);
}

}  // namespace

void check_given(std::span<const std::string> given, const RunTraits& run) {
  static constexpr const char* kOfTables = "it is for the section memory, the hash tables that hold a scene";
  static constexpr OptionRow kTable[] = {{"only", kShowsSections, "it picks what is shown of one scene"},
                                         {"viewer", kShowsPicture, "it is for --html, of the section scene"},
                                         {"tables", kShowsMemory, kOfTables},
                                         {"load-factor", kShowsMemory, kOfTables},
                                         {"times", kShowsMemory, kOfTables},
                                         {"verify", kShowsMemory, kOfTables}};
  check_options(given, kTable, run);
}

StatsOptions parse_stats_options(int argc, char** argv) {
  cxxopts::Options description = describe();
  CommonOptions common;
  const cxxopts::ParseResult parsed =
      parse_command_line(description, argc, argv, common, {"Report", "Hash tables", "Device"});
  StatsOptions options;
  options.json = common.json;
  options.overwrite = common.overwrite;
  options.given = common.given;
  options.command = command_text(argc, argv);
  if (!parsed.count("scene")) throw UsageError("no scene file named");
  options.scene = parsed["scene"].as<std::string>();
  if (parsed.count("against")) options.against = parsed["against"].as<std::string>();
  if (parsed.count("output")) options.output = parsed["output"].as<std::string>();
  if (parsed.count("html")) options.html = parsed["html"].as<std::string>();
  options.viewer = parsed.count("viewer") > 0;
  if (options.against && options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5: with --against it is "
                    "the scene of the voxels that both fill",
                    options.output->string()));
  read_sections(parsed, options);
  options.tables.tables = parse_tables(parsed);
  options.tables.load_factors = parse_load_factors(parsed);
  options.tables.times = parsed.count("times") > 0;
  options.tables.verify = parsed.count("verify") > 0;
  options.engine = read_device_options(parsed);
  return options;
}

}  // namespace vox
