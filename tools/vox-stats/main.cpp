// vox-stats: says what a scene file holds, and the memory that it takes.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "formats/file_types.h"
#include "formats/results/files.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_options.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

constexpr uint32_t kMaxLoadFactor = 4096;

constexpr OptionRule kMemoryRule = {kShowsMemory,
                                    "it is for the section memory, the hash tables that hold a scene"};

// In the order of Section.
const std::vector<std::string> kSections = {"scene", "materials", "levels", "sharing",
                                            "sizes", "memory",    "bricks", "compression"};

OptionTopic report_topic() {
  return {.name = "report",
          .title = "the report",
          .options = {
              option("against", "OTHER.h5", {},
                     "Compare with another scene on the same grid: show which voxels both fill, and "
                     "with which materials."),
              option("output", "FILE", {},
                     "Write a report (HDF5) with everything that is measured; with --against, a "
                     "scene of the voxels that both scenes fill, with the materials of the first "
                     "one.",
                     {.letter = "o"}),
              option("html", "FILE", {}, "Write a page with pictures: one file, for a browser or for paper."),
              flag("viewer", {{kShowsPicture, "it is for --html, of the section scene"}},
                   "Let users of the page fly through the scene instead of showing a picture; the "
                   "page then holds at most 8 MiB of the scene."),
              option("only", "SECTION,...", {{kShowsSections, "it picks what is shown of one scene"}},
                     "Show only these sections. `scene` and `levels` are quick, because the file "
                     "states their numbers; `sharing` adds to the levels how often nodes are used. "
                     "`compression`, which is shown only if it is named, counts the bytes of the "
                     "geometry in every form of an octree or a DAG, and of materials in the leaves "
                     "and stored separately.",
                     {.words = kSections, .repeats = Repeats::Yes})}};
}

OptionTopic tables_topic() {
  return {.name = "tables",
          .title = "hash tables",
          .options = {
              option("tables", "NAME,...", {kMemoryRule}, "Measure these hash tables.",
                     {.words = with_all(hash::table_names()), .preset = "all", .repeats = Repeats::Yes}),
              option("load-factor", "N,...", {kMemoryRule}, "Measure the tables with these load factors.",
                     {.preset = "96",
                      .range = OptionRange{1, kMaxLoadFactor},
                      .unit = "items for each bucket",
                      .repeats = Repeats::Yes}),
              flag("times", {kMemoryRule},
                   "Also search all items of each level and show the time; on a GPU this is always done."),
              flag("geometry", {kMemoryRule}, "Also measure the tables of the scene without its materials."),
              flag("verify", {kMemoryRule}, "Also read each table back and compare it with the scene.")}};
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
      if (static_cast<Section>(section) != Section::Compression)
        options.sections.insert(static_cast<Section>(section));
}

ToolDescription stats_description() {
  return {
      .program = "vox-stats",
      .usage = "SCENE.h5... [options]",
      .about =
          "Measures a scene file: what it holds, how much deduplication saves, how large other structures of "
          "the scene would be, and how much memory each hash table would take for it, beside the prediction "
          "of a formula. For bricks it shows how large each size and set of types would be.\n",
      .examples =
          {"vox-stats house.h5                              everything, on one page",
           "vox-stats house.h5 --html report.html           a page with a picture of the scene and charts",
           "vox-stats a.h5 --against b.h5                   which voxels both scenes fill",
           "vox-stats house.h5 --tables all --only memory   the hash tables alone",
           "vox-stats house.h5 --geometry --only memory     the same, also without materials, as in Table 1",
           "vox-stats house.h5 --only compression           the size of every published form of a DAG",
           "vox-stats house.h5 --tables accel8 --load-factor 16,96,512 --only memory",
           "vox-stats ct.h5 mri.h5 --only bricks            the bricks of several files as one table",
           "vox-stats house.h5 -o report.h5                 the same and more, for h5py",
           "vox-stats house.h5 --json                       the same, as JSON",
           "vox-stats house.h5 --html report.html --viewer  a page to fly through the scene",
           "vox-stats a.h5 --against b.h5 -o both.h5        the voxels that both fill, as a scene"},
      .basics = {"only", "against", "output", "html", "viewer", "tables", "load-factor", "verify", "json",
                 "device"},
      .topics = {report_topic(), tables_topic(), device_topic(), general_topic()},
      .operands = {option("scene", "SCENE.h5", {},
                          "A scene file that vox-convert wrote; several with --only bricks.",
                          {.repeats = Repeats::Yes})}};
}

