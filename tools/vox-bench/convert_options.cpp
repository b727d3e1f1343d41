#include "tools/vox-bench/convert_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using ConvertBench = measure::ConvertBenchOptions;

constexpr const char* kAboutConvert =
    R"(Measures how meshes become SVDAGs, phase by phase, over resolutions, rules of coverage and materials.

  load       the file, where there is one
  palette    16 colours of the surface, and its textures as their entries
  voxelize   triangles to leaves of 4 x 4 x 4 voxels
  build      leaves to the canonical SVDAG in the memory of the host; freeze is the last part of it
  write      the scene file, with --write

Every time is the median of the repetitions after one that does not count. Every repetition has an engine of its own,
as a run of vox-convert has; only the start of CUDA, and its kernels' way to the GPU, are behind it. All repetitions
have to give the same scene, or the command fails. With --profile the kernels' times come from a repetition of their
own, and the page shows what of each conversion goes into which kernel.

MESH is any mesh that vox-convert reads, several are measured one after the other; without one it is a displaced sphere.

Examples:
  vox-bench convert                                          a sphere, geometry alone and with 16 materials
  vox-bench convert house.glb --res 1K,4K,16K --html house.html
  vox-bench convert --coverage conservative,thin --materials none --json > before.json
  vox-bench convert --materials none --against before.json   what became slower since then
  vox-bench convert --res 8K --write /tmp --profile          with the time of writing, and of every kernel
)";

template <size_t kCount>
std::string resolutions_text(const std::array<uint32_t, kCount>& resolutions) {
  return fmt::format("{}", fmt::join(resolutions, ","));
}

cxxopts::Options describe_convert() {
  cxxopts::Options options("vox-bench convert", kAboutConvert);
  options.custom_help("[MESH…] [options]").positional_help("").set_width(100);
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto preset = [](const std::string& value) {
    return cxxopts::value<std::string>()->default_value(value);
  };
  auto axes = options.add_options("Axes");
  axes("res",
       fmt::format("Voxels along the longest side (default: {} on a GPU, {} on the CPU)",
                   resolutions_text(ConvertBench::kGpuResolutions),
                   resolutions_text(ConvertBench::kCpuResolutions)),
       text(), "LIST");
  axes("coverage", "conservative, thin: which voxels a triangle fills, see vox-convert",
       preset("conservative"), "NAMES");
  axes("materials", "none: geometry alone; texture: the surface's colours; mesh: the mesh's own materials",
       preset("none,texture"), "NAMES");
  auto size = options.add_options("Size");
  size("triangles",
       fmt::format("Of the sphere, where no file is named (default: {} on a GPU, {} on the CPU)",
                   format_count(ConvertCommand::kGpuTriangles), format_count(ConvertCommand::kCpuTriangles)),
       text(), "N");
  size("repetitions",
       fmt::format("Of everything that is timed (default: {} on a GPU, {} on the CPU)",
                   ConvertBench::kGpuRepetitions, ConvertBench::kCpuRepetitions),
       text(), "N");
  size("write", "Write each scene too, to a file in this folder that is removed again", text(), "DIR");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.add_options("Input")("meshes", "", cxxopts::value<std::vector<std::string>>(), "MESH…");
  options.parse_positional({"meshes"});
  return options;
}

// The meshes one by one: cxxopts would cut a name at its commas.
std::vector<std::filesystem::path> named_meshes(const cxxopts::ParseResult& parsed) {
  std::vector<std::filesystem::path> meshes;
  for (const cxxopts::KeyValue& argument : parsed.arguments())
    if (argument.key() == "meshes") meshes.emplace_back(argument.value());
  return meshes;
}

std::optional<uint64_t> read_triangles(const cxxopts::ParseResult& parsed, bool has_meshes) {
  constexpr uint64_t kFewest = 12;
  const auto value = given(parsed, "triangles");
  if (!value) return std::nullopt;
  if (has_meshes)
    throw UsageError("--triangles has no effect on meshes of files: it is for the sphere that is generated");
  const uint64_t triangles = parse_count(*value, "--triangles");
  if (triangles < kFewest || triangles > scene::kMaxSphereTriangles)
    throw UsageError(
        fmt::format("--triangles is {}, expected {} to {}", *value, kFewest, scene::kMaxSphereTriangles));
  return triangles;
}

std::optional<std::filesystem::path> read_folder(const cxxopts::ParseResult& parsed) {
  const auto value = given(parsed, "write");
  std::error_code failed;
  if (value && !std::filesystem::is_directory(*value, failed))
    throw UsageError(fmt::format("--write is '{}', which is not a folder", *value));
  return value;
}

measure::ConvertBenchOptions read_convert_bench(const cxxopts::ParseResult& parsed) {
  measure::ConvertBenchOptions bench;
  if (const auto value = given(parsed, "res")) bench.resolutions = parse_axis(*value, "--res");
  bench.coverages = parse_choices<scene::Coverage>(parsed["coverage"].as<std::string>(), "--coverage",
                                                   measure::kCoverageNames);
  bench.materials = parse_choices<scene::MaterialMode>(parsed["materials"].as<std::string>(), "--materials",
                                                       measure::kMaterialModeNames);
  bench.repetitions = one_number(parsed, "repetitions");
  measure::check(bench);
  return bench;
}

}  // namespace

ConvertCommand parse_convert_command(int argc, char** argv) {
  return parsed_command(describe_convert(), {"Axes", "Size", "Results", "Device"}, argc, argv,
                        [](const cxxopts::ParseResult& parsed, const std::vector<std::string>&) {
                          ConvertCommand command;
                          command.meshes = named_meshes(parsed);
                          command.triangles = read_triangles(parsed, !command.meshes.empty());
                          command.write = read_folder(parsed);
                          command.bench = read_convert_bench(parsed);
                          return command;
                        });
}

}  // namespace vox
