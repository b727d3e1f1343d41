#include "tools/vox-render/volume.h"

#include <fmt/format.h>

#include "formats/scene_file.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/render/volume_slice.h"
#include "tools/common/profile.h"
#include "tools/vox-render/frames.h"
#include "tools/vox-render/given.h"
#include "tools/vox-render/legend.h"

namespace vox {
namespace {

void write_picture(Picture picture, const Frame& frame, const Place& place,
                   const RenderToolOptions& options) {
  if (options.legends == Legends::On) draw_legend(picture.image, values_legend(picture));
  write_png(picture.image, picture_texts(frame.pose, place, options), frame.file);
}

void cut(const FrozenBricks& bricks, const RenderToolOptions& options) {
  const Frame frame = {{}, options.output};
  check_targets({frame}, options);
  const Picture picture = slice_volume(bricks_volume(bricks), bricks.background, *options.slice);
  write_picture(picture, frame, {}, options);
  log_info("{}: {} to {}", frame.file.string(), picture.low, picture.high);
  if (!options.json) return;
  Json json;
  json.set("volume", options.scene.string());
  set_picture(json, frame, picture, {}, options);
  json.set("low", picture.low).set("high", picture.high);
  fmt::print("{}\n", json.text());
}

void cast(const FrozenBricks& bricks, const RenderToolOptions& options) {
  const VolumeSpace space(bricks.info);
  const Place place = {space.corner(), space.unit()};
  const VoxelBox filled = filled_bricks(bricks);
  const VoxelBox framed = space.around(filled.empty() ? bricks.info.box() : filled);
  const std::vector<Frame> list = frames({&framed, 1}, place, options);
  check_targets(list, options);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_debug("on {}", engine->device_text());
  Json json;
  json.set("volume", options.scene.string()).set("device", engine->device());
  Json& pictures = json.array("pictures");
  const std::unique_ptr<VolumeRenderer> renderer = engine->volume_renderer(bricks);
  VolumeRenderOptions render;
  render.size = options.render.size;
  render.to_sun = options.render.to_sun;
  render.opacity = options.opacity;
  for (const Frame& frame : list) {
    throw_if_cancelled();
    render.pose = frame.pose;
    const Picture picture = renderer->render(render);
    write_picture(picture, frame, place, options);
    log_info("{}, {}", frame.file.string(), format_seconds(picture.seconds));
    set_picture(pictures.append(), frame, picture, place, options);
  }
  const ValueRange range = renderer->range();
  json.set("low", range.low).set("high", range.high);
  set_profile(json, engine->profile());
  if (options.engine.profile) print_profile(engine->profile());
  if (options.json) fmt::print("{}\n", json.text());
}

}  // namespace

void show_volume(const RenderToolOptions& options) {
  check_given(options, Shown::Volume);
  const FrozenBricks bricks = read_bricks(options.scene);
  options.slice ? cut(bricks, options) : cast(bricks, options);
}

}  // namespace vox