// Throws UsageError, and Error if a scene is missing.
StatsOptions read_stats_options(const CommandLine& arguments) {
  StatsOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  if (!arguments.has("scene")) throw UsageError("no scene file named");
  options.others = arguments.paths("scene");
  options.scene = options.others.front();
  options.others.erase(options.others.begin());
  options.against = arguments.given("against");
  options.output = arguments.given("output");
  options.html = arguments.given("html");
  options.viewer = arguments.has("viewer");
  if (options.against && options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5: with --against it is the scene of the "
                    "voxels that both fill",
                    options.output->string()));
  if (!options.against && options.output && !has_role(*options.output, FileRole::Report))
    throw UsageError(fmt::format("-o is '{}', expected a report, ending in .h5", options.output->string()));
  read_sections(arguments, options);
  if (!options.others.empty() && options.asked != std::set<Section>{Section::Bricks})
    throw UsageError(
        "several files are named: --against OTHER.h5 compares two scenes, and --only bricks the bricks of "
        "several "
        "files");
  if (!options.others.empty() && (options.against || options.viewer))
    throw UsageError("--against and --viewer are for one scene, but several files are named");
  for (const std::filesystem::path& other : options.others) check_exists(other);
  options.tables.tables = read_tables(arguments);
  options.tables.load_factors.clear();
  for (const uint32_t factor : arguments.axis("load-factor")) add_once(options.tables.load_factors, factor);
  options.tables.times = arguments.has("times");
  options.tables.verify = arguments.has("verify");
  options.geometry_tables = arguments.has("geometry");
  options.engine = read_device_options(arguments);
  check_exists(options.scene);
  if (options.against) check_exists(*options.against);
  return options;
}

void check_targets(const StatsOptions& options) {
  std::vector<std::filesystem::path> scenes = {options.scene};
  if (options.against) scenes.push_back(*options.against);
  scenes.insert(scenes.end(), options.others.begin(), options.others.end());
  for (const std::filesystem::path& scene : scenes) {
    if (options.output && options.against)
      check_target({"the scene of both", *options.output, OutputKind::Scene}, scene, options.overwrite);
    else if (options.output)
      check_target({"the report", *options.output, OutputKind::Report}, scene, options.overwrite);
    if (options.html) check_target({"the page", *options.html, OutputKind::Page}, scene, options.overwrite);
  }
  check_different({{"-o", options.output}, {"--html", options.html}});
}

std::set<Section> sections_of(const StatsOptions& options, const SceneFileParts& parts) {
  std::set<Section> sections = options.sections;
  if (!parts.bricks) {
    if (options.asked.count(Section::Bricks) > 0)
      throw Error("the file holds no bricks").hint("vox-convert --structure both makes them");
    sections.erase(Section::Bricks);
  }
  return sections;
}

// True if the report shows a scene. Bricks that are alone in their file are shown without their scene unless --only asks for
// it, because the scene has to be made of them first.
bool shows_scene(const StatsOptions& options, const SceneFileParts& parts) {
  if (parts.dag || parts.hash || !parts.bricks) return true;
  if (options.asked.empty() || options.asked == std::set{Section::Bricks}) return false;
  if (scene_palette(options.scene)) return true;
  throw Error("the file holds the bricks of a volume alone, no scene");
}

