// A comparison of two scenes as text, as JSON and as a page.
#include <fmt/format.h>

#include <algorithm>

#include "formats/results/page_table.h"
#include "formats/results/text_table.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/vox-stats/against.h"

namespace vox {
namespace {

// Corners of the box around the voxels that both fill, x, y, z.
std::vector<uint64_t> in_voxels(const Int3& corner) {
  return {static_cast<uint64_t>(corner.x), static_cast<uint64_t>(corner.y), static_cast<uint64_t>(corner.z)};
}
std::vector<double> in_scene_units(const dag::VoxelScene& scene, const Int3& corner) {
  return {scene.origin.x + scene.voxel_size * corner.x, scene.origin.y + scene.voxel_size * corner.y,
          scene.origin.z + scene.voxel_size * corner.z};
}

std::string voxels_text(const VoxelBox& box) {
  return fmt::format("x {} to {}, y {} to {}, z {} to {}", box.min.x, box.max.x - 1, box.min.y, box.max.y - 1,
                     box.min.z, box.max.z - 1);
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
measure::ResultTable materials_of(const Side& side) {
  measure::ResultTable table = used_materials(side.compared.scene.palette, *side.both);
  const std::vector<double> voxels = table["voxels"].numbers();
  std::vector<uint64_t> all;
  std::vector<double> shares;
  for (size_t row = 0; row < voxels.size(); ++row) {
    const auto entry = static_cast<size_t>(table.columns().front().number(row));
    all.push_back(side.stats.material_voxels[entry]);
    shares.push_back(voxels[row] / static_cast<double>(std::max<uint64_t>(1, all.back())));
  }
  table
      .column("scene_voxels", "voxels", std::move(all),
              measure::both({"in the scene", measure::Look::count()}))
      .column(measure::for_people(), "", std::move(shares),
              measure::both({"of it in both", measure::Look::fixed(1, 100), "%"}));
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
  facts.emplace_back("box of both", voxels_text(box));
  facts.emplace_back("in scene units", units_text(comparison.both, box));
  return facts;
}

}  // namespace

measure::ResultGroup results_of(const Comparison& comparison) {
  measure::ResultGroup results;
  const dag::VoxelScene& both = comparison.both;
  results.set("file", comparison.first.file).set("against", comparison.second.file);
  results.set("device", comparison.device)
      .set("resolution", both.dag.resolution, "voxels")
      .set("voxel_size", both.voxel_size, "scene units");
  measure::ResultGroup& group = results.group("both");
  group.set("digest", dag::to_string(both.dag.digest)).set("voxels", both.dag.voxels, "voxels");
  const VoxelBox& box = comparison.overlap.both_of_first.filled;
  group.group("filled").set("min", in_voxels(box.min), "voxels").set("end", in_voxels(box.max), "voxels");
  if (!box.empty())
    group.group("box")
        .set("min", in_scene_units(both, box.min), "scene units")
        .set("max", in_scene_units(both, box.max), "scene units");
  for (const Side& side : sides_of(comparison)) {
    measure::ResultGroup& scene = results.group(side.name);
    scene.set("digest", dag::to_string(side.compared.scene.dag.digest))
        .set("voxels", side.stats.voxels, "voxels")
        .set("only", side.only, "voxels");
    if (side.both) scene.put("materials", materials_of(side));
  }
  set_profile(results, comparison.kernels);
  return results;
}

std::string screen_text(const Comparison& comparison) {
  std::string text = fmt::format("{} against {}: {} in both, in {}³, digest {}\n\n", comparison.first.file,
                                 comparison.second.file, format_count(comparison.both.dag.voxels, "voxel"),
                                 comparison.both.dag.resolution, dag::to_string(comparison.both.dag.digest));
  const HtmlPage::Facts facts = facts_of(comparison);
  size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) text += fmt::format("  {:<{}}  {}\n", name, width, value);
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

}  // namespace vox
