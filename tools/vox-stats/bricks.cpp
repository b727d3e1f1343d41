#include "tools/vox-stats/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/tables.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"

namespace vox {
namespace {

uint32_t side_of(const bricks::BrickTotals& totals) {
  return 1u << totals.log2_side;
}

std::string cube_text(const bricks::BrickTotals& totals) {
  return fmt::format("{}³", side_of(totals));
}

// Adds the bytes that bricks of each side and set of types take.
void add_sizes(ResultTable& table, const measure::BricksStats& stats) {
  const std::vector<bricks::BrickTotals>& totals = stats.rows[0].sizes;
  table.column({"size", "sizes/size"}, "voxels", totals, side_of, {.page = {"side", {}, "voxels"}})
      .column(for_people(), "", totals, cube_text, {.screen = {"size"}})
      .column(for_people(), "bricks", totals, &bricks::BrickTotals::bricks,
              {.screen = {"bricks", Look::count()}})
      .column({"thesis_bytes", "sizes/thesis"}, "bytes", totals, &bricks::BrickTotals::thesis_bytes,
              {.screen = {"thesis", Look::bytes()}});
  for (const measure::BrickTypesRow& row : stats.rows)
    table.column({"bytes/" + row.name, "sizes/" + row.name}, "bytes", row.sizes,
                 &bricks::BrickTotals::total_bytes,
                 {.screen = {row.name, Look::bytes()}, .page = {row.name, Look::count(), "bytes"}});
  table.column(for_people(), "bytes", totals, &bricks::BrickTotals::thesis_bytes,
               {.page = {"thesis", Look::count(), "bytes"}});
}

// Adds the shares of the types for each side, where all types are allowed.
void add_shares(ResultTable& table, const measure::BricksStats& stats) {
  table
      .column(in_report("shares/size"), "voxels", stats.all_types(), side_of,
              {.page = {"side", {}, "voxels"}})
      .column(for_people(), "", stats.all_types(), cube_text, {.screen = {"size"}});
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const std::string name(bricks::BrickTypes::kNames[type]);
    table.column(
        "shares/" + name, "of the volume", stats.all_types(),
        [&](const bricks::BrickTotals& totals) { return measure::share_of(type, totals); },
        both({name, Look::fixed(1, 100), "%"}));
  }
}

}  // namespace

ResultTable sizes_table(const measure::BricksStats& stats) {
  ResultTable table;
  add_sizes(table, stats);
  return table;
}

ResultTable shares_table(const measure::BricksStats& stats) {
  ResultTable table;
  add_shares(table, stats);
  return table;
}

ResultTable forms_table(const measure::BricksStats& stats) {
  const std::vector<measure::SceneSize> forms = stats.forms();
  const auto bits = [&](const measure::SceneSize& form) {
    return measure::bits_per_voxel(form, stats.bricks.filled);
  };
  const auto to_svdag = [&](const measure::SceneSize& form) { return stats.to_svdag(form); };
  ResultTable table;
  table.column("name", "", forms, &measure::SceneSize::name)
      .column(for_people(), "", forms, &measure::SceneSize::text, both({"form", Look::words()}))
      .column("bytes", "bytes", forms, &measure::SceneSize::bytes,
              {.screen = {"size", Look::bytes()}, .page = {"size", Look::count(), "bytes"}})
      .column("bits_per_voxel", "bits per filled voxel", forms, bits,
              {.screen = {"bits a filled voxel", Look::fixed(3)},
               .page = {"a filled voxel", Look::fixed(3), "bits"}})
      .column("to_svdag", "of the SVDAG's bytes", forms, to_svdag,
              both({"of the SVDAG", Look::fixed(2), "×"}));
  return table;
}

std::string bricks_text(const measure::BricksStats& stats) {
  const std::string forms =
      stats.svdag_bytes ? "\nBeside the SVDAG of the same voxels\n" + text_table(forms_table(stats)).text()
                        : "";
  return fmt::format(
      "\nBricks\n{}filled       {:.2f} % of the volume, {:.2f} bits of overhead for each filled voxel\n{}"
      "\nWhat others would take: the thesis's layout, and ours of some types\n{}"
      "\nShares of the volume, of all types\n{}",
      describe_bricks(stats.bricks), 100 * stats.filled_share(), stats.overhead_bits(), forms,
      text_table(sizes_table(stats)).text(), text_table(shares_table(stats)).text());
}

void set_bricks_stats(ResultGroup& results, const measure::BricksStats& stats) {
  ResultGroup& bricks = set_bricks(results, stats.bricks);
  const ResultTable forms = forms_table(stats);
  bricks.set("filled_share", stats.filled_share(), "of the volume")
      .set("dense_share", stats.dense_share(), "of the dense volume's bytes")
      .set({"overhead_bits", "overhead"}, stats.overhead_bits(), "bits a filled voxel")
      .set(in_json("bits_per_voxel"), forms["bits_per_voxel"].number(0), "bits per filled voxel");
  if (stats.svdag_bytes) {
    bricks.group(in_json("svdag"))
        .set("bytes", *stats.svdag_bytes, "bytes")
        .set("bits_per_voxel", forms["bits_per_voxel"].number(1), "bits per filled voxel")
        .set("bricks_to_svdag", forms["to_svdag"].number(0), "of the SVDAG's bytes");
    bricks.put("forms", forms);
  }
  ResultTable& sizes = bricks.table({"sizes", "."});
  add_sizes(sizes, stats);
  add_shares(sizes, stats);
}

