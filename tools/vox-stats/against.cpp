// vox-stats --against: compares two scenes.
#include "tools/vox-stats/against.h"
#include "tools/common/terminal.h"

#include <fmt/format.h>

#include "formats/results/json_text.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

ComparedScene read_compared(const std::filesystem::path& file, const EngineOptions& options) {
  const SceneFileParts parts = scene_parts(file);
  if (parts.bricks && !parts.dag && !parts.hash)
    throw Error("the file holds bricks alone, no scene").at(file.string());
  return {file.string(), read_any_scene(file, options)};
}

std::string place_text(const Vec3d& place) {
  return fmt::format("{}, {}, {}", place.x, place.y, place.z);
}

// Voxel (i, j, k) has to be the same cube of the world in both.
void check_same_grid(const ComparedScene& first, const ComparedScene& second) {
  const dag::VoxelScene &a = first.scene, &b = second.scene;
  const auto refuse = [&](const char* what, const std::string& here, const std::string& there,
                          const char* hint) {
    if (here != there)
      throw Error(fmt::format("the scenes differ in their {}: {} in {}, {} in {}", what, here, first.file,
                              there, second.file))
          .hint(hint);
  };
  const char* convert_alike =
      "vox-convert with the same --res, or --voxel-size, and the same --clip gives both meshes one grid";
  refuse("resolution", std::to_string(a.dag.resolution), std::to_string(b.dag.resolution),
         "vox-convert --res makes a coarser scene of one; or convert both meshes with the same --res and "
         "--clip");
  refuse("voxel size", fmt::format("{}", a.voxel_size), fmt::format("{}", b.voxel_size), convert_alike);
  refuse("origin", place_text(a.origin), place_text(b.origin), convert_alike);
  if (a.up != b.up)
    throw Error(
        fmt::format("the scenes differ in the axis that points up: {} and {}", first.file, second.file))
        .hint(convert_alike);
}

// The first scene with the voxels that both fill alone, as `intersect` leaves it in a script of vox-edit.
dag::VoxelScene scene_of_both(const Comparison& comparison, dag::FrozenDag both, const std::string& command) {
  dag::VoxelScene scene = comparison.first.scene;
  scene.dag = std::move(both);
  scene.generator = generator_text();
  scene.command = command;
  scene.created = timestamp();
  scene.history.push_back(
      {fmt::format("intersect \"{}\"\n", comparison.second.file), scene.created, scene.dag.digest});
  return scene;
}

void forget_words(dag::FrozenDag& dag) {
  for (dag::DagLevel& level : dag.levels) level.words = {};
}

Comparison compare(const StatsOptions& options) {
  Comparison comparison;
  comparison.first = read_compared(options.scene, options.engine);
  comparison.second = read_compared(*options.against, options.engine);
  check_same_grid(comparison.first, comparison.second);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  comparison.device = engine->device();
  comparison.device_text = engine->device_text();
  log_debug("on {}", comparison.device_text);
  dag::FrozenDag &first = comparison.first.scene.dag, &second = comparison.second.scene.dag;
  comparison.overlap = measure::overlap_of(*engine, first, second);
  forget_words(first);
  forget_words(second);
  comparison.both = scene_of_both(comparison, std::move(comparison.overlap.both), options.command);
  if (options.html && comparison.both.dag.voxels > 0)
    comparison.picture = picture_of(*engine, comparison.both);
  comparison.kernels = engine->profile();
  return comparison;
}

}  // namespace

void run_against(const StatsOptions& options) {
  check_effects(options.given, {0, "the comparison of two scenes"});
  const Comparison comparison = compare(options);
  if (options.output) write_scene(comparison.both, *options.output);
  if (options.html) {
    HtmlPage page = page_of(comparison);
    page.made_by({{"command", options.command}, {"generator", generator_text()}, {"created", timestamp()}});
    write_html(page, *options.html);
  }
  if (options.engine.profile) print_profile(comparison.kernels);
  print_result(options.json ? json_text(results_of(comparison)) + "\n" : screen_text(comparison));
  if (options.output)
    log_info("{}: {}", options.output->string(), format_bytes(std::filesystem::file_size(*options.output)));
}

}  // namespace vox
