// The command vox-bench hash, and its results.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/hash_bench.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct HashCommand : BenchCommand {
  measure::HashBenchOptions bench;
};

using HashBench = measure::HashBenchOptions;

constexpr const char* kAboutHash =
    R"(For every size of items, load factor and table, the program fills a table with items, searches a batch of them
for every hit rate, fills new tables and inserts a batch of new items. Every time is the median of the repetitions
after a first one that is not counted. Every repetition searches for other items, and its results are checked: if one
item is found too many or too few, the command fails. Random reads of 32 and of 128 bytes are measured first and show
the limit of the memory. Then come the tables that find the duplicates inside a batch.

The tables {} hold keys, which are items of 1 and 2 words. The first one is like SlabHash, whose buckets are lists of
slabs; the second one is like DyCuckoo, whose buckets of 128 bytes are filled to {} % at most, whatever the load
factor. The other tables hold items of 2 words and more.
)";

OptionTopic hash_axes() {
  const HashBench preset;
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {
          names_option("tables", with_all(measure::hash_bench_tables()), "all", "Measure these tables."),
          number_option("item-words", "N,...",
                        fmt::format("the sizes that the tables hold, among {}", joined(preset.item_words)),
                        {HashBench::kFewestWords, HashBench::kMostWords},
                        "Number of words of 4 bytes in an item, such as 2,4,6 or 2-10."),
          {.name = "load-factors",
           .argument = "N,...",
           .preset = joined(preset.load_factors),
           .range = OptionRange{1, HashBench::kMostLoadFactor},
           .help = "Number of items in a bucket after the insertion."},
          {.name = "hit-rates",
           .argument = "N,...",
           .preset = joined(preset.hit_rates),
           .range = OptionRange{0, 100},
           .unit = "per cent",
           .help = "Share of a batch that is found, or that is a copy of other items."},
          {.name = "figure8",
           .help = fmt::format("Change these defaults: --item-words {} --load-factors {}.",
                               HashBench::kFigure8Words, joined(HashBench::kFigure8LoadFactors))}}};
}

OptionTopic hash_size() {
  return {
      .name = "size",
      .title = "the size of the benchmark",
      .options = {plain_option("scale", "S",
                               on_each(scale_text(HashBench::kGpuScale), scale_text(HashBench::kCpuScale)),
                               "Multiply the defaults of --fill and --batch by this number."),
                  number_option("fill", "N", format_count(HashBench::kFill) + " times the scale",
                                {1, UINT32_MAX}, "Fill a table with this number of items."),
                  number_option("batch", "N", format_count(HashBench::kBatch) + " times the scale",
                                {1, UINT32_MAX}, "Search and insert this number of items at once."),
                  repetitions_option({HashBench::kFewestRepetitions, HashBench::kMostRepetitions},
                                     std::to_string(HashBench().repetitions))}};
}

// Leaves out the sizes of items that none of the tables holds.
void leave_out_unheld(HashBench& options) {
  if (options.tables.empty()) return;
  std::erase_if(options.item_words, [&](uint32_t words) {
    return std::ranges::none_of(
        options.tables, [&](const std::string& table) { return measure::holds_items_of(table, words); });
  });
}

HashBench read_hash_bench(const CommandLine& arguments) {
  HashBench options;
  if (arguments.has("figure8")) {
    options.item_words = {HashBench::kFigure8Words};
    options.load_factors = {HashBench::kFigure8LoadFactors.begin(), HashBench::kFigure8LoadFactors.end()};
  }
  if (arguments.text("tables") != "all") options.tables = arguments.names("tables");
  if (arguments.has("item-words"))
    options.item_words = arguments.axis("item-words");
  else if (!arguments.has("figure8"))
    leave_out_unheld(options);
  if (arguments.has("load-factors")) options.load_factors = arguments.axis("load-factors");
  options.hit_rates = arguments.axis("hit-rates");
  if (arguments.has("scale")) options.scale = arguments.scale("scale");
  options.fill = arguments.given_count("fill");
  options.batch = arguments.given_count("batch");
  if (arguments.has("repetitions")) options.repetitions = arguments.whole("repetitions");
  measure::check(options);
  return options;
}

