// The part of vox-stats on hash tables: their memory and their times, for files and for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

using Numbers = std::vector<uint64_t>;

// A figure of a table: how much it holds, or what its bytes are for. JSON has every figure, and a report has
// it for each size of items; `where` says which other places have it.
struct Figure {
  // The attributes of a table in a report, the group `predicted` there, the object `prediction` in JSON.
  enum : uint32_t { kTotals = 1, kPredicted = 2, kPrediction = 4 };
  const char* name;
  const char* unit;
  uint64_t (*of)(const hash::TableMemory&);
  uint32_t where = 0;
  const char* purpose = "";  // the purpose of the bytes, for people
};

constexpr std::array<Figure, 13> kFigures = {
    {{"items", "items", [](const hash::TableMemory& m) { return m.items; },
      Figure::kTotals | Figure::kPredicted},
     {"buckets", "buckets", [](const hash::TableMemory& m) { return m.buckets; },
      Figure::kTotals | Figure::kPredicted},
     {"slabs", "slabs", [](const hash::TableMemory& m) { return m.slabs; },
      Figure::kTotals | Figure::kPredicted | Figure::kPrediction},
     {"items_bytes", "bytes", [](const hash::TableMemory& m) { return m.item_bytes; },
      Figure::kTotals | Figure::kPredicted, "items"},
     {"empty_bytes", "bytes", [](const hash::TableMemory& m) { return m.empty_bytes; },
      Figure::kPredicted | Figure::kPrediction, "empty slots"},
     {"fingerprint_bytes", "bytes", [](const hash::TableMemory& m) { return m.fingerprint_bytes; },
      Figure::kPredicted, "fingerprints"},
     {"link_bytes", "bytes", [](const hash::TableMemory& m) { return m.link_bytes; }, Figure::kPredicted,
      "links"},
     {"padding_bytes", "bytes", [](const hash::TableMemory& m) { return m.padding_bytes; },
      Figure::kPredicted, "padding"},
     {"bucket_bytes", "bytes", [](const hash::TableMemory& m) { return m.bucket_bytes; }, Figure::kPredicted,
      "buckets"},
     {"bitmap_bytes", "bytes", [](const hash::TableMemory& m) { return m.bitmap_bytes; }, 0, "bitmaps"},
     {"slack_bytes", "bytes", [](const hash::TableMemory& m) { return m.slack_bytes; }, 0, "slack"},
     {"total_bytes", "bytes", [](const hash::TableMemory& m) { return m.total_bytes(); },
      Figure::kTotals | Figure::kPredicted | Figure::kPrediction},
     {"allocated_bytes", "bytes", [](const hash::TableMemory& m) { return m.allocated_bytes(); },
      Figure::kTotals}}};

constexpr std::span<const Figure> kPurposes = std::span(kFigures).subspan(3, 8);

// Adds the figures of the rows under the names that `name_of` gives them.
void add_memory(ResultTable& table, const std::vector<hash::TableMemory>& rows, const auto& name_of) {
  for (const Figure& figure : kFigures) table.column(name_of(figure), figure.unit, rows, figure.of);
}

// The figure's name in a prediction; empty for a figure of the allocator, of which a prediction knows
// nothing.
std::string in_prediction(const Figure& figure) {
  return figure.where & Figure::kPrediction ? std::string("prediction/") + figure.name : "";
}

ResultTable total_memory(const hash::TableMemory& memory, const hash::TableMemory& prediction) {
  ResultTable table;
  add_memory(table, {memory}, [](const Figure& figure) {
    return ResultName(figure.name, figure.where & Figure::kTotals ? figure.name : "");
  });
  table.column(in_json("chain_lengths"), "buckets", std::vector{memory}, &hash::TableMemory::chain_lengths);
  add_memory(table, {prediction}, [](const Figure& figure) {
    return ResultName(in_prediction(figure),
                      in_prediction(figure) == "prediction/total_bytes" ? "predicted_total_bytes" : "");
  });
  return table;
}

ResultTable memory_of_sizes(const measure::TableReport& report) {
  ResultTable table;
  table.column({"item_words", "measured/item_words"}, "words", report.sizes, &hash::TableMemory::item_words);
  add_memory(table, report.sizes, [](const Figure& figure) {
    return ResultName(figure.name, std::string("measured/") + figure.name);
  });
  table.column(in_json("chain_lengths"), "buckets", report.sizes, &hash::TableMemory::chain_lengths)
      .column(in_report("predicted/item_words"), "words", report.prediction, &hash::TableMemory::item_words);
  add_memory(table, report.prediction, [](const Figure& figure) {
    return ResultName(in_prediction(figure),
                      figure.where & Figure::kPredicted ? std::string("predicted/") + figure.name : "");
  });
  return table;
}

ResultTable chains_table(const hash::TableMemory& memory, const hash::TableMemory& prediction) {
  Numbers slabs, buckets = memory.chain_lengths, expected = prediction.chain_lengths;
  const size_t count = std::max(buckets.size(), expected.size());
  for (size_t length = 0; length < count; ++length) slabs.push_back(length);
  buckets.resize(count);
  expected.resize(count);
  ResultTable table;
  table.column("slabs", "slabs", slabs)
      .column("buckets", "buckets", buckets)
      .column("predicted_buckets", "buckets", expected);
  return table;
}

