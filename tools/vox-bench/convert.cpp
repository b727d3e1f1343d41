// The command vox-bench convert.
#include <fmt/format.h>
#include <unistd.h>

#include "formats/images/choose_palette.h"
#include "formats/mesh/mesh.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/convert_options.h"
#include "tools/vox-bench/convert_report.h"
#include "tools/vox-bench/kernel_report.h"
#include "tools/vox-bench/report.h"

namespace vox {
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

void run_convert(const CommandLine& arguments) {
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
  report(command, run, kernels_of(run.result.rows));
}

}  // namespace vox
