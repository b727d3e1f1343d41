#include "libvox/painting/paint_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "libvox/base/loops.h"
#include "libvox/base/units.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"
#include "libvox/scene/texture.h"

namespace vox::painting {
namespace {

std::vector<Layer> layers_of(const scene::Scene& scene) {
  std::vector<Layer> layers;
  for (const scene::Material& material : scene.materials) {
    const bool visible =
        scene::has_image(scene, material) || scene::is_solid(material, scene::base_alpha(material));
    layers.push_back({.wrap_u = material.wrap_u,
                      .wrap_v = material.wrap_v,
                      .paintable = static_cast<uint8_t>(visible ? 1 : 0),
                      .blends = static_cast<uint8_t>(scene::has_vertex_colors(scene, material) ? 0 : 1)});
  }
  return layers;
}

struct PointBox {
  Vec3d least, most;
};

PointBox box_of(const std::vector<Vec3d>& points) {
  PointBox box = {points[0], points[0]};
  for (const Vec3d& point : points)
    for (uint32_t axis = 0; axis < 3; ++axis) {
      box.least[axis] = std::min(box.least[axis], point[axis]);
      box.most[axis] = std::max(box.most[axis], point[axis]);
    }
  return box;
}

// Two triangles for each layer that is used. Their corners are the texture coordinates from `corner` on; where they
// lie in the scene is not asked.
std::vector<scene::Triangle> squares_of(const std::vector<uint8_t>& used, uint32_t corner) {
  std::vector<scene::Triangle> squares;
  for (uint32_t layer = 0; layer < used.size(); ++layer)
    for (const uint32_t second : {1u, 2u})
      if (used[layer] != 0)
        squares.push_back({.position = {0, 0, 0},
                           .texcoord = {corner, corner + second, corner + second + 1},
                           .material = layer});
  return squares;
}

StrokeRef ref_of(const Stroke& stroke, uint32_t first_segment) {
  StrokeRef ref = {.radius = stroke.radius,
                   .full = stroke.radius * (1 - stroke.edge),
                   .least = stroke.points[0],
                   .most = stroke.points[0],
                   .first_segment = first_segment,
                   .segments = std::max(1u, static_cast<uint32_t>(stroke.points.size() - 1)),
                   .space = stroke.space};
  for (const Vec3d& point : stroke.points)
    for (uint32_t axis = 0; axis < 3; ++axis) {
      ref.least[axis] = std::min(ref.least[axis], point[axis]);
      ref.most[axis] = std::max(ref.most[axis], point[axis]);
    }
  const Vec3d around = {stroke.radius, stroke.radius, stroke.radius};
  ref.least = ref.least - around;
  ref.most = ref.most + around;
  return ref;
}

// Returns the color that paint shows over the color below, or nothing if it does not show.
std::optional<scene::Rgb8> shown(const Layer& layer, Paint paint, scene::Rgb8 below) {
  if (layer.blends != 0) return color_over(paint, below);
  if (paint.share <= kFullShare / 2) return std::nullopt;
  return color_of(paint);
}

// The colors of the materials below the paint.
class ColorsBelow {
 public:
  explicit ColorsBelow(const scene::Scene& scene) : scene_(scene) {
    for (const scene::Material& material : scene.materials) colors_.emplace_back(material);
  }

  scene::Rgb8 at(uint32_t material, Vec2<double> uv) const {
    const scene::Material& m = scene_.materials[material];
    if (!scene::has_image(scene_, m)) return colors_[material].color({255, 255, 255, 255});
    const scene::Image& image = scene_.images[m.image];
    const uint32_t x = scene::wrapped_texel(uv.x, image.width, scene::Wrap::Clamp),
                   y = scene::wrapped_texel(uv.y, image.height, scene::Wrap::Clamp);
    return colors_[material].color(image.pixels[uint64_t{y} * image.width + x]);
  }

