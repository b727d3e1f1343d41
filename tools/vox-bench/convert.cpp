// The command vox-bench convert.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/images/palette_file.h"
#include "formats/mesh/mesh.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/convert_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/columns.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {

// The command line of vox-bench convert.

struct ConvertCommand {
  static constexpr uint64_t kGpuTriangles = 1'000'000, kCpuTriangles = 100'000;

  std::vector<std::filesystem::path> meshes;   // if there are none, a sphere is measured
  std::optional<uint64_t> triangles;           // triangles of the sphere; none for the device's default
  std::optional<std::filesystem::path> write;  // a folder for the files whose writing is measured
  measure::ConvertBenchOptions bench;
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Throws UsageError, and Error if an input is missing.
ConvertCommand read_convert_command(const CommandLine& arguments);

namespace {

using ConvertBench = measure::ConvertBenchOptions;

enum ConvertBenchTrait : uint32_t { kGeneratedSphere = 1 };

constexpr uint64_t kFewestTriangles = 12;

constexpr const char* kAboutConvert = R"(These phases are measured:
  load       reads the file, if there is one
  palette    chooses 16 colors of the surface, and turns its textures into them
  voxelize   turns triangles into leaves of 4 x 4 x 4 voxels
  build      turns leaves into the canonical SVDAG in the host's memory; freeze is its last part
  write      writes the scene file, with --write

Every time is the median of the repetitions after a first one that is not counted. Every repetition has an engine of
its own, as a run of vox-convert has, but CUDA has already started and loaded its kernels. All repetitions must give
the same scene, or the command fails. With --profile, the kernels' times come from a repetition of their own, and the
page shows which share of each conversion goes into which kernel.

MESH is any mesh that vox-convert reads; several are measured one after the other. Without a mesh, a displaced sphere is
measured.
)";

template <size_t kCount>
std::string resolutions_text(const std::array<uint32_t, kCount>& resolutions) {
  return fmt::format("{}", fmt::join(resolutions, ","));
}

OptionTopic convert_axes() {
  return {.name = "axes",
          .title = "what is measured",
          .options = {{.name = "res",
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
                       .help = "none: geometry alone; texture: the surface's colors in a palette of 16; "
                               "mesh, object: the mesh's own materials or objects; colors: 24-bit colors "
                               "stored beside the geometry."}}};
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

ToolDescription convert_bench_description() {
  return {
      .program = "vox-bench convert",
      .usage = "[MESH...] [options]",
      .about =
          "Measures how meshes become SVDAGs, phase by phase, over resolutions, rules of coverage and "
          "materials.\n",
      .examples =
          {"vox-bench convert                                          a sphere, with and without materials",
           "vox-bench convert house.glb --res 1K,4K,16K --html house.html",
           "vox-bench convert --materials none --against before.json   what is slower than in an earlier run",
           "vox-bench convert --coverage conservative,thin --materials none --json > before.json",
           "vox-bench convert --res 8K --write /tmp --profile          times of writing and of kernels"},
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
    for (const std::filesystem::path& mesh : command.meshes) check_exists(mesh);
    return command;
  });
}

namespace {

// Writes scenes to a file in a folder, one after the other.
std::function<measure::WrittenScene(const dag::VoxelScene&)> writer_to(const std::filesystem::path& folder) {
  return [file = folder / fmt::format("vox-bench-{}.h5", getpid())](const dag::VoxelScene& scene) {
    const Stopwatch watch;
    write_scene(scene, file);
    const double seconds = watch.seconds();
    const uint64_t bytes = std::filesystem::file_size(file);
    std::filesystem::remove(file);
    return measure::WrittenScene{bytes, seconds};
  };
}

scene::Scene make_sphere(uint64_t triangles) {
  scene::Scene scene = scene::make_bumpy_sphere({.triangles = triangles});
  scene::drop_bad_triangles(scene);
  return scene;
}

std::vector<measure::ConvertSource> sources_of(const ConvertCommand& command, const std::string& device) {
  measure::ConvertSource source;
  source.choose_palette = [](scene::Scene& scene, scene::MaterialMode materials) {
    return choose_palette(scene, {.materials = materials, .file = {}}).indexed;
  };
  if (command.write) source.write = writer_to(*command.write);
  if (command.meshes.empty()) {
    const uint64_t triangles = command.triangles.value_or(device == "cpu" ? ConvertCommand::kCpuTriangles
                                                                          : ConvertCommand::kGpuTriangles);
    source.name = "sphere";
    source.load = [=] { return make_sphere(triangles); };
    return {source};
  }
  std::vector<measure::ConvertSource> sources;
  for (const std::filesystem::path& mesh : command.meshes) {
    source.name = mesh.filename().string();
    source.is_file = true;
    source.load = [=] { return read_meshes({&mesh, 1}).scene; };
    sources.push_back(source);
  }
  return sources;
}

}  // namespace

void run_convert(const CommandLine& arguments, const ReportSink& sink) {
  const ConvertCommand command = read_convert_command(arguments);
  check_targets(command.files);
  std::unique_ptr<Engine> engine = make_engine(command.engine);
  ConvertBenchRun run = {run_on(*engine, command.command), {}};
  const std::vector<measure::ConvertSource> sources = sources_of(command, run.device);
  log_info("{}, on {}",
           sources.size() == 1 ? sources.front().name : format_count(sources.size(), "mesh file"),
           run.device_text);
  engine.reset();  // every repetition has one of its own
  run.result = measure::bench_convert(command.engine, sources, command.bench);
  report(command, run, kernels_of(run.result.rows), sink);
}

}  // namespace vox
