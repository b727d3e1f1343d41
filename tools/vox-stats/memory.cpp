// Measures a scene for vox-stats within the memory that it may take. What does not fit is left out, and the log says so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/io/compression.h"
#include "formats/results/views.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/derived.h"
#include "tools/vox-stats/stats.h"

namespace vox {
namespace {

bool compares(const SceneStats& stats) {
  return stats.has(Section::Sharing) || stats.has(Section::Sizes);
}

// Returns the scene without its materials, or nothing if it does not fit into memory.
std::optional<dag::FrozenDag> geometry_of(const dag::FrozenDag& dag, const StatsOptions& options) {
  try {
    const uint64_t half = 4 * memory_for_values(options.engine);  // of the memory
    return dag::without_materials(dag, dag.paged ? half : options.engine.memory_limit);
  } catch (const OutOfMemory&) {
    log_info(
        "the scene without its materials is not counted, because it does not fit into memory beside this "
        "one");
    return std::nullopt;
  }
}

// Returns how many bytes the process may still take.
uint64_t memory_left(const StatsOptions& options, const Engine& engine) {
  if (engine.device() != "cpu" || options.engine.memory_limit == 0) return UINT64_MAX;
  return options.engine.memory_limit - std::min(options.engine.memory_limit, resident_bytes());
}

// `geometry` is the scene without materials; nullptr if it does not fit into memory.
void measure_compression(SceneStats& stats, const StatsOptions& options, Engine& engine,
                         const dag::FrozenDag* geometry) {
  const dag::FrozenDag& dag = stats.scene.dag;
  const uint64_t memory = memory_left(options, engine);
  if (geometry != nullptr && !geometry->paged) {
    stats.compression =
        measure::measure_compression(engine, *geometry, deflated_size, zstd_size_or_none(), memory);
  } else {
    stats.compression =
        measure::octree_forms(dag, measure::count_dag(dag, memory_for_values(options.engine)));
    stats.compression->is_complete = false;
  }
  if (dag.materials && geometry != nullptr && !dag.paged && measure::material_forms_memory(dag) <= memory / 2)
    stats.compression->materials = measure::material_forms(dag, *geometry);
  else if (dag.materials)
    stats.compression->is_complete = false;
  if (stats.scene.colors) stats.compression->materials = measure::color_forms(*stats.scene.colors);
  if (!stats.compression->is_complete)
    log_info("the forms that are not shown are not counted, because counting them takes more memory");
}

std::vector<measure::TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag,
                                                 const StatsOptions& options) {
  measure::TablesQuery query = options.tables;
  query.predicts = !options.needs_tables();
  query.times = query.times || engine.device() != "cpu";
  std::vector<measure::TableReport> reports = measure::measure_tables(engine, dag, query);
  for (const measure::TableReport& report : reports)
    if (!report.built)
      log_info("the table {} with load factor {} does not fit into memory: only its predicted size is shown",
               report.table, report.load_factor);
  return reports;
}

}  // namespace

void count_scene(SceneStats& stats, const StatsOptions& options, ranks::Ranks& ranks) {
  const dag::FrozenDag& dag = stats.scene.dag;
  if (compares(stats) || stats.has(Section::Materials)) {
    stats.dag =
        measure::count_dag(dag, 2 * memory_for_values(options.engine), ranks);  // nothing else is held
    if (ranks.rank() == 0) measure::check_counts(*stats.dag, dag);
  } else if (ranks.rank() == 0 && (stats.has(Section::Levels) || stats.has(Section::Scene))) {
    stats.dag = measure::stated_counts(dag);
  }
  throw_if_cancelled();
}

