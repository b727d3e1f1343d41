// The command vox-bench hash.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

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

// The command line of vox-bench hash.

struct HashCommand {
  measure::HashBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
HashCommand read_hash_command(const CommandLine& arguments);

namespace {

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

std::vector<uint32_t> figure8_load_factors() {
  const auto& values = HashBench::kFigure8LoadFactors;
  return {values.begin(), values.end()};
}

OptionTopic hash_axes() {
  const HashBench preset;
  return {.name = "axes",
          .title = "what is measured",
          .options = {
              {.name = "tables",
               .argument = "NAME,...",
               .words = with_all(measure::hash_bench_tables()),
               .preset = "all",
               .help = "Measure these tables."},
              {.name = "item-words",
               .argument = "N,...",
               .usual = fmt::format("the sizes that the tables hold, among {}", axis_text(preset.item_words)),
               .range = OptionRange{HashBench::kFewestWords, HashBench::kMostWords},
               .help = "Number of words of 4 bytes in an item, such as 2,4,6 or 2-10."},
              {.name = "load-factors",
               .argument = "N,...",
               .preset = axis_text(preset.load_factors),
               .range = OptionRange{1, HashBench::kMostLoadFactor},
               .help = "Number of items in a bucket after the insertion."},
              {.name = "hit-rates",
               .argument = "N,...",
               .preset = axis_text(preset.hit_rates),
               .range = OptionRange{0, 100},
               .unit = "per cent",
               .help = "Share of a batch that is found, or that is a copy of other items."},
              {.name = "figure8",
               .help = fmt::format("Change these defaults: --item-words {} --load-factors {}.",
                                   HashBench::kFigure8Words, axis_text(figure8_load_factors()))}}};
}

OptionTopic hash_size() {
  return {.name = "size",
          .title = "the size of the benchmark",
          .options = {{.name = "scale",
                       .argument = "S",
                       .usual = on_each(scale_text(HashBench::kGpuScale), scale_text(HashBench::kCpuScale)),
                       .help = "Multiply the defaults of --fill and --batch by this number."},
                      {.name = "fill",
                       .argument = "N",
                       .usual = format_count(HashBench::kFill) + " times the scale",
                       .range = OptionRange{1, UINT32_MAX},
                       .help = "Fill a table with this number of items."},
                      {.name = "batch",
                       .argument = "N",
                       .usual = format_count(HashBench::kBatch) + " times the scale",
                       .range = OptionRange{1, UINT32_MAX},
                       .help = "Search and insert this number of items at once."},
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
    options.load_factors = figure8_load_factors();
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

}  // namespace

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
               preset.item_words.front(), preset.item_words.back(), axis_text(preset.load_factors)),
           fmt::format("vox-bench hash --figure8                   Figure 8: {} words, {}",
                       HashBench::kFigure8Words, axis_text(figure8_load_factors())),
           "vox-bench hash --html report.html          charts with the spread of the times",
           "vox-bench hash --item-words 6 --scale 1/8  another size, an eighth of the items",
           "vox-bench hash --fill 64M --batch 1M -o report.h5 --csv report.csv"},
      .basics = {"tables", "item-words", "load-factors", "hit-rates", "scale", "repetitions", "output",
                 "html", "against", "device"},
      .more = fmt::format(kAboutHash, fmt::join(hash::growing_key_table_names(), " and "),
                          100 * HashBench::kMostFull),
      .topics = {hash_axes(), hash_size(), result_topic(), device_topic(), general_topic()}};
}

HashCommand read_hash_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    HashCommand command;
    check_effects_of(given);
    command.bench = read_hash_bench(given);
    return command;
  });
}

void run_hash(const CommandLine& arguments, const ReportSink& sink) {
  const HashCommand command = read_hash_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::HashBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  log_info("{} items, batches of {}, on {}", format_count(sizes.fill), format_count(sizes.batch),
           engine->device_text());
  const HashBenchRun run = {run_on(*engine, command.command), measure::bench_hash(*engine, command.bench)};
  report(command, run, *engine, sink);
}

}  // namespace vox
