#include "tools/vox-bench/intersect_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/key_table.h"
#include "tools/common/targets.h"
#include "tools/vox-bench/bench_options.h"
#include "tools/vox-bench/commands.h"

namespace vox {
namespace {

using Intersect = measure::IntersectOptions;

enum IntersectTrait : uint32_t { kGeneratedSpheres = 1 };

constexpr const char* kAboutIntersect =
    R"(In every frame, both meshes are voxelized on the device; the voxels that each of them fills are hashed, with the
triangles of every voxel; the voxels of the second mesh are looked up among those of the first; and the pairs of
triangles that share a voxel are tested, each once and exactly, in integers. The triangles are tested as the grid
has snapped them, to 1/256 voxel; a texture counts as filled everywhere. Times are the device's, phase by phase.

Both meshes are scaled to two fifths of the grid. The first one rests in its centre; the second one passes through it
along x, from a fifth of the grid on one side to a fifth on the other, and turns once about the vertical axis.

Without files, the meshes are two bumpy spheres.
)";

OptionTopic intersect_meshes() {
  return {
      .name = "meshes",
      .title = "meshes",
      .options = {{.name = "triangles",
                   .argument = "N",
                   .usual = format_count(IntersectCommand::kTriangles),
                   .range = OptionRange{IntersectCommand::kFewestTriangles, IntersectCommand::kMostTriangles},
                   .rules = {{kGeneratedSpheres, "it is for those that are generated"}},
                   .help = "Number of triangles of each sphere, if no files are named."}}};
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
                      {.name = "frames",
                       .argument = "N",
                       .usual = std::to_string(preset.frames),
                       .range = OptionRange{1, Intersect::kMostFrames},
                       .help = "Number of frames."},
                      {.name = "tables",
                       .argument = "NAME,...",
                       .words = with_all(hash::key_table_names()),
                       .preset = fmt::format("{}", fmt::join(preset.tables, ",")),
                       .help = "Measure these tables of voxel keys."}}};
}

}  // namespace

ToolDescription intersect_description() {
  return {.program = "vox-bench intersect",
          .usage = "[A.obj B.obj] [options]",
          .about =
              "Intersects two moving surfaces, frame by frame, with tables of voxel keys (Alcantara et al. "
              "2009, §6).\n",
          .examples =
              {"vox-bench intersect                                   two bumpy spheres at 128³, 60 frames",
               "vox-bench intersect a.obj b.glb --html frames.html    with a chart of the frames",
               "vox-bench intersect --tables all --csv frames.csv     every table, every frame"},
          .basics = {"res", "frames", "tables", "triangles", "output", "csv", "html", "against", "device",
                     "memory-limit"},
          .more = kAboutIntersect,
          .topics = {intersect_meshes(), intersect_frames(), result_topic(), device_topic(), general_topic()},
          .operands = {{.name = "meshes",
                        .argument = "A.obj B.obj",
                        .repeats = Repeats::Yes,
                        .help = "The two meshes, of any format that vox-convert reads."}}};
}

IntersectCommand read_intersect_command(const CommandLine& arguments) {
  return read_command(arguments, [](const CommandLine& given) {
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
    command.bench.tables = given.names("tables");
    if (given.text("tables") == "all") command.bench.tables.clear();
    measure::check(command.bench);
    for (const std::filesystem::path& mesh : command.meshes) check_input(mesh);
    return command;
  });
}

}  // namespace vox
