// The command vox-bench intersect.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/intersect_bench.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct IntersectCommand : BenchCommand {
  // The number of triangles of each mesh that is generated.
  static constexpr uint64_t kTriangles = 160'000, kFewestTriangles = 12, kMostTriangles = 100'000'000;

  std::vector<std::filesystem::path> meshes;  // two; none: two are generated
  uint64_t triangles = kTriangles;
  measure::IntersectOptions bench;
};

using Intersect = measure::IntersectOptions;

enum IntersectTrait : uint32_t { kGeneratedSpheres = 1 };

constexpr const char* kAboutIntersect =
    R"(In every frame, both meshes are voxelized on the device; the voxels that each of them fills are hashed, with the
triangles of every voxel; the voxels of the second mesh are looked up among those of the first; and the pairs of
triangles that share a voxel are tested, each once and exactly, in integers. The triangles are tested as the grid
has snapped them, to 1/256 voxel; a texture counts as filled everywhere. Times are the device's, phase by phase.

Both meshes are scaled to two fifths of the grid. The first one rests in its center; the second one passes through it
along x, from a fifth of the grid on one side to a fifth on the other, and turns once about the vertical axis.

With --boolean, the normals where the surfaces meet decide which connected parts of each lie inside the other, and no
triangles are tested (libvox/voxelize/sides.h).

Without files, the meshes are two bumpy spheres.
)";

OptionTopic intersect_meshes() {
  return {.name = "meshes",
          .title = "meshes",
          .options = {number_option("triangles", "N", format_count(IntersectCommand::kTriangles),
                                    {IntersectCommand::kFewestTriangles, IntersectCommand::kMostTriangles},
                                    "Number of triangles of each sphere, if no files are named.",
                                    {{kGeneratedSpheres, "it is for those that are generated"}})}};
}

OptionTopic intersect_frames() {
  const Intersect preset;
  return {.name = "frames",
          .title = "frames",
          .options = {{.name = "res",
                       .argument = "R",
                       .usual = std::to_string(preset.resolution),
                       .range = OptionRange{Intersect::kLeastResolution, Intersect::kMostResolution},
                       .setting = "resolution",
                       .help = "Number of voxels along a side of the grid."},
                      number_option("frames", "N", std::to_string(preset.frames), {1, Intersect::kMostFrames},
                                    "Number of frames."),
                      {.name = "boolean",
                       .argument = "HOW",
                       .words = {voxelize::kCombinationNames.begin(), voxelize::kCombinationNames.end()},
                       .help = "Find the voxels of each mesh inside the other, and keep those of this "
                               "combination, in place of testing triangles."},
                      names_option("tables", with_all(hash::key_table_names()), joined(preset.tables),
                                   "Measure these tables of voxel keys.")}};
}

IntersectCommand read_intersect_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    IntersectCommand command;
    command.meshes = given.paths("meshes");
    if (!command.meshes.empty() && command.meshes.size() != 2)
      throw UsageError(fmt::format("{} named, expected two meshes, or none",
                                   format_count(command.meshes.size(), "mesh file")));
    check_effects(given.given_options(),
                  {command.meshes.empty() ? kGeneratedSpheres : 0u, "meshes of files"});
    if (const auto triangles = given.given_count("triangles")) command.triangles = *triangles;
    if (const auto resolution = given.given_whole("res")) command.bench.resolution = *resolution;
    if (const auto frames = given.given_whole("frames")) command.bench.frames = *frames;
    if (given.has("boolean"))
      command.bench.combination = static_cast<voxelize::Combination>(given.word("boolean"));
    command.bench.tables = given.names("tables");
    if (given.text("tables") == "all") command.bench.tables.clear();
    measure::check(command.bench);
    for (const std::filesystem::path& mesh : command.meshes) check_exists(mesh);
    return command;
  });
}

struct NamedMesh {
  std::string name;
  scene::Scene scene;
};

// The mesh with this number, 0 or 1.
NamedMesh make_mesh(const IntersectCommand& command, size_t number) {
  if (!command.meshes.empty())
    return {command.meshes[number].string(), read_meshes({&command.meshes[number], 1}).scene};
  constexpr uint32_t kLeastTexture = 16;  // nobody looks at it
  const uint64_t seed = number + 1;
  return {fmt::format("bumpy sphere {}", seed),
          scene::make_bumpy_sphere(
              {.triangles = command.triangles, .seed = seed, .texture_size = kLeastTexture})};
}

}  // namespace

ToolDescription intersect_bench_description() {
  return {
      .program = "vox-bench intersect",
      .usage = "[A.obj B.obj] [options]",
      .about =
          "Intersects two moving surfaces, frame by frame, with tables of voxel keys (Alcantara et al. 2009, "
          "§6).\n",
      .examples =
          {"vox-bench intersect                                   two bumpy spheres at 128³, 60 frames",
           "vox-bench intersect a.obj b.glb --html frames.html    with a chart of the frames",
           "vox-bench intersect --boolean union                   the union of both surfaces in every frame",
           "vox-bench intersect --tables all --csv frames.csv     every table, every frame"},
      .basics = {"res", "frames", "boolean", "tables", "triangles", "output", "csv", "html", "device",
                 "memory-limit"},
      .more = kAboutIntersect,
      .topics = {intersect_meshes(), intersect_frames(), result_topic(), device_topic(), general_topic()},
      .operands = {{.name = "meshes",
                    .argument = "A.obj B.obj",
                    .repeats = Repeats::Yes,
                    .help = "The two meshes, of any format that vox-convert reads."}}};
}

void run_intersect(const CommandLine& arguments, const ReportSink& sink) {
  const IntersectCommand command = read_intersect_command(arguments);
  check_targets(command.files);
  const ThreadLimit threads(command.engine.threads);
  const NamedMesh first = make_mesh(command, 0), second = make_mesh(command, 1);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  log_info("{} and {} at {}³, on {}", first.name, second.name, command.bench.resolution,
           engine->device_text());
  const IntersectRun run = {run_on(*engine, command.command), first.name, second.name, command.bench,
                            measure::bench_intersect(*engine, first.scene, second.scene, command.bench)};
  report(command, run, engine->profile(), sink);
}

}  // namespace vox