namespace {

// The part on bricks of the page that vox-stats writes.

void add_types(HtmlPage& page, const bricks::FrozenBricks& bricks) {
  BarChart chart = {.title = "Share of each type of bricks",
                    .description = "For each type its share of the bricks, and of their bytes, in per cent",
                    .unit = "%",
                    .series = {{"bricks", {}}, {"bytes", {}}}};
  HtmlTable table({{"type", "", HtmlTable::Kind::Name}, {"bricks"}, {"of all", "%"}, {"size", "bytes"}});
  const auto all = static_cast<double>(std::max<uint64_t>(1, bricks.bricks()));
  const auto bytes = static_cast<double>(std::max<uint64_t>(1, bricks.bytes()));
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const uint64_t size = bricks.type_bytes(type);
    const double share = static_cast<double>(bricks.counts[type]) / all * 100;
    const std::string name(bricks::BrickTypes::kNames[type]);
    chart.rows.push_back(name);
    chart.series[0].values.push_back(share);
    chart.series[1].values.push_back(static_cast<double>(size) / bytes * 100);
    table.row({name, count_cell(bricks.counts[type]), number_cell(share, 1), count_cell(size)});
  }
  const uint64_t root = bricks.root.size() * sizeof(uint32_t);
  chart.rows.push_back("root grid");
  chart.series[0].values.push_back(0);
  chart.series[1].values.push_back(static_cast<double>(root) / bytes * 100);
  table.row({"root grid", "", "", count_cell(root)});
  table.total({"all", count_cell(bricks.bricks()), number_cell(100, 1), count_cell(bricks.bytes())});
  page.figure(fmt::format("Types of the bricks of {0} × {0} × {0} voxels", bricks.shape().side()),
              "Each brick has the form that takes least memory.", draw(chart), table);
}

// Adds a row for each side, and a series for each column of a group, in per cent of `whole`.
void add_series(BarChart& chart, const ResultTable& table, double whole) {
  chart.rows = shown_texts(table.columns().front(), Look());
  for (const ResultColumn& column : table.columns()) {
    const auto& [title, look, unit, weight] = column.shown.page;
    if (!title || column.name.json.find('/') == std::string::npos) continue;
    std::vector<double>& values =
        chart.series.emplace_back(BarChart::Series{*title, column.numbers()}).values;
    for (double& value : values) value = value / whole * 100;
  }
}

void add_sizes(HtmlPage& page, const measure::BricksStats& stats) {
  BarChart chart = {
      .title = "Size for each side of the bricks",
      .description =
          "For each side of the bricks what the sets of types take, in per cent of the dense volume",
      .unit = "% of the dense volume"};
  const ResultTable sizes = sizes_table(stats);
  add_series(chart, sizes, static_cast<double>(std::max<uint64_t>(1, stats.bricks.info.bytes())));
  page.figure("What other sides and types would take",
              fmt::format("Bricks of one type beside empty ones, of the thesis's four, and of all. The dense "
                          "volume has {}.",
                          format_bytes(stats.bricks.info.bytes())),
              draw(chart), page_table(sizes));
}

// Adds a chart of the shares of all types.
void add_shares(HtmlPage& page, const measure::BricksStats& stats) {
  BarChart chart = {.title = "Types for each side of the bricks",
                    .description = "For each side of the bricks the share of each type, in per cent",
                    .unit = "% of the volume",
                    .bars = BarChart::Bars::EndToEnd};
  const ResultTable shares = shares_table(stats);
  add_series(chart, shares, 1);
  page.figure("Types of other sides", "What the bricks would be, where all types are allowed.", draw(chart),
              page_table(shares));
}

std::vector<std::string> form_texts(const measure::BricksStats& stats) {
  std::vector<std::string> texts;
  for (const measure::SceneSize& form : stats.forms()) texts.push_back(form.text);
  return texts;
}

void add_forms(HtmlPage& page, const measure::BricksStats& stats) {
  if (!stats.svdag_bytes) return;
  const ResultTable forms = forms_table(stats);
  BarChart chart = {.title = "Bricks beside the SVDAG",
                    .description = "A bar for each form of the scene: bits for each filled voxel",
                    .unit = "bits a filled voxel",
                    .rows = form_texts(stats),
                    .series = {{"size", forms["bits_per_voxel"].numbers()}},
                    .notes = shown_texts(forms["bytes"], Look::bytes())};
  page.figure("Beside the SVDAG of the same voxels", "What access to each needs in memory.", draw(chart),
              page_table(forms));
}

}  // namespace

void add_bricks(HtmlPage& page, const measure::BricksStats& stats) {
  page.section("Bricks").facts(
      {{"filled", fmt::format("{:.2f} % of the volume", 100 * stats.filled_share())},
       {"bytes", fmt::format("{}, {:.1f} % of the dense volume", format_bytes(stats.bricks.bytes()),
                             100 * stats.dense_share())},
       {"overhead", fmt::format("{:.2f} bits for each filled voxel", stats.overhead_bits())}});
  add_forms(page, stats);
  add_types(page, stats.bricks);
  add_sizes(page, stats);
  add_shares(page, stats);
}

}  // namespace vox