// Refuses an option if two others already state everything that it would choose.
void check_effects_of(const CommandLine& arguments) {
  if (arguments.has("scale") && arguments.has("fill") && arguments.has("batch"))
    throw UsageError("--scale has no effect on --fill with --batch: they state what it would multiply");
  if (arguments.has("figure8") && arguments.has("item-words") && arguments.has("load-factors"))
    throw UsageError("--figure8 has no effect on --item-words with --load-factors: it is for their defaults");
}

HashCommand read_hash_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    HashCommand command;
    check_effects_of(given);
    command.bench = read_hash_bench(given);
    return command;
  });
}

}  // namespace

ResultTable rows_table(const HashBenchRun& run) {
  using Row = measure::HashBenchRow;
  const std::vector<Row>& rows = run.result.rows;
  ResultTable table;
  table
      .column("table", "", rows, &Row::table,
              "Name of the hash table, or of the way in which duplicates are found.")
      .column("item_words", "words", rows, &Row::item_words, "Number of words of 4 bytes in an item.")
      .column("load_factor", "items per bucket", rows, &Row::load_factor,
              "Number of items in a bucket after the insertion, as asked for. `cuckoo_buckets` fills at most "
              "85 % of its slots. 0 for duplicates.")
      .column("op", "", rows, &Row::op, "The operation: `fill`, `search`, `insert` or `duplicates`.")
      .column("hit_rate", "percent", rows, &Row::hit_rate,
              "Share of the searched items that are stored, or of a batch's items that are copies.");
  add_times(table, rows);
  table.column("repetitions", "", rows, &Row::repetitions, "Number of repetitions.")
      .column("items", "items", rows, &Row::items, "Number of items that a repetition works on.")
      .column("bytes", "bytes", rows, &Row::bytes, "Size of the table afterwards; 0 if it is not counted.")
      .column("allocated_bytes", "bytes", rows, &Row::allocated_bytes,
              "Size of the table with its allocator; 0 if it is not counted.")
      .column("bytes_per_op", "bytes per item", rows, &Row::bytes_per_op,
              "Bytes in the sectors of 32 bytes that an item touches; 0 if they are not counted.")
      .column("ceiling_share", "1", rows, &Row::ceiling_share,
              "Share of the ceiling of random reads of 32 bytes.")
      .column("ceiling_share_128", "1", rows, &Row::ceiling_share_128,
              "Share of the ceiling of random reads of 128 bytes.")
      .column(
          "slabs_per_search", "slabs", rows, &Row::slabs_per_search,
          "Mean number of slabs, or of lines and overflow sectors, that a search looks at; 0 if not counted.")
      .column("false_candidates", "items", rows, &Row::false_candidates,
              "Mean number of items that a search compares in vain; 0 if not counted.");
  return table;
}

void set_results(ResultGroup& hash, const HashBenchRun& run) {
  hash.set("fill", run.result.sizes.fill, "items", "Number of items that a table is filled with.")
      .set("batch", run.result.sizes.batch, "items",
           "Number of items that are searched, and inserted, at once.");
  set_seconds(hash, run.result.seconds);
  hash.put("ceilings", ceilings_table(run.result.ceilings));
  hash.put("rows", rows_table(run));
}

