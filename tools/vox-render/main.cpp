// vox-render: takes a picture of a scene file.

#include <fmt/format.h>

#include "formats/results/files.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/render/picture_share.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-render/frames.h"

namespace vox {
namespace {

render::Picture taken(render::Renderer& renderer, const dag::VoxelScene& scene,
                      const render::CameraPose& pose, const std::optional<Cutaway>& cutaway,
                      const RenderToolOptions& options) {
  if (options.slice) {
    render::SliceOptions slice = *options.slice;
    slice.voxel_size = scene.voxel_size;
    return renderer.slice(slice);
  }
  render::RenderOptions render = options.render;
  if (cutaway) render.cut = cutaway->plane;
  render.pose = pose;
  render.ao_reach = options.ao_reach / scene.voxel_size.shortest();
  render::Picture picture = renderer.render(render);
  if (writes_pictures(options) && options.legends == Legends::On && has_legend(render.shade))
    draw_legend(picture.image, legend_of(render.shade, picture, scene));
  return picture;
}

// Returns the symmetric form if rays are to be cast through it: if it is asked for, or is all that the file has. A part of a
// scene, and a picture that shows how nodes are shared, are those of the SVDAG.
std::optional<dag::SymmetricDag> form_for_rays(const RenderToolOptions& options, const SceneFileParts& parts,
                                               bool is_cut) {
  const bool is_named = options.form == SceneForm::Symmetric;
  if (!is_named && (options.form != SceneForm::Any || !parts.symmetric || parts.svdag)) return std::nullopt;
  const bool shares = !options.slice && options.render.shade == render::Shade::Sharing;
  if (!is_cut && !options.clip && !shares) return read_symmetric(options.scene);
  if (is_named)
    throw UsageError(
        "--structure symmetric is for whole scenes: --clip, a scene that is cut open (--cut) and --shade "
        "sharing need svdag");
  return std::nullopt;
}

// Returns the normals that the file's voxels have, as far as they are shown.
std::optional<attributes::PackedValues> normals_for(const dag::VoxelScene& scene, const SceneFileParts& parts,
                                                    const RenderToolOptions& options) {
  if (!parts.normals || options.slice || options.render.normals != render::Normals::Auto) return std::nullopt;
  std::optional<attributes::PackedValues> normals = read_normals(options.scene, scene.dag);
  if (normals && options.clip)
    normals = dag::values_inside(scene.dag, *normals, voxelize::voxels_touched(scene, *options.clip));
  return normals;
}

// True if this process has nothing to do beside rank 0, which makes a slice alone.
bool looks_on(const RenderToolOptions& options) {
  if (options.ranks && options.page)
    throw UsageError(
        fmt::format("--html is the work of one process, but {} were started", options.ranks->count()));
  return options.slice && !writes_pictures(options);
}

void show(const RenderToolOptions& options) {
  const ThreadLimit threads(options.engine.threads);
  const SceneFileParts parts = scene_parts(options.scene);
  const bool bricks_alone = parts.bricks && !parts.dag && !parts.hash && options.form == SceneForm::Any;
  if (options.volume.types && !parts.bricks)
    throw Error("--shade type shows the types of bricks, and the file holds none")
        .at(options.scene.string())
        .hint("vox-convert --structure bricks or both makes bricks");
  if (bricks_alone || options.volume.types) return show_volume(options);
  check_given(options, Shown::Scene);
  if (options.page) return write_page(options);
  EngineSoon soon(options.engine, [&](Engine& engine) {
    if (!options.slice) warm_up_render(engine, options.render);
  });
  dag::VoxelScene whole = read_any_scene(options.scene, options.engine, options.form, Damage::Ignored,
                                         options.clip ? Loading::InParts : loading_onto(options.engine));
  std::optional<attributes::PackedValues> normals = normals_for(whole, parts, options);
  const dag::VoxelScene scene = clipped_part(std::move(whole), options);
  const render::VolumeSpace space = space_of(scene);
  const render::Place place = {space.corner(), space.unit()};
  const std::vector<VoxelBox> boxes = options.slice ? std::vector<VoxelBox>() : outline_in(space, scene.dag);
  const std::vector<Frame> list = frames(boxes, place, options);
  check_targets(list, options);
  const render::CameraPose& first = list.front().pose;
  const std::optional<Cutaway> cutaway =
      cut_open(scene, space.to_voxels(first.eye), cut_layer(scene, first, options));
  if (cutaway && normals) normals = dag::values_inside(scene.dag, *normals, cutaway->left);
  const std::unique_ptr<Engine> engine = soon.get();
  log_debug("on {}", engine->device_text());
  ResultGroup results = scene_results(options, scene, engine->device());
  PictureOutput output(options);
  const dag::VoxelScene& shown = cutaway ? cutaway->scene : scene;
  const std::optional<dag::SymmetricDag> symmetric = form_for_rays(options, parts, cutaway.has_value());
  std::unique_ptr<render::Renderer> renderer =
      render::make_renderer(engine->handles(), shown.dag, scene.palette,
                            {.voxel_size = scene.voxel_size,
                             .colors = shown.colors ? &*shown.colors : nullptr,
                             .normals = normals ? &*normals : nullptr,
                             .symmetric = symmetric ? &*symmetric : nullptr});
  if (options.ranks && !options.slice)
    renderer = render::shared_renderer(*options.ranks, std::move(renderer));
  for (const Frame& frame : list) {
    throw_if_cancelled();
    const render::Picture picture = taken(*renderer, scene, frame.pose, cutaway, options);
    std::vector<PngText> texts = picture_texts(frame.pose, place, options);
    texts.push_back({"Digest", dag::to_string(scene.dag.digest)});
    output.add(frame, picture, texts);
    set_picture(results.append("pictures"), frame, picture, place, options);
  }
  output.close();
  set_profile(results, engine->profile());
  if (options.engine.profile && writes_pictures(options)) print_profile(engine->profile());
  if (options.json) print_result(json_text(results) + "\n");
}

void run(const CommandLine& arguments, ranks::Ranks* ranks) {
  RenderToolOptions options = read_render_options(arguments);
  if (ranks) {
    options.ranks = ranks;
    options.engine = engine_of_rank(options.engine, *ranks);
  }
  if (!looks_on(options)) with_input(options.scene, [&] { show(options); });
}

// A device holds the whole scene, and the host most often has more memory than a GPU.
void run_with_advice(const CommandLine& arguments, ranks::Ranks* ranks) {
  try {
    run(arguments, ranks);
  } catch (OutOfMemory& error) {
    error.hint("raise --memory-limit, show a scene of a lower resolution, or, on a GPU, use --device cpu")
        .about("");
    throw;
  }
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool_on_ranks(vox::render_description, argc, argv, vox::run_with_advice);
}