ResultTable times_table(const dag::FrozenDag& dag, const std::vector<measure::LevelTimes>& levels) {
  Numbers sides;
  for (uint32_t level = 0; level < levels.size(); ++level) sides.push_back(dag.level_side(level));
  ResultTable table;
  table.column(in_report("side"), "voxels", sides)
      .column("items", "items", levels, &measure::LevelTimes::items)
      .column("inserted", "items", levels, &measure::LevelTimes::inserted)
      .column({"insert_seconds", "insert"}, "s", levels, &measure::LevelTimes::insert_seconds)
      .column({"find_seconds", "find"}, "s", levels, [](const measure::LevelTimes& level) {
        return level.find_seconds > 0 ? std::optional(level.find_seconds) : std::nullopt;
      });
  return table;
}

void set_table(ResultGroup& group, const dag::FrozenDag& dag, const TableRow& row) {
  const measure::TableReport& report = *row.report;
  group.set("load_factor", report.load_factor, "items per bucket")
      .set("build_seconds", report.build_seconds, "s")
      .set("overhead", row.overhead, "of nodes and leaves alone");
  group.put(".", total_memory(row.memory, row.prediction), TableShape::Record);
  group.put({"sizes", "."}, memory_of_sizes(report));
  group.put(in_report("chains"), chains_table(row.memory, row.prediction));
  group.put("levels", times_table(dag, report.levels));
}

void add_names(ResultTable& table, const std::vector<TableRow>& rows) {
  table
      .column(for_people(), "", rows, [](const TableRow& row) { return row.report->table; }, {.screen = {""}})
      .column(for_people(), "", rows, [](const TableRow& row) { return row.report->load_factor; },
              {.screen = {"load factor"}});
}

void add_purpose(ResultTable& table, const std::vector<TableRow>& rows, const Figure& figure,
                 Headings shown) {
  table.column(
      for_people(), figure.unit, rows, [&](const TableRow& row) { return figure.of(row.memory); },
      std::move(shown));
}

}  // namespace

std::vector<TableRow> table_rows(const SceneStats& stats) {
  const auto alone = static_cast<double>(stats.scene.dag.bytes());
  std::vector<TableRow> rows;
  for (const measure::TableReport& report : stats.tables) {
    TableRow& row =
        rows.emplace_back(TableRow{&report, measure::sum(report.sizes), measure::sum(report.prediction), 0});
    if (alone > 0) row.overhead = static_cast<double>(row.memory.total_bytes()) / alone - 1;
  }
  return rows;
}

ResultTable figures_table(const std::vector<TableRow>& rows) {
  const auto purposes = [&](ResultTable& table, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      add_purpose(table, rows, kPurposes[i], {.page = {kPurposes[i].purpose, Look::mib(), "MiB"}});
  };
  const auto slabs_a_bucket = [](const TableRow& row) {
    return static_cast<double>(row.memory.slabs) /
           static_cast<double>(std::max<uint64_t>(1, row.memory.buckets));
  };
  const auto longest_chain = [](const TableRow& row) {
    return std::max<size_t>(1, row.memory.chain_lengths.size()) - 1;
  };
  ResultTable table;
  add_names(table, rows);
  purposes(table, 0, kPurposesOfTotal);
  table
      .column(
          for_people(), "bytes", rows, [](const TableRow& row) { return row.memory.total_bytes(); },
          {.screen = {"total", Look::mib()}, .page = {"total", Look::mib(), "MiB", Heading::Weight::Total}})
      .column(for_people(), "", rows, &TableRow::overhead, both({"overhead", Look::fixed(1, 100), "%"}))
      .column(for_people(), "bytes", rows, [](const TableRow& row) { return row.prediction.total_bytes(); },
              {.screen = {"predicted", Look::mib()}, .page = {"predicted total", Look::mib(), "MiB"}});
  purposes(table, kPurposesOfTotal, kPurposes.size());
  table
      .column(for_people(), "bytes", rows, [](const TableRow& row) { return row.memory.allocated_bytes(); },
              {.screen = {"allocated", Look::mib()},
               .page = {"allocated", Look::mib(), "MiB", Heading::Weight::Total}})
      .column(
          for_people(), "slabs", rows, slabs_a_bucket,
          {.screen = {"slabs a bucket", Look::fixed(2)}, .page = {"chain, mean", Look::fixed(2), "slabs"}})
      .column(for_people(), "slabs", rows, longest_chain,
              {.screen = {"longest"}, .page = {"chain, longest", Look::count(), "slabs"}})
      .column(for_people(), "s", rows, [](const TableRow& row) { return row.report->build_seconds; },
              {.screen = {"build", Look::fixed(2), "s"}, .page = {"built in", Look::fixed(2), "s"}});
  return table;
}

ResultTable purposes_table(const std::vector<TableRow>& rows) {
  ResultTable table;
  add_names(table, rows);
  for (size_t i = 0; i < kPurposes.size(); ++i)
    add_purpose(
        table, rows, kPurposes[i],
        {.screen = {(i == kPurposesOfTotal ? "+ " : "") + std::string(kPurposes[i].purpose), Look::mib()}});
  return table;
}

// JSON has the figures of the first load factor, and all load factors in an array.
void set_tables(ResultGroup& tables, const SceneStats& stats) {
  const dag::FrozenDag& dag = stats.scene.dag;
  for (const TableRow& row : table_rows(stats)) {
    ResultGroup& table = tables.group(row.report->table);
    if (table.items().empty()) set_table(table.group(in_json(".")), dag, row);
    set_table(table.append(in_json("load_factors")), dag, row);
    set_table(table.group(in_report(fmt::format("load_factor_{}", row.report->load_factor))), dag, row);
  }
}

}  // namespace vox
