// The command vox-bench forms, and its results.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct FormsCommand : BenchCommand {
  std::optional<std::filesystem::path> input;  // a scene file or a mesh; without one, the village
  // The resolution of a mesh, or none for the device's default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  measure::FormsBenchOptions bench;  // but for how long making the SVDAG took
};

using FormsBench = measure::FormsBenchOptions;
using measure::Form;

enum FormsBenchTrait : uint32_t { kBricks = 1, kHash = 2, kMeans = 4 };

constexpr OptionRule kHashRule = {kHash, "it is for the form hash"};

constexpr uint32_t kGpuFormsResolution = 2048, kCpuFormsResolution = 512;

constexpr const char* kAboutForms =
    R"(For each form, the program measures its bytes, how long making it takes, and how fast voxels are read from it.
All forms run the same loops over the same voxels:
  random    reads voxels at random; half of them are filled, the others are a few voxels away from a filled one
  uniform   reads voxels at random anywhere in the grid, most of which are empty
  rows      reads rows of 32 voxels along x through the surface, side by side
  blocks    reads blocks of 4 x 4 x 4 voxels that the surface goes through, in Morton order
  mean      runs a mean filter around each voxel of such blocks; the voxels that it reads count
  rays      casts rays through the pixels of a picture of the whole scene, up to the first filled voxel

Rays go through the SVDAG as in vox-render, skip empty bricks, and ask the hash for voxel after voxel, because it does
not store how large empty regions are. The result of a loop is compared by a checksum: if one voxel differs from the
SVDAG, the command fails when everything is written. Every time is the median of the repetitions after a first one
that is not counted. If a form cannot be made, or does not fit, a line says why.

FILE is a scene file, or a mesh, which is voxelized; without it, the village of vox-scene is measured.
)";

OptionTopic forms_axes() {
  const FormsBench preset;
  return {.name = "axes",
          .title = "what is measured",
          .options = {names_option("forms", words_of(measure::kFormNames), joined(measure::kFormNames),
                                   "Measure these forms."),
                      brick_sizes_option("auto",
                                         "Measure bricks with these sides: powers of two from 4 to 512, or "
                                         "auto for the side that needs least memory.",
                                         {{kBricks, "it is for the form bricks"}}),
                      {.name = "load-factors",
                       .argument = "N,...",
                       .preset = joined(preset.load_factors),
                       .range = OptionRange{0, 1, OptionRange::Ends::LeastExcluded},
                       .rules = {kHashRule},
                       .help = "Numbers of voxels for each cell of a spatial hash."},
                      names_option(
                          "key-layouts", words_of(spatial::kKeyLayoutNames), joined(spatial::kKeyLayoutNames),
                          "Orders of the keys of a spatial hash: Morton codes, or row by row.", {kHashRule}),
                      {.name = "filter",
                       .argument = "N",
                       .preset = std::to_string(preset.filter),
                       .unit = "voxels",
                       .rules = {{kMeans, "there is no filter"}},
                       .help = "Side of the mean filter, an odd number."}}};
}

OptionTopic forms_size() {
  constexpr measure::FormsBenchSizes kGpu = FormsBench::kGpuSizes, kCpu = FormsBench::kCpuSizes;
  return {.name = "size",
          .title = "the size of the benchmark",
          .options = {
              resolution_option(counts_on_each(kGpuFormsResolution, kCpuFormsResolution) +
                                ", or the scene file's own"),
              plain_option(
                  "gathers", "N", counts_on_each(kGpu.gathers, kCpu.gathers),
                  "Let random, uniform, rows and blocks read at most this number of voxels; 0 skips them."),
              plain_option("means", "N", counts_on_each(kGpu.means, kCpu.means),
                           "Let mean compute at most this number of means; 0 skips the filter."),
              plain_option("picture", "N", counts_on_each(kGpu.picture, kCpu.picture),
                           "Side in pixels of the picture of rays; 0 casts no rays."),
              repetitions_option({1, FormsBench::kMostRepetitions},
                                 counts_on_each(kGpu.repetitions, kCpu.repetitions))}};
}

FormsBench read_forms_bench(const CommandLine& arguments) {
  FormsBench bench;
  bench.forms = arguments.choices<Form>("forms");
  bench.log2_sides = read_brick_sizes(arguments, AutoSize::Allowed);
  bench.load_factors = arguments.fractions("load-factors");
  bench.layouts = arguments.choices<spatial::CellKeyLayout>("key-layouts");
  bench.filter = static_cast<uint32_t>(std::min<uint64_t>(arguments.count("filter"), UINT32_MAX));
  bench.gathers = arguments.given_count("gathers");
  bench.means = arguments.given_count("means");
  bench.picture = arguments.given_whole("picture");
  bench.repetitions = arguments.given_whole("repetitions");
  measure::check(bench);
  return bench;
}

