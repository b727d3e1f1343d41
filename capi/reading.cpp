// Voxels of a scene in the caller's memory: as lists, as dense boxes, as hits of rays and as pictures.

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "capi/handles.h"
#include "formats/voxels/export.h"
#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/render/camera.h"
#include "libvox/render/picture_share.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"

namespace vox {
namespace {

using Rgb = std::array<uint8_t, 3>;

constexpr Rgb kColorless = {255, 255, 255};  // of a scene without colors

Rgb rgb_of(scene::Rgb8 color) {
  return {color.r, color.g, color.b};
}

// The color of each value of dag/walk.h; that of 0 is not used.
std::array<Rgb, scene::kPaletteSize + 1> value_colors(const dag::VoxelScene& scene) {
  std::array<Rgb, scene::kPaletteSize + 1> colors;
  colors.fill(kColorless);
  for (uint32_t i = 0; i < scene.palette.count; ++i) colors[i + 1] = rgb_of(scene.palette.colors[i]);
  return colors;
}

// --- lists ---

constexpr uint32_t kPieceSide = 64;

// The filled voxels of a box by cubes of 64³ voxels, which threads take one by one.
struct Pieces {
  std::vector<Int3> corners;
  std::vector<uint64_t> first;  // of each cube's voxels in the list, and their number
};

VoxelBox piece_box(const Pieces& pieces, size_t i, const VoxelBox& region) {
  return intersection(cube_at(pieces.corners[i], kPieceSide), region);
}

Pieces counted_pieces(const dag::FrozenDag& dag, const VoxelBox& region) {
  Pieces pieces;
  if (!region.empty()) pieces.corners = corners_of_cubes(dag, region, kPieceSide);
  pieces.first.resize(pieces.corners.size() + 1);
  parallel_for(size_t{0}, pieces.corners.size(), [&](size_t i) {
    throw_if_cancelled();
    uint64_t count = 0;
    dag::for_each_leaf(
        dag, piece_box(pieces, i, region),
        [&](Int3, uint64_t mask, const uint32_t*) { count += static_cast<uint64_t>(popcount(mask)); },
        [&](const VoxelBox& box, uint32_t) { count += box.voxels(); });
    pieces.first[i + 1] = count;
  });
  for (size_t i = 0; i < pieces.corners.size(); ++i) pieces.first[i + 1] += pieces.first[i];
  return pieces;
}

// The caller's arrays, of which any may be nullptr.
struct VoxelLists {
  int32_t* coordinates;
  uint8_t* materials;
  uint8_t* colors;
};

class ListWriter {
 public:
  ListWriter(const dag::VoxelScene& scene, const VoxelLists& to) : dag_(scene.dag), to_(to) {
    value_colors_ = value_colors(scene);
    if (scene.colors && to.colors != nullptr) own_colors_.emplace(scene);
  }

  // Writes the voxels of a box of at most a piece from number `at` of the lists on.
  void write(const VoxelBox& box, uint64_t at) const {
    dag::for_each_leaf(dag_, box, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      std::array<uint32_t, 64> colors;
      if (own_colors_) colors = (*own_colors_)(corner);
      for (; mask != 0; mask &= mask - 1, ++at) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        const uint8_t value = dag::leaf_value(dag_, leaf, bit);
        if (to_.coordinates != nullptr) put_place(corner + cube_place(bit), at);
        if (to_.materials != nullptr) to_.materials[at] = static_cast<uint8_t>(value - 1);
        if (to_.colors != nullptr)
          put_color(own_colors_ ? rgb_of(scene::unpacked_color(colors[bit])) : value_colors_[value], at);
      }
    });
  }

 private:
  void put_place(const Int3& place, uint64_t at) const {
    int32_t* const to = to_.coordinates + 3 * at;
    to[0] = place.x, to[1] = place.y, to[2] = place.z;
  }
  void put_color(const Rgb& color, uint64_t at) const {
    std::copy(color.begin(), color.end(), to_.colors + 3 * at);
  }

  const dag::FrozenDag& dag_;
  VoxelLists to_;
  std::array<Rgb, scene::kPaletteSize + 1> value_colors_;
  std::optional<dag::LeafColors> own_colors_;
};

