#include "tools/vox-bench/edit_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_list.h"
#include "tools/common/device_options.h"
#include "tools/common/option_table.h"
#include "tools/common/option_values.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using EditBench = measure::EditBenchOptions;
using measure::EditSeriesKind;

constexpr const char* kAboutEdit =
    R"(Measures edits of a scene: milliseconds of series of edits, by kernel (Molenaar & Eisemann 2024, Figure 9).

  spheres    one of each radius, added at a voxel of the surface
  copies     boxes of each side, from one voxel of the surface to another; in sequence many of them, dragged along
  small      small spheres at many voxels of the surface, in batches
  gc         garbage collection: of the scene as it was read, and of what spheres leave when they are undone

Of spheres and copies there are three orders: fresh, each on the scene as it was read, in a session of its own;
collected, the same, but after others that were undone and collected; sequence, one after the other, where later edits
meet what the first ones have made. Times are of one edit, the median of the repetitions after one that does not count.
Every row says the work: nodes and leaves that were made, and those of them that the scene did not have. A repetition
that makes others, and the command fails. With --profile the kernels' times come from a repetition of their own, and the
page shows what of each edit goes into which kernel.

SCENE.h5 is a scene file, or a mesh, which is voxelized; without one it is the city that vox-scene makes.

Examples:
  vox-bench edit                                             the city
  vox-bench edit scene.h5 --profile --html edits.html        a scene, with charts of the kernels
  vox-bench edit --res 128K --series spheres                 the spheres of the paper at its resolution
  vox-bench edit scene.h5 --json > before.json
  vox-bench edit scene.h5 --against before.json              what became slower since then
)";

std::string orders_text(const std::vector<measure::EditOrder>& orders) {
  std::string text;
  for (const measure::EditOrder order : orders)
    text += (text.empty() ? "" : ",") + std::string(measure::kEditOrderNames[static_cast<size_t>(order)]);
  return text;
}

void describe_edit_axes(cxxopts::Options& options) {
  const EditBench preset;
  const auto text = [](const std::string& value) {
    return cxxopts::value<std::string>()->default_value(value);
  };
  const auto bare = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options("Axes");
  add("series", "Series of edits, of spheres, copies, small and gc",
      text(fmt::format("{}", fmt::join(measure::kEditSeriesNames, ","))), "NAMES");
  add("orders",
      "fresh: each on the scene as it was read; collected: each after a garbage collection; sequence: one "
      "after "
      "the other",
      text(orders_text(preset.orders)), "NAMES");
  add("radii", "Of spheres, in voxels (default: 12, as far as they differ, from 1140 to 1820 at 128K)",
      bare(), "LIST");
  add("sides",
      "Of boxes that are copied, in voxels (default: 12, as far as they differ, from 254 to 586 at 64K)",
      bare(), "LIST");
  add("small-radius", "Of small spheres, in voxels", text(std::to_string(preset.small_radius)), "N");
  add("batches", "Small spheres in one pass, at most", text(axis_text(preset.batches)), "LIST");
  add("table", fmt::format("Hash table that holds the scene: {}", fmt::join(hash::table_names(), ", ")),
      text(EngineOptions().table), "NAME");
}

cxxopts::Options describe_edit() {
  cxxopts::Options options("vox-bench edit", kAboutEdit);
  options.custom_help("[SCENE.h5] [options]").positional_help("").set_width(100);
  const auto text = [] { return cxxopts::value<std::string>(); };
  describe_edit_axes(options);
  const auto defaults = [](uint32_t gpu, uint32_t cpu) {
    return fmt::format("(default: {} on a GPU, {} on the CPU)", format_count(gpu), format_count(cpu));
  };
  auto add = options.add_options("Size");
  add("res",
      fmt::format(
          "Voxels along the longest side of a mesh {}; of a scene file a coarser level (default: its own)",
          defaults(default_edit_resolution("cuda"), default_edit_resolution("cpu"))),
      text(), "N");
  add("copies", "Copies of each side in sequence " + defaults(EditBench::kGpuCopies, EditBench::kCpuCopies),
      text(), "N");
  add("small", "Small spheres " + defaults(EditBench::kGpuSmall, EditBench::kCpuSmall), text(), "N");
  add("seed", "Of the places", cxxopts::value<std::string>()->default_value("1"), "N");
  add("repetitions",
      "Of everything that is timed " + defaults(EditBench::kGpuRepetitions, EditBench::kCpuRepetitions),
      text(), "N");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.add_options("Input")("file", "", text(), "SCENE.h5");
  options.parse_positional("file");
  return options;
}