void check_given(const CommandLine& arguments, const FormsBench& bench) {
  RunTraits run = {.bits = 0, .what = "what is measured"};
  if (bench.means != 0u) run.bits |= kMeans;
  for (const Form form : bench.forms) {
    if (form == Form::Bricks) run.bits |= kBricks;
    if (form == Form::Hash) run.bits |= kHash;
  }
  check_effects(arguments.given_options(), run);
}

FormsCommand read_forms_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    FormsCommand command;
    command.input = given.given("file");
    command.resolution = given.given_whole("res");
    command.bench = read_forms_bench(given);
    check_given(given, command.bench);
    return command;
  });
}

// The measurements are written before this: they show which form is wrong.
void throw_if_different(const measure::FormsBenchResult& result) {
  for (const measure::FormsBenchRow& row : result.rows)
    if (!row.error.empty()) throw Error(fmt::format("{}, {}", result.forms[row.form].size.text, row.error));
}

using FormsRow = measure::FormsBenchRow;
using measure::BenchedForm;
using measure::FormsBenchResult;

// Adds the columns that say which form it is.
void add_form(ResultTable& table, const std::vector<BenchedForm>& forms) {
  table.column(for_people("text"), "", forms, member_of(&BenchedForm::size, &measure::SceneSize::text))
      .column("form", "", forms, member_of(&BenchedForm::size, &measure::SceneSize::name),
              "The form: `svdag`, `bricks` or `hash`.")
      .column("brick_size", "voxels", forms, &BenchedForm::brick_side,
              "Side of a brick, if the form is `bricks`.")
      .column("load_factor", "1", forms, &BenchedForm::load_factor,
              "Number of voxels for each cell, if the form is `hash`.")
      .column("layout", "", forms, &BenchedForm::layout,
              "Layout of the keys, `morton` or `linear`, if the form is `hash`.");
}

ResultTable form_sizes_table(const FormsBenchResult& result) {
  const std::vector<BenchedForm>& forms = result.forms;
  const auto bits = [&](const BenchedForm& form) {
    return measure::bits_per_voxel(form.size, result.voxels);
  };
  ResultTable table;
  add_form(table, forms);
  table
      .column("bytes", "bytes", forms, member_of(&BenchedForm::size, &measure::SceneSize::bytes),
              "Size of the scene in this form; 0 if it could not be made.")
      .column("bits_per_voxel", "bits per filled voxel", forms, bits, "Number of bits for each filled voxel.")
      .column("build_seconds", "s", forms, &BenchedForm::build_seconds,
              "Time of making the SVDAG from a mesh, or the other forms from the SVDAG.")
      .column("error", "", forms, &BenchedForm::error,
              "The reason if the form could not be made; otherwise empty.");
  return table;
}

std::string errors_text(const ResultTable& sizes, const ResultTable& rows) {
  std::string text;
  for (const ResultRow& row : rows_with_errors(rows_of(sizes)))
    text += fmt::format("  {}: {}\n", row.word("text"), row.word("error"));
  for (const ResultRow& row : rows_with_errors(rows_of(rows)))
    text += fmt::format("  {}, {}\n", row.word("text"), row.word("error"));
  return text;
}

// A loop as people read it: its title, its caption, and how its rate is shown.
struct LoopView {
  std::string title, unit;
  Look rate;
};

LoopView loop_view(const ResultRow& row, uint32_t filter) {
  const std::string& loop = row.word("loop");
  if (loop == "rays") return {loop, "M/s", Look::fixed(4, 1e-6)};
  return {loop == "mean" ? fmt::format("mean {}³", filter) : loop, "G/s", Look::fixed(4, 1e-9)};
}

std::string scene_text(const FormsBenchResult& result) {
  return fmt::format("{} in {}³", format_count(result.voxels, "voxel"), result.resolution);
}

}  // namespace

