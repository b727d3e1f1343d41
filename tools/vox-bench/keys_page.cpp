// The page that vox-bench keys writes with --html.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/tables.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/columns.h"
#include "tools/vox-bench/reports.h"

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

const KeysAxis kKeyHitRates = {
    "% stored", ChartScale::Linear, [](const KeysRow& row) { return row.hit_rate.value_or(0); },
    [](double value) { return fmt::format("{}", value); },
    [](const KeysRow& row) {
      return fmt::format("load factor {}, {}", row.load_factor, format_count(row.keys, "key"));
    }};
const KeysAxis kMultiplicities = {
    "values of a key", ChartScale::Log, [](const KeysRow& row) { return row.multiplicity.value_or(0); },
    [](double value) { return format_count(static_cast<uint64_t>(value)); },
    [](const KeysRow& row) {
      return fmt::format("load factor {}, {}", row.load_factor, format_count(row.items, "item"));
    }};

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

const KeysQuantity kWarpSectors = {
    {"sectors",
     "Sectors of 32 bytes that a search moves in the mean where 32 that follow each other share them.",
     [](const KeysRow& row) { return exact_point(*row.warp_sectors); },
     [](const KeysRow& row) { return number_cell(*row.warp_sectors, 3); }},
    ": sectors of 32 searches"};
const KeysQuantity kKeyMemory = {
    {"bytes",
     "Bytes of the table for each key that it holds, or each value of keys with several; lower is smaller.",
     [](const KeysRow& row) { return exact_point(*row.bytes_per_key()); },
     [](const KeysRow& row) { return number_cell(*row.bytes_per_key(), 2); }},
    ": memory"};

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
  return fmt::format("{}, keys of {} bits{}", row.set, row.key_bits,
                     row.multiplicity ? ", several values each" : "");
}

// Figures go along the values of a key where keys have several, along the numbers of keys where one set has several,
// along the shares of stored keys where nothing else changes, else along load factors.
const KeysAxis& axis_of(const KeysRows& rows) {
  if (rows.front()->multiplicity) return kMultiplicities;
  const TextOfRow<KeysRow> layout = [](const KeysRow& row) { return row.layout; };
  const KeysRows some = rows_with(rows, layout, rows.front()->layout);
  if (texts_of(some, kKeysLoadFactors.panel).size() > 1) return kKeyCounts;
  const auto has_hit_rate = [](const KeysRow* row) { return row->hit_rate.has_value(); };
  if (texts_of(some, kKeyCounts.panel).size() == 1 && std::ranges::all_of(some, has_hit_rate))
    return kKeyHitRates;
  return kKeysLoadFactors;
}

void add_section(HtmlPage& page, const std::string& title, const KeysRows& rows) {
  page.section(title);
  const KeysAxis& axis = axis_of(rows);
  const TextOfRow<KeysRow> text = [&](const KeysRow& row) {
    return &axis == &kKeyHitRates ? row.op : op_text(row);
  };
  for (const std::string& op : texts_of(rows, text)) {
    const KeysRows of_op = rows_with(rows, text, op);
    add_figures(page, op, of_op, axis, kRate);
    const auto add_where = [&](const auto& quantity, const auto& has) {
      KeysRows some;
      std::ranges::copy_if(of_op, std::back_inserter(some), [&](const KeysRow* row) { return has(*row); });
      if (!some.empty()) add_figures(page, op, some, axis, quantity);
    };
    add_where(kSectors, [](const KeysRow& row) { return row.sectors.has_value(); });
    add_where(kWarpSectors, [](const KeysRow& row) { return row.warp_sectors.has_value(); });
    add_where(kKeyMemory, [](const KeysRow& row) { return row.op.starts_with("build"); });
  }
}

// Adds histograms of ages, a line for each table, and what they come to.
void add_ages(HtmlPage& page, const std::vector<measure::KeyAgesRow>& rows) {
  using AgesRow = measure::KeyAgesRow;
  if (rows.empty()) return;
  const FigureAxis<AgesRow> axis = {
      "age", ChartScale::Linear, [](const AgesRow& row) { return row.age; },
      [](double value) { return fmt::format("{}", value); },
      [](const AgesRow& row) { return fmt::format("{}, load factor {}", set_text(row), row.load_factor); }};
  const FigureQuantity<AgesRow> shares = {
      "% of keys", "How many keys are found at the first place that a search looks at, at the second, …",
      [](const AgesRow& row) { return exact_point(100 * row.share()); },
      [](const AgesRow& row) {
        HtmlCell cell = number_cell(100 * row.share(), 3);
        cell.note = format_count(row.count, "key");
        return cell;
      }};
  RowPointers<AgesRow> all;
  for (const AgesRow& row : rows) all.push_back(&row);
  page.section("Ages of keys");
  for (const std::string& panel : texts_of(all, axis.panel))
    add_line_figure(
        page, panel, rows_with(all, axis.panel, panel), axis, [](const AgesRow& row) { return row.table; },
        shares);
  page.table("In the mean, of 99 in a hundred, of all", page_table(ages_summary(rows)));
}

void add_age_pictures(HtmlPage& page, const std::vector<measure::AgesPicture>& pictures) {
  if (!pictures.empty()) page.section("Maximum ages");
  for (const auto& [point, image] : pictures)
    page.picture(
        image,
        fmt::format("{}, {}, load factor {}. For each slot, row by row, the age of the oldest key that "
                    "looks there first: 0 black, 1 blue, 2 green, 3 yellow, more red.",
                    point.table, set_text(point), point.load_factor));
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
  add_ages(page, run.result.ages);
  add_age_pictures(page, run.result.age_pictures);
  add_failures(page, run.result.failures);
  add_errors(page, run.result.rows);
  add_ceilings(page, run.result.ceilings);
  set_run(page, run);
  return page;
}

}  // namespace vox
