#include "tools/vox-stats/bricks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "libvox/base/units.h"
#include "libvox/bricks/types/type_sets.h"
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
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      cells.push_back(fmt::format("{:.1f} %", 100 * share_of(type, totals)));
    table.row(std::move(cells));
  }
  return table.text();
}

std::string forms_table(const BricksStats& stats) {
  if (!stats.svdag_bytes) return "";
  TextTable table({"form", "size", "bits a filled voxel", "of the SVDAG"});
  for (const SceneSize& form : stats.forms())
    table.row({form.text, format_bytes(form.bytes),
               fmt::format("{:.3f}", bits_per_voxel(form, stats.bricks.filled)),
               fmt::format("{:.2f} ×", stats.to_svdag(form))});
  return "\nBeside the SVDAG of the same voxels\n" + table.text();
}

}  // namespace

double share_of(uint32_t type, const BrickTotals& totals) {
  return ratio(totals.voxels[type], std::accumulate(totals.voxels.begin(), totals.voxels.end(), uint64_t{0}));
}

std::vector<SceneSize> BricksStats::forms() const {
  std::vector<SceneSize> forms = {
      {"bricks", fmt::format("bricks of {}³", bricks.shape().side()), bricks.bytes()}};
  if (svdag_bytes) forms.push_back({"svdag", "SVDAG", *svdag_bytes});
  return forms;
}

double BricksStats::to_svdag(const SceneSize& form) const {
  return ratio(form.bytes, svdag_bytes.value_or(0));
}

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
  BricksStats stats = {.bricks = std::move(bricks), .rows = {}, .svdag_bytes = {}};
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
      "\nBricks\n{}filled       {:.2f} % of the volume, {:.2f} bits of overhead for each filled voxel\n{}"
      "\nWhat others would take: the thesis's layout, and ours of some types\n{}"
      "\nShares of the volume, of all types\n{}",
      describe_bricks(stats.bricks), 100 * stats.filled_share(), stats.overhead_bits(), forms_table(stats),
      sizes_table(stats), types_table(stats));
}

void set_bricks_stats(Json& json, const BricksStats& stats) {
  Json& object = set_bricks(json, stats.bricks);
  object.set("filled_share", stats.filled_share())
      .set("dense_share", stats.dense_share())
      .set("overhead_bits", stats.overhead_bits());
  const std::vector<SceneSize> forms = stats.forms();
  object.set("bits_per_voxel", bits_per_voxel(forms[0], stats.bricks.filled));
  if (stats.svdag_bytes)
    object.object("svdag")
        .set("bytes", *stats.svdag_bytes)
        .set("bits_per_voxel", bits_per_voxel(forms[1], stats.bricks.filled))
        .set("bricks_to_svdag", stats.to_svdag(forms[0]));
  Json& sizes = object.array("sizes");
  for (size_t size = 0; size < stats.rows[0].sizes.size(); ++size) {
    Json& entry = sizes.append();
    entry.set("size", side_of(stats.rows[0].sizes[size]))
        .set("thesis_bytes", stats.rows[0].sizes[size].thesis_bytes);
    Json& bytes = entry.object("bytes");
    for (const BrickTypesRow& row : stats.rows) bytes.set(row.name, row.sizes[size].total_bytes());
    const BrickTotals& all = stats.rows.back().sizes[size];
    Json& shares = entry.object("shares");
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      shares.set(std::string(BrickTypes::kNames[type]), share_of(type, all));
  }
}

namespace {

template <class Value>
auto column(const BrickTypesRow& row, const Value& value) {
  std::vector<decltype(value(row.sizes[0]))> values;
  for (const BrickTotals& totals : row.sizes) values.push_back(value(totals));
  return values;
}

uint64_t side_number(const BrickTotals& totals) {
  return side_of(totals);
}

// What each side and set of types takes, and which types there are of each side.
void add_sizes(ReportGroup& group, const BricksStats& stats) {
  ReportGroup& sizes = group.group("sizes");
  sizes.column("size", column(stats.rows[0], side_number), "voxels")
      .column("thesis", column(stats.rows[0], [](const BrickTotals& t) { return t.thesis_bytes; }), "bytes");
  for (const BrickTypesRow& row : stats.rows)
    sizes.column(row.name, column(row, [](const BrickTotals& t) { return t.total_bytes(); }), "bytes");
  ReportGroup& shares = group.group("shares");
  shares.column("size", column(stats.rows.back(), side_number), "voxels");
  for (uint32_t type = 0; type < kBrickTypeCount; ++type)
    shares.column(std::string(BrickTypes::kNames[type]),
                  column(stats.rows.back(), [&](const BrickTotals& t) { return share_of(type, t); }),
                  "of the volume");
}

void add_forms(ReportGroup& group, const BricksStats& stats) {
  if (!stats.svdag_bytes) return;
  std::vector<std::string> names;
  std::vector<uint64_t> bytes;
  std::vector<double> bits, ratios;
  for (const SceneSize& form : stats.forms()) {
    names.push_back(form.name);
    bytes.push_back(form.bytes);
    bits.push_back(bits_per_voxel(form, stats.bricks.filled));
    ratios.push_back(stats.to_svdag(form));
  }
  group.group("forms")
      .column("name", std::move(names))
      .column("bytes", std::move(bytes), "bytes")
      .column("bits_per_voxel", std::move(bits), "bits per filled voxel")
      .column("to_svdag", std::move(ratios), "of the SVDAG's bytes");
}

}  // namespace

void add_bricks(ReportGroup& group, const BricksStats& stats) {
  const FrozenBricks& bricks = stats.bricks;
  group.set("bytes", bricks.bytes(), "bytes")
      .set("size", bricks.shape().side(), "voxels")
      .set("dense_bytes", bricks.info.bytes(), "bytes")
      .set("filled", bricks.filled, "voxels")
      .set("filled_share", stats.filled_share(), "of the volume")
      .set("dense_share", stats.dense_share(), "of the dense volume's bytes")
      .set("overhead", stats.overhead_bits(), "bits a filled voxel");
  std::vector<std::string> names(BrickTypes::kNames.begin(), BrickTypes::kNames.end());
  std::vector<uint64_t> bytes;
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) bytes.push_back(bricks.type_bytes(type));
  group.group("types")
      .column("name", std::move(names))
      .column("bricks", std::vector<uint64_t>(bricks.counts.begin(), bricks.counts.end()), "bricks")
      .column("bytes", std::move(bytes), "bytes");
  add_sizes(group, stats);
  add_forms(group, stats);
}

}  // namespace vox
