// The page that vox-bench forms writes with --html.
#include <fmt/format.h>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/forms_report.h"

namespace vox {
namespace {

using FormsRow = measure::FormsBenchRow;
using measure::BenchedForm;
using measure::FormsBenchResult;

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
