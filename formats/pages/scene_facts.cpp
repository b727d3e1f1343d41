#include "formats/pages/scene_facts.h"

#include <fmt/format.h>

#include "formats/pages/html_page.h"
#include "libvox/base/units.h"
#include "libvox/dag/parts.h"
#include "libvox/render/render.h"

namespace vox {
namespace {

void set_point(Json& json, auto point) {
  json.set("x", point.x).set("y", point.y).set("z", point.z);
}
void set_color(Json& json, scene::Rgb8 color) {
  json.set("r", color.r).set("g", color.g).set("b", color.b);
}

void set_palette(Json& list, const dag::VoxelScene& scene) {
  const uint32_t used = scene.dag.materials ? scene.palette.count : 1;
  for (uint32_t i = 0; i < used; ++i) {
    Json& entry = list.append();
    entry.set("name", i < scene.palette.count ? scene.palette.names[i] : "voxels")
        .set("share", scene.shares[i]);
    set_color(entry, render::material_color(scene.palette, i));
  }
}

std::string cube_text(uint32_t resolution) {
  return fmt::format("{}\u00b3", resolution);
}

// Describes the shown scene, and the whole scene if that is larger.
std::string shown_text(const dag::VoxelScene& scene, uint32_t whole, const std::string& part) {
  std::string count =
      fmt::format("{} in {}", format_count(scene.dag.voxels, "voxel"), cube_text(scene.dag.resolution));
  if (!part.empty()) count += "; " + part;
  if (scene.dag.resolution == whole) return count;
  return fmt::format("{}; the scene has {}, and this is the finest level that fits into the page", count,
                     cube_text(whole));
}

// The first view, as viewer/settings.js reads it. A box is in voxels of the page, whose scene may be a coarser level.
std::string start_text(const ScenePageOptions& options, uint32_t side, uint32_t halvings) {
  std::string text = options.start;
  if (!options.first_box) return text;
  const auto [min, max] = *options.first_box;
  const auto add = [&](char axis, int32_t from, int32_t to) {
    const int64_t low = from >> halvings, high = (int64_t{to} + (int64_t{1} << halvings) - 1) >> halvings;
    if (low > 0 || high < side) text += fmt::format("&{}={}..{}", axis, low, high);
  };
  add('x', min.x, max.x);
  add('y', min.y, max.y);
  add('z', min.z, max.z);
  return text;
}

// Returns JSON for use in a script element. A "<", which only occurs in strings, could end the element.
std::string for_script(const std::string& json) {
  std::string text;
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

// The policy keeps the page from loading anything else, whatever its texts hold.
std::string policy_text(PageLoads loads) {
  std::string policy =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";
  if (loads == PageLoads::ItsFolder) policy += "; connect-src 'self'";
  return policy;
}

}  // namespace

void set_scene_facts(Json& facts, const dag::VoxelScene& scene, const ShownLevel& shown,
                     const ScenePageOptions& options) {
  const dag::FrozenDag& dag = scene.dag;
  facts.set("title", options.title)
      .set("shown", shown_text(scene, shown.whole, options.part))
      .set("command", options.command)
      .set("digest", dag::to_string(dag.digest))
      .set("start", start_text(options, dag.side(), shown.halvings))
      .set("resolution", dag.resolution)
      .set("log2_side", dag::kLeafLog2 + dag.depth())
      .set("has_materials", dag.materials)
      .set("voxel_size", scene.voxel_size.shortest())
      .set("unit", scene.unit == scene::LengthUnit::Meter ? "m" : "")
      .set("voxels", dag.voxels);
  const VoxelBox filled = dag.voxels > 0 ? dag::filled_box(dag) : VoxelBox{{0, 0, 0}, {1, 1, 1}};
  set_point(facts.object("low"), filled.min);
  set_point(facts.object("high"), filled.max);
  set_point(facts.object("origin"), scene.origin);
  set_point(facts.object("sides"), scene.voxel_size.shape());
  set_color(facts.object("sky"), render::kSky);
  Json& skies = facts.array("skies");
  for (const scene::Rgb8 sky : {render::kHorizon, render::kZenith, render::kNadir})
    set_color(skies.append(), sky);
  set_palette(facts.array("palette"), scene);
  Json& ramp = facts.array("ramp");
  for (uint32_t i = 0; i < render::kRampColors; ++i) set_color(ramp.append(), render::ramp_color(i));
}

std::string scene_page_begin(const std::string& title, const std::string& facts, PageLoads loads) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}\n"
      "<script type=\"application/json\" id=\"facts\">{}</script>\n",
      kPageMark, policy_text(loads), escape_html(title), kViewerStyle, kViewerBody, for_script(facts));
}

std::string scene_page_end(const char* script) {
  std::string text = "<script type=\"module\">";
  text += script;
  return text + "</script>\n</body>\n</html>\n";
}

}  // namespace vox
