#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"

namespace vox {
namespace {

using FormsRow = measure::FormsBenchRow;
using measure::BenchedForm;
using measure::FormsBenchResult;

// Adds the columns that say which form it is; of(row) is the form of a row.
template <class Rows, class Of>
void add_form(ResultTable& table, const Rows& rows, const Of& of) {
  table.column(for_people("text"), "", rows, [&](const auto& row) { return of(row).size.text; })
      .column("form", "", rows, [&](const auto& row) { return of(row).size.name; })
      .about("The form: `svdag`, `bricks` or `hash`.")
      .column("brick_size", "voxels", rows, [&](const auto& row) { return of(row).brick_side; })
      .about("Side of a brick, if the form is `bricks`.")
      .column("load_factor", "1", rows, [&](const auto& row) { return of(row).load_factor; })
      .about("Number of voxels for each cell, if the form is `hash`.")
      .column("layout", "", rows, [&](const auto& row) { return of(row).layout; })
      .about("Layout of the keys, `morton` or `linear`, if the form is `hash`.");
}

ResultTable form_sizes_table(const FormsBenchResult& result) {
  const std::vector<BenchedForm>& forms = result.forms;
  ResultTable table;
  add_form(table, forms, [](const BenchedForm& form) { return form; });
  table.column("bytes", "bytes", forms, [](const BenchedForm& form) { return form.size.bytes; })
      .about("Size of the scene in this form; 0 if it could not be made.")
      .column("bits_per_voxel", "bits per filled voxel", forms,
              [&](const BenchedForm& form) { return measure::bits_per_voxel(form.size, result.voxels); })
      .about("Number of bits for each filled voxel.")
      .column("build_seconds", "s", forms, &BenchedForm::build_seconds)
      .about("Time of making the SVDAG from a mesh, or the other forms from the SVDAG.")
      .column("error", "", forms, &BenchedForm::error)
      .about("The reason if the form could not be made; otherwise empty.");
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

}  // namespace

std::string scene_text(const FormsBenchResult& result) {
  return fmt::format("{} in {}³", format_count(result.voxels, "voxel"), result.resolution);
}

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
  ResultTable table;
  add_form(table, rows, [&](const FormsRow& row) { return result.forms[row.form]; });
  table.column("loop", "", rows, &FormsRow::loop)
      .about("The loop: `random`, `uniform`, `rows`, `blocks`, `mean` or `rays`.");
  add_times(table, rows);
  table.column("repetitions", "", rows, &FormsRow::repetitions)
      .about("Number of repetitions.")
      .column("lookups", "", rows, &FormsRow::lookups)
      .about(
          "Number of voxels that a repetition looks at, `filter`³ for each of `mean`; for `rays` the number "
          "of rays.")
      .column("filled", "", rows, &FormsRow::filled)
      .about("Number of voxels found filled, of means above 0, or of rays that hit a voxel.")
      .column("lookups_per_second", "1/s", rows, &FormsRow::lookups_per_second)
      .about("Lookups per second, by the median.")
      .column("checksum", "", rows, [](const FormsRow& row) { return fmt::format("{:016x}", row.checksum); })
      .about("Checksum of all that was found, which is the same for all forms.")
      .column("error", "", rows, &FormsRow::error)
      .about("The reason if the checksum differs from the SVDAG's; otherwise empty.");
  return table;
}

ResultGroup results_of(const FormsBenchRun& run) {
  const FormsBenchResult& result = run.result;
  ResultGroup results;
  set_run(results, run);
  ResultGroup& forms = results.group({".", "forms"});
  forms.set("source", run.source)
      .about("The file that was read, or the village.")
      .set("resolution", result.resolution, "voxels")
      .about("Number of voxels along the longest side of the scene.")
      .set("voxels", result.voxels, "voxels")
      .about("Number of filled voxels.")
      .set("gathers", result.sizes.gathers, "voxels")
      .about("Number of voxels that each of the gathers looks at.")
      .set("means", result.sizes.means, "voxels")
      .about("Greatest number of voxels whose mean `mean` computes.")
      .set("filter", result.filter, "voxels")
      .about("Side of the box that `mean` looks at.")
      .set("picture", result.sizes.picture, "pixels")
      .about("Number of rays along a side of the picture of `rays`.")
      .set("seconds", result.seconds, "s")
      .about("Time of the whole benchmark.");
  forms.put("ceilings", ceilings_table(result.ceilings));
  forms.put("sizes", form_sizes_table(result));
  forms.put("rows", rows_table(run));
  return results;
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
  set_run(page, run);
  return page;
}

}  // namespace vox
