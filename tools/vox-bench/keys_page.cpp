// The page that vox-bench keys writes with --html.
#include <fmt/format.h>

#include "formats/results/page_table.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/ceilings.h"
#include "tools/vox-bench/keys_report.h"
#include "tools/vox-bench/line_figure.h"

namespace vox {
namespace {

using KeysRow = measure::KeysBenchRow;
using KeysRows = RowPointers<KeysRow>;
using KeysAxis = FigureAxis<KeysRow>;

const KeysAxis kKeysLoadFactors = {"load factor", ChartScale::Linear,
                                   [](const KeysRow& row) { return row.load_factor; },
                                   [](double value) { return fmt::format("{}", value); },
                                   [](const KeysRow& row) { return format_count(row.keys, "key"); }};
const KeysAxis kKeyCounts = {
    "keys", ChartScale::Log, [](const KeysRow& row) { return static_cast<double>(row.keys); },
    [](double value) { return format_count(static_cast<uint64_t>(value)); },
    [](const KeysRow& row) { return fmt::format("load factor {}", row.load_factor); }};

// The quantity of a row that a figure shows, and what its title says of it.
struct KeysQuantity : FigureQuantity<KeysRow> {
  std::string title;
};

LineChart::Point rate_point(const KeysRow& row) {
  const double millions = static_cast<double>(row.items) * 1e-6;
  return {0, millions / row.time->median, millions / row.time->max, millions / row.time->min};
}

HtmlCell rate_cell(const KeysRow& row) {
  const LineChart::Point point = rate_point(row);
  HtmlCell cell = number_cell(point.y, 1);
  cell.note = fmt::format("{:.1f} to {:.1f}", point.low, point.high);
  return cell;
}

const KeysQuantity kRate = {
    {"M/s",
     "Millions of keys a second; higher is faster. Median of the repetitions, with the slowest and "
     "the fastest.",
     rate_point, rate_cell},
    ""};
const KeysQuantity kSectors = {{"sectors", "Sectors of 32 bytes that a search reads in the mean.",
                                [](const KeysRow& row) { return exact_point(*row.sectors); },
                                [](const KeysRow& row) { return number_cell(*row.sectors, 3); }},
                               ": sectors"};

// Adds the figures of one operation: one for each layout, unless the layouts of a single table are compared,
// and for each value of the other axis.
void add_figures(HtmlPage& page, const std::string& op, const KeysRows& rows, const KeysAxis& axis,
                 const KeysQuantity& quantity) {
  const TextOfRow<KeysRow> table = [](const KeysRow&row) { return row.table; },
                           layout = [](const KeysRow&row) { return row.layout; };
  const TextOfRow<KeysRow> none = [](const KeysRow&) { return std::string(); };
  const bool by_layout = texts_of(rows, table).size() == 1 && texts_of(rows, layout).size() > 1;
  const auto comma = [](const std::string& text) { return text.empty() ? "" : ", " + text; };
  for (const std::string& panel : texts_of(rows, axis.panel)) {
    const KeysRows of_panel = rows_with(rows, axis.panel, panel);
    for (const std::string& one : texts_of(of_panel, by_layout ? none : layout))
      add_line_figure(page, op + quantity.title + comma(one) + comma(panel),
                      rows_with(of_panel, by_layout ? none : layout, one), axis, by_layout ? layout : table,
                      quantity);
  }
}

std::string section_text(const KeysRow& row) {
  return fmt::format("{}, keys of {} bits", row.set, row.key_bits);
}

// Figures go along the numbers of keys where one set has several, else along load factors.
const KeysAxis& axis_of(const KeysRows& rows) {
  const TextOfRow<KeysRow> layout = [](const KeysRow& row) { return row.layout; };
  const KeysRows some = rows_with(rows, layout, rows.front()->layout);
  return texts_of(some, kKeysLoadFactors.panel).size() > 1 ? kKeyCounts : kKeysLoadFactors;
}

void add_section(HtmlPage& page, const std::string& title, const KeysRows& rows) {
  page.section(title);
  const KeysAxis& axis = axis_of(rows);
  for (const std::string& op : texts_of(rows, op_text)) {
    const KeysRows of_op = rows_with(rows, op_text, op);
    add_figures(page, op, of_op, axis, kRate);
    if (of_op.front()->sectors) add_figures(page, op, of_op, axis, kSectors);
  }
}

void add_errors(HtmlPage& page, const std::vector<KeysRow>& rows) {
  HtmlTable table({{"table", "", HtmlTable::Kind::Name},
                   {"keys", "", HtmlTable::Kind::Words},
                   {"load factor"},
                   {"why", "", HtmlTable::Kind::Words}});
  bool any = false;
  for (const KeysRow& row : rows)
    if (!row.error.empty()) {
      any = true;
      table.row({row.table, set_text(row), {fmt::format("{}", row.load_factor), row.load_factor}, row.error});
    }
  if (any) page.section("What could not be measured").table("Tables without figures", table);
}

void add_failures(HtmlPage& page, const std::vector<measure::KeyFailuresRow>& rows) {
  if (rows.empty()) return;
  page.section("Failures")
      .table(fmt::format("Builds of {} random keys", format_count(rows.front().keys)),
             page_table(failures_table(rows)));
}

}  // namespace

HtmlPage page_of(const KeysBenchRun& run) {
  HtmlPage page(
      "Tables of voxel keys on " + run.device_text,
      fmt::format("{} searched at once. Measured in {}.", format_count(run.result.sizes.searches, "key"),
                  format_seconds(run.result.seconds)));
  KeysRows measured;
  for (const KeysRow& row : run.result.rows)
    if (row.time) measured.push_back(&row);
  for (const std::string& title : texts_of(measured, section_text))
    add_section(page, title, rows_with(measured, section_text, title));
  add_failures(page, run.result.failures);
  add_errors(page, run.result.rows);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
