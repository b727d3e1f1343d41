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
  results.set("scene", options.scene.string())
      .about("The scene file that was read.")
      .set("page", options.page->string())
      .about("With `--html`: the page that was written.")
      .set("bytes", bytes, "bytes")
      .about("Size of the page.");
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
  results.set("scene", options.scene.string())
      .about("The scene file that was read.")
      .set("digest", dag::to_string(scene.dag.digest))
      .about("Digest of the scene.");
  set_device(results, device);
  return results;
}

ResultGroup volume_results(const RenderToolOptions& options) {
  ResultGroup results;
  results.set("volume", options.scene.string()).about("The file of bricks that was read, of a volume.");
  return results;
}

void set_range(ResultGroup& results, double low, double high) {
  results.set("low", low)
      .about("The value at the lower end of the scale, of a volume.")
      .set("high", high)
      .about("The value at its upper end.");
}

ResultGroup page_results(const RenderToolOptions& options, const ScenePage& page) {
  ResultGroup results = written_page(options, page.text.size());
  results.set("resolution", page.resolution, "voxels")
      .about("Number of voxels along the longest side of the scene that it shows.")
      .set("halvings", page.halvings)
      .about("Number of times that the scene's resolution was halved for it.");
  return results;
}

ResultGroup stream_results(const RenderToolOptions& options, const SceneStream& stream) {
  ResultGroup results = written_page(options, stream.bytes);
  results.set("files", stream.files)
      .about("With `--stream`: number of files in the page's folder.")
      .set("chunks", stream.chunks)
      .about("With `--stream`: number of files of chunks among them.");
  return results;
}

void set_picture(ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options) {
  results.set("file", frame.file.string())
      .about("The picture that was written.")
      .set("width", picture.image.width, "pixels")
      .about("Its width.")
      .set("height", picture.image.height, "pixels")
      .about("Its height.")
      .set("seconds", picture.seconds, "s")
      .about("Time of the picture, without writing it.");
  if (options.slice) {
    results.set("slice", slice_text(*options.slice)).about("With `--slice`: the place of the slice.");
    return;
  }
  results.set("eye", point_text(place.to_world(frame.pose.eye)))
      .about("Position of the eye, as the text x,y,z.")
      .set("target", point_text(place.to_world(frame.pose.target)))
      .about("The point that it looks at, as the text x,y,z.")
      .set("fov", frame.pose.fov, "degrees")
      .about("Its field of view.")
      .set("rays", picture.rays)
      .about("Number of rays through pixels, without those to the sun and the sky.");
  if (!is_upright(frame.pose))
    results.set("up", point_text(frame.pose.up))
        .about("The direction that is up, if it is not that of the scene.");
  if (options.render.samples > 1 && options.render.sampling == render::Sampling::Edges)
    results.set("refined", picture.refined, "pixels")
        .about("Number of pixels on edges, which have all `--samples`, if scenes have several on edges.");
}

}  // namespace vox