namespace {

// The lines that vox-bench hash prints: of each table with items of one size, as in Table 2 with the insertion first.

// "0.512 ±  2 %  45 %": the median in ms, how far the others are from it at most, the share of the ceiling.
std::string time_text(const ResultRow& row) {
  const double share = row.number("ceiling_share");
  return fmt::format("{} ±{:3.0f} %{}", row.text("ms", Look::fixed(3)), time_of(row).spread() * 100,
                     share > 0 ? fmt::format("{:5.0f} %", share * 100) : "");
}

bool is_of(const ResultRow& row, std::string_view op) {
  return row.word("op") == op;
}

std::vector<LinePart> parts_of(const ResultRow& row) {
  std::vector<LinePart> parts = {
      {0, "words, table", fmt::format("{:>2}  {}", row.text("item_words"), row.word("table"))}};
  if (!is_of(row, "duplicates")) parts.push_back({0, "load", row.text("load_factor")});
  if (is_of(row, "insert")) parts.push_back({1, "insert", time_text(row)});
  if (is_of(row, "search")) parts.push_back({2, "search " + row.text("hit_rate") + " %", time_text(row)});
  if (is_of(row, "duplicates")) parts.push_back({2, row.text("hit_rate") + " % copies", time_text(row)});
  if (is_of(row, "fill")) parts.push_back({3, "MiB filled", row.text("bytes", Look::mib())});
  if (is_of(row, "insert")) parts.push_back({3, "MiB inserted", row.text("bytes", Look::mib())});
  return parts;
}

std::string axes_of(const ResultRow& row) {
  return row.text("item_words") + " " + row.text("load_factor");
}

// There is a gap where the next item size or load factor begins, if there are several tables.
const LineView kHashLines = {
    .line = [](const ResultRow& row) { return row.word("table") + " " + axes_of(row); },
    .parts = parts_of,
    .gap =
        [](const ResultRow& before, const ResultRow& row) {
          return before.word("table") != row.word("table") && axes_of(before) != axes_of(row);
        }};

std::string lines_text(const ResultRows& rows) {
  return rows.empty() ? "" : "\n" + line_table(rows, kHashLines).text();
}

}  // namespace

std::string table_text(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const ResultTable table = rows_table(run);
  ResultRows rows = rows_of(table);
  const ResultRows duplicates = rows_with(rows, text_in("op"), "duplicates");
  std::erase_if(rows, [](const ResultRow& row) { return is_of(row, "duplicates"); });
  return fmt::format(
      "{}: {} items, then {} searched and {} inserted\n"
      "{}times in ms: median, how far the others are from it, share of the first of these ceilings in "
      "sectors of\n"
      "32 bytes (above 100 % where sectors lie side by side or caches help); load: items per bucket at the "
      "end\n"
      "{}{}",
      run.device_text, format_count(fill), format_count(batch), format_count(batch),
      ceilings_text(run.result.ceilings), lines_text(rows), lines_text(duplicates));
}

namespace {

// The page that vox-bench hash writes with --html.

const FigureAxis kItemWords = {
    .column = "item_words", .title = "words in an item", .panel = [](const ResultRow& row) {
      // Finding duplicates has no load factor.
      return row.number("load_factor") == 0 ? "" : ", " + row.text("load_factor") + " items per bucket";
    }};
const FigureAxis kLoadFactors = {
    .column = "load_factor",
    .title = "items per bucket",
    .scale = ChartScale::Log,
    .panel = [](const ResultRow& row) { return ", " + row.text("item_words") + " words"; }};

FigureQuantity times_of(uint64_t items) {
  return {.column = "ms",
          .unit = "ms",
          .caption = fmt::format(
              "{} items; lower is faster. Median of the repetitions, with the fastest and the slowest: in "
              "the chart as area and strokes, which end at its upper edge where the slowest lies beyond it.",
              format_count(items)),
          .look = Look::fixed(3),
          .range = range_of_times};
}

const FigureQuantity kHashMemory = {.column = "bytes",
                                    .unit = "MiB",
                                    .caption = "Whole slabs and what leads to them; lower is smaller.",
                                    .look = Look::mib()};

// Adds the figures of an operation: for each text of `title` and each value of the other axis one, with a line for each
// table.
void add_figures(HtmlPage& page, const ResultRows& rows, const TextOfRow& title, const FigureAxis& axis,
                 const FigureQuantity& quantity) {
  for (const std::string& text : texts_of(rows, title)) {
    const ResultRows titled = rows_with(rows, title, text);
    for (const std::string& panel : texts_of(titled, axis.panel))
      add_line_figure(page, text + panel, rows_with(titled, axis.panel, panel), axis, text_in("table"),
                      quantity);
  }
}

const FigureAxis& axis_of(const ResultRows& rows) {
  std::vector<std::string> load_factors = texts_of(rows, text_in("load_factor"));
  std::erase(load_factors, "0");
  const bool one_size = texts_of(rows, text_in("item_words")).size() <= 1;
  return one_size && load_factors.size() > 1 ? kLoadFactors : kItemWords;
}

TextOfRow words(const std::string& text) {
  return [text](const ResultRow&) { return text; };
}

}  // namespace

