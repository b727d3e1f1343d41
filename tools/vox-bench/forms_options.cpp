#include "tools/vox-bench/forms_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/device_options.h"
#include "tools/common/option_table.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using FormsBench = measure::FormsBenchOptions;
using measure::Form;

constexpr const char* kAboutForms =
    R"(Measures the three forms in which a scene's voxels can be kept, side by side: SVDAG, hybrid bricks, spatial hash.

Of each form: its bytes, how long making it takes, and how fast voxels are read from it. All forms run the same loops
over the same voxels:

  random    voxels at random, half of them filled, the others a few voxels away from one that is
  uniform   voxels at random anywhere in the grid, most of them empty
  rows      rows of 32 voxels along x through the surface, side by side
  blocks    blocks of 4 x 4 x 4 voxels that the surface goes through, in Morton order
  mean      a mean filter around each voxel of such blocks; what it reads counts
  rays      rays through the pixels of a picture of the whole scene, to the first voxel that is filled

Rays go through the SVDAG as in vox-render, pass over empty bricks, and ask the hash for voxel after voxel: it does
not know how far it is empty. What a loop finds is compared by a checksum: one other voxel than in the SVDAG, and the
command fails when all is written. Every time is the median of the repetitions after one that does not count. A form
that cannot be made, or does not fit, is a line that says why.

FILE is a scene file, or a mesh, which is voxelized; without one it is the village that vox-scene makes.

Examples:
  vox-bench forms                                               the village
  vox-bench forms house.glb --res 2K --html forms.html
  vox-bench forms scene.h5 --brick-sizes 8,16,32 --load-factors 0.5,0.95
  vox-bench forms scene.h5 --forms svdag,hash -o forms.h5 --csv rows.csv
)";

std::string sized_text(const std::string& what, uint64_t gpu, uint64_t cpu) {
  return fmt::format("{} (default: {} on a GPU, {} on the CPU)", what, format_count(gpu), format_count(cpu));
}

void describe_forms_axes(cxxopts::Options& options) {
  const FormsBench preset;
  const auto text = [](const std::string& value) {
    return cxxopts::value<std::string>()->default_value(value);
  };
  auto add = options.add_options("Axes");
  add("forms", "Forms, of svdag, bricks and hash",
      text(fmt::format("{}", fmt::join(measure::kFormNames, ","))), "NAMES");
  add("brick-sizes", "Voxels a side of bricks, of 4, 8, 16, 32 and 64, or auto: what takes least memory",
      text("auto"), "LIST");
  add("load-factors", "Voxels for each cell of a spatial hash, above 0 to 1",
      text(fmt::format("{}", fmt::join(preset.load_factors, ","))), "LIST");
  add("key-layouts", "Keys of a spatial hash: morton, Morton codes; linear, row by row",
      text(fmt::format("{}", fmt::join(spatial::kKeyLayoutNames, ","))), "NAMES");
  add("filter", "Voxels a side of the mean filter, an odd number", text(std::to_string(preset.filter)), "N");
}

cxxopts::Options describe_forms() {
  constexpr measure::FormsBenchSizes kGpu = FormsBench::kGpuSizes, kCpu = FormsBench::kCpuSizes;
  cxxopts::Options options("vox-bench forms", kAboutForms);
  options.custom_help("[FILE] [options]").positional_help("").set_width(100);
  const auto text = [] { return cxxopts::value<std::string>(); };
  describe_forms_axes(options);
  auto add = options.add_options("Size");
  add("res",
      fmt::format(
          "Voxels along the longest side of a mesh (default: {} on a GPU, {} on the CPU); of a scene file "
          "a coarser level (default: its own)",
          default_forms_resolution("cuda"), default_forms_resolution("cpu")),
      text(), "N");
  add("gathers",
      sized_text("Voxels that random, uniform, rows and blocks look at, at most; 0: none of them",
                 kGpu.gathers, kCpu.gathers),
      text(), "N");
  add("means", sized_text("Voxels that mean has the mean of, at most; 0: no filter", kGpu.means, kCpu.means),
      text(), "N");
  add("picture", sized_text("Pixels a side of the picture of rays; 0: no rays", kGpu.picture, kCpu.picture),
      text(), "N");
  add("repetitions", sized_text("Of everything that is timed", kGpu.repetitions, kCpu.repetitions), text(),
      "N");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.add_options("Input")("file", "", text(), "FILE");
  options.parse_positional("file");
  return options;
}

