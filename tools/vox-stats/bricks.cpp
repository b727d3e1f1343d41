#include "tools/vox-stats/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"

namespace vox {
namespace {

uint32_t side_of(const bricks::BrickTotals& totals) {
  return 1u << totals.log2_side;
}

Headings side_heading() {
  return {.screen = {"side"}, .page = {"side", {}, "voxels"}};
}

// Adds the bytes that bricks of each side and set of types take.
void add_sizes(ResultTable& table, const measure::BricksStats& stats) {
  using Totals = bricks::BrickTotals;
  const std::vector<Totals>& totals = stats.rows[0].sizes;
  const auto bytes = [](const std::string& title) {
    return Headings{.screen = {title, Look::bytes()}, .page = {title, Look::count(), "bytes"}};
  };
  table
      .column({"size", "sizes/size"}, "voxels", totals, side_of, side_heading(),
              "Side of a brick, for bricks of other sizes.")
      .column(for_people(), "bricks", totals, &Totals::bricks, {.screen = {"bricks", Look::count()}})
      .column({"thesis_bytes", "sizes/thesis"}, "bytes", totals, &Totals::thesis_bytes, bytes("thesis"),
              "Size of such bricks in the thesis's layout.");
  for (const measure::BrickTypesRow& row : stats.rows)
    table.column(listed_as("SET", {"bytes/" + row.name, "sizes/" + row.name}), "bytes", row.sizes,
                 &Totals::total_bytes, bytes(row.name), "Their size in our layout, with these types.");
}

// Adds the shares of the types for each side, where all types are allowed.
void add_shares(ResultTable& table, const measure::BricksStats& stats) {
  table.column(in_report("shares/size"), "voxels", stats.all_types(), side_of, side_heading(),
               "Side of a brick.");
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const std::string name(bricks::BrickTypes::kNames[type]);
    table.column(
        listed_as("TYPE", "shares/" + name), "of the volume", stats.all_types(),
        [&](const bricks::BrickTotals& totals) { return measure::share_of(type, totals); },
        both({name, Look::fixed(1, 100), "%"}),
        "Share of the volume that lies in bricks of the type if all types are allowed.");
  }
}

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
  const auto to_svdag = [&](const measure::SceneSize& form) { return stats.to_svdag(form); };
  ResultTable table;
  add_forms(table, forms, stats.bricks.filled, for_people("what"), "form",
            {.screen = {"size", Look::bytes()}, .page = {"size", Look::count(), "bytes"}});
  return table.column("to_svdag", "of the SVDAG's bytes", forms, to_svdag,
                      both({"of the SVDAG", Look::fixed(2), "×"}), "Its size divided by that of the SVDAG.");
}

// The bricks of some types that take the least memory, by this measure of their bytes.
const bricks::BrickTotals& least(const std::vector<bricks::BrickTotals>& sizes, const auto& bytes) {
  return *std::ranges::min_element(sizes, {}, bytes);
}

// A file with the bricks that take the least memory: of the thesis's four types in its layout, the same in ours, and of
// all types.
struct FileRow {
  const BricksOfFile* of;
  const bricks::BrickTotals *thesis, *four, *all;

  const volume::VolumeInfo& info() const { return of->stats.bricks.info; }
};

std::vector<FileRow> file_rows(const std::vector<BricksOfFile>& files) {
  using Totals = bricks::BrickTotals;
  std::vector<FileRow> rows;
  for (const BricksOfFile& file : files) {
    const std::vector<measure::BrickTypesRow>& sets = file.stats.rows;
    const auto& four = sets.at(sets.size() - 2).sizes;
    rows.push_back({&file, &least(four, &Totals::thesis_bytes), &least(four, &Totals::total_bytes),
                    &least(sets.back().sizes, &Totals::total_bytes)});
  }
  return rows;
}

}  // namespace

ResultTable files_table(const std::vector<BricksOfFile>& files) {
  const std::vector<FileRow> rows = file_rows(files);
  const auto size_text = [](const FileRow& row) {
    return fmt::format("{} x {} x {}", row.info().size.x, row.info().size.y, row.info().size.z);
  };
  ResultTable table;
  table
      .column(
          "file", "", rows, [](const FileRow& row) { return row.of->file; }, both({"file"}),
          "Name of the file.")
      .column(for_people(), "voxels", rows, size_text, both({"voxels"}))
      .column(
          "width", "voxels", rows,
          [](const FileRow& row) { return static_cast<uint32_t>(row.info().size.x); },
          "Number of voxels along x.")
      .column(
          "height", "voxels", rows,
          [](const FileRow& row) { return static_cast<uint32_t>(row.info().size.y); },
          "Number of voxels along y.")
      .column(
          "depth", "voxels", rows,
          [](const FileRow& row) { return static_cast<uint32_t>(row.info().size.z); },
          "Number of voxels along z.")
      .column(
          "type", "", rows,
          [](const FileRow& row) { return std::string(volume::value_type_name(row.info().type)); },
          both({"type"}), "Type of the values.")
      .column(
          "filled_share", "of the volume", rows,
          [](const FileRow& row) { return row.of->stats.filled_share(); },
          both({"filled", Look::fixed(1, 100), "%"}), "Share of the voxels that are filled.")
      .column(
          "dense_bytes", "bytes", rows, [](const FileRow& row) { return row.info().bytes(); },
          both({"array", Look::bytes()}), "Size of the volume as an array.");
  const auto add = [&](const char* name, const char* title, const bricks::BrickTotals* FileRow::*least_of,
                       uint64_t (*bytes)(const bricks::BrickTotals&), const char* what) {
    table
        .column(
            std::string(name) + "_size", "voxels", rows,
            [=](const FileRow& row) { return side_of(*(row.*least_of)); }, both({"side"}),
            fmt::format("Side of the bricks that take least memory, {}.", what))
        .column(
            std::string(name) + "_bytes", "bytes", rows,
            [=](const FileRow& row) { return bytes(*(row.*least_of)); }, both({title, Look::bytes()}),
            fmt::format("Size of these bricks, {}.", what));
  };
  const auto total = [](const bricks::BrickTotals& totals) { return totals.total_bytes(); };
  add(
      "thesis", "thesis", &FileRow::thesis,
      [](const bricks::BrickTotals& totals) { return totals.thesis_bytes; },
      "of the four types of the thesis in its layout");
  add("four", "four types", &FileRow::four, total, "of these four types in our layout");
  add("all", "all types", &FileRow::all, total, "of all types");
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const std::string name(bricks::BrickTypes::kNames[type]);
    table.column(
        listed_as("TYPE", "shares/" + name), "of the volume", rows,
        [=](const FileRow& row) { return measure::share_of(type, *row.all); },
        both({name, Look::fixed(1, 100), "%"}),
        "Share of the volume that lies in bricks of the type, of all types.");
  }
  return table;
}

