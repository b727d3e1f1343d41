// vox-render: a picture of a scene file.
#include <fmt/format.h>

#include <filesystem>

#include "formats/png_file.h"
#include "formats/scene_file.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/log.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/render/volume_slice.h"
#include "tools/common/profile.h"
#include "tools/common/targets.h"
#include "tools/common/tool.h"
#include "tools/vox-render/legend.h"
#include "tools/vox-render/options.h"

namespace vox {
namespace {

struct Frame {
  CameraPose pose;
  std::filesystem::path file;
};

Vec3d to_voxels(const VoxelScene& scene, Vec3d point) {
  return (point - scene.origin) * (1 / scene.voxel_size);
}
Vec3d to_units(const VoxelScene& scene, Vec3d point) {
  return point * scene.voxel_size + scene.origin;
}

// house.png → house-07.png, as many digits as the last has.
std::filesystem::path numbered(const std::filesystem::path& file, uint32_t number, uint32_t count) {
  const size_t digits = std::to_string(count - 1).size();
  std::filesystem::path result = file;
  result.replace_filename(
      fmt::format("{}-{:0{}}{}", file.stem().string(), number, digits, file.extension().string()));
  return result;
}

std::vector<Frame> frames(const VoxelScene& scene, const RenderToolOptions& options) {
  if (options.slice) return {{{}, options.output}};
  const std::vector<VoxelBox> boxes = outline(scene.dag);
  if (options.turntable > 0) {
    std::vector<Frame> list;
    for (const CameraPose& pose :
         turntable(boxes, options.view, options.turntable, options.fov, options.render.size))
      list.push_back({pose, numbered(options.output, static_cast<uint32_t>(list.size()), options.turntable)});
    return list;
  }
  CameraPose pose = framing(boxes, options.view, 0, options.fov, options.render.size);
  if (options.eye) {
    if (options.target) pose.target = to_voxels(scene, *options.target);
    pose.eye = to_voxels(scene, *options.eye);
  }
  return {{pose, options.output}};
}

void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options) {
  for (const Frame& frame : list) check_target("the picture", frame.file, options.scene);
}

std::string point_text(Vec3d point) {
  return fmt::format("{},{},{}", point.x, point.y, point.z);
}

std::string slice_text(const SliceOptions& slice) {
  return fmt::format("{}={}", "xyz"[slice.axis], slice.at);
}

std::vector<PngText> texts(const VoxelScene& scene, const CameraPose& pose,
                           const RenderToolOptions& options) {
  std::vector<PngText> list = {
      {"Software", generator_text()}, {"Command", options.command}, {"Digest", to_string(scene.dag.digest)}};
  if (options.slice)
    list.push_back({"Slice", slice_text(*options.slice)});
  else
    list.push_back(
        {"Camera", fmt::format("--eye {} --target {} --fov {}", point_text(to_units(scene, pose.eye)),
                               point_text(to_units(scene, pose.target)), pose.fov)});
  return list;
}

Picture taken(Renderer& renderer, const VoxelScene& scene, const CameraPose& pose,
              const RenderToolOptions& options) {
  if (options.slice) return renderer.slice(*options.slice);
  RenderOptions render = options.render;
  render.pose = pose;
  render.ao_reach = options.ao_reach / scene.voxel_size;
  Picture picture = renderer.render(render);
  if (options.legends == Legends::On && has_legend(render.shade))
    draw_legend(picture.image, legend_of(render.shade, picture, scene.voxel_size));
  return picture;
}

void set_picture(Json& json, const Frame& frame, const Picture& picture, const VoxelScene& scene,
                 const RenderToolOptions& options) {
  json.set("file", frame.file.string())
      .set("width", picture.image.width)
      .set("height", picture.image.height)
      .set("seconds", picture.seconds);
  if (options.slice) {
    json.set("slice", slice_text(*options.slice));
    return;
  }
  json.set("eye", point_text(to_units(scene, frame.pose.eye)))
      .set("target", point_text(to_units(scene, frame.pose.target)))
      .set("fov", frame.pose.fov)
      .set("rays", picture.rays);
}

// A cut through a file that holds the bricks of a volume alone.
void cut_volume(const RenderToolOptions& options) {
  check_targets({{{}, options.output}}, options);
  const FrozenBricks bricks = read_bricks(options.scene);
  Picture picture = slice_volume(bricks_volume(bricks), bricks.background, *options.slice);
  if (options.legends == Legends::On) draw_legend(picture.image, values_legend(picture));
  write_png(
      picture.image,
      {{"Software", generator_text()}, {"Command", options.command}, {"Slice", slice_text(*options.slice)}},
      options.output);
  log_info("{}: {} to {}", options.output.string(), picture.low, picture.high);
  if (!options.json) return;
  Json json;
  json.set("volume", options.scene.string())
      .set("file", options.output.string())
      .set("slice", slice_text(*options.slice))
      .set("width", picture.image.width)
      .set("height", picture.image.height)
      .set("low", picture.low)
      .set("high", picture.high);
  fmt::print("{}\n", json.text());
}

void run(int argc, char** argv) {
  const RenderToolOptions options = parse_render_options(argc, argv);
  const ThreadLimit threads(options.engine.threads);
  if (options.slice && !scene_file_parts(options.scene).dag) return cut_volume(options);
  const VoxelScene scene = read_scene(options.scene);
  const std::vector<Frame> list = frames(scene, options);
  check_targets(list, options);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_debug("on {}", engine->device_text());
  Json json;
  json.set("scene", options.scene.string())
      .set("digest", to_string(scene.dag.digest))
      .set("device", engine->device());
  Json& rows = json.array("pictures");
  const std::unique_ptr<Renderer> renderer = engine->renderer(scene.dag, scene.palette);
  for (const Frame& frame : list) {
    throw_if_cancelled();
    const Picture picture = taken(*renderer, scene, frame.pose, options);
    write_png(picture.image, texts(scene, frame.pose, options), frame.file);
    log_info("{}, {}", frame.file.string(), format_seconds(picture.seconds));
    set_picture(rows.append(), frame, picture, scene, options);
  }
  set_profile(json, engine->profile());
  if (options.engine.profile) print_profile(engine->profile());
  if (options.json) fmt::print("{}\n", json.text());
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-render", [&] { vox::run(argc, argv); });
}