std::set<Section> without_absent(std::set<Section> sections, const StatsOptions& options,
                                 const dag::VoxelScene& scene) {
  if (scene.dag.materials) return sections;
  if (options.asked.count(Section::Materials) > 0)
    throw Error("the scene has no materials")
        .hint(scene.colors ? "its voxels have 24-bit colors of their own"
                           : "it was made with --materials none, or of voxels without any");
  sections.erase(Section::Materials);
  return sections;
}

// The size of the file's spatial hash, if it holds the scene's voxels.
std::optional<measure::SceneSize> hash_of(const std::filesystem::path& file, const dag::FrozenDag& dag) {
  const spatial::FrozenHash hash = read_hash(file);
  if (hash.voxels == dag.voxels)
    return measure::SceneSize{"hash", "spatial hash, a cell of 8 bytes a voxel", hash.bytes()};
  log_warning("the spatial hash holds {} voxels and the SVDAG {}: they are not compared",
              format_count(hash.voxels), format_count(dag.voxels));
  return std::nullopt;
}

// The bytes of the SVDAG, if the bricks hold the scene's voxels; bricks of another volume are not compared.
std::optional<uint64_t> svdag_of(const bricks::FrozenBricks& bricks, const SceneStats& stats) {
  if (!stats.has_scene) return std::nullopt;
  if (bricks.filled == stats.scene.dag.voxels) return stats.scene.dag.bytes();
  log_warning("the bricks hold {} voxels and the SVDAG {}: they are not compared",
              format_count(bricks.filled), format_count(stats.scene.dag.voxels));
  return std::nullopt;
}

void measure_own_bricks(SceneStats& stats, const StatsOptions& options, bricks::FrozenBricks bricks) {
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  stats.device = engine->device();
  stats.bricks = measure::measure_bricks(std::move(bricks), *engine);
  stats.bricks->svdag_bytes = svdag_of(stats.bricks->bricks, stats);
  if (stats.bricks->svdag_bytes && stats.hash) stats.bricks->hash_bytes = stats.hash->bytes;
  const std::vector<device::KernelTime> kernels = engine->profile();
  stats.kernels.insert(stats.kernels.end(), kernels.begin(), kernels.end());
}

void measure_all(SceneStats& stats, const StatsOptions& options, bricks::FrozenBricks bricks) {
  if (stats.has_scene) measure_scene(stats, options);
  if (stats.has(Section::Bricks)) measure_own_bricks(stats, options, std::move(bricks));
}

// Pages, and hash tables that have to be built, hold the whole scene. What the file states about its scene needs little of
// it.
Loading loading_for(const StatsOptions& options) {
  if (options.html || (options.shows(Section::Memory) && options.needs_tables())) return Loading::Whole;
  if (options.shows(Section::Memory) || options.shows(Section::Compression)) return Loading::IfItFits;
  if (options.shows(Section::Sharing) || options.shows(Section::Sizes)) return Loading::AsUsed;
  return options.shows(Section::Materials) ? Loading::ByChunks : Loading::InParts;
}