ResultGroup files_results(const std::vector<BricksOfFile>& files, const std::string& command) {
  ResultGroup results;
  set_origin(results, origin_of(command));
  results.put("files", files_table(files));
  return results;
}

std::string bricks_text(const measure::BricksStats& stats) {
  const std::string forms =
      stats.svdag_bytes ? "\nBeside the SVDAG of the same voxels\n" + text_table(forms_table(stats)).text()
                        : "";
  const std::string is = fmt::format(
      "\nBricks\n{}  {:.2f} % of the volume are filled, {:.2f} bits of overhead for each filled voxel\n{}",
      describe_bricks(stats.bricks), 100 * stats.filled_share(), stats.overhead_bits(), forms);
  if (stats.rows.empty())
    return is + "\nOther sides and types are not measured of a volume as large as this.\n";
  return is + fmt::format(
                  "\nWhat others would take: the thesis's layout, and ours of some types\n{}\nShares of the "
                  "volume, of all types\n{}",
                  text_table(sizes_table(stats)).text(), text_table(shares_table(stats)).text());
}

void set_bricks_stats(ResultGroup& results, const measure::BricksStats& stats) {
  ResultGroup& bricks = set_bricks(results, stats.bricks);
  const ResultTable forms = forms_table(stats);
  bricks.set("filled_share", stats.filled_share(), "of the volume", "Share of the voxels that are filled.")
      .set("dense_share", stats.dense_share(), "of the dense volume's bytes",
           "Size of the bricks divided by that of the volume as an array.")
      .set({"overhead_bits", "overhead"}, stats.overhead_bits(), "bits a filled voxel",
           "Number of bits beyond the filled values themselves.")
      .set(in_json("bits_per_voxel"), forms["bits_per_voxel"].number(0), "bits per filled voxel",
           forms["bits_per_voxel"].about);
  if (stats.svdag_bytes) {
    bricks.group(in_json("svdag"))
        .set("bytes", *stats.svdag_bytes, "bytes",
             "Size of the SVDAG of the same voxels, if the file has both.")
        .set("bits_per_voxel", forms["bits_per_voxel"].number(1), "bits per filled voxel",
             "The same for each filled voxel.")
        .set("bricks_to_svdag", forms["to_svdag"].number(0), "of the SVDAG's bytes",
             "Size of the bricks divided by that of the SVDAG.");
    bricks.put("forms", forms);
  }
  if (stats.rows.empty()) return;
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
  const ResultTable types = types_table(bricks, all_brick_types());
  const uint64_t root_bytes = (bricks.root.size() + bricks.groups.words()) * sizeof(uint32_t);
  const auto root = static_cast<double>(root_bytes);
  const double all = std::max(1.0, static_cast<double>(bricks.bytes()));
  chart.rows = shown_texts(types["name"], Look());
  chart.rows.push_back("root grid");
  chart.series[0].values = types["share"].numbers();
  chart.series[0].values.push_back(0);
  chart.series[1].values = types["bytes"].numbers();
  chart.series[1].values.push_back(root);
  for (double& share : chart.series[0].values) share *= 100;
  for (double& bytes : chart.series[1].values) bytes *= 100 / all;
  HtmlTable table = page_table(types);
  table.row({"root grid", "", "", count_cell(root_bytes)});
  table.total(page_cells(all_types_table(bricks), 0));
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
  page.figure(
      "What other sides and types would take",
      fmt::format(
          "Bricks of one type beside empty ones, of the thesis's four, and of all. The dense volume has {}.",
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

void add_forms(HtmlPage& page, const measure::BricksStats& stats) {
  if (!stats.svdag_bytes) return;
  const ResultTable forms = forms_table(stats);
  BarChart chart = {.title = "Bricks beside the SVDAG",
                    .description = "A bar for each form of the scene: bits for each filled voxel",
                    .unit = "bits a filled voxel",
                    .rows = shown_texts(forms["what"], Look()),
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
  if (stats.rows.empty()) return;
  add_sizes(page, stats);
  add_shares(page, stats);
}

}  // namespace vox
