#include "tools/vox-render/frames.h"

#include <fmt/format.h>

#include <utility>

#include "formats/file_types.h"
#include "formats/pages/scene_page.h"
#include "formats/results/files.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

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

// A view in the words of the page's address (formats/pages/viewer/settings.js).
std::string start_of(const RenderToolOptions& options) {
  const render::Viewpoints& from = options.from;
  std::string text = from.eye ? "eye=" + point_text(*from.eye) : "view=" + from.view;
  if (from.target) text += "&target=" + point_text(*from.target);
  text += fmt::format("&fov={}&sun={}", from.fov, point_text(options.render.to_sun));
  constexpr const char* kShades[] = {"", "&shade=normal", "&shade=depth", "&shade=level", "&shade=sharing"};
  text += kShades[static_cast<size_t>(options.render.shade)];
  if (options.render.shadows == render::Shadows::Off) text += "&shadows=off";
  if (options.render.lod == render::LevelOfDetail::Off) text += "&lod=off";
  if (options.render.normals == render::Normals::Smooth) text += "&normals=smooth";
  if (options.render.normals == render::Normals::Faces) text += "&normals=faces";
  if (options.render.skies == render::Sky::Flat) text += "&sky=flat";
  if (options.render.ground == render::Ground::On) text += "&ground=on";
  if (options.render.exposure != 1) text += fmt::format("&exposure={}", options.render.exposure);
  return text;
}

std::string part_text(const voxelize::Box& clip, const dag::VoxelScene& scene) {
  return fmt::format("the box from {} to {} of a scene of {}", point_text(clip.min), point_text(clip.max),
                     format_count(scene.dag.voxels, "voxel"));
}

// Returns the part of the scene that is left at the first view, if it is cut. In pages, eyes stand where those of pictures do.
std::optional<VoxelBox> left_by_cut(const dag::VoxelScene& scene, const RenderToolOptions& options) {
  const render::VolumeSpace space = space_of(scene);
  const render::Place place = {space.corner(), space.unit()};
  const std::vector<VoxelBox> outline = outline_in(space, scene.dag);
  const render::CameraPose pose =
      render::poses_from(options.from, outline, place, options.render.size).front();
  const std::optional<Cutaway> cutaway =
      cut_open(scene, space.to_voxels(pose.eye), cut_layer(scene, pose, options));
  if (!cutaway) return std::nullopt;
  return cutaway->left;
}

void write_stream(const dag::VoxelScene& scene, const ScenePageOptions& page,
                  const RenderToolOptions& options) {
  const SceneStream made =
      write_scene_stream(scene, *options.page,
                         {.page = page, .page_memory = options.page_memory, .overwrite = options.overwrite});
  log_info("{}, {} in {}", options.page->string(), format_bytes(made.bytes),
           format_count(made.files, "file"));
  if (options.json) print_result(json_text(stream_results(options, made)) + "\n");
}

}  // namespace

bool writes_film(const RenderToolOptions& options) {
  return has_role(options.output, FileRole::Film) && can_write_films();
}

render::VolumeSpace space_of(const dag::VoxelScene& scene) {
  return render::VolumeSpace(dag::scene_volume(scene).info);
}