std::string table_text(const FormsBenchRun& run) {
  const FormsBenchResult& result = run.result;
  const ResultTable sizes = form_sizes_table(result), rows = rows_table(run);
  ResultRows lines;  // of each form its size, and its loops
  for (const ResultRow& size : rows_of(sizes)) {
    lines.push_back(size);
    std::ranges::copy(rows_with(rows_of(rows), text_in("text"), size.word("text")),
                      std::back_inserter(lines));
  }
  const auto parts = [&](const ResultRow& row) {
    std::vector<LinePart> parts = {{0, "form", row.word("text")}};
    if (row.has("loop")) {
      const LoopView loop = loop_view(row, result.filter);
      parts.push_back({2, loop.title + " " + loop.unit, row.text("lookups_per_second", loop.rate)});
      return parts;
    }
    const bool made = row.number("bytes") > 0;
    const std::string seconds = row.text("build_seconds", Look::fixed(3));
    parts.push_back({1, "size", made ? row.text("bytes", Look::bytes()) : "-"});
    parts.push_back({1, "bits a voxel", made ? row.text("bits_per_voxel", Look::fixed(2)) : "-"});
    parts.push_back({1, "build s", made && !seconds.empty() ? seconds : "-"});
    return parts;
  };
  return fmt::format("{}, {}, on {}\n{}\n{}{}", run.source, scene_text(result), run.device_text,
                     ceilings_text(result.ceilings),
                     line_table(lines, {.line = text_in("text"), .parts = parts, .missing = "-"}).text(),
                     errors_text(sizes, rows));
}

ResultTable rows_table(const FormsBenchRun& run) {
  const FormsBenchResult& result = run.result;
  const std::vector<FormsRow>& rows = result.rows;
  std::vector<BenchedForm> forms;
  for (const FormsRow& row : rows) forms.push_back(result.forms[row.form]);
  ResultTable table;
  add_form(table, forms);
  table.column("loop", "", rows, &FormsRow::loop,
               "The loop: `random`, `uniform`, `rows`, `blocks`, `mean` or `rays`.");
  add_times(table, rows);
  table.column("repetitions", "", rows, &FormsRow::repetitions, "Number of repetitions.")
      .column("lookups", "", rows, &FormsRow::lookups,
              "Number of voxels that a repetition looks at, `filter`³ for each of `mean`; for `rays` the "
              "number of rays.")
      .column("filled", "", rows, &FormsRow::filled,
              "Number of voxels found filled, of means above 0, or of rays that hit a voxel.")
      .column("lookups_per_second", "1/s", rows, &FormsRow::lookups_per_second,
              "Lookups per second, by the median.")
      .column(
          "checksum", "", rows, [](const FormsRow& row) { return fmt::format("{:016x}", row.checksum); },
          "Checksum of all that was found, which is the same for all forms.")
      .column("error", "", rows, &FormsRow::error,
              "The reason if the checksum differs from the SVDAG's; otherwise empty.");
  return table;
}

void set_results(ResultGroup& forms, const FormsBenchRun& run) {
  const FormsBenchResult& result = run.result;
  forms.set("source", run.source, "The file that was read, or the village.")
      .set("resolution", result.resolution, "voxels", "Number of voxels along the longest side of the scene.")
      .set("voxels", result.voxels, "voxels", "Number of filled voxels.")
      .set("gathers", result.sizes.gathers, "voxels", "Number of voxels that each of the gathers looks at.")
      .set("means", result.sizes.means, "voxels", "Greatest number of voxels whose mean `mean` computes.")
      .set("filter", result.filter, "voxels", "Side of the box that `mean` looks at.")
      .set("picture", result.sizes.picture, "pixels", "Number of rays along a side of the picture of `rays`.")
      .set("seconds", result.seconds, "s", "Time of the whole benchmark.");
  forms.put("ceilings", ceilings_table(result.ceilings));
  forms.put("sizes", form_sizes_table(result));
  forms.put("rows", rows_table(run));
}

