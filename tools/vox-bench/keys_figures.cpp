// The page that vox-bench keys writes with --html: the figures that it shows of the rows.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

const FigureAxis kKeysLoadFactors = {
    .column = "load_factor", .title = "load factor", .panel = [](const ResultRow& row) {
      return counted_text(row, "keys", "key");
    }};
const FigureAxis kKeyCounts = {
    .column = "keys",
    .title = "keys",
    .scale = ChartScale::Log,
    .look = Look::count(),
    .panel = [](const ResultRow& row) { return "load factor " + row.text("load_factor"); }};
const FigureAxis kKeyHitRates = {
    .column = "hit_rate", .title = "% stored", .panel = [](const ResultRow& row) {
      return kKeyCounts.panel(row) + ", " + counted_text(row, "keys", "key");
    }};
const FigureAxis kMultiplicities = {.column = "multiplicity",
                                    .title = "values of a key",
                                    .scale = ChartScale::Log,
                                    .look = Look::count(),
                                    .panel = [](const ResultRow& row) {
                                      return kKeyCounts.panel(row) + ", " +
                                             counted_text(row, "items", "item");
                                    }};

// A quantity of the rows, and what its figures' titles say of it.
struct KeysQuantity {
  std::string title;
  FigureQuantity quantity;
};

const KeysQuantity kRate = {"",
                            {.column = "per_second",
                             .unit = "M/s",
                             .caption = "Millions of keys a second; higher is faster. Median of the "
                                        "repetitions, with the slowest and the fastest.",
                             .look = Look::fixed(1, 1e-6),
                             .range = [](const ResultRow& row) { return range_of_rates(row, "items"); }}};
// Those that only some rows have.
const KeysQuantity kMoreQuantities[] = {
    {": sectors",
     {.column = "sectors",
      .unit = "sectors",
      .caption = "Sectors of 32 bytes that a search reads in the mean.",
      .look = Look::fixed(3)}},
    {": sectors of 32 searches",
     {.column = "warp_sectors",
      .unit = "sectors",
      .caption =
          "Sectors of 32 bytes that a search moves in the mean where 32 that follow each other share them.",
      .look = Look::fixed(3)}}};
const KeysQuantity kKeyMemory = {": memory",
                                 {.column = "bytes_per_key",
                                  .unit = "bytes",
                                  .caption = "Bytes of the table for each key that it holds, or each value "
                                             "of keys with several; lower is smaller.",
                                  .look = Look::fixed(2)}};

// Adds the figures of one operation: one for each layout, unless the layouts of a single table are compared,
// and for each value of the other axis.
void add_key_figures(HtmlPage& page, const std::string& op, const ResultRows& rows, const FigureAxis& axis,
                     const KeysQuantity& of) {
  const TextOfRow table = text_in("table"), layout = text_in("layout");
  const bool by_layout = texts_of(rows, table).size() == 1 && texts_of(rows, layout).size() > 1;
  const TextOfRow apart = by_layout ? TextOfRow([](const ResultRow&) { return std::string(); }) : layout;
  const auto comma = [](const std::string& text) { return text.empty() ? "" : ", " + text; };
  for (const std::string& panel : texts_of(rows, axis.panel)) {
    const ResultRows of_panel = rows_with(rows, axis.panel, panel);
    for (const std::string& one : texts_of(of_panel, apart))
      add_line_figure(page, op + of.title + comma(one) + comma(panel), rows_with(of_panel, apart, one), axis,
                      by_layout ? layout : table, of.quantity);
  }
}

std::string section_text(const ResultRow& row) {
  return fmt::format("{}, keys of {} bits{}", row.word("set"), row.text("key_bits"),
                     row.has("multiplicity") ? ", several values each" : "");
}

// Figures go along the values of a key where keys have several, along the numbers of keys where one set has several,
// along the shares of stored keys where nothing else changes, else along load factors.
const FigureAxis& axis_of_keys(const ResultRows& rows) {
  if (rows.front().has("multiplicity")) return kMultiplicities;
  const ResultRows some = rows_with(rows, text_in("layout"), rows.front().word("layout"));
  if (texts_of(some, kKeysLoadFactors.panel).size() > 1) return kKeyCounts;
  const bool all_have_hit_rates = rows_with_value(some, "hit_rate").size() == some.size();
  return texts_of(some, kKeyCounts.panel).size() == 1 && all_have_hit_rates ? kKeyHitRates : kKeysLoadFactors;
}