void measure_scene(SceneStats& stats, const StatsOptions& options) {
  const dag::FrozenDag& dag = stats.scene.dag;
  const bool measures_geometry = options.geometry_tables && stats.has(Section::Memory);
  if (measures_geometry && !dag.materials)
    throw Error("the scene has no materials, so that --geometry has no effect");
  const bool compresses = stats.has(Section::Compression);
  const bool needs_geometry = ((compares(stats) || compresses) && dag.materials) || measures_geometry;
  const bool shows_scene = options.html && stats.has(Section::Scene) && dag.voxels > 0;
  const bool needs_picture = shows_scene && !options.viewer;
  if (shows_scene && options.viewer) stats.viewer = viewer_of(stats.scene, options);
  if (needs_geometry || needs_picture || compresses || stats.has(Section::Memory)) {
    // A processor's engine counts the memory that the process holds when it is made.
    std::optional<dag::FrozenDag> geometry;
    if (needs_geometry) geometry = geometry_of(dag, options);
    if (geometry && (compares(stats) || measures_geometry))
      stats.geometry = measure::count_dag(*geometry, memory_for_values(options.engine));
    if (!compresses && !measures_geometry) geometry.reset();
    const std::unique_ptr<Engine> engine = make_engine(options.engine);
    stats.device = engine->device();
    stats.device_text = engine->device_text();
    log_debug("on {}", stats.device_text);
    if (needs_picture) stats.picture = picture_of(*engine, stats.scene);
    if (compresses)
      measure_compression(stats, options, *engine, !dag.materials ? &dag : geometry ? &*geometry : nullptr);
    if (stats.has(Section::Memory)) {
      stats.tables = measure_tables(*engine, dag, options);
      if (measures_geometry && geometry) stats.geometry_tables = measure_tables(*engine, *geometry, options);
    }
    stats.kernels = engine->profile();
  }
  if (!stats.has(Section::Sizes)) return;
  stats.sizes = measure::scene_sizes(dag, *stats.dag, stats.geometry);
  if (stats.hash) stats.sizes.push_back(*stats.hash);
  if (stats.symmetric) stats.sizes.push_back(*stats.symmetric);
}

// The part of vox-stats on hash tables: their memory and their times, for files and for people.

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
  uint32_t where;
  const char* about;
  const char* title = "";  // the heading for people; "" if they do not see the figure
  Heading::Weight weight = Heading::Weight::Plain;
};

using Memory = hash::TableMemory;
constexpr uint32_t kTotalsToo = Figure::kTotals | Figure::kPredicted;
constexpr uint32_t kEverywhere = kTotalsToo | Figure::kPrediction;

// The bytes of a table by purpose come first: six that add up to the total, then two of the allocator.
constexpr std::array kFigures = {
    Figure{"items_bytes", "bytes", [](const Memory& m) { return m.item_bytes; }, kTotalsToo,
           "Size of slots that hold an item.", "items"},
    Figure{"empty_bytes", "bytes", [](const Memory& m) { return m.empty_bytes; },
           Figure::kPredicted | Figure::kPrediction, "Size of slots that hold none.", "empty slots"},
    Figure{"fingerprint_bytes", "bytes", [](const Memory& m) { return m.fingerprint_bytes; },
           Figure::kPredicted, "Size of second hashes or occupancy bits.", "fingerprints"},
    Figure{"link_bytes", "bytes", [](const Memory& m) { return m.link_bytes; }, Figure::kPredicted,
           "Size of what says where the next slab lies.", "links"},
    Figure{"padding_bytes", "bytes", [](const Memory& m) { return m.padding_bytes; }, Figure::kPredicted,
           "Size of what is unused in slabs.", "padding"},
    Figure{"bucket_bytes", "bytes", [](const Memory& m) { return m.bucket_bytes; }, Figure::kPredicted,
           "Size of what says where a bucket's first slab lies.", "buckets"},
    Figure{"total_bytes", "bytes", [](const Memory& m) { return m.total_bytes(); }, kEverywhere,
           "Size of whole slabs and of what leads to them, as the papers count.", "total",
           Heading::Weight::Total},
    Figure{"bitmap_bytes", "bytes", [](const Memory& m) { return m.bitmap_bytes; }, 0,
           "Size of the allocator's bitmaps.", "bitmaps"},
    Figure{"slack_bytes", "bytes", [](const Memory& m) { return m.slack_bytes; }, 0,
           "Size of slabs that no bucket has taken yet.", "slack"},
    Figure{"allocated_bytes", "bytes", [](const Memory& m) { return m.allocated_bytes(); }, Figure::kTotals,
           "The total with the allocator.", "allocated", Heading::Weight::Total},
    Figure{"items", "items", [](const Memory& m) { return m.items; }, kTotalsToo,
           "Number of items in the table."},
    Figure{"buckets", "buckets", [](const Memory& m) { return m.buckets; }, kTotalsToo,
           "Number of its buckets."},
    Figure{"slabs", "slabs", [](const Memory& m) { return m.slabs; }, kEverywhere,
           "Number of slabs in use."}};

