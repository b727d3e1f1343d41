#include "tools/vox-render/volume.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "formats/results/json_text.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/ranks/shared_renderer.h"
#include "libvox/render/volume_slice.h"
#include "tools/common/profile.h"
#include "tools/common/terminal.h"
#include "tools/vox-render/frames.h"
#include "tools/vox-render/given.h"
#include "tools/vox-render/legend.h"
#include "tools/vox-render/output.h"

namespace vox {
namespace {

Legend legend_of(const render::ShownValues& values, const render::Picture& picture, const VolumeLook& look) {
  if (look.iso)
    return surface_legend(picture.low + *look.iso * (picture.high - picture.low), values.colors.scale.back());
  switch (values.kind) {
    case render::ShownValues::Kind::Amounts:
      return values_legend(picture, values.colors.scale);
    case render::ShownValues::Kind::Materials:
      return labels_legend("Material", values.labels, 1, values.colors.labels);
    case render::ShownValues::Kind::Labels:
      return labels_legend("Label", values.labels, 0, values.colors.labels);
  }
  return {};
}

render::ShownValues values_of(const bricks::FrozenBricks& bricks, const RenderToolOptions& options) {
  render::ShownValues values = colored_values(bricks, scene_palette(options.scene), options.volume);
  if (values.kind == render::ShownValues::Kind::Labels && options.volume.values == render::ValuesAs::Auto)
    log_info("{} values that lie in areas of one are shown as labels; --values amounts shows one scale",
             format_count(values.labels.size()));
  return values;
}

void add_picture(PictureOutput& output, render::Picture picture, const render::ShownValues& values,
                 const Frame& frame, const render::Place& place, const RenderToolOptions& options) {
  if (!writes_pictures(options)) return;
  if (options.legends == Legends::On) draw_legend(picture.image, legend_of(values, picture, options.volume));
  output.add(frame, picture, picture_texts(frame.pose, place, options));
}

void cut(const bricks::FrozenBricks& bricks, const RenderToolOptions& options) {
  const Frame frame = {{}, options.output};
  check_targets({frame}, options);
  const render::ShownValues values = values_of(bricks, options);
  const render::Picture picture =
      render::slice_volume(bricks::bricks_volume(bricks), bricks.background, values.colors, *options.slice);
  PictureOutput output(options);
  add_picture(output, picture, values, frame, {}, options);
  output.close();
  log_info("values from {} to {}", picture.low, picture.high);
  if (!options.json) return;
  measure::ResultGroup results;
  results.set("volume", options.scene.string());
  set_picture(results, frame, picture, {}, options);
  results.set("low", picture.low).set("high", picture.high);
  print_result(json_text(results) + "\n");
}

void cast(const bricks::FrozenBricks& bricks, const RenderToolOptions& options) {
  const render::VolumeSpace space(bricks.info);
  const render::Place place = {space.corner(), space.unit()};
  std::vector<VoxelBox> framed = render::outline(bricks);
  if (framed.empty()) framed.push_back(bricks.info.box());
  for (VoxelBox& box : framed) box = space.around(box);
  const std::vector<Frame> list = frames(framed, place, options);
  check_targets(list, options);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_debug("on {}", engine->device_text());
  measure::ResultGroup results;
  results.set("volume", options.scene.string()).set("device", engine->device());
  const render::ShownValues values = values_of(bricks, options);
  std::unique_ptr<render::VolumeRenderer> renderer = engine->volume_renderer(bricks);
  if (options.ranks) renderer = ranks::shared_renderer(*options.ranks, std::move(renderer));
  render::VolumeRenderOptions render;
  render.size = options.render.size;
  render.to_sun = options.render.to_sun;
  render.opacity = options.volume.opacity;
  render.curve = options.volume.curve;
  render.iso = options.volume.iso;
  render.labels = values.colors.labels;
  render.scale = values.colors.scale;
  render.range = values.colors.range;
  PictureOutput output(options);
  for (const Frame& frame : list) {
    throw_if_cancelled();
    render.pose = frame.pose;
    const render::Picture picture = renderer->render(render);
    add_picture(output, picture, values, frame, place, options);
    set_picture(results.append("pictures"), frame, picture, place, options);
  }
  output.close();
  results.set("low", values.colors.range.low).set("high", values.colors.range.high);
  set_profile(results, engine->profile());
  if (options.engine.profile && writes_pictures(options)) print_profile(engine->profile());
  if (options.json) print_result(json_text(results) + "\n");
}

}  // namespace

void show_volume(const RenderToolOptions& options) {
  if (options.page)
    throw Error(
        fmt::format("'{}' holds the bricks of a volume alone, and pages show scenes", options.scene.string()))
        .hint("vox-convert makes a scene of a volume, by --structure svdag or both");
  check_given(options, Shown::Volume);
  const bricks::FrozenBricks bricks = read_bricks(options.scene);
  options.slice ? cut(bricks, options) : cast(bricks, options);
}

}  // namespace vox