void write_lists(const dag::VoxelScene& scene, const VoxelBox& region, uint64_t capacity,
                 const VoxelLists& to) {
  const Pieces pieces = counted_pieces(scene.dag, region);
  if (capacity != pieces.first.back())
    throw UsageError(fmt::format("capacity is {}, but the box has {} voxels", capacity, pieces.first.back()));
  FilledArrays filling;
  const ListWriter writer(
      scene, {filling.on_host(to.coordinates, 3 * capacity), filling.on_host(to.materials, capacity),
              filling.on_host(to.colors, 3 * capacity)});
  parallel_for(size_t{0}, pieces.corners.size(), [&](size_t i) {
    throw_if_cancelled();
    writer.write(piece_box(pieces, i, region), pieces.first[i]);
  });
  filling.give();
}

// --- dense boxes ---

uint64_t value_bytes(uint32_t format) {
  return known_choice<uint32_t>(format, 3, "format") == VOX_DENSE_U8 ? 1 : format == VOX_DENSE_U16 ? 2 : 4;
}

// Writes a slab as RGBA. `values` are its voxels as bytes.
void write_rgba(const std::vector<uint8_t>& values, const std::vector<uint32_t>& own,
                const std::array<Rgb, scene::kPaletteSize + 1>& colors, uint8_t* to) {
  for (size_t i = 0; i < values.size(); ++i, to += 4) {
    const Rgb color = own.empty() ? colors[values[i]] : rgb_of(scene::unpacked_color(own[i]));
    for (size_t part = 0; part < 3; ++part) to[part] = values[i] == 0 ? uint8_t{0} : color[part];
    to[3] = values[i] == 0 ? 0 : 255;
  }
}

class DenseWriter {
 public:
  DenseWriter(const dag::VoxelScene& scene, uint32_t format)
      : dag_(scene.dag), format_(format), value_colors_(value_colors(scene)) {
    if (format == VOX_DENSE_RGBA && scene.colors) own_colors_.emplace(scene);
  }

  void write(const VoxelBox& slab, uint8_t* to) const {
    if (format_ == VOX_DENSE_U8) return dag::write_dense(dag_, slab, to);
    std::vector<uint8_t> values(slab.voxels());
    dag::write_dense(dag_, slab, values.data());
    if (format_ == VOX_DENSE_U16) {
      for (size_t i = 0; i < values.size(); ++i) {
        const uint16_t value = values[i];
        std::memcpy(to + 2 * i, &value, sizeof value);
      }
      return;
    }
    std::vector<uint32_t> own(own_colors_ ? values.size() : 0);
    if (own_colors_) dag::write_dense_colors(dag_, *own_colors_, slab, own.data());
    write_rgba(values, own, value_colors_, to);
  }

 private:
  const dag::FrozenDag& dag_;
  uint32_t format_;
  std::array<Rgb, scene::kPaletteSize + 1> value_colors_;
  std::optional<dag::LeafColors> own_colors_;
};

// Layers of a box that lie in one layer of cubes with this side, so that no cube is walked through twice.
constexpr int32_t kSlabHeight = 16;

void write_box(const dag::VoxelScene& scene, const VoxelBox& region, uint32_t format, void* values,
               uint64_t bytes) {
  const uint64_t expected = region.voxels() * value_bytes(format);
  if (bytes != expected) throw UsageError(fmt::format("bytes is {}, but the box has {}", bytes, expected));
  if (expected == 0) return;
  FilledArrays filling;
  uint8_t* const to = filling.on_host(&needed(static_cast<uint8_t*>(values), "values"), bytes);
  const uint64_t layer = expected / static_cast<uint64_t>(region.size().z);
  const DenseWriter writer(scene, format);
  parallel_for(region.min.z / kSlabHeight, (region.max.z - 1) / kSlabHeight + 1, [&](int32_t slab) {
    throw_if_cancelled();
    VoxelBox part = region;
    part.min.z = std::max(region.min.z, slab * kSlabHeight);
    part.max.z = std::min(region.max.z, (slab + 1) * kSlabHeight);
    writer.write(part, to + static_cast<uint64_t>(part.min.z - region.min.z) * layer);
  });
  filling.give();
}

// --- rays ---

