// The results of vox-render, for --json, and the texts in pictures' files.
#include <fmt/format.h>

#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-render/frames.h"

namespace vox {
namespace {

bool is_upright(const render::CameraPose& pose) {
  return pose.up == render::CameraPose().up;
}

std::string slice_text(const render::SliceOptions& slice) {
  return fmt::format("{}={}", "xyz"[slice.axis], slice.at);
}

ResultGroup written_page(const RenderToolOptions& options, uint64_t bytes) {
  ResultGroup results;
  results.set("scene", options.scene.string(), "The scene file that was read.")
      .set("page", options.page->string(), "With `--html`: the page that was written.")
      .set("bytes", bytes, "bytes", "Size of the page.");
  return results;
}

}  // namespace

std::string point_text(Vec3d point) {
  return fmt::format("{},{},{}", point.x, point.y, point.z);
}

std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options) {
  std::vector<PngText> list = {{"Software", generator_text()}, {"Command", options.command}};
  if (options.slice)
    list.push_back({"Slice", slice_text(*options.slice)});
  else
    list.push_back(
        {"Camera", fmt::format("--eye {} --target {} --fov {}{}", point_text(place.to_world(pose.eye)),
                               point_text(place.to_world(pose.target)), pose.fov,
                               is_upright(pose) ? "" : ", up " + point_text(pose.up))});
  return list;
}

ResultGroup scene_results(const RenderToolOptions& options, const dag::VoxelScene& scene,
                          const std::string& device) {
  ResultGroup results;
  results.set("scene", options.scene.string(), "The scene file that was read.")
      .set("digest", dag::to_string(scene.dag.digest), "Digest of the scene.");
  set_device(results, device);
  return results;
}

ResultGroup volume_results(const RenderToolOptions& options) {
  ResultGroup results;
  results.set("volume", options.scene.string(), "The file of bricks that was read, of a volume.");
  return results;
}

void set_range(ResultGroup& results, double low, double high) {
  results.set("low", low, "", "The value at the lower end of the scale, of a volume.")
      .set("high", high, "", "The value at its upper end.");
}

ResultGroup page_results(const RenderToolOptions& options, const ScenePage& page) {
  ResultGroup results = written_page(options, page.text.size());
  results
      .set("resolution", page.resolution, "voxels",
           "Number of voxels along the longest side of the scene that it shows.")
      .set("halvings", page.halvings, "", "Number of times that the scene's resolution was halved for it.");
  return results;
}

ResultGroup stream_results(const RenderToolOptions& options, const SceneStream& stream) {
  ResultGroup results = written_page(options, stream.bytes);
  results.set("files", stream.files, "", "With `--stream`: number of files in the page's folder.")
      .set("chunks", stream.chunks, "", "With `--stream`: number of files of chunks among them.");
  return results;
}

void set_picture(ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options) {
  results.set("file", frame.file.string(), "The picture that was written.")
      .set("width", picture.image.width, "pixels", "Its width.")
      .set("height", picture.image.height, "pixels", "Its height.")
      .set("seconds", picture.seconds, "s", "Time of the picture, without writing it.");
  if (options.slice) {
    results.set("slice", slice_text(*options.slice), "With `--slice`: the place of the slice.");
    return;
  }
  results.set("eye", point_text(place.to_world(frame.pose.eye)), "Position of the eye, as the text x,y,z.")
      .set("target", point_text(place.to_world(frame.pose.target)),
           "The point that it looks at, as the text x,y,z.")
      .set("fov", frame.pose.fov, "degrees", "Its field of view.")
      .set("rays", picture.rays, "", "Number of rays through pixels, without those to the sun and the sky.");
  if (!is_upright(frame.pose))
    results.set("up", point_text(frame.pose.up), "The direction that is up, if it is not that of the scene.");
  if (options.render.samples > 1 && options.render.sampling == render::Sampling::Edges)
    results.set("refined", picture.refined, "pixels",
                "Number of pixels on edges, which have all `--samples`, if scenes have several on edges.");
}

}  // namespace vox

// The functions of this header are static, and we do not use all of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <stb/stb_easy_font.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <array>
#include <cmath>

#include "libvox/base/units.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr scene::Rgba8 kPanel = {24, 26, 32, 255}, kText = {236, 238, 242, 255};

struct Rect {
  int x, y, width, height;
};

void fill(scene::Image& image, const Rect& rect, scene::Rgba8 color) {
  const int right = std::min(rect.x + rect.width, static_cast<int>(image.width)),
            below = std::min(rect.y + rect.height, static_cast<int>(image.height));
  for (int y = std::max(rect.y, 0); y < below; ++y)
    for (int x = std::max(rect.x, 0); x < right; ++x)
      image.pixels[static_cast<size_t>(y) * image.width + static_cast<size_t>(x)] = color;
}

int text_width(std::string text, int scale) {
  return stb_easy_font_width(text.data()) * scale;
}

// Draws a text. The font gives rectangles of four corners each.
void draw_text(scene::Image& image, int x, int y, std::string text, int scale) {
  struct Corner {
    float x, y, z;
    std::array<uint8_t, 4> color;
  };
  std::vector<Corner> corners(4 * 64 * (text.size() + 1));
  const int rects = stb_easy_font_print(0, 0, text.data(), nullptr, corners.data(),
                                        static_cast<int>(corners.size() * sizeof(Corner)));
  for (int i = 0; i < rects; ++i) {
    const Corner& low = corners[static_cast<size_t>(i) * 4];
    const Corner& high = corners[static_cast<size_t>(i) * 4 + 2];
    const auto at = [&](float value) { return static_cast<int>(value) * scale; };
    fill(image, {x + at(low.x), y + at(low.y), at(high.x - low.x), at(high.y - low.y)}, kText);
  }
}

