// The command vox-bench keys.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/images/image.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_views.h"
#include "libvox/measure/keys_bench.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct KeysCommand : BenchCommand {
  measure::KeysBenchOptions bench;  // but for the picture and the scene
  std::optional<std::filesystem::path> picture, mesh, rebuilt, ages, drawn;
  uint32_t mesh_resolution = 0;  // 0: the default, or that of a scene file
};

using KeysBench = measure::KeysBenchOptions;
using measure::KeyOp;
using measure::KeySetKind;

constexpr const char* kAboutKeys =
    R"(For every set of keys, layout, load factor and table, the program builds the table of the keys in random order
and in their own order, searches it for random keys of which a given share is stored, and for all keys of a picture or
around a surface in their order, stored or not. Every time is the median of the repetitions after a first one that is
not counted, and every result of a search is checked. Random reads are measured first and show the limit of the
memory. If a table cannot be built, its row says why.

Sets: random numbers; pixels at random places of a square; an image, whose pixels are stored if they are not white; the
voxels of a bumpy surface; the texels of a painted atlas; the voxels of the mesh of --mesh.

Operations: build and build-ordered build tables; find-stored searches stored keys only, which a table may rely on;
find has the shares of --hit-rates; build-and-find builds a table and searches as many stored keys as it has; find-all
searches all keys; find-view searches the keys that pictures show: slices through the surface at random orientations,
a model with the painted atlas, or the image as it turns. change erases half of the keys of a table of random keys and
adds as many others, ten times, of which the first is not counted; find-changed then searches as find does. ages counts
the ages of keys and measures no time. build-multi and find-multi are for random keys with several values each, which
are stored one after another; build-index and find-index number the different keys.
)";

// "5: numbers of keys; 6: …".
std::string figures_text() {
  std::string text;
  for (const measure::KeyFigure& figure : measure::key_figures())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", figure.name, figure.about);
  return text;
}

OptionTopic keys_axes() {
  const KeysBench preset;
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {
          {.name = "tables",
           .argument = "NAME,...",
           .words = with_all(hash::key_table_names()),
           .usual = "all",
           .help = "Measure these tables; all leaves out perfect, which the host builds."},
          {.name = "sets",
           .argument = "NAME,...",
           .words = words_of(measure::kKeySetNames),
           .usual = joined_names(preset.sets, measure::kKeySetNames),
           .help = "Measure these sets of keys."},
          {.name = "layouts",
           .argument = "NAME,...",
           .words = words_of(hash::kKeyLayoutNames),
           .usual = joined_names(preset.layouts, hash::kKeyLayoutNames),
           .help = "Make the keys of pixels and voxels in these ways."},
          number_option("load-factors", "N,...", joined(preset.load_factors),
                        {0, 1, OptionRange::Ends::LeastExcluded}, "Number of keys for each cell."),
          number_option("key-bits", "N,...", joined(preset.key_bits), {KeysBench::kFewestKeyBits, 64},
                        "Number of bits of a key. A key and its value make a cell of 32 bits if they fit, "
                        "else of 64 bits."),
          number_option("value-bits", "N", std::to_string(preset.value_bits), {0, 31},
                        "Number of bits of a value."),
          number_option("age-bits", "N", std::to_string(preset.age_bits), {2, 4},
                        "Number of bits of a maximum age of robin and robin-random. With fewer bits, ages "
                        "are rounded up."),
          {.name = "maximum-ages",
           .argument = "NAME",
           .words = words_of(hash::kMaximumAgesNames),
           .usual = "gathered",
           .help = "Gather these maximum ages after the build, keep them by an atomic maximum at each "
                   "insertion as in the paper, or do without them."},
          {.name = "first-age",
           .argument = "NAME",
           .words = words_of(hash::kFirstAgeNames),
           .usual = "one",
           .help = "Let searches in these tables begin at age one, or at the mean age."},
          {.name = "ops",
           .argument = "NAME,...",
           .words = words_of(measure::kKeyOpNames),
           .usual = joined_names(preset.ops, measure::kKeyOpNames),
           .help = "Measure these operations."},
          {.name = "hit-rates",
           .argument = "N,...",
           .usual = joined(preset.hit_rates),
           .range = OptionRange{0, 100},
           .unit = "per cent",
           .help = "Share of the keys of find and find-changed that is stored."},
          number_option("multiplicities", "N,...", joined(preset.multiplicities),
                        {1, KeysBench::kMostMultiplicity},
                        "Number of values of a key, for build-multi to find-index."),
          plain_option("figure", "NAME", "",
                       "Take the defaults of a figure: numbers are figures of García et al. 2011, numbers "
                       "after an a those of Alcantara et al. 2009, and words are other figures. " +
                           figures_text() + "."),
          plain_option("failures", "N", "",
                       "Also count how many of this number of builds of random keys fail, for each table and "
                       "load factor."),
          number_option("failure-keys", "N", format_count(KeysBench::kFailureKeys),
                        {1, static_cast<double>(KeysBench::kMostFailureKeys)},
                        "Number of keys of each of these builds.")}};
}

