#include "tools/vox-stats/bricks.h"

#include <fmt/format.h>

#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/common/bricks_report.h"

namespace vox {
namespace {

uint32_t side_of(const bricks::BrickTotals& totals) {
  return 1u << totals.log2_side;
}

std::string cube_text(const bricks::BrickTotals& totals) {
  return fmt::format("{}³", side_of(totals));
}

// Adds the bytes that bricks of each side and set of types take.
void add_sizes(measure::ResultTable& table, const measure::BricksStats& stats) {
  const std::vector<bricks::BrickTotals>& totals = stats.rows[0].sizes;
  table.column({"size", "sizes/size"}, "voxels", totals, side_of, {.page = {"side", {}, "voxels"}})
      .column(measure::for_people(), "", totals, cube_text, {.screen = {"size"}})
      .column(measure::for_people(), "bricks", totals, &bricks::BrickTotals::bricks,
              {.screen = {"bricks", measure::Look::count()}})
      .column({"thesis_bytes", "sizes/thesis"}, "bytes", totals, &bricks::BrickTotals::thesis_bytes,
              {.screen = {"thesis", measure::Look::bytes()}});
  for (const measure::BrickTypesRow& row : stats.rows)
    table.column(
        {"bytes/" + row.name, "sizes/" + row.name}, "bytes", row.sizes, &bricks::BrickTotals::total_bytes,
        {.screen = {row.name, measure::Look::bytes()}, .page = {row.name, measure::Look::count(), "bytes"}});
  table.column(measure::for_people(), "bytes", totals, &bricks::BrickTotals::thesis_bytes,
               {.page = {"thesis", measure::Look::count(), "bytes"}});
}

// Adds the shares of the types for each side, where all types are allowed.
void add_shares(measure::ResultTable& table, const measure::BricksStats& stats) {
  table
      .column(measure::in_report("shares/size"), "voxels", stats.all_types(), side_of,
              {.page = {"side", {}, "voxels"}})
      .column(measure::for_people(), "", stats.all_types(), cube_text, {.screen = {"size"}});
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    const std::string name(bricks::BrickTypes::kNames[type]);
    table.column(
        "shares/" + name, "of the volume", stats.all_types(),
        [&](const bricks::BrickTotals& totals) { return measure::share_of(type, totals); },
        measure::both({name, measure::Look::fixed(1, 100), "%"}));
  }
}

}  // namespace

measure::ResultTable sizes_table(const measure::BricksStats& stats) {
  measure::ResultTable table;
  add_sizes(table, stats);
  return table;
}

measure::ResultTable shares_table(const measure::BricksStats& stats) {
  measure::ResultTable table;
  add_shares(table, stats);
  return table;
}

measure::ResultTable forms_table(const measure::BricksStats& stats) {
  const std::vector<measure::SceneSize> forms = stats.forms();
  const auto bits = [&](const measure::SceneSize& form) {
    return measure::bits_per_voxel(form, stats.bricks.filled);
  };
  const auto to_svdag = [&](const measure::SceneSize& form) { return stats.to_svdag(form); };
  measure::ResultTable table;
  table.column("name", "", forms, &measure::SceneSize::name)
      .column(measure::for_people(), "", forms, &measure::SceneSize::text,
              measure::both({"form", measure::Look::words()}))
      .column("bytes", "bytes", forms, &measure::SceneSize::bytes,
              {.screen = {"size", measure::Look::bytes()}, .page = {"size", measure::Look::count(), "bytes"}})
      .column("bits_per_voxel", "bits per filled voxel", forms, bits,
              {.screen = {"bits a filled voxel", measure::Look::fixed(3)},
               .page = {"a filled voxel", measure::Look::fixed(3), "bits"}})
      .column("to_svdag", "of the SVDAG's bytes", forms, to_svdag,
              measure::both({"of the SVDAG", measure::Look::fixed(2), "×"}));
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

void set_bricks_stats(measure::ResultGroup& results, const measure::BricksStats& stats) {
  measure::ResultGroup& bricks = set_bricks(results, stats.bricks);
  const measure::ResultTable forms = forms_table(stats);
  bricks.set("filled_share", stats.filled_share(), "of the volume")
      .set("dense_share", stats.dense_share(), "of the dense volume's bytes")
      .set({"overhead_bits", "overhead"}, stats.overhead_bits(), "bits a filled voxel")
      .set(measure::in_json("bits_per_voxel"), forms["bits_per_voxel"].number(0), "bits per filled voxel");
  if (stats.svdag_bytes) {
    bricks.group(measure::in_json("svdag"))
        .set("bytes", *stats.svdag_bytes, "bytes")
        .set("bits_per_voxel", forms["bits_per_voxel"].number(1), "bits per filled voxel")
        .set("bricks_to_svdag", forms["to_svdag"].number(0), "of the SVDAG's bytes");
    bricks.put("forms", forms);
  }
  measure::ResultTable& sizes = bricks.table({"sizes", "."});
  add_sizes(sizes, stats);
  add_shares(sizes, stats);
}

}  // namespace vox