namespace {

// The page that vox-bench forms writes with --html.

void add_form_sizes(HtmlPage& page, ResultRows sizes) {
  const std::string title = "Bits for each filled voxel", caption = "Shorter is smaller.";
  std::erase_if(sizes, [](const ResultRow& row) { return row.number("bytes") == 0; });
  BarChart chart = {.title = title, .description = caption, .unit = "bits", .series = {{"bits", {}}}};
  add_bars(chart, sizes, text_in("text"), {"bits_per_voxel"});
  page.section("What they take")
      .figure(title, caption, draw(chart),
              page_table(sizes, {{{"form", "", HtmlTable::Kind::Name}, cell_in("text")},
                                 {{"size", "MiB"}, cell_in("bytes", Look::mib())},
                                 {{"a voxel", "bits"}, cell_in("bits_per_voxel", Look::fixed(2))},
                                 {{"construction", "s"}, cell_in("build_seconds", Look::fixed(3))}}));
}

std::string what_is_read(const std::string& loop) {
  if (loop == "random") return "Voxels at random, half of them filled, the others near one that is.";
  if (loop == "uniform") return "Voxels at random anywhere in the grid.";
  if (loop == "rows") return "Rows of 32 voxels along x through the surface.";
  if (loop == "blocks") return "Blocks of 4 × 4 × 4 voxels that the surface goes through, in Morton order.";
  if (loop == "mean") return "The mean around each voxel of blocks on the surface; what is read counts.";
  return "Rays to the first voxel that is filled, through the pixels of a picture.";
}

HtmlCell time_cell(const ResultRow& row) {
  HtmlCell cell = row.cell("ms", Look::fixed(3));
  cell.note = fmt::format("{} to {}", row.text("ms_min", Look::fixed(3)), row.text("ms_max", Look::fixed(3)));
  return cell;
}

void add_loop(HtmlPage& page, const ResultRows& rows, const LoopView& loop) {
  const std::string caption = what_is_read(rows.front().word("loop")) + " Longer is faster.";
  BarChart chart = {
      .title = loop.title, .description = caption, .unit = loop.unit, .series = {{loop.title, {}}}};
  add_bars(chart, rows, text_in("text"), {"lookups_per_second"}, loop.rate.factor);
  page.figure(loop.title, caption, draw(chart),
              page_table(rows, {{{"form", "", HtmlTable::Kind::Name}, cell_in("text")},
                                {{"rate", loop.unit}, cell_in("lookups_per_second", loop.rate)},
                                {{"time", "ms"}, time_cell},
                                {{"looked up"}, cell_in("lookups", Look::count())},
                                {{"filled"}, cell_in("filled", Look::count())}}));
}

void add_form_errors(HtmlPage& page, const ResultRows& sizes, const ResultRows& rows) {
  ResultRows wrong = rows_with_errors(sizes);
  std::ranges::copy(rows_with_errors(rows), std::back_inserter(wrong));
  if (wrong.empty()) return;
  page.section("What went wrong")
      .table("Forms that could not be measured, or differ",
             page_table(wrong, {{{"form", "", HtmlTable::Kind::Name}, cell_in("text")},
                                {{"what is wrong", "", HtmlTable::Kind::Words}, cell_in("error")}}));
}

}  // namespace

HtmlPage page_of(const FormsBenchRun& run) {
  HtmlPage page("Forms of " + run.source, fmt::format("{}, on {}. Measured in {}.", scene_text(run.result),
                                                      run.device_text, format_seconds(run.result.seconds)));
  const ResultTable sizes = form_sizes_table(run.result), table = rows_table(run);
  const ResultRows rows = rows_of(table);
  add_form_sizes(page, rows_of(sizes));
  page.section("How fast they are read");
  for (const std::string& loop : texts_of(rows, text_in("loop"))) {
    const ResultRows of_loop = rows_with(rows, text_in("loop"), loop);
    add_loop(page, of_loop, loop_view(of_loop.front(), run.result.filter));
  }
  add_form_errors(page, rows_of(sizes), rows);
  add_ceilings(page, run.result.ceilings);
  return page;
}

ToolDescription forms_bench_description() {
  return {.program = "vox-bench forms",
          .usage = "[FILE] [options]",
          .about =
              "Measures the three forms that a scene's voxels can have, side by side: SVDAG, hybrid bricks "
              "and spatial hash.\n",
          .examples = {"vox-bench forms                        measures the village",
                       "vox-bench forms house.glb --res 2K --html forms.html",
                       "vox-bench forms scene.h5 --brick-sizes 8,16,32 --load-factors 0.5,0.95",
                       "vox-bench forms scene.h5 --forms svdag,hash -o forms.h5 --csv rows.csv"},
          .basics = {"forms", "res", "brick-sizes", "load-factors", "gathers", "picture", "repetitions",
                     "output", "html", "device"},
          .more = kAboutForms,
          .topics = {forms_axes(), forms_size(), result_topic(), device_topic(), general_topic()},
          .operands = {{.name = "file", .argument = "FILE", .help = "A scene file or a mesh."}}};
}

void run_forms(const CommandLine& arguments, const ReportSink& sink) {
  FormsCommand command = read_forms_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const SceneInput input = read_scene_input(
      *engine, {.file = command.input,
                .resolution = command.resolution,
                .default_resolution = engine->device() == "cpu" ? kCpuFormsResolution : kGpuFormsResolution,
                .generate = [] { return scene::make_village({}); },
                .generated = "the village of vox-scene",
                .engine = command.engine});
  command.bench.svdag_seconds = input.svdag_seconds;
  log_info("{}: {} voxels in {}³, on {}", input.scene.source, format_count(input.scene.dag.voxels),
           input.scene.dag.resolution, engine->device_text());
  const FormsBenchRun run = {run_on(*engine, command.command), input.scene.source,
                             measure::bench_forms(*engine, input.scene, command.bench)};
  report(command, run, engine->profile(), sink);
  throw_if_different(run.result);
}

}  // namespace vox
