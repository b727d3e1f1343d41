#include "tools/vox-bench/bricks_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "formats/file_types.h"
#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/bricks_options.h"
#include "tools/common/device_options.h"
#include "tools/common/option_table.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

constexpr const char* kAboutBricks =
    R"(Measures how fast the hybrid bricks of a volume are read (Labschuetz, chapter 6).

For every size of bricks and set of types: builds the bricks, then runs mean filters over all voxels and gathers
voxels at random and in Morton order, and casts rays for a picture, by the root grid (direct) and by code that is
compiled for these bricks (jit); the dense array comes first, as what no bricks can exceed. Every time is the median
of the repetitions after one that does not count. What is read is compared by a checksum: one other voxel, and the
command fails. On a processor less is done by default, for it to end in about a minute. Ctrl-C ends it too: what has
been measured is written.

FILE is a volume (.raw, .nrrd, .nhdr, .mhd, .mha, .nii, .dat) or a scene file with bricks, or with an SVDAG, whose
materials are the values.

Examples:
  vox-bench bricks engine_256x256x256_uint8.raw --threshold 0.08      Figures 6.2 to 6.4, Table 6.2
  vox-bench bricks village.h5 --brick-sizes 16 --sets all --filters 3
  vox-bench bricks hydrogen.nrrd --brick-sizes 16 --trade-off 17      Figure 5.5
  vox-bench bricks hydrogen.nrrd -o report.h5 --csv rows.csv --html report.html
)";

std::vector<std::string> names_of(const auto& list, const auto& name) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(name(entry));
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

const std::vector<std::string>& set_names() {
  static const std::vector<std::string> names =
      names_of(bricks::kBrickTypeSets, [](const bricks::BrickTypeSet& set) { return set.name; });
  return names;
}

const std::vector<std::string>& access_names() {
  static const std::vector<std::string> names =
      names_of(measure::kAccessNames, [](const char* name) { return name; });
  return names;
}

size_t place_of(const std::string& name, const std::vector<std::string>& names, const char* option) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw UsageError(fmt::format("{} names '{}', expected some of: {}", option, name, joined(names)));
  return static_cast<size_t>(found - names.begin());
}

cxxopts::Options describe_bricks() {
  const measure::BricksBenchOptions preset;
  cxxopts::Options options("vox-bench bricks", kAboutBricks);
  options.custom_help("FILE [options]").positional_help("").set_width(100);
  const auto text = [](const std::string& value = "") {
    return value.empty() ? cxxopts::value<std::string>()
                         : cxxopts::value<std::string>()->default_value(value);
  };
  options.add_options("Axes")("brick-sizes", "Voxels a side, of 4, 8, 16, 32 and 64", text("8,16,32,64"),
                              "LIST")(
      "sets",
      fmt::format("Sets of types, of {}: each of the first beside empty bricks, the thesis's four, all",
                  joined(set_names())),
      text("all,four,octree,dense"),
      "LIST")("access", "Ways to read: direct, kd (the tree, interpreted), jit (the tree, compiled)",
              text("direct,jit"), "LIST")("filters", "Mean filters, voxels a side; none: no filter",
                                          text(axis_text(preset.filters)), "LIST")(
      "trade-off",
      "Points of each curve from least memory to dense bricks, by the strategies of the thesis; 0: none",
      text("0"), "N");
  const auto sized = [](const char* what, auto gpu, auto cpu) {
    return fmt::format("{} (default: {} on a GPU, {} on the CPU)", what, gpu, cpu);
  };
  constexpr measure::BricksBenchSizes kGpu = measure::BricksBenchOptions::kGpuSizes,
                                      kCpu = measure::BricksBenchOptions::kCpuSizes;
  options.add_options("Size")(
      "voxels",
      sized("Voxels to measure, at most: of a volume a box in its middle, of a scene a coarser level; 0: all",
            kGpu.voxels, format_count(kCpu.voxels)),
      text(), "N")(
      "gathers",
      sized("Positions of a gather; 0: no gathers", format_count(kGpu.gathers), format_count(kCpu.gathers)),
      text(), "N")(
      "picture",
      sized("Pixels a side of a picture that rays are cast for; 0: no picture", kGpu.picture, kCpu.picture),
      text(), "N")("repetitions", sized("Of everything", kGpu.repetitions, kCpu.repetitions), text(), "N");
  options.add_options("Compiled code")(
      "jit-budget",
      "Leaves of the kd tree, at most: what is below is looked up in the root grid, as by direct; "
      "1: no tree, sizes and types alone are compiled in",
      text(std::to_string(preset.jit.leaves)), "N");
  add_volume_options(options);
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.add_options("Input")("file", "", text(), "FILE");
  options.parse_positional("file");
  return options;
}

