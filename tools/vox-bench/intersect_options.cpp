#include "tools/vox-bench/intersect_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/measure/moving_pair.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using Intersect = measure::IntersectOptions;

constexpr const char* kAboutIntersect =
    R"(Intersects two moving surfaces, frame by frame, by tables of voxel keys (Alcantara et al. 2009, §6).

In every frame both meshes are voxelized on the device; the voxels that each fills are hashed, with the triangles of
every voxel; the voxels of the second are looked up among those of the first; and the pairs of triangles that have a
voxel in common are tested, each once and exactly, in integers. Triangles count where the grid has snapped them to,
1/256 voxel; all of a texture counts as filled. Times are the device's, phase by phase.

Both meshes are scaled to two fifths of the grid. The first rests in its middle; the second goes through it along x,
from a fifth of the grid on one side to a fifth on the other, and turns once about the vertical axis.

Without files, the meshes are two bumpy spheres.

Examples:
  vox-bench intersect                                   two bumpy spheres at 128³, 60 frames
  vox-bench intersect a.obj b.glb --html frames.html    with a chart of the frames
  vox-bench intersect --tables all --csv frames.csv     every table, every frame
)";

cxxopts::Options describe_intersect() {
  const Intersect preset;
  cxxopts::Options options("vox-bench intersect", kAboutIntersect);
  options.custom_help("[A.obj B.obj] [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Meshes")("meshes", "The two meshes, of any format that vox-convert reads",
                                cxxopts::value<std::vector<std::string>>(), "A.obj B.obj")(
      "triangles",
      fmt::format("Of each sphere, where no files are named (default: {})",
                  format_count(IntersectCommand::kTriangles)),
      text(), "N");
  options.add_options("Frames")(
      "res",
      fmt::format("Voxels along a side of the grid, {} to {} (default: {})", Intersect::kLeastResolution,
                  Intersect::kMostResolution, preset.resolution),
      text(), "R")(
      "frames",
      fmt::format("How many, 1 to {} (default: {})", format_count(Intersect::kMostFrames), preset.frames),
      text(), "N")("tables",
                   fmt::format("all, or some of: {} (default: {})", fmt::join(hash::key_table_names(), ","),
                               fmt::join(preset.tables, ",")),
                   text(), "NAMES");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.parse_positional({"meshes"});
  return options;
}

uint32_t count_of(const std::string& value, const char* option) {
  const uint64_t count = parse_count(value, option);
  if (count > UINT32_MAX) throw UsageError(fmt::format("{} is {}, which is too much", option, value));
  return static_cast<uint32_t>(count);
}

void read_meshes_named(const cxxopts::ParseResult& parsed, IntersectCommand& command) {
  if (parsed.count("meshes"))
    for (const std::string& file : parsed["meshes"].as<std::vector<std::string>>())
      command.meshes.emplace_back(file);
  if (!command.meshes.empty() && command.meshes.size() != 2)
    throw UsageError(fmt::format("{} named, expected two meshes, or none",
                                 format_count(command.meshes.size(), "mesh file")));
  const auto value = given(parsed, "triangles");
  if (!value) return;
  if (!command.meshes.empty())
    throw UsageError("--triangles has no effect on meshes of files: it is for those that are generated");
  command.triangles = parse_count(*value, "--triangles");
  if (command.triangles < IntersectCommand::kFewestTriangles ||
      command.triangles > IntersectCommand::kMostTriangles)
    throw UsageError(fmt::format("--triangles is {}, expected {} to {}", *value,
                                 IntersectCommand::kFewestTriangles, IntersectCommand::kMostTriangles));
}

}  // namespace

IntersectCommand parse_intersect_command(int argc, char** argv) {
  return parsed_command(describe_intersect(), {"Meshes", "Frames", "Results", "Device"}, argc, argv,
                        [](const cxxopts::ParseResult& parsed, const std::vector<std::string>&) {
                          IntersectCommand command;
                          read_meshes_named(parsed, command);
                          if (const auto value = given(parsed, "res"))
                            command.bench.resolution = count_of(*value, "--res");
                          if (const auto value = given(parsed, "frames"))
                            command.bench.frames = count_of(*value, "--frames");
                          if (const auto value = given(parsed, "tables"))
                            command.bench.tables = *value == "all" ? std::vector<std::string>()
                                                                   : parse_names(*value, "--tables");
                          measure::check(command.bench);
                          return command;
                        });
}

}  // namespace vox
