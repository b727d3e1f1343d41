#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/tables.h"
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
  table.column("form", "", rows, [&](const auto& row) { return of(row).size.name; })
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

// The cells of a form: what it takes, and its rates.
std::vector<std::string> form_cells(const FormsBenchResult& result, size_t which,
                                    const std::vector<LoopTitle>& loops) {
  const BenchedForm& form = result.forms[which];
  if (form.size.bytes == 0) return {form.size.text, "-", "-", "-"};
  std::vector<std::string> cells = {form.size.text, format_bytes(form.size.bytes),
                                    fmt::format("{:.2f}", measure::bits_per_voxel(form.size, result.voxels)),
                                    form.build_seconds ? fmt::format("{:.3f}", *form.build_seconds) : "-"};
  for (const LoopTitle& loop : loops) {
    const FormsRow* row = row_of(result, which, loop.loop);
    cells.push_back(row == nullptr ? "-" : fmt::format("{:.4f}", row->lookups_per_second() / loop.scale));
  }
  return cells;
}

std::string errors_text(const FormsBenchResult& result) {
  std::string text;
  for (const BenchedForm& form : result.forms)
    if (!form.error.empty()) text += fmt::format("  {}: {}\n", form.size.text, form.error);
  for (const FormsRow& row : result.rows)
    if (!row.error.empty()) text += fmt::format("  {}, {}\n", result.forms[row.form].size.text, row.error);
  return text;
}

}  // namespace

std::string scene_text(const FormsBenchResult& result) {
  return fmt::format("{} in {}³", format_count(result.voxels, "voxel"), result.resolution);
}

std::vector<LoopTitle> loop_titles(const FormsBenchResult& result) {
  std::vector<LoopTitle> titles;
  for (const FormsRow& row : result.rows) {
    if (std::ranges::find(titles, row.loop, &LoopTitle::loop) != titles.end()) continue;
    if (row.loop == "rays")
      titles.push_back({row.loop, row.loop, "M/s", 1e6});
    else
      titles.push_back(
          {row.loop, row.loop == "mean" ? fmt::format("mean {}³", result.filter) : row.loop, "G/s", 1e9});
  }
  return titles;
}

const FormsRow* row_of(const FormsBenchResult& result, size_t form, const std::string& loop) {
  const auto found = std::ranges::find_if(
      result.rows, [&](const FormsRow& row) { return row.form == form && row.loop == loop; });
  return found == result.rows.end() ? nullptr : &*found;
}

std::string table_text(const FormsBenchRun& run) {
  const FormsBenchResult& result = run.result;
  const std::vector<LoopTitle> loops = loop_titles(result);
  std::vector<std::string> titles = {"form", "size", "bits a voxel", "build s"};
  for (const LoopTitle& loop : loops) titles.push_back(fmt::format("{} {}", loop.title, loop.unit));
  TextTable table(std::move(titles));
  for (size_t form = 0; form < result.forms.size(); ++form) table.row(form_cells(result, form, loops));
  return fmt::format("{}, {}, on {}\n{}\n{}{}", run.source, scene_text(result), run.device_text,
                     ceilings_text(result.ceilings), table.text(), errors_text(result));
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

void add_form_sizes(HtmlPage& page, const FormsBenchResult& result) {
  const std::string title = "Bits for each filled voxel", caption = "Shorter is smaller.";
  BarChart chart = {.title = title, .description = caption, .unit = "bits", .series = {{"bits", {}}}};
  HtmlTable table(
      {{"form", "", HtmlTable::Kind::Name}, {"size", "MiB"}, {"a voxel", "bits"}, {"construction", "s"}});
  for (const BenchedForm& form : result.forms) {
    if (form.size.bytes == 0) continue;
    const double bits = measure::bits_per_voxel(form.size, result.voxels);
    chart.rows.push_back(form.size.text);
    chart.series[0].values.push_back(bits);
    table.row({form.size.text, mib_cell(form.size.bytes), number_cell(bits, 2),
               form.build_seconds ? number_cell(*form.build_seconds, 3) : HtmlCell()});
  }
  page.section("What they take").figure(title, caption, draw(chart), table);
}

std::string what_is_read(const std::string& loop) {
  if (loop == "random") return "Voxels at random, half of them filled, the others near one that is.";
  if (loop == "uniform") return "Voxels at random anywhere in the grid.";
  if (loop == "rows") return "Rows of 32 voxels along x through the surface.";
  if (loop == "blocks") return "Blocks of 4 × 4 × 4 voxels that the surface goes through, in Morton order.";
  if (loop == "mean") return "The mean around each voxel of blocks on the surface; what is read counts.";
  return "Rays to the first voxel that is filled, through the pixels of a picture.";
}

void add_loop(HtmlPage& page, const FormsBenchResult& result, const LoopTitle& loop) {
  const std::string caption = what_is_read(loop.loop) + " Longer is faster.";
  BarChart chart = {
      .title = loop.title, .description = caption, .unit = loop.unit, .series = {{loop.title, {}}}};
  HtmlTable table(
      {{"form", "", HtmlTable::Kind::Name}, {"rate", loop.unit}, {"time", "ms"}, {"looked up"}, {"filled"}});
  for (size_t form = 0; form < result.forms.size(); ++form) {
    const FormsRow* row = row_of(result, form, loop.loop);
    if (row == nullptr) continue;
    chart.rows.push_back(result.forms[form].size.text);
    chart.series[0].values.push_back(row->lookups_per_second() / loop.scale);
    HtmlCell time = number_cell(row->time.median * 1e3, 3);
    time.note = fmt::format("{:.3f} to {:.3f}", row->time.min * 1e3, row->time.max * 1e3);
    table.row({result.forms[form].size.text, number_cell(row->lookups_per_second() / loop.scale, 4), time,
               count_cell(row->lookups), count_cell(row->filled)});
  }
  page.figure(loop.title, caption, draw(chart), table);
}

void add_form_errors(HtmlPage& page, const FormsBenchResult& result) {
  HtmlTable table({{"form", "", HtmlTable::Kind::Name}, {"what is wrong", "", HtmlTable::Kind::Words}});
  bool any = false;
  const auto add = [&](const BenchedForm& form, const std::string& error) {
    if (error.empty()) return;
    any = true;
    table.row({form.size.text, error});
  };
  for (const BenchedForm& form : result.forms) add(form, form.error);
  for (const FormsRow& row : result.rows) add(result.forms[row.form], row.error);
  if (any) page.section("What went wrong").table("Forms that could not be measured, or differ", table);
}

}  // namespace

HtmlPage page_of(const FormsBenchRun& run) {
  HtmlPage page("Forms of " + run.source, fmt::format("{}, on {}. Measured in {}.", scene_text(run.result),
                                                      run.device_text, format_seconds(run.result.seconds)));
  add_form_sizes(page, run.result);
  page.section("How fast they are read");
  for (const LoopTitle& loop : loop_titles(run.result)) add_loop(page, run.result, loop);
  add_form_errors(page, run.result);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
