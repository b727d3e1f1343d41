#include "tools/vox-render/frames.h"

#include <fmt/format.h>

#include "formats/file_names.h"
#include "libvox/base/error.h"
#include "tools/common/targets.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

std::string point_text(Vec3d point) {
  return fmt::format("{},{},{}", point.x, point.y, point.z);
}

std::string slice_text(const render::SliceOptions& slice) {
  return fmt::format("{}={}", "xyz"[slice.axis], slice.at);
}

}  // namespace

std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options) {
  if (options.slice) return {{{}, options.output}};
  const uint32_t count = options.from.turntable;
  std::vector<Frame> list;
  for (const render::CameraPose& pose : render::poses_from(options.from, boxes, place, options.render.size)) {
    const auto number = static_cast<uint32_t>(list.size());
    list.push_back({pose, count > 0 ? numbered_file_name(options.output, number, count) : options.output});
  }
  return list;
}

void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options) {
  for (const Frame& frame : list)
    check_target({"the picture", frame.file, OutputKind::Picture}, options.scene, options.overwrite);
}

std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options) {
  std::vector<PngText> list = {{"Software", generator_text()}, {"Command", options.command}};
  if (options.slice)
    list.push_back({"Slice", slice_text(*options.slice)});
  else
    list.push_back(
        {"Camera", fmt::format("--eye {} --target {} --fov {}", point_text(place.to_world(pose.eye)),
                               point_text(place.to_world(pose.target)), pose.fov)});
  return list;
}

void set_picture(measure::ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options) {
  results.set("file", frame.file.string())
      .set("width", picture.image.width, "pixels")
      .set("height", picture.image.height, "pixels")
      .set("seconds", picture.seconds, "s");
  if (options.slice) {
    results.set("slice", slice_text(*options.slice));
    return;
  }
  results.set("eye", point_text(place.to_world(frame.pose.eye)))
      .set("target", point_text(place.to_world(frame.pose.target)))
      .set("fov", frame.pose.fov, "degrees")
      .set("rays", picture.rays);
  if (options.render.samples > 1 && options.render.sampling == render::Sampling::Edges)
    results.set("refined", picture.refined, "pixels");
}

}  // namespace vox