void add_section(HtmlPage& page, const std::string& title, const ResultRows& rows) {
  page.section(title);
  const FigureAxis& axis = axis_of_keys(rows);
  const TextOfRow text = &axis == &kKeyHitRates ? text_in("op") : TextOfRow(op_text);
  for (const std::string& op : texts_of(rows, text)) {
    const ResultRows of_op = rows_with(rows, text, op);
    add_key_figures(page, op, of_op, axis, kRate);
    for (const KeysQuantity& more : kMoreQuantities)
      if (const ResultRows some = rows_with_value(of_op, more.quantity.column); !some.empty())
        add_key_figures(page, op, some, axis, more);
    if (op.starts_with("build")) add_key_figures(page, op, of_op, axis, kKeyMemory);
  }
}

const FigureAxis kAges = {.column = "age", .title = "age", .panel = [](const ResultRow& row) {
                            return fmt::format("{}, load factor {}", set_text(row), row.text("load_factor"));
                          }};
const FigureQuantity kAgeShares = {
    .column = "share",
    .unit = "% of keys",
    .caption = "How many keys are found at the first place that a search looks at, at the second, …",
    .look = Look::fixed(3, 100),
    .note = [](const ResultRow& row) { return counted_text(row, "count", "key"); }};

// Adds histograms of ages, a line for each table, and what they come to.
void add_ages(HtmlPage& page, const std::vector<measure::KeyAgesRow>& ages) {
  if (ages.empty()) return;
  const ResultTable table = ages_table(ages);
  const ResultRows rows = rows_of(table);
  page.section("Ages of keys");
  for (const std::string& panel : texts_of(rows, kAges.panel))
    add_line_figure(page, panel, rows_with(rows, kAges.panel, panel), kAges, text_in("table"), kAgeShares);
  page.table("In the mean, of 99 in a hundred, of all", page_table(ages_summary(ages)));
}

void add_table_pictures(HtmlPage& page, const std::string& title, const std::string& about,
                        const std::vector<measure::TablePicture>& pictures) {
  if (!pictures.empty()) page.section(title);
  for (const auto& [point, image] : pictures)
    page.picture(image, fmt::format("{}, {}, load factor {}. {}", point.table, set_text(point),
                                    point.load_factor, about));
}

// Adds for each table the steps of its builds, as Alcantara et al. 2009, Figure 5.
void add_steps(HtmlPage& page, const std::vector<measure::KeysBenchRow>& rows) {
  std::vector<KernelBar> bars;
  for (const measure::KeysBenchRow& row : rows)
    if (!row.kernels.empty())
      bars.push_back({fmt::format("{}, {} at {}", row.table, format_count(row.keys), row.load_factor),
                      row.time->median * 1e3, row.kernels});
  if (bars.empty()) return;
  std::vector<std::string> labels;
  for (const KernelBar& bar : bars) labels.push_back(bar.label);
  page.section("Steps of building");
  add_parts_figure(page, "Steps of building",
                   "Milliseconds of one build; the steps come from a build in which every launch was timed.",
                   "table, keys and load factor", labels, kernel_parts(bars, longest_kernels(bars)),
                   BarUnit::Milliseconds);
}

void add_errors(HtmlPage& page, const ResultRows& rows) {
  if (rows.empty()) return;
  HtmlTable table({{"table", "", HtmlTable::Kind::Name},
                   {"keys", "", HtmlTable::Kind::Words},
                   {"load factor"},
                   {"why", "", HtmlTable::Kind::Words}});
  for (const ResultRow& row : rows)
    table.row({row.word("table"),
               set_text(row),
               {row.text("load_factor"), row.number("load_factor")},
               row.word("error")});
  page.section("What could not be measured").table("Tables without figures", table);
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
  const ResultTable table = keys_rows_table(run.result.rows);
  const ResultRows rows = rows_of(table), measured = rows_with_value(rows, "ms");
  for (const std::string& title : texts_of(measured, section_text))
    add_section(page, title, rows_with(measured, section_text, title));
  add_steps(page, run.result.rows);
  add_ages(page, run.result.ages);
  add_table_pictures(page, "Maximum ages",
                     "For each slot, row by row, the age of the oldest key that looks there first: 0 black, "
                     "1 blue, 2 green, 3 yellow, more red.",
                     run.result.age_pictures);
  add_table_pictures(
      page, "Tables",
      "The slots, row by row; a key has the color of its pixel or of its place, an empty slot is white.",
      run.result.table_pictures);
  add_failures(page, run.result.failures);
  add_errors(page, rows_with_errors(rows));
  add_ceilings(page, run.result.ceilings);
  return page;
}

}  // namespace vox