 private:
  const scene::Scene& scene_;
  std::vector<scene::MaterialColors> colors_;
};

// Calls body(slot, key) for all texels, on all threads.
template <class Body>
void for_each_texel(const FrozenAtlas& atlas, const Body& body) {
  parallel_for(tbb::blocked_range<uint64_t>(0, atlas.cells.size(), 1 << 14), [&](const auto& range) {
    for (uint64_t slot = range.begin(); slot < range.end(); ++slot)
      if (const uint64_t cell = atlas.cells[slot]; cell != hash::kEmptyCell<uint64_t>)
        body(slot, kCellFormat.key(cell));
  });
}

Vec3d light_of(Paint paint) {
  return Vec3d{static_cast<double>(paint.r), static_cast<double>(paint.g), static_cast<double>(paint.b)};
}

}  // namespace

StrokeError stroke_too_large(uint64_t texels, uint32_t line) {
  StrokeError error(fmt::format("the stroke paints at least {} texels at once, more than there is memory for",
                                format_count(texels)),
                    line);
  error.hint("allow more memory, paint an atlas of a smaller size, or split the stroke")
      .about("memory_limit");
  return error;
}

void check_strokes(const scene::Scene& scene, const Strokes& strokes, uint32_t size) {
  const PointBox box = box_of(scene.positions);
  const double extent =
      std::max({box.most.x - box.least.x, box.most.y - box.least.y, box.most.z - box.least.z});
  const double most = extent / size / kStrokeRounding;
  for (const Stroke& stroke : strokes) {
    if (stroke.space == StrokeSpace::Texture || extent == 0) continue;
    const PointBox points = box_of(stroke.points);
    double largest = stroke.radius;
    bool meets = true;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      largest = std::max({largest, std::abs(points.least[axis]), std::abs(points.most[axis])});
      meets = meets && points.least[axis] - stroke.radius <= box.most[axis] &&
              points.most[axis] + stroke.radius >= box.least[axis];
    }
    if (!meets || largest <= most) continue;
    StrokeError error(
        fmt::format("the stroke has lengths of {:g} beside a scene of {:g}: rounding them is more "
                    "than a texel of {} along the scene",
                    largest, extent, size),
        stroke.line);
    error.hint(fmt::format("up to {:.3g} can be told apart: paint nearer or with a smaller radius", most));
    throw error;
  }
}

Canvas prepare_canvas(const scene::Scene& scene, const PaintOptions& options) {
  if (options.size < 1 || options.size > kMostSize)
    throw UsageError(fmt::format("an atlas has 1 to {} texels a side, not {}", kMostSize, options.size));
  if (scene.materials.size() > kMostLayers)
    throw Error(fmt::format("the mesh has {} materials, of which at most {} can be painted",
                            scene.materials.size(), kMostLayers));
  Canvas canvas;
  canvas.layers = layers_of(scene);
  const PaintedMeshRef mesh = {scene.triangles.data(), scene.positions.data(), scene.texcoords.data(),
                               canvas.layers.data()};
  uint64_t with_texcoords = 0;
  double extent = options.size;
  std::vector<uint8_t> used(canvas.layers.size());
  for (const scene::Triangle& triangle : scene.triangles) {
    if (triangle.texcoord[0] == scene::kNone) continue;
    ++with_texcoords;
    if (canvas.layers[triangle.material].paintable == 0) continue;
    if (!can_be_painted(mesh, triangle, options.size)) {
      ++canvas.far_triangles;
      continue;
    }
    const AtlasTriangle shape(mesh, triangle, options.size);
    extent = std::max({extent, shape.most.x, shape.most.y});
    used[triangle.material] = 1;
  }
  if (with_texcoords == 0)
    throw Error("the mesh has no texture coordinates, so that it cannot be painted")
        .hint("unwrap it first: strokes are kept in the plane of texture coordinates");
  canvas.squares = squares_of(used, static_cast<uint32_t>(scene.texcoords.size()));
  canvas.texcoords = scene.texcoords;
  for (const Vec2f corner : {Vec2f{0, 0}, {1, 0}, {1, 1}, {0, 1}}) canvas.texcoords.push_back(corner);
  while (static_cast<double>(uint64_t{1} << 3 * canvas.levels) <= extent) ++canvas.levels;
  return canvas;
}

