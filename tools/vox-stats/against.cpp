// vox-stats --against: compares two scenes.

#include "formats/io/output_file.h"
#include "tools/vox-stats/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/results/files.h"
#include "formats/results/views.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// The voxels that both fill become a scene with a digest of its own, so that damage must not pass.
ComparedScene read_compared(const std::filesystem::path& file, const StatsOptions& options) {
  const SceneFileParts parts = scene_parts(file);
  if (parts.bricks && !parts.dag && !parts.hash && !scene_palette(file))
    throw Error("the file holds the bricks of a volume alone, no scene").at(file.string());
  return {file.string(),
          read_any_scene(file, options.engine, SceneForm::Any, damage_with(options.overwrite))};
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
  refuse("voxel size", exact_sides(a.voxel_size), exact_sides(b.voxel_size), convert_alike);
  refuse("origin", place_text(a.origin), place_text(b.origin), convert_alike);
  if (a.up != b.up)
    throw Error(
        fmt::format("the scenes differ in the axis that points up: {} and {}", first.file, second.file))
        .hint(convert_alike);
}

// The first scene with the voxels that both fill alone, as `intersect` leaves it in a script of vox-edit.
dag::VoxelScene scene_of_both(const Comparison& comparison, dag::FrozenDag both, const std::string& command) {
  dag::VoxelScene scene = dag::part_of(comparison.first.scene, std::move(both));
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
  comparison.first = read_compared(options.scene, options);
  comparison.second = read_compared(*options.against, options);
  check_same_grid(comparison.first, comparison.second);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  comparison.device = engine->device();
  comparison.device_text = engine->device_text();
  log_debug("on {}", comparison.device_text);
  dag::FrozenDag &first = comparison.first.scene.dag, &second = comparison.second.scene.dag;
  comparison.overlap = measure::overlap_of(*engine, first, second);
  forget_words(second);
  comparison.both = scene_of_both(comparison, std::move(comparison.overlap.both), options.command);
  forget_words(first);
  if (options.html && comparison.both.dag.voxels > 0)
    comparison.picture = picture_of(*engine, comparison.both);
  comparison.kernels = engine->profile();
  return comparison;
}

// A comparison of two scenes as text, as JSON and as a page.

// Corners of the box around the voxels that both fill, x, y, z.
std::vector<uint64_t> in_voxels(const Int3& corner) {
  return {static_cast<uint64_t>(corner.x), static_cast<uint64_t>(corner.y), static_cast<uint64_t>(corner.z)};
}
std::vector<double> in_scene_units(const dag::VoxelScene& scene, const Int3& corner) {
  const Vec3d place =
      scene.origin + Vec3d{double(corner.x), double(corner.y), double(corner.z)} * scene.voxel_size;
  return {place.x, place.y, place.z};
}

std::string units_text(const dag::VoxelScene& scene, const VoxelBox& box) {
  const std::vector<double> min = in_scene_units(scene, box.min), max = in_scene_units(scene, box.max);
  return fmt::format("x {:.6g} to {:.6g}, y {:.6g} to {:.6g}, z {:.6g} to {:.6g}", min[0], max[0], min[1],
                     max[1], min[2], max[2]);
}

// "12,345 voxels, 45.0 % of a.h5"
std::string share_text(uint64_t voxels, uint64_t all, const std::string& of) {
  return fmt::format(
      "{}, {} of {}", format_count(voxels),
      format_percent(static_cast<double>(voxels) / static_cast<double>(std::max<uint64_t>(1, all))), of);
}

// One of the scenes and what both fill of it. `both` is absent where the scene has no materials.
struct Side {
  const char* name;  // in JSON
  const ComparedScene& compared;
  const measure::DagStats& stats;
  const measure::DagStats* both;
  uint64_t only;
};
std::vector<Side> sides_of(const Comparison& comparison) {
  const measure::SceneOverlap& overlap = comparison.overlap;
  const bool materials = comparison.first.scene.dag.materials;
  return {{"first", comparison.first, overlap.first, materials ? &overlap.both_of_first : nullptr,
           overlap.only_first()},
          {"second", comparison.second, overlap.second,
           overlap.both_of_second ? &*overlap.both_of_second : nullptr, overlap.only_second()}};
}

// The materials of the voxels that both fill, with how much that is of all voxels of a material.
ResultTable materials_of(const Side& side) {
  ResultTable table = used_materials(side.compared.scene.palette, *side.both);
  std::vector<uint64_t> all;
  std::vector<double> shares;
  for (const ResultRow& row : rows_of(table)) {
    all.push_back(side.stats.material_voxels[static_cast<size_t>(row.number("material"))]);
    shares.push_back(row.number("voxels") / static_cast<double>(std::max<uint64_t>(1, all.back())));
  }
  table
      .column("scene_voxels", "voxels", std::move(all), both({"in the scene", Look::count()}),
              "Number of all voxels of the scene that have it.")
      .column(for_people(), "", std::move(shares), both({"of it in both", Look::fixed(1, 100), "%"}));
  return table;
}