OptionTopic keys_size() {
  constexpr OptionRange kCounts = {1, 0x1p31};
  return {
      .name = "size",
      .title = "the size of the benchmark",
      .options = {plain_option("scale", "S",
                               on_each(scale_text(KeysBench::kGpuScale), scale_text(KeysBench::kCpuScale)),
                               "Multiply the defaults of --keys and --searches by this number."),
                  number_option("keys", "N,...", format_count(KeysBench::kKeys) + " times the scale", kCounts,
                                "Number of keys of a table, or of items if keys have several values. Shapes "
                                "have about as many, pixels a sixteenth."),
                  number_option("searches", "N", format_count(KeysBench::kSearches) + " times the scale",
                                kCounts, "Search this number of keys at once."),
                  repetitions_option({KeysBench::kFewestRepetitions, KeysBench::kMostRepetitions},
                                     std::to_string(KeysBench().repetitions))}};
}

OptionTopic keys_picture() {
  return {
      .name = "picture",
      .title = "pictures",
      .options = {
          plain_option("image", "FILE", "discs and strokes", "The picture of the set image."),
          plain_option(
              "mesh", "FILE", "",
              "Measure the voxels of this mesh or scene file: the set mesh, in place of the set surface."),
          {.name = "mesh-res",
           .argument = "N",
           .usual = "512, or that of a scene file",
           .range = OptionRange{4, 1024},
           .unit = "voxels",
           .help = "Voxels along the longest side of the mesh, or a coarser level of the scene file."},
          plain_option("rebuilt", "FILE.png", "",
                       "Write the picture that the first table returns. This changes the defaults to "
                       "--value-bits 24 --key-bits 40."),
          plain_option("ages", "FILE.png", "",
                       "Draw the maximum ages of the tables that have them, side by side, for the first set: "
                       "0 is black, 1 blue, 2 green, 3 yellow, and more is red."),
          plain_option(
              "drawn", "FILE.png", "",
              "Draw the slots of the tables, side by side, for the first set: a key has the color of its "
              "pixel if --value-bits is 24 or more, or of its place, x red, y green, z blue.")}};
}

KeysBench preset_of(const CommandLine& arguments) {
  const auto figure = arguments.given("figure");
  KeysBench options = figure ? measure::key_figure(*figure) : KeysBench();
  if (!figure && arguments.has("rebuilt")) {
    options.value_bits = 24;
    options.key_bits = {40};
  }
  if (arguments.has("mesh")) {
    std::erase(options.sets, KeySetKind::Surface);
    options.sets.push_back(KeySetKind::Mesh);
  }
  options.rebuild = arguments.has("rebuilt");
  options.draw_ages |= arguments.has("ages");
  options.draw_tables |= arguments.has("drawn");
  return options;
}

void read_axes(const CommandLine& arguments, KeysBench& options) {
  if (arguments.has("tables") && arguments.text("tables") != "all")
    options.tables = arguments.names("tables");
  if (arguments.has("sets")) options.sets = arguments.choices<KeySetKind>("sets");
  if (arguments.has("layouts")) options.layouts = arguments.choices<hash::KeyLayout>("layouts");
  if (arguments.has("ops")) options.ops = arguments.choices<KeyOp>("ops");
  if (arguments.has("load-factors")) options.load_factors = arguments.fractions("load-factors");
  if (arguments.has("key-bits")) options.key_bits = arguments.axis("key-bits");
  if (arguments.has("value-bits")) options.value_bits = arguments.whole("value-bits");
  if (arguments.has("age-bits")) options.age_bits = arguments.whole("age-bits");
  if (arguments.has("maximum-ages"))
    options.maximum_ages = arguments.choices<hash::MaximumAges>("maximum-ages").front();
  if (arguments.has("first-age")) options.first_age = arguments.choices<hash::FirstAge>("first-age").front();
  if (arguments.has("hit-rates")) options.hit_rates = arguments.axis("hit-rates");
  if (arguments.has("multiplicities")) options.multiplicities = arguments.axis("multiplicities");
}