Headings headings_of(const Figure& figure) {
  const std::string title = figure.title;
  if (title.empty()) return {};
  return {.screen = {title, Look::mib()}, .page = {title, Look::mib(), "MiB", figure.weight}};
}

// The memory of each table; absent for tables that do not fit into memory and so have not been built.
using Measured = std::vector<std::optional<Memory>>;

// Returns a function that gets the value of a row that has been measured.
auto if_measured(auto of) {
  using Value = std::decay_t<std::invoke_result_t<decltype(of), const Memory&>>;
  return [of](const std::optional<Memory>& memory) {
    return memory ? std::optional<Value>(std::invoke(of, *memory)) : std::nullopt;
  };
}

// Adds the figures of the rows under the names that `name_of` gives them.
void add_figures(ResultTable& table, const Measured& rows, const auto& name_of) {
  for (const Figure& figure : kFigures)
    table.column(name_of(figure), figure.unit, rows, if_measured(figure.of), headings_of(figure),
                 figure.about);
  table.column(in_json("chain_lengths"), "buckets", rows, if_measured(&Memory::chain_lengths),
               "Number of buckets with 0, 1, 2, … slabs.");
}

// Adds what is predicted. A prediction knows nothing of the allocator.
void add_predicted(ResultTable& table, const std::vector<Memory>& rows, const auto& report_name) {
  for (const Figure& figure : kFigures) {
    const bool in_json = (figure.where & Figure::kPrediction) != 0;
    table.column({in_json ? std::string("prediction/") + figure.name : "", report_name(figure)}, figure.unit,
                 rows, figure.of, "The same, predicted from the numbers of items and buckets alone.");
  }
}