StrokeArrays stroke_arrays(const Strokes& strokes, size_t begin, size_t end) {
  StrokeArrays arrays;
  for (size_t i = begin; i < end; ++i) {
    const Stroke& stroke = strokes[i];
    arrays.strokes.push_back(ref_of(stroke, static_cast<uint32_t>(arrays.segments.size())));
    arrays.colors.push_back(full_paint(stroke.color));
    for (uint32_t s = 0; s < arrays.strokes.back().segments; ++s)
      arrays.segments.push_back({.from = stroke.points[s],
                                 .to = stroke.points[std::min<size_t>(s + 1, stroke.points.size() - 1)],
                                 .stroke = static_cast<uint32_t>(i - begin),
                                 .unused = 0});
  }
  return arrays;
}

AtlasRef ref(const FrozenAtlas& atlas, const uint64_t* cells) {
  AtlasRef ref = {atlas.table, atlas.keys};
  ref.table.ref.cells = const_cast<uint64_t*>(cells);  // the table's ref is also used for building
  return ref;
}

AtlasRef ref(const FrozenAtlas& atlas) {
  return ref(atlas, atlas.cells.data());
}

scene::SurfacePaint surface_paint(const FrozenAtlas& atlas) {
  return {.size = atlas.keys.size,
          .materials = atlas.painted,
          .color = [&atlas](uint32_t material, Vec2<double> uv, scene::Rgb8 below) {
            const Layer& layer = atlas.layers[material];
            const Vec2<uint32_t> texel = {scene::wrapped_texel(uv.x, atlas.keys.size, layer.wrap_u),
                                          scene::wrapped_texel(uv.y, atlas.keys.size, layer.wrap_v)};
            const uint32_t slot = ref(atlas).table.find(atlas.keys.key(material, texel));
            if (slot == hash::kNoSlot) return below;
            return shown(layer, atlas.paints[slot], below).value_or(below);
          }};
}

std::vector<uint8_t> painted_layers(const FrozenAtlas& atlas) {
  std::vector<std::atomic<uint8_t>> painted(atlas.layers.size());
  for_each_texel(atlas, [&](uint64_t, uint64_t key) {
    std::atomic<uint8_t>& layer = painted[atlas.keys.layer(key)];
    if (layer.load(std::memory_order_relaxed) == 0) layer.store(1, std::memory_order_relaxed);
  });
  return {painted.begin(), painted.end()};
}

void index_atlas(FrozenAtlas& atlas, const scene::Scene& scene, const scene::Palette& palette) {
  const scene::NearestEntry nearest(palette);
  const ColorsBelow below(scene);
  for_each_texel(atlas, [&](uint64_t slot, uint64_t key) {
    const uint32_t layer = atlas.keys.layer(key);
    const Vec2<uint32_t> texel = atlas.keys.texel(key);
    const Vec2<double> middle = {(texel.x + 0.5) / atlas.keys.size, (texel.y + 0.5) / atlas.keys.size};
    const auto color = shown(atlas.layers[layer], atlas.paints[slot], below.at(layer, middle));
    atlas.cells[slot] = kCellFormat.cell(key, color ? nearest(*color) : kNothingShown);
  });
}

Paint full_paint(scene::Rgb8 color) {
  const Vec3d linear = scene::srgb_to_linear(color) * kFullShare;
  const auto rounded = [](double value) { return static_cast<uint16_t>(value + 0.5); };
  return {rounded(linear.x), rounded(linear.y), rounded(linear.z), kFullShare};
}

scene::Rgb8 color_over(Paint paint, scene::Rgb8 below) {
  const Vec3d light =
      light_of(paint) + scene::srgb_to_linear(below) * static_cast<double>(kFullShare - paint.share);
  return scene::linear_to_srgb(light * (1.0 / kFullShare));
}

scene::Rgb8 color_of(Paint paint) {
  return scene::linear_to_srgb(light_of(paint) * (1.0 / paint.share));
}

}  // namespace vox::painting