KeysBench read_bench(const CommandLine& arguments) {
  KeysBench options = preset_of(arguments);
  read_axes(arguments, options);
  if (arguments.has("failures")) options.failure_builds = arguments.count("failures");
  if (arguments.has("failure-keys")) options.failure_keys = arguments.count("failure-keys");
  if (arguments.has("scale")) options.scale = arguments.scale("scale");
  if (arguments.has("keys")) options.keys = arguments.counts("keys");
  if (arguments.has("searches")) options.searches = arguments.count("searches");
  if (arguments.has("repetitions")) options.repetitions = arguments.whole("repetitions");
  measure::check(options);
  return options;
}

bool has(const auto& values, const auto& value) {
  return std::ranges::find(values, value) != values.end();
}

// Refuses options that have no effect on what is measured.
void check_effects_of(const CommandLine& arguments, const KeysBench& bench) {
  const auto refuse = [&](const char* option, bool has_effect, const char* why) {
    if (arguments.has(option) && !has_effect)
      throw UsageError(fmt::format("--{} has no effect {}", option, why));
  };
  const auto asks_for = [&](KeyOp op) { return measure::is_asked_for(bench, op); };
  const bool shapes =
      std::ranges::any_of(bench.sets, [](KeySetKind set) { return set != KeySetKind::Random; });
  const bool image = has(bench.sets, KeySetKind::Image);
  const bool mesh = has(bench.sets, KeySetKind::Mesh);
  const bool sized_views = image || mesh || has(bench.sets, KeySetKind::Surface);
  const bool views = sized_views || has(bench.sets, KeySetKind::Painted);
  const bool at_rates = asks_for(KeyOp::Find) || asks_for(KeyOp::FindChanged);
  const bool searches = at_rates || asks_for(KeyOp::FindStored) || (asks_for(KeyOp::FindView) && sized_views);
  const bool robin = bench.tables.empty() || has(bench.tables, std::string("robin")) ||
                     has(bench.tables, std::string("robin-random"));
  for (const char* option : {"age-bits", "maximum-ages", "first-age"})
    refuse(option, robin, "without the tables robin and robin-random");
  refuse("scale", bench.keys.empty() || (searches && !bench.searches),
         "where the numbers of keys and of searches are given: they state what it would multiply");
  refuse("hit-rates", at_rates, "where --ops has neither find nor find-changed");
  refuse("searches", searches,
         "where --ops has none of find, find-stored and find-changed, nor find-view of a surface, a mesh or "
         "an image");
  refuse("multiplicities", measure::is_any_asked_for(bench, measure::kMultiOps),
         "where --ops has none of build-multi to find-index");
  refuse("failure-keys", bench.failure_builds > 0, "without --failures");
  refuse("layouts", shapes, "on --sets random");
  refuse("image", image, "where --sets has no image");
  refuse("mesh", mesh, "where --sets has no mesh");
  refuse("mesh-res", mesh, "without --mesh");
  if (mesh && !arguments.has("mesh")) throw UsageError("--sets mesh needs --mesh FILE");
  refuse("rebuilt", image && asks_for(KeyOp::FindAll), "without the set image and the op find-all");
  refuse("ages", asks_for(KeyOp::Ages), "without the op ages");
  refuse("drawn", shapes, "on --sets random");
  if (asks_for(KeyOp::FindView) && !views)
    throw UsageError(
        "--ops find-view has nothing to measure without the sets image, surface, mesh and painted");
  if (measure::is_any_asked_for(bench, measure::kMultiOps) && !has(bench.sets, KeySetKind::Random))
    throw UsageError("--ops build-multi to find-index are for --sets random");
  if (measure::is_any_asked_for(bench, measure::kChangeOps) && !has(bench.sets, KeySetKind::Random))
    throw UsageError("--ops change and find-changed are for --sets random");
  if (!shapes && std::ranges::all_of(bench.ops, [](KeyOp op) { return op == KeyOp::FindAll; }))
    throw UsageError("--ops find-all has nothing to measure on --sets random");
  if (bench.rebuild && bench.value_bits < 24)
    throw UsageError("--rebuilt needs --value-bits 24 or more, for the colors");
}

KeysCommand read_keys_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    KeysCommand command;
    command.bench = read_bench(given);
    check_effects_of(given, command.bench);
    command.picture = given.given("image");
    command.mesh = given.given("mesh");
    if (given.has("mesh-res")) command.mesh_resolution = given.whole("mesh-res");
    command.rebuilt = given.given("rebuilt");
    command.ages = given.given("ages");
    command.drawn = given.given("drawn");
    for (const auto& input : {command.picture, command.mesh})
      if (input) check_exists(*input);
    return command;
  });
}