HtmlPage::Facts facts_of(const Comparison& comparison) {
  const measure::SceneOverlap& overlap = comparison.overlap;
  const VoxelBox& box = overlap.both_of_first.filled;
  HtmlPage::Facts facts = {
      {"in both", format_count(overlap.both_of_first.voxels, "voxel")},
  };
  for (const Side& side : sides_of(comparison))
    facts.emplace_back("only in " + side.compared.file,
                       share_text(side.only, side.stats.voxels, "its " + format_count(side.stats.voxels)));
  if (box.empty()) return facts;
  facts.emplace_back("box of both", box_text(box));
  facts.emplace_back("in scene units", units_text(comparison.both, box));
  return facts;
}

std::string screen_text(const Comparison& comparison) {
  std::string text = fmt::format("{} against {}: {} in both, in {}³, digest {}\n\n", comparison.first.file,
                                 comparison.second.file, format_count(comparison.both.dag.voxels, "voxel"),
                                 comparison.both.dag.resolution, dag::to_string(comparison.both.dag.digest));
  text += facts_text(facts_of(comparison));
  for (const Side& side : sides_of(comparison))
    if (side.both)
      text += fmt::format("\nOf both, by the materials of {}\n{}", side.compared.file,
                          text_table(materials_of(side)).text());
  return text;
}

HtmlPage page_of(const Comparison& comparison) {
  HtmlPage page(fmt::format("{} against {}", comparison.first.file, comparison.second.file),
                fmt::format("{} that both fill, in {}³", format_count(comparison.both.dag.voxels, "voxel"),
                            comparison.both.dag.resolution));
  if (comparison.picture)
    page.picture(comparison.picture->image,
                 fmt::format("The voxels that both fill, from their default view. Digest {}.",
                             dag::to_string(comparison.both.dag.digest)));
  else
    page.paragraph("No voxel is filled in both: there is nothing to see.");
  page.section("Both scenes").facts(facts_of(comparison));
  if (comparison.both.dag.voxels == 0) return page;
  for (const Side& side : sides_of(comparison))
    if (side.both) {
      page.section("By the materials of " + side.compared.file);
      add_materials_figure(page, std::string("Materials, ") + side.name,
                           "How many of the voxels that both fill have which material there.",
                           materials_of(side));
    }
  return page;
}

}  // namespace

ResultGroup results_of(const Comparison& comparison) {
  ResultGroup results;
  const dag::VoxelScene& both = comparison.both;
  results.set("file", comparison.first.file, "The first scene.")
      .set("against", comparison.second.file, "The second scene.");
  set_device(results, comparison.device);
  results.set("resolution", both.dag.resolution, "voxels",
              "Number of voxels along the longest side of both scenes.");
  set_voxel_size(results, both);
  ResultGroup& group = results.group("both");
  group
      .set("digest", dag::to_string(both.dag.digest),
           "Digest of the scene of the voxels that both fill, as `-o` writes it.")
      .set("voxels", both.dag.voxels, "voxels", "Number of voxels that both fill.");
  const VoxelBox& box = comparison.overlap.both_of_first.filled;
  group.group("filled")
      .set("min", in_voxels(box.min), "voxels", "Lower corner of the box around these voxels: x, y, z.")
      .set("end", in_voxels(box.max), "voxels", "Its upper corner, which lies outside.");
  if (!box.empty())
    group.group("box")
        .set("min", in_scene_units(both, box.min), "scene units",
             "The lower corner in the world, if both fill a voxel.")
        .set("max", in_scene_units(both, box.max), "scene units", "The upper corner in the world.");
  for (const Side& side : sides_of(comparison)) {
    ResultGroup& scene = results.group(listed_as("SIDE", side.name));
    scene.set("digest", dag::to_string(side.compared.scene.dag.digest), "Digest of one of the scenes.")
        .set("voxels", side.stats.voxels, "voxels", "Number of voxels that it fills.")
        .set("only", side.only, "voxels", "Number of those that the other scene does not fill.");
    if (side.both) scene.put("materials", materials_of(side));
  }
  set_profile(results, comparison.kernels);
  return results;
}

void run_against(const StatsOptions& options) {
  check_effects(options.given, {0, "the comparison of two scenes"});
  check_one_device(options.engine);
  const Comparison comparison = compare(options);
  if (options.output) write_scene(comparison.both, *options.output);
  if (options.html) {
    HtmlPage page = page_of(comparison);
    set_origin(page, origin_of(options.command));
    write_html(page, *options.html);
  }
  if (options.engine.profile) print_profile(comparison.kernels);
  print_result(options.json ? json_text(results_of(comparison)) + "\n" : screen_text(comparison));
  if (options.output)
    log_info("{}: {}", options.output->string(), format_bytes(size_of_written(*options.output)));
}

}  // namespace vox
