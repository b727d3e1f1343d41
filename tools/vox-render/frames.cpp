#include "tools/vox-render/frames.h"

#include <fmt/format.h>

#include "formats/file_names.h"
#include "formats/file_types.h"
#include "formats/images/film_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "tools/common/targets.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

std::string point_text(Vec3d point) {
  return fmt::format("{},{},{}", point.x, point.y, point.z);
}

bool is_upright(const render::CameraPose& pose) {
  return pose.up == render::CameraPose().up;
}

std::string slice_text(const render::SliceOptions& slice) {
  return fmt::format("{}={}", "xyz"[slice.axis], slice.at);
}

// The poses of all pictures. Errors name the file of a camera's way, and the picture in it that cannot be taken.
std::vector<render::CameraPose> checked_poses(std::span<const VoxelBox> boxes, const render::Place& place,
                                              const RenderToolOptions& options) {
  std::string where = options.camera_file.string();
  try {
    std::vector<render::CameraPose> poses =
        render::poses_from(options.from, boxes, place, options.render.size);
    for (size_t i = 0; i < poses.size(); ++i) {
      if (!options.camera_file.empty())
        where = fmt::format("{}: picture {}", options.camera_file.string(), i + 1);
      render::make_camera(poses[i], options.render.size, 0);
    }
    return poses;
  } catch (Error& error) {
    if (!where.empty() && !error.has_place()) error.at(where);
    throw;
  }
}

}  // namespace

bool writes_film(const RenderToolOptions& options) {
  return has_role(options.output, FileRole::Film) && can_write_films();
}

std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options) {
  if (options.slice) return {{{}, options.output}};
  const std::vector<render::CameraPose> poses = checked_poses(boxes, place, options);
  const auto count = static_cast<uint32_t>(poses.size());
  const bool are_many = options.from.turntable > 0 || !options.from.path.empty();
  const bool has_names = are_many && !writes_film(options);
  std::filesystem::path name = options.output;
  if (has_names && has_role(name, FileRole::Film)) {
    name.replace_extension(".png");
    log_warning(
        "ffmpeg is not installed: {} pictures are written instead, {} and so on, which it makes a film of",
        count, numbered_file_name(name, 0, count).string());
  }
  std::vector<Frame> list;
  for (uint32_t i = 0; i < count; ++i)
    list.push_back({poses[i], has_names ? numbered_file_name(name, i, count) : name});
  return list;
}

void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options) {
  if (!writes_pictures(options)) return;
  if (writes_film(options))
    return check_target({"the film", options.output, OutputKind::Film}, options.scene, options.overwrite);
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
        {"Camera", fmt::format("--eye {} --target {} --fov {}{}", point_text(place.to_world(pose.eye)),
                               point_text(place.to_world(pose.target)), pose.fov,
                               is_upright(pose) ? "" : ", up " + point_text(pose.up))});
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
  if (!is_upright(frame.pose)) results.set("up", point_text(frame.pose.up));
  if (options.render.samples > 1 && options.render.sampling == render::Sampling::Edges)
    results.set("refined", picture.refined, "pixels");
}

}  // namespace vox
