#include "tools/vox-bench/convert_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/error.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/targets.h"
#include "tools/vox-bench/bench_options.h"
#include "tools/vox-bench/commands.h"

namespace vox {
namespace {

using ConvertBench = measure::ConvertBenchOptions;

enum ConvertBenchTrait : uint32_t { kGeneratedSphere = 1 };

constexpr uint64_t kFewestTriangles = 12;

constexpr const char* kAboutConvert = R"(These phases are measured:
  load       reads the file, if there is one
  palette    chooses 16 colours of the surface, and turns its textures into them
  voxelize   turns triangles into leaves of 4 x 4 x 4 voxels
  build      turns leaves into the canonical SVDAG in the host's memory; freeze is its last part
  write      writes the scene file, with --write

Every time is the median of the repetitions after one that does not count. Every repetition has an engine of its own,
as a run of vox-convert has, but the start of CUDA and the loading of its kernels are done by then. All repetitions must
give the same scene, or the command fails. With --profile, the kernels' times come from a repetition of their own, and
the page shows which share of each conversion goes into which kernel.

MESH is any mesh that vox-convert reads; several are measured one after the other. Without a mesh, a displaced sphere is
measured.
)";

template <size_t kCount>
std::string resolutions_text(const std::array<uint32_t, kCount>& resolutions) {
  return fmt::format("{}", fmt::join(resolutions, ","));
}

OptionTopic convert_axes() {
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {
          {.name = "res",
           .argument = "N,...",
           .usual = on_each(resolutions_text(ConvertBench::kGpuResolutions),
                            resolutions_text(ConvertBench::kCpuResolutions)),
           .range = OptionRange{voxelize::kMinResolution, voxelize::kMaxResolution},
           .setting = "resolution",
           .help = "Numbers of voxels along the longest side."},
          {.name = "coverage",
           .argument = "NAME,...",
           .words = words_of(measure::kCoverageNames),
           .preset = "conservative",
           .help = "Rules for the voxels that a triangle fills; vox-convert explains them."},
          {.name = "materials",
           .argument = "NAME,...",
           .words = words_of(measure::kMaterialModeNames),
           .preset = "none,texture",
           .help = "none: geometry alone; texture: the surface's colours; mesh: the mesh's own materials."}}};
}

OptionTopic convert_size() {
  return {
      .name = "size",
      .title = "the size of the benchmark",
      .options = {
          {.name = "triangles",
           .argument = "N",
           .usual = counts_on_each(ConvertCommand::kGpuTriangles, ConvertCommand::kCpuTriangles),
           .range = OptionRange{kFewestTriangles, scene::kMaxSphereTriangles},
           .rules = {{kGeneratedSphere, "it is for the sphere that is generated"}},
           .help = "Number of triangles of the sphere, if no file is named."},
          repetitions_option({1, ConvertBench::kMostRepetitions},
                             counts_on_each(ConvertBench::kGpuRepetitions, ConvertBench::kCpuRepetitions)),
          plain_option("write", "DIR", "",
                       "Also write each scene, to a file in this folder that is removed again.")}};
}

std::optional<std::filesystem::path> read_folder(const CommandLine& arguments) {
  const auto folder = arguments.given("write");
  std::error_code failed;
  if (folder && !std::filesystem::is_directory(*folder, failed))
    throw UsageError(fmt::format("--write is '{}', which is not a folder", *folder));
  return folder;
}

ConvertBench read_convert_bench(const CommandLine& arguments) {
  ConvertBench bench;
  if (arguments.has("res")) bench.resolutions = arguments.axis("res");
  bench.coverages = arguments.choices<scene::Coverage>("coverage");
  bench.materials = arguments.choices<scene::MaterialMode>("materials");
  bench.repetitions = arguments.given_whole("repetitions");
  measure::check(bench);
  return bench;
}

}  // namespace

ToolDescription convert_description() {
  return {
      .program = "vox-bench convert",
      .usage = "[MESH...] [options]",
      .about =
          "Measures how meshes become SVDAGs, phase by phase, over resolutions, rules of coverage and "
          "materials.\n",
      .examples =
          {"vox-bench convert                                          a sphere, without and with 16 "
           "materials",
           "vox-bench convert house.glb --res 1K,4K,16K --html house.html",
           "vox-bench convert --materials none --against before.json   what is slower than in an earlier run",
           "vox-bench convert --coverage conservative,thin --materials none --json > before.json",
           "vox-bench convert --res 8K --write /tmp --profile          with the time of writing and of "
           "kernels"},
      .basics = {"res", "coverage", "materials", "triangles", "repetitions", "write", "output", "html",
                 "against", "device"},
      .more = kAboutConvert,
      .topics = {convert_axes(), convert_size(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "meshes",
                    .argument = "MESH",
                    .repeats = Repeats::Yes,
                    .help = "Meshes of any format that vox-convert reads."}}};
}

ConvertCommand read_convert_command(const CommandLine& arguments) {
  return read_command(arguments, [](const CommandLine& given) {
    ConvertCommand command;
    command.meshes = given.paths("meshes");
    check_effects(given.given_options(), {command.meshes.empty() ? kGeneratedSphere : 0u, "meshes of files"});
    command.triangles = given.given_count("triangles");
    command.write = read_folder(given);
    command.bench = read_convert_bench(given);
    for (const std::filesystem::path& mesh : command.meshes) check_input(mesh);
    return command;
  });
}

}  // namespace vox