EditBench read_edit_bench(const cxxopts::ParseResult& parsed) {
  const auto text = [&](const char* option) { return parsed[option].as<std::string>(); };
  EditBench bench;
  bench.series = parse_choices<EditSeriesKind>(text("series"), "--series", measure::kEditSeriesNames);
  bench.orders = parse_choices<measure::EditOrder>(text("orders"), "--orders", measure::kEditOrderNames);
  if (const auto value = given(parsed, "radii")) bench.radii = parse_axis(*value, "--radii");
  if (const auto value = given(parsed, "sides")) bench.sides = parse_axis(*value, "--sides");
  bench.small_radius = parse_number_of(text("small-radius"), "--small-radius");
  bench.batches = parse_axis(text("batches"), "--batches");
  bench.copies = one_number(parsed, "copies");
  bench.small = one_number(parsed, "small");
  bench.repetitions = one_number(parsed, "repetitions");
  bench.seed = parse_count(text("seed"), "--seed");
  measure::check(bench);
  return bench;
}

// Small spheres have one order, and a collection after spheres is one in sequence.
void check_edit_given(const std::vector<std::string>& given, const EditBench& bench) {
  enum : uint32_t { kSpheres = 1, kCopies = 2, kManyCopies = 4, kSmall = 8, kPlaces = 16 };
  static constexpr OptionRow kTable[] = {{"radii", kSpheres, "it is for spheres"},
                                         {"sides", kCopies, "it is for copies"},
                                         {"copies", kManyCopies, "it is for copies in sequence"},
                                         {"small", kSmall, "it is for small spheres"},
                                         {"small-radius", kSmall, "it is for small spheres"},
                                         {"batches", kSmall, "it is for small spheres"},
                                         {"seed", kPlaces, "a garbage collection has no place"}};
  const bool sequence = is_asked_for(bench, measure::EditOrder::Sequence);
  const bool copies = is_asked_for(bench, EditSeriesKind::Copies);
  const bool spheres = is_asked_for(bench, EditSeriesKind::Spheres) ||
                       (is_asked_for(bench, EditSeriesKind::Collect) && sequence);
  const bool small = is_asked_for(bench, EditSeriesKind::Small);
  RunTraits run = {.bits = 0, .what = "what is measured"};
  if (spheres) run.bits |= kSpheres;
  if (copies) run.bits |= kCopies;
  if (copies && sequence) run.bits |= kManyCopies;
  if (small) run.bits |= kSmall;
  if (spheres || copies || small) run.bits |= kPlaces;
  check_options(given, kTable, run);
}

}  // namespace

uint32_t default_edit_resolution(const std::string& device) {
  constexpr uint32_t kGpuResolution = 32768, kCpuResolution = 2048;
  return device == "cpu" ? kCpuResolution : kGpuResolution;
}

EditCommand parse_edit_command(int argc, char** argv) {
  return parsed_command(
      describe_edit(), {"Axes", "Size", "Results", "Device"}, argc, argv,
      [](const cxxopts::ParseResult& parsed, const std::vector<std::string>& given_options) {
        EditCommand command;
        command.input = given(parsed, "file");
        command.resolution = read_resolution(parsed);
        command.bench = read_edit_bench(parsed);
        check_edit_given(given_options, command.bench);
        command.engine.table = parse_name(parsed, "table", hash::table_names());
        return command;
      });
}

}  // namespace vox
