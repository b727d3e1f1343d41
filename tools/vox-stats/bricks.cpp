#include "tools/vox-stats/bricks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libvox/base/units.h"
#include "libvox/bricks/type_sets.h"
#include "tools/common/bricks_report.h"
#include "tools/common/text_table.h"

namespace vox {
namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

uint32_t side_of(const BrickTotals& totals) {
  return 1u << totals.log2_side;
}

std::string sizes_table(const BricksStats& stats) {
  std::vector<std::string> titles = {"size", "bricks", "thesis"};
  for (const BrickTypesRow& row : stats.rows) titles.push_back(row.name);
  TextTable table(std::move(titles));
  for (size_t size = 0; size < stats.rows[0].sizes.size(); ++size) {
    const BrickTotals& first = stats.rows[0].sizes[size];
    std::vector<std::string> cells = {fmt::format("{}³", side_of(first)), format_count(first.bricks),
                                      format_bytes(first.thesis_bytes)};
    for (const BrickTypesRow& row : stats.rows) cells.push_back(format_bytes(row.sizes[size].total_bytes()));
    table.row(std::move(cells));
  }
  return table.text();
}

// Of all types.
std::string types_table(const BricksStats& stats) {
  std::vector<std::string> titles = {"size"};
  titles.insert(titles.end(), BrickTypes::kNames.begin(), BrickTypes::kNames.end());
  TextTable table(std::move(titles));
  for (const BrickTotals& totals : stats.rows.back().sizes) {
    std::vector<std::string> cells = {fmt::format("{}³", side_of(totals))};
    for (const uint64_t count : totals.counts)
      cells.push_back(fmt::format("{:.1f} %", 100 * ratio(count, totals.bricks)));
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

double BricksStats::filled_share() const {
  return ratio(bricks.filled, bricks.info.box().voxels());
}

double BricksStats::dense_share() const {
  return ratio(bricks.bytes(), bricks.info.bytes());
}

double BricksStats::overhead_bits() const {
  if (bricks.filled == 0) return 0;
  const double values = static_cast<double>(bricks.filled) * value_bytes(bricks.info.type);
  return (static_cast<double>(bricks.bytes()) - values) * 8 / static_cast<double>(bricks.filled);
}

BricksStats measure_bricks(FrozenBricks bricks, Engine& engine) {
  BricksStats stats = {.bricks = std::move(bricks), .rows = {}};
  const Volume volume = bricks_volume(stats.bricks);
  for (const BrickTypeSet& set : kBrickTypeSets) {
    BricksOptions options;
    options.types = set.types;
    stats.rows.push_back({set.title, engine.measure_bricks(volume, options)});
  }
  return stats;
}

std::string bricks_text(const BricksStats& stats) {
  return fmt::format(
      "\nBricks\n{}filled       {:.2f} % of the volume, {:.2f} bits of overhead for each filled voxel\n"
      "\nWhat others would take: the thesis's layout, and ours of some types\n{}"
      "\nShares of the volume, of all types\n{}",
      describe_bricks(stats.bricks), 100 * stats.filled_share(), stats.overhead_bits(), sizes_table(stats),
      types_table(stats));
}

void set_bricks_stats(Json& json, const BricksStats& stats) {
  Json& object = set_bricks(json, stats.bricks);
  object.set("filled_share", stats.filled_share())
      .set("dense_share", stats.dense_share())
      .set("overhead_bits", stats.overhead_bits());
  Json& sizes = object.array("sizes");
  for (size_t size = 0; size < stats.rows[0].sizes.size(); ++size) {
    Json& entry = sizes.append();
    entry.set("size", side_of(stats.rows[0].sizes[size]))
        .set("thesis_bytes", stats.rows[0].sizes[size].thesis_bytes);
    Json& bytes = entry.object("bytes");
    for (const BrickTypesRow& row : stats.rows) bytes.set(row.name, row.sizes[size].total_bytes());
  }
}

void add_bricks(ReportGroup& group, const BricksStats& stats) {
  const FrozenBricks& bricks = stats.bricks;
  group.set("bytes", bricks.bytes(), "bytes")
      .set("size", bricks.shape().side(), "voxels")
      .set("dense_bytes", bricks.info.bytes(), "bytes")
      .set("filled", bricks.filled, "voxels")
      .set("overhead", stats.overhead_bits(), "bits a filled voxel");
  std::vector<std::string> names(BrickTypes::kNames.begin(), BrickTypes::kNames.end());
  std::vector<uint64_t> bytes;
  for (const Words& data : bricks.data) bytes.push_back(data.size() * sizeof(uint32_t));
  group.group("types")
      .column("name", std::move(names))
      .column("bricks", std::vector<uint64_t>(bricks.counts.begin(), bricks.counts.end()), "bricks")
      .column("bytes", std::move(bytes), "bytes");
  const auto column = [](const BrickTypesRow& row, auto value) {
    std::vector<uint64_t> values;
    for (const BrickTotals& totals : row.sizes) values.push_back(value(totals));
    return values;
  };
  ReportGroup& sizes = group.group("sizes");
  sizes.column("size", column(stats.rows[0], side_of), "voxels")
      .column("thesis", column(stats.rows[0], [](const BrickTotals& t) { return t.thesis_bytes; }), "bytes");
  for (const BrickTypesRow& row : stats.rows)
    sizes.column(row.name, column(row, [](const BrickTotals& t) { return t.total_bytes(); }), "bytes");
}

}  // namespace vox