Vec3d place_at(const double* numbers, uint64_t i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

// The caller's rays, and its arrays for their hits, of which any may be nullptr.
struct RayArrays {
  uint64_t count;
  const double *origins, *directions;
  vox_hits to;
};

class HitWriter {
 public:
  HitWriter(const dag::VoxelScene& scene, const RayArrays& arrays)
      : arrays_(arrays), has_colors_(scene.colors.has_value()), value_colors_(value_colors(scene)) {}

  // Writes what ray number i hit.
  void write(uint64_t i, const render::PlacedRay& ray, const render::GridHit& hit) const {
    const vox_hits& to = arrays_.to;
    const bool found = hit.found();
    if (to.distances != nullptr)
      to.distances[i] = found ? ray.distance(hit) : std::numeric_limits<double>::infinity();
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (to.voxels != nullptr) to.voxels[3 * i + axis] = hit.voxel[axis];
      const int8_t towards = arrays_.directions[3 * i + axis] < 0 ? 1 : -1;
      if (to.normals != nullptr) to.normals[3 * i + axis] = found && hit.face == axis ? towards : int8_t{0};
    }
    if (to.materials != nullptr)
      to.materials[i] = !found ? uint8_t{255} : has_colors_ ? uint8_t{0} : static_cast<uint8_t>(hit.value);
    if (to.colors == nullptr) return;
    const Rgb color = !found        ? Rgb{}
                      : has_colors_ ? rgb_of(scene::unpacked_color(hit.value))
                                    : value_colors_[hit.value + 1];
    std::copy(color.begin(), color.end(), to.colors + 4 * i);
    to.colors[4 * i + 3] = found ? 255 : 0;
  }

 private:
  const RayArrays& arrays_;
  const bool has_colors_;
  const std::array<Rgb, scene::kPaletteSize + 1> value_colors_;
};

void cast_rays(const vox_engine& on, const dag::VoxelScene& scene, const RayArrays& arrays) {
  const render::RayPlacer placer(dag::kLeafLog2 + scene.dag.depth(), scene.origin, scene.voxel_size);
  std::atomic<uint64_t> wrong = arrays.count;  // a ray that cannot be placed
  parallel_for(uint64_t{0}, arrays.count, [&](uint64_t i) {
    if (!placer.accepts(place_at(arrays.origins, i), place_at(arrays.directions, i))) wrong = i;
  });
  if (wrong < arrays.count)
    throw UsageError(
        "its numbers must be finite and its direction not 0, 0, 0, and it must begin near the scene")
        .at(fmt::format("ray {}", wrong.load()));
  const auto caster =
      render::make_ray_caster(on.engine->handle(), scene.dag, scene.colors ? &*scene.colors : nullptr);
  const HitWriter writer(scene, arrays);
  constexpr uint64_t kAtOnce = 1 << 18;
  const uint64_t most = std::min(kAtOnce, arrays.count);
  std::vector<render::PlacedRay> placed(most);
  std::vector<render::GridRay> rays(most);
  std::vector<render::GridHit> hits(most);
  Progress progress("casting rays", arrays.count);
  for (uint64_t first = 0; first < arrays.count; first += most) {
    throw_if_cancelled();
    const uint64_t n = std::min(most, arrays.count - first);
    parallel_for(uint64_t{0}, n, [&](uint64_t i) {
      placed[i] = placer.placed(place_at(arrays.origins, first + i), place_at(arrays.directions, first + i));
      rays[i] = placed[i].ray;
    });
    caster->cast(std::span(rays).first(n), std::span(hits).first(n));
    parallel_for(uint64_t{0}, n, [&](uint64_t i) { writer.write(first + i, placed[i], hits[i]); });
    progress.update(first + n, "");
  }
}

// --- pictures ---

std::optional<Vec3d> place_of(const double* numbers) {
  if (numbers == nullptr) return std::nullopt;
  return Vec3d{numbers[0], numbers[1], numbers[2]};
}

render::CameraPose pose_of(const dag::VoxelScene& scene, const vox_camera& camera, render::ImageSize size) {
  const render::VolumeSpace space(dag::scene_volume(scene).info);  // in which voxels need not be cubes
  std::vector<VoxelBox> boxes = render::outline(scene.dag);
  for (VoxelBox& box : boxes) box = space.around(box);
  render::Viewpoints from = {.eye = place_of(camera.eye), .target = place_of(camera.target)};
  if (camera.view != nullptr) from.view = camera.view;
  if (std::ranges::find(render::view_names(), from.view) == render::view_names().end())
    throw UsageError(fmt::format("camera->view is '{}', expected one of: {}", from.view,
                                 fmt::join(render::view_names(), ", ")));
  constexpr double kMostTurn = 3600;  // the sine of a large angle would have no correct digits
  if (!(camera.turn >= -kMostTurn && camera.turn <= kMostTurn))
    throw UsageError(
        fmt::format("camera->turn is {}, expected {} to {} degrees", camera.turn, -kMostTurn, kMostTurn));
  if (camera.fov != 0) from.fov = camera.fov;
  if (!from.eye) {
    if (from.target) throw UsageError("camera->target has an effect with an eye alone");
    return render::framing(boxes, from.view, camera.turn, from.fov, size);
  }
  if (camera.turn != 0) throw UsageError("camera->turn has an effect without an eye alone");
  return render::poses_from(from, boxes, {space.corner(), space.unit()}, size).front();
}

