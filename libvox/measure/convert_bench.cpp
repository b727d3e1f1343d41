#include "libvox/measure/convert_bench.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/auto_palette.h"

namespace vox::measure {
namespace {

// While an object of this class lives, no progress is reported. Only the first repetition logs, so that
// messages about a mesh appear once.
class QuietRepetition {
 public:
  explicit QuietRepetition(uint32_t repetition) : progress_(set_progress_sink({})) {
    if (repetition > 0) log_ = set_log_sink({});
  }
  ~QuietRepetition() {
    set_progress_sink(std::move(progress_));
    if (log_) set_log_sink(std::move(*log_));
  }
  QuietRepetition(const QuietRepetition&) = delete;
  QuietRepetition& operator=(const QuietRepetition&) = delete;

 private:
  ProgressSink progress_;
  std::optional<LogSink> log_;
};

// A mesh with a palette, and the times of loading it and of choosing the palette.
struct LoadedMesh {
  scene::Scene scene;
  scene::IndexedScene indexed;
  std::optional<Timing> load;
  Timing palette;
};

// A phase, and its seconds in each repetition.
struct PhaseSeconds {
  Timing ConvertPhases::*phase;
  double voxelize::BuildResult::*seconds;
  std::vector<double> repetitions = {};
};

class ConvertBench {
 public:
  ConvertBench(const EngineOptions& engine, const ConvertBenchOptions& options)
      : engine_(engine), options_(options) {
    engine_.profile = false;
  }

  std::vector<ConvertBenchRow> run(const std::vector<ConvertSource>& sources, bool profile) {
    Progress progress("measuring", sources.size() * options_.materials.size() * options_.coverages.size() *
                                       options_.resolutions.size());
    for (const ConvertSource& source : sources)
      for (const scene::MaterialMode materials : options_.materials) {
        const LoadedMesh mesh = load(source, materials);
        for (const scene::Coverage coverage : options_.coverages)
          for (const uint32_t resolution : options_.resolutions) {
            measure(source, mesh,
                    {.mesh = source.name,
                     .resolution = resolution,
                     .coverage = coverage,
                     .materials = materials,
                     .time = {},
                     .phases = {},
                     .kernels = {}});
            if (profile) add_profile(mesh);
            progress.update(rows_.size(), fmt::format("{} at {}³", source.name, resolution));
          }
      }
    return std::move(rows_);
  }

 private:
  // Choosing a palette changes the scene, so each repetition starts from the file.
  LoadedMesh load(const ConvertSource& source, scene::MaterialMode materials) const {
    const ThreadLimit threads(engine_.threads);
    LoadedMesh mesh;
    scene::Scene made;
    if (!source.is_file) made = source.load();
    std::vector<double> seconds;
    mesh.palette = repeated(options_.repetitions.value(), [&](uint32_t repetition) {
      const QuietRepetition quiet(repetition);
      mesh.scene = {};  // frees the last repetition's scene before the time begins
      mesh.indexed = {};
      Stopwatch watch;
      mesh.scene = source.is_file ? source.load() : made;
      seconds.push_back(watch.lap());
      mesh.indexed = scene::choose_palette(mesh.scene, {.materials = materials}).indexed;
      return watch.lap();
    });
    if (source.is_file)
      mesh.load = summarize({seconds.begin() + 1, seconds.end()});  // the first repetition is not counted
    mesh.scene.images = {};
    return mesh;
  }

  voxelize::BuildOptions build_options(const ConvertBenchRow& row) const {
    const bool colors = row.materials == scene::MaterialMode::Colors;
    return {.coverage = row.coverage,
            .materials = row.materials != scene::MaterialMode::None && !colors,
            .colors = colors};
  }