std::vector<uint32_t> parse_brick_sizes(const std::string& text) {
  std::vector<uint32_t> log2_sides;
  for (const std::string& name : parse_names(text, "--brick-sizes")) {
    if (name == "auto") {
      log2_sides.push_back(0);
      continue;
    }
    const uint64_t side = parse_count(name, "--brick-sizes");
    if (!std::has_single_bit(side) || side < 1u << bricks::kMinBrickLog2 ||
        side > 1u << bricks::kMaxBrickLog2)
      throw UsageError(fmt::format("--brick-sizes has {}, expected some of 4, 8, 16, 32, 64 and auto", name));
    log2_sides.push_back(static_cast<uint32_t>(std::countr_zero(side)));
  }
  return log2_sides;
}

FormsBench read_forms_bench(const cxxopts::ParseResult& parsed) {
  const auto text = [&](const char* option) { return parsed[option].as<std::string>(); };
  FormsBench bench;
  bench.forms = parse_choices<Form>(text("forms"), "--forms", measure::kFormNames);
  bench.log2_sides = parse_brick_sizes(text("brick-sizes"));
  bench.load_factors = parse_fractions(text("load-factors"), "--load-factors");
  bench.layouts.clear();
  const std::vector<std::string> layouts(spatial::kKeyLayoutNames.begin(), spatial::kKeyLayoutNames.end());
  for (const size_t layout : parse_choices(text("key-layouts"), "--key-layouts", layouts))
    bench.layouts.push_back(static_cast<spatial::KeyLayout>(layout));
  bench.filter =
      static_cast<uint32_t>(std::min<uint64_t>(parse_count(text("filter"), "--filter"), UINT32_MAX));
  if (const auto value = given(parsed, "gathers")) bench.gathers = parse_count(*value, "--gathers");
  if (const auto value = given(parsed, "means")) bench.means = parse_count(*value, "--means");
  bench.picture = one_number(parsed, "picture");
  bench.repetitions = one_number(parsed, "repetitions");
  measure::check(bench);
  return bench;
}

void check_forms_given(const std::vector<std::string>& given, const FormsBench& bench) {
  enum : uint32_t { kBricks = 1, kHash = 2, kMeans = 4 };
  static constexpr OptionRow kTable[] = {{"brick-sizes", kBricks, "it is for the form bricks"},
                                         {"load-factors", kHash, "it is for the form hash"},
                                         {"key-layouts", kHash, "it is for the form hash"},
                                         {"filter", kMeans, "there is no filter"}};
  RunTraits run = {.bits = 0, .what = "what is measured"};
  if (bench.means != 0u) run.bits |= kMeans;
  for (const Form form : bench.forms) {
    if (form == Form::Bricks) run.bits |= kBricks;
    if (form == Form::Hash) run.bits |= kHash;
  }
  check_options(given, kTable, run);
}

}  // namespace

uint32_t default_forms_resolution(const std::string& device) {
  constexpr uint32_t kGpuResolution = 2048, kCpuResolution = 512;
  return device == "cpu" ? kCpuResolution : kGpuResolution;
}

FormsCommand parse_forms_command(int argc, char** argv) {
  return parsed_command(
      describe_forms(), {"Axes", "Size", "Results", "Device"}, argc, argv,
      [](const cxxopts::ParseResult& parsed, const std::vector<std::string>& given_options) {
        FormsCommand command;
        command.input = given(parsed, "file");
        command.resolution = read_resolution(parsed);
        command.bench = read_forms_bench(parsed);
        check_forms_given(given_options, command.bench);
        return command;
      });
}

}  // namespace vox