// The figures of the items of each size.
ResultTable memory_of_sizes(const measure::TableReport& report) {
  const char* words = "Number of words of an item.";
  Measured measured(report.sizes.begin(), report.sizes.end());
  if (!report.built) measured.resize(report.prediction.size());
  ResultTable table;
  table.column({"item_words", "measured/item_words"}, "words",
               report.built ? report.sizes : report.prediction, &Memory::item_words, words);
  add_figures(table, measured, [](const Figure& figure) {
    return ResultName(figure.name, std::string("measured/") + figure.name);
  });
  table.column(in_report("predicted/item_words"), "words", report.prediction, &Memory::item_words, words);
  add_predicted(table, report.prediction, [](const Figure& figure) {
    return figure.where & Figure::kPredicted ? std::string("predicted/") + figure.name : "";
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
  table.column("slabs", "slabs", slabs, "Number of slabs of a bucket: 0, 1, 2, ….")
      .column("buckets", "buckets", buckets, "Number of buckets that have so many slabs.")
      .column("predicted_buckets", "buckets", expected, "The same, predicted.");
  return table;
}

ResultTable times_table(const dag::FrozenDag& dag, const std::vector<measure::LevelTimes>& levels) {
  Numbers sides;
  for (uint32_t level = 0; level < levels.size(); ++level) sides.push_back(dag.level_side(level));
  ResultTable table;
  const Headings ms = both({"", Look::fixed(3, 1e3)});
  table
      .column(in_report("side"), "voxels", sides, both({"side"}),
              "Side of a node's cube; the first level is the root's.")
      .column("items", "items", levels, &measure::LevelTimes::items, both({"items", Look::count()}),
              "Number of nodes of the level.")
      .column("inserted", "items", levels, &measure::LevelTimes::inserted,
              "Number of those that no level below has.")
      .column({"insert_seconds", "insert"}, "s", levels, &measure::LevelTimes::insert_seconds, ms,
              "Time of the insertion.")
      .column(
          {"find_seconds", "find"}, "s", levels,
          [](const measure::LevelTimes& level) {
            return level.find_seconds > 0 ? std::optional(level.find_seconds) : std::nullopt;
          },
          ms, "Time of a search for all items; with `--times`.");
  return table;
}

// `alone` is the size of the nodes and leaves that the tables hold.
std::vector<TableRow> rows_of_reports(const std::vector<measure::TableReport>& reports, uint64_t alone) {
  std::vector<TableRow> rows;
  for (const measure::TableReport& report : reports) {
    TableRow& row =
        rows.emplace_back(TableRow{&report, measure::sum(report.sizes), measure::sum(report.prediction), {}});
    if (report.built) row.overhead = 0;
    if (alone > 0 && report.built)
      row.overhead = static_cast<double>(row.memory.total_bytes()) / static_cast<double>(alone) - 1;
  }
  return rows;
}

}  // namespace

uint64_t geometry_bytes(const SceneStats& stats) {
  return stats.geometry->all_levels().words * 4;
}

std::vector<TableRow> table_rows(const SceneStats& stats) {
  return rows_of_reports(stats.tables, stats.scene.dag.bytes());
}

std::vector<TableRow> geometry_table_rows(const SceneStats& stats) {
  if (stats.geometry_tables.empty()) return {};
  return rows_of_reports(stats.geometry_tables, geometry_bytes(stats));
}

ResultTable memory_table(const std::vector<TableRow>& rows) {
  Measured measured;
  std::vector<Memory> predicted;
  for (const TableRow& row : rows) {
    measured.push_back(row.report->built ? std::optional(row.memory) : std::nullopt);
    predicted.push_back(row.prediction);
  }
  const auto slabs_a_bucket = [](const Memory& memory) {
    return static_cast<double>(memory.slabs) / static_cast<double>(std::max<uint64_t>(1, memory.buckets));
  };
  const auto longest_chain = [](const Memory& memory) {
    return std::max<size_t>(1, memory.chain_lengths.size()) - 1;
  };
  ResultTable table;
  table
      .column(for_people("table"), "", rows, [](const TableRow& row) { return row.report->table; },
              {.screen = {""}})
      .column(
          "load_factor", "items per bucket", rows,
          [](const TableRow& row) { return row.report->load_factor; }, {.screen = {"load factor"}},
          "Number of items in a bucket, as asked for.");
  add_figures(table, measured, [](const Figure& figure) {
    return ResultName(figure.name, figure.where & Figure::kTotals ? figure.name : "");
  });
  add_predicted(table, predicted, [](const Figure& figure) {
    return std::string_view(figure.name) == "total_bytes" ? "predicted_total_bytes" : "";
  });
  table
      .column(for_people("predicted"), "bytes", predicted,
              [](const Memory& memory) { return memory.total_bytes(); },
              {.screen = {"predicted", Look::mib()}, .page = {"predicted total", Look::mib(), "MiB"}})
      .column("overhead", "of nodes and leaves alone", rows, &TableRow::overhead,
              both({"overhead", Look::fixed(1, 100), "%"}),
              "Share that the table takes more than nodes and leaves alone.")
      .column(
          for_people("slabs_a_bucket"), "slabs", measured, if_measured(slabs_a_bucket),
          {.screen = {"slabs a bucket", Look::fixed(2)}, .page = {"chain, mean", Look::fixed(2), "slabs"}})
      .column(for_people("longest_chain"), "slabs", measured, if_measured(longest_chain),
              {.screen = {"longest"}, .page = {"chain, longest", Look::count(), "slabs"}})
      .column(
          "build_seconds", "s", rows,
          [](const TableRow& row) {
            return row.report->built ? std::optional(row.report->build_seconds) : std::nullopt;
          },
          {.screen = {"build", Look::fixed(2), "s"}, .page = {"built in", Look::fixed(2), "s"}},
          "Time from the scene in host memory to the tables.");
  return table;
}

void set_table(ResultGroup& group, const dag::FrozenDag& dag, const TableRow& row) {
  group.put(".", memory_table({row}), TableShape::Record);
  group.put({"sizes", "."}, memory_of_sizes(*row.report));
  if (!row.report->built) return;
  group.put(in_report("chains"), chains_table(row.memory, row.prediction));
  group.put("levels", times_table(dag, row.report->levels));
}

// JSON has the figures of the first load factor, and all load factors in an array.
void set_tables(ResultGroup& tables, const dag::FrozenDag& dag, const std::vector<TableRow>& rows) {
  for (const TableRow& row : rows) {
    ResultGroup& table = tables.group(listed_as("TABLE", row.report->table));
    if (table.items().empty()) set_table(table.group(in_json(".")), dag, row);
    set_table(table.append(in_json("load_factors")), dag, row);
    const std::string name = fmt::format("load_factor_{}", row.report->load_factor);
    set_table(table.group(listed_as("N", in_report(name))), dag, row);
  }
}

namespace {

// The hash tables on the screen.

// The paper's Table 1, with more rows of the same kind.
std::string total_table(uint64_t alone, const ResultTable& memory) {
  const ColumnNames names = {"table",          "load_factor",   "total_bytes",
                             "overhead",       "predicted",     "allocated_bytes",
                             "slabs_a_bucket", "longest_chain", "build_seconds"};
  TextTable table(screen_titles(memory, names));
  table.row({"Nodes/Leaves Only", "", format_mib(alone)});
  for (size_t row = 0; row < memory.rows(); ++row) table.row(screen_cells(memory, row, names));
  return table.text();
}

std::string purposes_text(const ResultTable& memory) {
  ColumnNames names = {"table", "load_factor"};
  names.insert(names.end(), kPurposes.begin(), kPurposes.end());
  names.insert(names.end(), {"bitmap_bytes", "slack_bytes"});
  return text_table(memory, names).text();
}

bool has_times(const SceneStats& stats) {
  return std::any_of(stats.tables.begin(), stats.tables.end(), [](const measure::TableReport& report) {
    return std::any_of(report.levels.begin(), report.levels.end(),
                       [](const measure::LevelTimes& level) { return level.find_seconds > 0; });
  });
}

// The times with the first load factor.
std::string time_table(const SceneStats& stats) {
  std::vector<std::string> titles = {"side", "items"};
  std::vector<ResultTable> tables;
  for (const measure::TableReport& report : stats.tables)
    if (report.load_factor == stats.tables[0].load_factor && report.built) {
      tables.push_back(times_table(stats.scene.dag, report.levels));
      titles.insert(titles.end(), {report.table + " insert", "find"});
    }
  if (tables.empty()) return "";
  TextTable text(std::move(titles));
  for (size_t level = 0; level < tables[0].rows(); ++level) {
    std::vector<std::string> cells = screen_cells(tables[0], level, {"side", "items"});
    for (const ResultTable& table : tables)
      std::ranges::copy(screen_cells(table, level, {"insert_seconds", "find_seconds"}),
                        std::back_inserter(cells));
    text.row(std::move(cells));
  }
  return text.text();
}

}  // namespace

std::string memory_text(const SceneStats& stats) {
  const ResultTable memory = memory_table(table_rows(stats));
  std::string text =
      fmt::format("\nHash tables on {}, MiB\n{}", stats.device, total_table(stats.scene.dag.bytes(), memory));
  if (!stats.geometry_tables.empty())
    text += "\nThe same without materials, MiB\n" +
            total_table(geometry_bytes(stats), memory_table(geometry_table_rows(stats)));
  if (std::ranges::any_of(stats.tables, &measure::TableReport::built)) text += "\n" + purposes_text(memory);
  if (has_times(stats))
    text += fmt::format("\nMilliseconds a level, load factor {}\n{}", stats.tables[0].load_factor,
                        time_table(stats));
  return text;
}

}  // namespace vox