  void measure(const ConvertSource& source, const LoadedMesh& mesh, ConvertBenchRow row) {
    const voxelize::Grid grid = voxelize::fit_grid(mesh.scene, {.resolution = row.resolution});
    const voxelize::BuildOptions build = build_options(row);
    std::array phases = {PhaseSeconds{&ConvertPhases::voxelize, &voxelize::BuildResult::voxelize_seconds},
                         PhaseSeconds{&ConvertPhases::build, &voxelize::BuildResult::build_seconds},
                         PhaseSeconds{&ConvertPhases::freeze, &voxelize::BuildResult::freeze_seconds}};
    std::vector<double> writes;
    dag::Digest digest;
    row.time = repeated(options_.repetitions.value(), [&](uint32_t repetition) {
      const QuietRepetition quiet(repetition);
      const std::unique_ptr<Engine> engine = make_engine(engine_);
      const Stopwatch watch;
      voxelize::BuildResult built = engine->build(mesh.scene, mesh.indexed, grid, build);
      const double seconds = watch.seconds();
      row.peak_device_bytes = built.peak_device_bytes;
      if (repetition > 0)
        for (PhaseSeconds& phase : phases) phase.repetitions.push_back(built.*phase.seconds);
      if (repetition > 0 && built.dag.digest != digest)
        throw Error(
            fmt::format("two repetitions of {} at {}³ give different scenes", row.mesh, row.resolution));
      digest = built.dag.digest;
      const dag::VoxelScene scene = built_scene(std::move(built), mesh.indexed, grid, build);
      if (source.write) {
        const WrittenScene written = source.write(scene);
        row.file_bytes = written.bytes;
        if (repetition > 0) writes.push_back(written.seconds);
      }
      row.triangles = mesh.scene.triangles.size();
      row.voxels = scene.dag.voxels;
      row.svo_nodes = scene.dag.svo_nodes();
      row.nodes = scene.dag.unique_nodes();
      row.bytes = scene.dag.bytes() + (scene.colors ? scene.colors->bytes() : 0);
      return seconds;
    });
    for (PhaseSeconds& phase : phases) row.phases.*phase.phase = summarize(std::move(phase.repetitions));
    row.phases.load = mesh.load;
    row.phases.palette = mesh.palette;
    if (source.write) row.phases.write = summarize(std::move(writes));
    rows_.push_back(std::move(row));
  }

  void add_profile(const LoadedMesh& mesh) {
    const QuietRepetition quiet(1);  // quiet, as no repetition but the first one logs
    ConvertBenchRow& row = rows_.back();
    EngineOptions options = engine_;
    options.profile = true;
    const std::unique_ptr<Engine> engine = make_engine(options);
    const voxelize::Grid grid = voxelize::fit_grid(mesh.scene, {.resolution = row.resolution});
    engine->build(mesh.scene, mesh.indexed, grid, build_options(row));
    row.kernels = engine->profile();
  }

  EngineOptions engine_;
  ConvertBenchOptions options_;
  std::vector<ConvertBenchRow> rows_;
};

}  // namespace

void check(const ConvertBenchOptions& options) {
  if (options.coverages.empty() || options.materials.empty())
    throw UsageError("nothing to measure: coverages and materials need at least one value");
  if (!options.resolutions.empty())
    check_axis(options.resolutions, "the resolution", voxelize::kMinResolution, voxelize::kMaxResolution);
  if (options.repetitions)
    check_axis({*options.repetitions}, "the number of repetitions", 1, ConvertBenchOptions::kMostRepetitions);
}

ConvertBenchOptions with_defaults(ConvertBenchOptions options, const std::string& device) {
  using Options = ConvertBenchOptions;
  const bool cpu = device == "cpu";
  if (options.resolutions.empty() && cpu)
    options.resolutions = {Options::kCpuResolutions.begin(), Options::kCpuResolutions.end()};
  if (options.resolutions.empty())
    options.resolutions = {Options::kGpuResolutions.begin(), Options::kGpuResolutions.end()};
  if (!options.repetitions) options.repetitions = cpu ? Options::kCpuRepetitions : Options::kGpuRepetitions;
  return options;
}

ConvertBenchResult bench_convert(const EngineOptions& engine, const std::vector<ConvertSource>& sources,
                                 const ConvertBenchOptions& options) {
  check(options);
  const Stopwatch watch;
  const ConvertBenchOptions complete = with_defaults(options, make_engine(engine)->device());
  ConvertBenchResult result = {.repetitions = complete.repetitions.value(),
                               .rows = ConvertBench(engine, complete).run(sources, engine.profile)};
  result.seconds = watch.seconds();
  return result;
}

}  // namespace vox::measure