measure::BricksBenchOptions read_bricks_bench(const cxxopts::ParseResult& parsed) {
  const auto given = [&](const char* option) { return parsed[option].as<std::string>(); };
  measure::BricksBenchOptions bench;
  bench.log2_sides.clear();
  for (const uint32_t side : parse_axis(given("brick-sizes"), "--brick-sizes")) {
    if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 ||
        side > 1u << bricks::kMaxBrickLog2)
      throw UsageError(fmt::format("--brick-sizes has {}, expected some of 4, 8, 16, 32 and 64", side));
    bench.log2_sides.push_back(static_cast<uint32_t>(std::countr_zero(side)));
  }
  bench.sets.clear();
  for (const std::string& name : parse_names(given("sets"), "--sets"))
    bench.sets.push_back(bricks::kBrickTypeSets[place_of(name, set_names(), "--sets")]);
  bench.accesses.clear();
  for (const std::string& name : parse_names(given("access"), "--access"))
    bench.accesses.push_back(static_cast<bricks::Access>(place_of(name, access_names(), "--access")));
  bench.filters.clear();
  if (given("filters") != "none") bench.filters = parse_axis(given("filters"), "--filters");
  if (parsed.count("voxels")) bench.voxels = parse_count(given("voxels"), "--voxels");
  if (parsed.count("gathers")) bench.gathers = parse_count(given("gathers"), "--gathers");
  if (parsed.count("picture")) bench.picture = parse_axis(given("picture"), "--picture").front();
  bench.trade_off = parse_axis(given("trade-off"), "--trade-off").front();
  if (parsed.count("repetitions"))
    bench.repetitions = parse_axis(given("repetitions"), "--repetitions").front();
  bench.jit.leaves = parse_axis(given("jit-budget"), "--jit-budget").front();
  bench.threshold = read_threshold_options(parsed);
  measure::check(bench);
  return bench;
}

void check_given(const std::vector<std::string>& given, const BricksCommand& command) {
  enum : uint32_t { kRaw = 1, kTree = 2 };
  static constexpr const char* kOfRawFiles = "it is for raw volumes, whose files do not say it";
  static constexpr OptionRow kTable[] = {{"dims", kRaw, kOfRawFiles},
                                         {"type", kRaw, kOfRawFiles},
                                         {"endian", kRaw, kOfRawFiles},
                                         {"offset", kRaw, kOfRawFiles},
                                         {"jit-budget", kTree, "it is for --access kd and jit"}};
  const bool is_scene = has_role(command.input, FileRole::Scene);
  RunTraits run = {.bits = 0, .what = is_scene ? "a scene file" : "this volume"};
  if (!is_scene && !has_volume_header(command.input)) run.bits |= kRaw;
  for (const bricks::Access access : command.bench.accesses)
    if (access == bricks::Access::KdTree || access == bricks::Access::Compiled) run.bits |= kTree;
  check_options(given, kTable, run);
}

}  // namespace

BricksCommand parse_bricks_command(int argc, char** argv) {
  return parsed_command(
      describe_bricks(), {"Axes", "Size", "Compiled code", "Volumes", "Results", "Device"}, argc, argv,
      [](const cxxopts::ParseResult& parsed, const std::vector<std::string>& given_options) {
        BricksCommand command;
        if (parsed.count("file") == 0) throw UsageError("no volume named");
        command.input = parsed["file"].as<std::string>();
        command.raw = read_raw_options(parsed);
        command.bench = read_bricks_bench(parsed);
        check_given(given_options, command);
        return command;
      });
}

}  // namespace vox