void report(const StatsOptions& options, ranks::Ranks& ranks) {
  const bool is_first = ranks.rank() == 0;
  SceneStats stats;
  stats.file = options.scene.string();
  stats.command = options.command;
  const SceneFileParts parts = scene_parts(options.scene);
  stats.has_scene = shows_scene(options, parts);
  if (parts.bricks && options.shows(Section::Bricks)) check_one_device(options.engine);
  // Rank 0 reads the scene as a single process does, whose results it prints; the others read their shares alone.
  const Loading loading = is_first ? loading_for(options) : Loading::InParts;
  if (stats.has_scene)
    stats.scene = read_any_scene(options.scene, options.engine, SceneForm::Any, Damage::Ignored, loading,
                                 is_first ? ranks::alone() : ranks);
  if (is_first && parts.hash && (options.shows(Section::Sizes) || options.shows(Section::Bricks)))
    stats.hash = hash_of(options.scene, stats.scene.dag);
  if (is_first && parts.symmetric && options.shows(Section::Sizes))
    stats.symmetric = measure::SceneSize{"symmetric", "symmetric form, turned and mirrored parts once",
                                         read_scene_info(options.scene).symmetric->bytes};
  bricks::FrozenBricks bricks;
  if (is_first && parts.bricks && options.shows(Section::Bricks)) bricks = read_bricks(options.scene);
  stats.sections = stats.has_scene ? sections_of(options, parts) : std::set{Section::Bricks};
  check_effects(options.given,
                {kShowsSections | (stats.has(Section::Memory) ? kShowsMemory : 0u) |
                     (options.html && stats.has(Section::Scene) ? kShowsPicture : 0u),
                 stats.has_scene ? "the sections that --only names" : "a file of bricks alone"});
  if (stats.has_scene) {
    stats.sections = without_absent(std::move(stats.sections), options, stats.scene);
    count_scene(stats, options, ranks);
  }
  if (!is_first) return;
  measure_all(stats, options, std::move(bricks));
  const ResultGroup results = results_of(stats);
  if (options.output) write_report_of(results, {options.scene}, *options.output);
  if (options.html) {
    HtmlPage page = page_of(stats);
    set_origin(page, origin_of(options.command));
    write_html(page, *options.html);
  }
  if (options.engine.profile) print_profile(stats.kernels);
  print_result(options.json ? json_text(results) + "\n" : screen_text(stats));
}

// Shows the bricks of all files as one table.
void report_files(const StatsOptions& options) {
  check_one_device(options.engine);
  check_effects(options.given, {kShowsSections, "the bricks of several files"});
  std::vector<std::filesystem::path> all = {options.scene};
  all.insert(all.end(), options.others.begin(), options.others.end());
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  std::vector<BricksOfFile> files;
  for (const std::filesystem::path& file : all) {
    throw_if_cancelled();
    if (!scene_parts(file).bricks)
      throw Error("the file has no bricks")
          .at(file.string())
          .hint("vox-convert --structure bricks or both makes them");
    files.push_back({file.filename().string(), measure::measure_bricks(read_bricks(file), *engine)});
    if (files.back().stats.rows.empty())
      throw Error("the volume is too large to try bricks of other sides, which the table compares")
          .at(file.string())
          .hint("look at each file alone");
  }
  const ResultGroup results = files_results(files, options.command);
  const ResultTable table = files_table(files);
  if (options.output) write_report_of(results, all, *options.output);
  if (options.html) {
    HtmlPage page(
        "Bricks of " + format_count(files.size(), "file"),
        "The bricks that take least memory: of the four types of Labschütz's thesis, and of all types.");
    page.section("Files").table("Memory and shares of the types", page_table(table));
    set_origin(page, origin_of(options.command));
    write_html(page, *options.html);
  }
  if (options.engine.profile) print_profile(engine->profile());
  print_result(options.json ? json_text(results) + "\n" : text_table(table).text());
}

void run(const CommandLine& arguments, ranks::Ranks* launched) {
  StatsOptions options = read_stats_options(arguments);
  ranks::Ranks& ranks = launched && !options.against ? *launched : ranks::alone();
  if (options.against && launched && launched->rank() > 0) return;  // rank 0 compares two scenes alone
  if (launched) options.engine = engine_of_rank(options.engine, ranks);
  const ThreadLimit threads(options.engine.threads);
  if (ranks.rank() == 0) check_targets(options);
  if (options.against) return run_against(options);
  if (!options.others.empty()) return ranks.rank() == 0 ? report_files(options) : void();
  with_input(options.scene, [&] { report(options, ranks); });
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool_on_ranks(vox::stats_description, argc, argv, vox::run);
}