std::vector<VoxelBox> outline_in(const render::VolumeSpace& space, const dag::FrozenDag& dag) {
  std::vector<VoxelBox> boxes = render::outline(dag);
  for (VoxelBox& box : boxes) box = space.around(box);
  return boxes;
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

PictureOutput::PictureOutput(const RenderToolOptions& options) : options_(options) {
  if (!writes_film(options) || !writes_pictures(options)) return;
  const auto [width, height] = options.render.size;
  film_.emplace(options.output, FilmOptions{width, height, options.from.fps, options.command});
}

void PictureOutput::add(const Frame& frame, const render::Picture& picture,
                        const std::vector<PngText>& texts) {
  if (!writes_pictures(options_)) return;
  ++count_;
  if (film_) return film_->add(picture.image);
  OutputFile& file = pictures_.emplace_back(frame.file, Writers::One);
  file.write(encode_png(picture.image, texts));
  file.release();
  log_info("{}, {}", frame.file.string(), format_seconds(picture.seconds));
}

void PictureOutput::close() {
  if (!film_) return OutputFile::commit_together(pictures_);
  film_->close();
  log_info("{}, {}, {} a second", options_.output.string(), format_count(count_, "picture"),
           options_.from.fps);
}

dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options) {
  if (!options.clip) return scene;
  const VoxelBox box = voxelize::voxels_touched(scene, *options.clip);
  if (!box.empty()) scene = dag::clipped(std::move(scene), box);
  if (box.empty() || scene.dag.voxels == 0) throw Error("no voxel of the scene lies in the box of --clip");
  return scene;
}

std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options) {
  if (options.cut) return options.cut;
  const bool has_choice = options.clip || options.slice || options.from.eye || !options.from.path.empty();
  if (options.rooms == ClosedRooms::Whole || has_choice || !render::is_closed_room(scene.dag))
    return std::nullopt;
  const auto [axis, at] = render::layer_into_room(dag::filled_box(scene.dag), pose);
  if (writes_pictures(options))
    log_info(
        "the scene is a room, closed on all sides: it is cut open at {}={}; --cut off shows it closed, "
        "--eye looks from inside",
        "xyz"[axis], at);
  return Layer{axis, at};
}

std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut) {
  if (!cut) return std::nullopt;
  const auto [axis, layer] = *cut;
  if (layer >= scene.dag.resolution)
    throw Error(fmt::format("there is no plane {}={}", "xyz"[axis], layer))
        .hint(fmt::format("they go from 0 to {}", scene.dag.resolution - 1));
  VoxelBox left = cube_at({0, 0, 0}, scene.dag.side());
  const auto at = static_cast<int32_t>(layer);
  const bool from_above = eye[axis] > layer + 0.5;
  render::CutPlane plane = {.axis = axis, .at = from_above ? at + 1 : at};
  (from_above ? left.max : left.min)[axis] = plane.at;
  Cutaway cutaway = {dag::clipped(scene, left), plane, left};
  if (cutaway.scene.dag.voxels == 0)
    throw Error(fmt::format("nothing is left behind the plane {}={}", "xyz"[axis], layer));
  return cutaway;
}

void write_page(const RenderToolOptions& options) {
  ScenePageOptions page = {.title = options.scene.filename().string(),
                           .command = options.command,
                           .start = start_of(options),
                           .most_bytes = options.page_limit,
                           .memory_limit = options.engine.memory_limit};
  if (options.streams)
    check_stream_folder(*options.page, options.overwrite);
  else
    check_target({"the page", *options.page, OutputKind::Page}, options.scene, options.overwrite);
  dag::VoxelScene scene = read_any_scene(options.scene, options.engine, options.form,
                                         damage_with(options.overwrite), Loading::AsUsed);
  if (options.streams && scene.colors && scene.colors->count > UINT32_MAX)
    scene = in_palette(std::move(scene), "in a page that loads as you fly", options.engine);
  if (options.clip) page.part = part_text(*options.clip, scene);
  scene = clipped_part(std::move(scene), options);
  page.first_box = left_by_cut(scene, options);
  if (page.first_box && !options.cut) page.part = "a closed room, which the page opens cut";
  if (options.streams) return write_stream(scene, page, options);
  const ScenePage made = make_scene_page(std::move(scene), page);
  write_scene_page(made, *options.page);
  if (made.halvings > 0)
    log_warning("the page shows {}³ voxels: more do not fit into {} (--page-limit)", made.resolution,
                format_bytes(options.page_limit));
  log_info("{}, {}", options.page->string(), format_bytes(made.text.size()));
  if (options.json) print_result(json_text(page_results(options, made)) + "\n");
}

}  // namespace vox