scene::Rgb8 ramp_at(double share) {
  return render::ramp_color(static_cast<uint32_t>(share * (render::kRampColors - 1) + 0.5));
}

// Steps along all of a scale, with labels at its ends and in the middle.
std::vector<LegendStep> ramp(const std::array<std::string, 3>& labels,
                             const render::ValueScale& scale = render::viridis_scale()) {
  std::vector<LegendStep> steps;
  for (uint32_t i = 0; i < render::kRampColors; ++i)
    steps.push_back({render::scale_color(scale, i / double{render::kRampColors - 1}), ""});
  steps.front().label = labels[0];
  steps[render::kRampColors / 2].label = labels[1];
  steps.back().label = labels[2];
  return steps;
}

std::string power_text(double power) {
  return power <= 1e6 ? fmt::format("{:.0f}", power) : fmt::format("2^{:.0f}", std::log2(power));
}

std::vector<LegendStep> level_steps(const render::Picture& picture) {
  std::vector<LegendStep> steps;
  // Rays stop at voxels and at nodes, a leaf's 4 voxels the narrowest.
  for (double log2 = picture.low; log2 <= picture.high; log2 += log2 == 0 ? dag::kLeafLog2 : 1)
    steps.push_back(
        {ramp_at((log2 - picture.low) / (picture.high - picture.low)), power_text(std::exp2(log2))});
  return steps;
}

LegendStep normal_step(Int3 normal, const char* label) {
  const render::Light light = render::normal_color(normal);
  return {scene::linear_to_srgb(Vec3d{light.x, light.y, light.z}), label};
}

}  // namespace

bool has_legend(render::Shade shade) {
  return shade != render::Shade::Material;
}

Legend legend_of(render::Shade shade, const render::Picture& picture, const dag::VoxelScene& scene) {
  const double low = picture.low, high = picture.high, voxel_size = scene.voxel_size.shortest();
  switch (shade) {
    case render::Shade::Depth:
      return {scene.unit == scene::LengthUnit::Meter ? "Distance, m" : "Distance, scene units",
              ramp({number_text(low * voxel_size), number_text((low + high) / 2 * voxel_size),
                    number_text(high * voxel_size)})};
    case render::Shade::Level:
      return {"Side of what is shown, voxels", level_steps(picture)};
    case render::Shade::Sharing:
      return {
          "Uses of a leaf, 4 x 4 x 4 voxels",
          ramp({power_text(low), power_text(std::exp2(std::floor(std::log2(high) / 2))), power_text(high)})};
    case render::Shade::Normal:
      return {"Normal",
              {normal_step({1, 0, 0}, "+x"), normal_step({-1, 0, 0}, "-x"), normal_step({0, 1, 0}, "+y"),
               normal_step({0, -1, 0}, "-y"), normal_step({0, 0, 1}, "+z"), normal_step({0, 0, -1}, "-z")}};
    case render::Shade::Material:
      break;
  }
  return {};
}

Legend values_legend(const render::Picture& picture, const render::ValueScale& scale) {
  const double middle = (picture.low + picture.high) / 2;
  return {"Value", ramp({number_text(picture.low), number_text(middle), number_text(picture.high)}, scale)};
}

Legend surface_legend(double value, scene::Rgb8 color) {
  return {"Surface of value", {{color, number_text(value)}}};
}

Legend labels_legend(const std::string& title, const std::vector<uint32_t>& labels, uint32_t first,
                     const render::LabelColors& colors) {
  constexpr size_t kMost = 16;
  Legend legend = {labels.size() > kMost
                       ? fmt::format("{}, the first {} of {}", title, kMost, format_count(labels.size()))
                       : title,
                   {}};
  for (size_t i = 0; i < std::min(labels.size(), kMost); ++i)
    legend.steps.push_back({colors[bricks::label_slot(labels[i])], std::to_string(labels[i] - first)});
  return legend;
}

void draw_legend(scene::Image& image, const Legend& legend) {
  const int scale = std::max(1, static_cast<int>(std::min(image.width, image.height)) / 360);
  const int unit = 4 * scale, line = 12 * scale, bar = 10 * scale;
  const auto steps = static_cast<int>(legend.steps.size());
  int widest = 0;
  for (const LegendStep& step : legend.steps) widest = std::max(widest, text_width(step.label, scale));
  const int title = text_width(legend.title, scale);
  const int step_width =
      std::max({steps > 16 ? 3 * scale : widest + 2 * unit, (title + steps - 1) / std::max(steps, 1)});
  const int width = steps * step_width;
  const Rect panel = {2 * unit, static_cast<int>(image.height) - 4 * unit - 2 * line - bar - 2 * scale,
                      width + 4 * unit, 2 * unit + 2 * line + bar};
  if (panel.y < 0 || panel.x + panel.width > static_cast<int>(image.width)) return;
  fill(image, panel, kPanel);
  const int left = panel.x + 2 * unit, top = panel.y + unit;
  draw_text(image, left, top, legend.title, scale);
  for (int i = 0; i < steps; ++i) {
    const LegendStep& step = legend.steps[static_cast<size_t>(i)];
    const int x = left + i * step_width;
    fill(image, {x, top + line, step_width, bar}, {step.color.r, step.color.g, step.color.b, 255});
    const int text = text_width(step.label, scale);
    const int at = std::clamp(x + (step_width - text) / 2, left, std::max(left, left + width - text));
    draw_text(image, at, top + line + bar + unit, step.label, scale);
  }
}

}  // namespace vox