HtmlPage page_of(const HashBenchRun& run) {
  const auto& [fill, batch] = run.result.sizes;
  const ResultTable table = rows_table(run);
  const ResultRows rows = rows_of(table);
  const auto of = [&](const char* op) { return rows_with(rows, text_in("op"), op); };
  const FigureAxis& axis = axis_of(rows);
  const FigureQuantity times = times_of(batch);
  HtmlPage page(
      "Hash tables on " + run.device_text,
      fmt::format("Tables of {} items, then {} searched and {} inserted. Measured in {}.", format_count(fill),
                  format_count(batch), format_count(batch), format_seconds(run.result.seconds)));
  page.section("Insertion");
  add_figures(page, of("insert"), words("New items"), axis, times);
  page.section("Search");
  add_figures(
      page, of("search"),
      [](const ResultRow& row) { return row.text("hit_rate") + " % of the items are stored"; }, axis, times);
  page.section("Memory");
  add_figures(page, of("insert"), words("After the insertion"), axis, kHashMemory);
  page.section("Duplicates");
  add_figures(
      page, of("duplicates"),
      [](const ResultRow& row) { return row.text("hit_rate") + " % of a batch are copies"; }, kItemWords,
      times);
  add_ceilings(page, run.result.ceilings);
  return page;
}

ToolDescription hash_bench_description() {
  const HashBench preset;
  return {
      .program = "vox-bench hash",
      .usage = "[options]",
      .about =
          "Measures the hash tables that hold a DAG while it is edited (Molenaar & Eisemann 2024, §6.1).\n",
      .examples =
          {fmt::format(
               "vox-bench hash                             Table 2: {} to {} words, {} items a bucket",
               preset.item_words.front(), preset.item_words.back(), joined(preset.load_factors)),
           fmt::format("vox-bench hash --figure8                   Figure 8: {} words, {}",
                       HashBench::kFigure8Words, joined(HashBench::kFigure8LoadFactors)),
           "vox-bench hash --html report.html          charts with the spread of the times",
           "vox-bench hash --item-words 6 --scale 1/8  another size, an eighth of the items",
           "vox-bench hash --fill 64M --batch 1M -o report.h5 --csv report.csv"},
      .basics = {"tables", "item-words", "load-factors", "hit-rates", "scale", "repetitions", "output",
                 "html", "against", "device"},
      .more = fmt::format(kAboutHash, fmt::join(hash::growing_key_table_names(), " and "),
                          100 * HashBench::kMostFull),
      .topics = {hash_axes(), hash_size(), result_topic(), device_topic(), general_topic()}};
}

void run_hash(const CommandLine& arguments, const ReportSink& sink) {
  const HashCommand command = read_hash_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::HashBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  log_info("{} items, batches of {}, on {}", format_count(sizes.fill), format_count(sizes.batch),
           engine->device_text());
  const HashBenchRun run = {run_on(*engine, command.command), measure::bench_hash(*engine, command.bench)};
  report(command, run, engine->profile(), sink);
}

}  // namespace vox