void take_picture(const vox_engine& on, const dag::VoxelScene& scene, const vox_camera* given,
                  render::ImageSize size, uint8_t* pixels, uint64_t bytes) {
  const vox_camera camera = known_part(given, "camera");
  render::check_image_size(size);
  const uint64_t expected = uint64_t{4} * size.width * size.height;
  if (bytes != expected)
    throw UsageError(fmt::format("bytes is {}, but the picture has {}", bytes, expected));
  needed(pixels, "pixels");
  constexpr uint32_t kMostSamples = 64;
  if (camera.samples > kMostSamples)
    throw UsageError(fmt::format("camera->samples is {}, expected at most {}", camera.samples, kMostSamples));
  render::RenderOptions options = {.pose = pose_of(scene, camera, size), .size = size};
  options.samples = camera.samples == 0 ? 4 : camera.samples;
  options.sampling = render::Sampling::Edges;
  options.shade = known_choice<render::Shade>(camera.shade, 5, "camera->shade");
  if (known_choice<uint32_t>(camera.no_shadows, 2, "camera->no_shadows") == 1)
    options.shadows = render::Shadows::Off;
  options.normals = render::Normals::Auto;
  options.skies = render::Sky::Gradient;
  const auto renderer = render::make_renderer(
      on.engine->handles(), scene.dag, scene.palette,
      {.voxel_size = scene.voxel_size, .colors = scene.colors ? &*scene.colors : nullptr});
  const scene::Image image = renderer->render(options).image;
  FilledArrays filling;
  std::memcpy(filling.on_host(pixels, expected), image.pixels.data(), expected);
  filling.give();
}

}  // namespace
}  // namespace vox

vox_status vox_scene_count(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                           const int64_t* high, uint64_t* count) {
  return vox::call(engine, [&](vox_engine&) {
    vox::needed(count, "count");
    const vox::dag::VoxelScene& content = vox::content_of(scene);
    *count = low == nullptr && high == nullptr
                 ? content.dag.voxels
                 : vox::counted_pieces(content.dag, vox::region_of(content, low, high)).first.back();
  });
}

vox_status vox_scene_voxels(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                            const int64_t* high, uint64_t capacity, int32_t* coordinates, uint8_t* materials,
                            uint8_t* colors) {
  return vox::call(engine, [&](vox_engine&) {
    const vox::dag::VoxelScene& content = vox::content_of(scene);
    vox::write_lists(content, vox::region_of(content, low, high), capacity, {coordinates, materials, colors});
  });
}

vox_status vox_scene_dense(vox_engine* engine, const vox_scene* scene, const int64_t* low,
                           const int64_t* high, uint32_t format, void* values, uint64_t bytes) {
  return vox::call(engine, [&](vox_engine&) {
    const vox::dag::VoxelScene& content = vox::content_of(scene);
    vox::write_box(content, vox::region_of(content, low, high), format, values, bytes);
  });
}

vox_status vox_scene_rays(vox_engine* engine, const vox_scene* scene, uint64_t count, const double* origins,
                          const double* directions, const vox_hits* hits) {
  return vox::call(engine, [&](vox_engine& on) {
    const vox::dag::VoxelScene& content = vox::content_of(scene);
    vox::needed(hits, "hits");
    const vox_hits to = vox::known_part(hits, "hits");
    if (count == 0) return;
    vox::needed(origins, "origins");
    vox::needed(directions, "directions");
    vox::ReadArrays reading;
    vox::FilledArrays filling;
    vox::cast_rays(on, content,
                   {.count = count,
                    .origins = reading.on_host(origins, 3 * count),
                    .directions = reading.on_host(directions, 3 * count),
                    .to = {.struct_size = to.struct_size,
                           .distances = filling.on_host(to.distances, count),
                           .voxels = filling.on_host(to.voxels, 3 * count),
                           .materials = filling.on_host(to.materials, count),
                           .colors = filling.on_host(to.colors, 4 * count),
                           .normals = filling.on_host(to.normals, 3 * count)}});
    filling.give();
  });
}

vox_status vox_scene_render(vox_engine* engine, const vox_scene* scene, const vox_camera* camera,
                            uint32_t width, uint32_t height, uint8_t* pixels, uint64_t bytes) {
  return vox::call(engine, [&](vox_engine& on) {
    vox::take_picture(on, vox::content_of(scene), camera, {width, height}, pixels, bytes);
  });
}