// Writes a picture, if one is asked for; `why_not` is why there may be none.
void write_picture(const KeysCommand& command, const std::optional<std::filesystem::path>& path,
                   const scene::Image& image, const char* why_not) {
  if (!path) return;
  if (image.pixels.empty()) throw Error(why_not).at(path->string());
  write_png(image, {{"Software", generator_text()}, {"Command", command.command}}, *path);
}

scene::Image all_of(const std::vector<measure::TablePicture>& pictures) {
  std::vector<const scene::Image*> images;
  for (const measure::TablePicture& picture : pictures) images.push_back(&picture.image);
  return measure::side_by_side(images);
}

measure::SceneLeaves scene_leaves(Engine& engine, const KeysCommand& command) {
  constexpr uint32_t kResolution = 512;  // that of the paper's figure
  SceneRequest request = {.file = command.mesh,
                          .resolution = {},
                          .default_resolution = kResolution,
                          .generate = {},
                          .generated = {},
                          .engine = command.engine};
  if (command.mesh_resolution > 0) request.resolution = command.mesh_resolution;
  const dag::VoxelScene scene = read_scene_input(engine, request).scene;
  if (scene.dag.resolution > 1024)
    throw Error(fmt::format("the scene has {}³ voxels, more than keys are made of", scene.dag.resolution))
        .at(command.mesh->string())
        .hint("--mesh-res 1024 takes a coarser level");
  log_info("{}: {} voxels in {}³", command.mesh->string(), format_count(scene.dag.voxels),
           scene.dag.resolution);
  return measure::leaves_of(scene.dag);
}

// The measurements are written before this: they show which table is wrong.
void throw_if_wrong(const measure::KeysBenchResult& result) {
  for (const measure::KeysBenchRow& row : result.rows)
    if (row.wrong > 0)
      throw Error(
          fmt::format("{}, {} at a load factor of {}: {}", row.table, row.set, row.load_factor, row.error));
}

}  // namespace

ToolDescription keys_bench_description() {
  return {
      .program = "vox-bench keys",
      .usage = "[options]",
      .about =
          "Measures tables of voxel keys as the papers about them do (Alcantara et al. 2009, §5; García et "
          "al. 2011, §4).\n",
      .examples = {"vox-bench keys                                      all tables, at two load factors",
                   "vox-bench keys --figure 7 --html figure7.html       retrieval over load factors",
                   "vox-bench keys --image fish.png --rebuilt back.png  a picture, stored and read back",
                   "vox-bench keys --figure 4 --ages ages.png           maximum ages, random and coherent",
                   "vox-bench keys --figure 12 --mesh armadillo.ply     slices through a mesh",
                   "vox-bench keys --figure a5 --profile                the steps of building cuckoo2009",
                   "vox-bench keys --failures 25000 --load-factors 0.9,0.99 --scale 1/1024"},
      .basics = {"tables", "sets", "ops", "load-factors", "hit-rates", "scale", "repetitions", "output",
                 "html", "device"},
      .more = kAboutKeys,
      .topics = {keys_axes(), keys_size(), keys_picture(), result_topic(), device_topic(), general_topic()}};
}

void run_keys(const CommandLine& arguments, const ReportSink& sink) {
  KeysCommand command = read_keys_command(arguments);
  check_targets(command.files,
                {{"--rebuilt", command.rebuilt}, {"--ages", command.ages}, {"--drawn", command.drawn}});
  for (const auto& picture : {command.rebuilt, command.ages, command.drawn})
    if (picture) check_writable(*picture, OutputKind::Picture, command.files.overwrite);
  if (command.picture) command.bench.picture = read_image(*command.picture);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  if (command.mesh) command.bench.scene = scene_leaves(*engine, command);
  const measure::KeysBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  std::vector<std::string> keys;
  for (const uint64_t count : sizes.keys) keys.push_back(format_count(count));
  log_info("{} keys, {} searched, on {}", fmt::join(keys, "; "), format_count(sizes.searches),
           engine->device_text());
  const KeysBenchRun run = {run_on(*engine, command.command), measure::bench_keys(*engine, command.bench)};
  report(command, run, engine->profile(), sink);
  write_picture(command, command.rebuilt, run.result.rebuilt, "no table could hold the picture");
  write_picture(command, command.ages, all_of(run.result.age_pictures),
                "no table that was measured has maximum ages");
  write_picture(command, command.drawn, all_of(run.result.table_pictures), "no table could be built");
  throw_if_wrong(run.result);
}

}  // namespace vox
