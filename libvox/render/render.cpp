#include "libvox/render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/volume_render.h"
#include "libvox/scene/oklab.h"

namespace vox::render {
namespace {

Light light_of(Vec3d linear) {
  return {static_cast<float>(linear.x), static_cast<float>(linear.y), static_cast<float>(linear.z)};
}
Light light_of(scene::Rgb8 color) {
  return light_of(scene::srgb_to_linear(color));
}

// Together the lights are weaker than 1, so that white that faces the sun is not clipped at an exposure of 1.
constexpr float kSunLight = 0.6f, kSkyLight = 0.36f;

struct Range {
  double near, far;
};

// Returns the distances from the eye, in units of the camera, at which parts of the box may be seen.
Range distances(const VoxelBox& voxels, const Camera& camera) {
  const auto in_units = [&](Int3 v) {
    return quotient({double(v.x), double(v.y), double(v.z)}, camera.per_unit);
  };
  const struct { Vec3d min, max; } box = {in_units(voxels.min), in_units(voxels.max)};
  const Vec3d eye = quotient(camera.eye, camera.per_unit);
  const auto from = [](double at, double low, double high) {
    return at < low ? low - at : at > high ? at - high : 0.0;
  };
  const auto to = [](double at, double low, double high) {
    return std::max(std::fabs(at - low), std::fabs(at - high));
  };
  const auto length = [&](auto part) {
    const double x = part(eye.x, box.min.x, box.max.x), y = part(eye.y, box.min.y, box.max.y),
                 z = part(eye.z, box.min.z, box.max.z);
    return std::sqrt(x * x + y * y + z * z);
  };
  return {length(from), std::max(length(to), length(from) + 1)};
}

// Returns log2 of the side of the widest cell that is no wider than `width`, but at least a leaf's.
double coarsest(double width, uint32_t log2_side) {
  uint32_t log2 = dag::kLeafLog2;
  while (log2 < log2_side && std::ldexp(1.0, int(log2) + 1) <= width) ++log2;
  return log2;
}

}  // namespace

void check_image_size(ImageSize size) {
  if (size.width > kMaxPictureSide || size.height > kMaxPictureSide)
    throw Error(fmt::format("an image of {} x {} is too large", size.width, size.height))
        .hint(fmt::format("at most {} pixels a side", kMaxPictureSide));
}

RowBand band_of(const std::optional<RowBand>& band, ImageSize size) {
  if (!band) return {0, size.height};
  const auto [begin, end] = *band;
  if (begin >= end || end > size.height || begin % kBandRows != 0 ||
      (end % kBandRows != 0 && end < size.height))
    throw Error(fmt::format("a picture of {} rows has no band from {} to {}", size.height, begin, end));
  return *band;
}

scene::Image band_image(ImageSize size, const RowBand& band) {
  const uint32_t rows = band.end - band.begin;
  return {"", size.width, rows, std::vector<scene::Rgba8>(uint64_t{size.width} * rows)};
}

// The ramp goes from dark blue over green to yellow and becomes lighter all the way, so that it can also be
// read in gray and by color-blind people.
scene::Rgb8 ramp_color(uint32_t index) {
  constexpr std::array<scene::Rgb8, 5> kStops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  return color_between(kStops, static_cast<double>(index) * (kStops.size() - 1) / (kRampColors - 1));
}

scene::Rgb8 material_color(const scene::Palette& palette, uint32_t material) {
  return material < palette.count ? palette.colors[material] : scene::Rgb8{200, 200, 200};
}

RampEnds ramp_ends(const VoxelBox& filled, const Camera& camera, Shade shade) {
  const Range range = distances(filled, camera);
  if (shade == Shade::Depth) return {range.near, range.far};
  if (shade == Shade::Level) return {0, coarsest(camera.spread * range.far, camera.log2_side)};
  return {};
}

GroundPlane ground_plane(const VoxelBox& filled, const RenderOptions& options) {
  if (options.ground == Ground::Off || options.shade != Shade::Material || filled.empty()) return {};
  constexpr double kReach = 3;  // times the scene's size: shadows of a sun 20 degrees high are within it
  const auto middle = [](int32_t low, int32_t high) { return (double{1} * low + high) / 2; };
  const Int3 size = filled.size();
  const double across = std::sqrt(double{1} * size.x * size.x + double{1} * size.z * size.z) / 2;
  return {.shown = 1,
          .height = filled.min.y,
          .x = static_cast<float>(middle(filled.min.x, filled.max.x)),
          .z = static_cast<float>(middle(filled.min.z, filled.max.z)),
          .reach = static_cast<float>(kReach * (across + size.y))};
}

Shading make_shading(const RampEnds& ramp, const Camera& camera, const scene::Palette& palette,
                     const RenderOptions& options) {
  const uint32_t log2_side = camera.log2_side;
  const double sun = std::sqrt(dot(options.to_sun, options.to_sun));
  if (!(sun > 0 && sun < HUGE_VAL)) throw Error("the direction to the sun must have a finite length above 0");
  Shading shading = {};
  shading.mode = options.shade;
  for (uint32_t i = 0; i < scene::kPaletteSize; ++i) shading.colors[i] = light_of(material_color(palette, i));
  for (uint32_t i = 0; i < kRampColors; ++i) shading.ramp[i] = light_of(ramp_color(i));
  const bool has_gradient = options.skies == Sky::Gradient && options.shade == Shade::Material;
  shading.plain_sky = has_gradient ? 0 : 1;
  shading.sky = light_of(has_gradient ? kHorizon : options.sky);
  shading.zenith = light_of(kZenith);
  shading.nadir = light_of(kNadir);
  shading.exposure = options.shade == Shade::Material ? static_cast<float>(options.exposure) : 1;
  shading.cut_axis = options.cut ? options.cut->axis : kNoAxis;
  shading.cut_plane = options.cut ? options.cut->at : 0;
  shading.hatch = std::max(std::min(options.size.width, options.size.height) / 100, 6u);
  shading.sun = kSunLight;
  shading.ambient = kSkyLight;
  const Vec3d to_sun = options.to_sun * (1 / sun);
  shading.to_sun = light_of(to_sun);
  shading.sun_course = make_course(log2_side, fine_direction(product(to_sun, camera.per_unit)));
  shading.per_unit = light_of(camera.per_unit);
  shading.shadows = options.shadows == Shadows::On ? 1 : 0;
  shading.smooth = options.normals == Normals::Faces ? 0 : options.normals == Normals::Smooth ? 1 : -1;
  shading.smoother = options.normals == Normals::Auto ? static_cast<float>(camera.spread) : 0;
  shading.ao_rays = std::min(options.ao_rays, kHemisphere);
  shading.ao_reach =
      static_cast<float>(options.ao_reach > 0 ? options.ao_reach : std::ldexp(1.0, int(log2_side)) / 16);
  shading.low = static_cast<float>(ramp.low);
  shading.high = static_cast<float>(ramp.high);
  return shading;
}

namespace {

// Returns unit vectors around z.
std::vector<FineDirection> hemisphere() {
  // The directions are arranged like a sunflower's seeds: each one is a golden angle, 2π · (2 − φ), further
  // on than the previous one.
  constexpr double kCosine = -0.73736887807831963, kSine = 0.67549029426152364;
  std::vector<FineDirection> directions;
  Vec2<double> turned = {1, 0};
  for (uint32_t i = 0; i < kHemisphere; ++i) {
    const double area = (i + 0.5) / kHemisphere, radius = std::sqrt(area);
    const Light at = light_of(Vec3d{radius * turned.x, radius * turned.y, std::sqrt(1 - area)});
    directions.push_back(fine_direction({at.x, at.y, at.z}, 40));
    turned = {turned.x * kCosine - turned.y * kSine, turned.x * kSine + turned.y * kCosine};
  }
  return directions;
}

// Turns a vector around z into the same vector around a face's normal.
FineDirection around(Int3 normal, FineDirection v) {
  if (normal.x != 0) return {v.z * normal.x, v.x, v.y};
  if (normal.y != 0) return {v.y, v.z * normal.y, v.x};
  return {v.x, v.y, v.z * normal.z};
}

FineDirection in_voxels(FineDirection v, Vec3d voxels_per_unit) {
  const auto part = [](int64_t along, double scale) {
    return static_cast<int64_t>(static_cast<double>(along) * scale);
  };
  return {part(v.x, voxels_per_unit.x), part(v.y, voxels_per_unit.y), part(v.z, voxels_per_unit.z)};
}

}  // namespace

std::vector<Course> open_courses(uint32_t log2_side, Vec3d voxels_per_unit) {
  const std::vector<FineDirection> directions = hemisphere();
  std::vector<Course> courses(6 * kHemisphere);
  for (const Int3 normal :
       {Int3{-1, 0, 0}, Int3{1, 0, 0}, Int3{0, -1, 0}, Int3{0, 1, 0}, Int3{0, 0, -1}, Int3{0, 0, 1}})
    for (uint32_t i = 0; i < kHemisphere; ++i)
      courses[open_courses_of(normal) + i] =
          make_course(log2_side, in_voxels(around(normal, directions[i]), voxels_per_unit));
  return courses;
}

namespace {

int32_t along_axis(Int3 v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The extent of the picture along one of its directions, in whole cells.
struct CellSpan {
  int32_t low, high;  // in voxels, at whole cells; `high` is excluded

  CellSpan(const VoxelBox& box, uint32_t axis, uint32_t log2_cell) {
    const int32_t last = (1 << log2_cell) - 1;
    low = along_axis(box.min, axis) & ~last;
    high = (along_axis(box.max, axis) + last) & ~last;
  }
  uint32_t cells(uint32_t log2_cell) const { return static_cast<uint32_t>(high - low) >> log2_cell; }
};

// Returns the size of the picture in which cells have the shape of voxels: whole pixels if they are squares.
ImageSize picture_size(const SliceFrame& frame, const SliceOptions& options) {
  const ImageSize most = options.most;
  const double across = options.voxel_size[frame.across], along = options.voxel_size[frame.along];
  if (across == along) {
    const uint32_t pixels = std::min(most.width / frame.width, most.height / frame.height);
    return {frame.width * pixels, frame.height * pixels};
  }
  const double wide = frame.width * across, high = frame.height * along;
  const double scale = std::min(most.width / wide, most.height / high);
  const auto pixels = [&](double side, uint32_t limit) {
    return std::clamp(static_cast<uint32_t>(side * scale + 0.5), 1u, limit);
  };
  return {pixels(wide, most.width), pixels(high, most.height)};
}

}  // namespace

SliceFrame slice_frame(const SliceOptions& options, const VoxelBox& filled, const VoxelBox& grid) {
  const auto planes = static_cast<uint32_t>(along_axis(grid.max, options.axis));
  if (options.at >= planes)
    throw Error("there is no plane " + std::string(1, "xyz"[options.axis]) + "=" + std::to_string(options.at))
        .hint("they go from 0 to " + std::to_string(planes - 1));
  if (options.most.width == 0 || options.most.height == 0) throw Error("the picture has no pixels");
  const VoxelBox box = filled.empty() ? grid : filled;

  SliceFrame frame = {};
  frame.axis = options.axis;
  frame.at = options.at;
  frame.across = options.axis == 0 ? 2 : 0;
  frame.along = options.axis == 1 ? 2 : 1;
  for (;; ++frame.log2_cell) {
    const CellSpan across(box, frame.across, frame.log2_cell), along(box, frame.along, frame.log2_cell);
    frame.width = across.cells(frame.log2_cell);
    frame.height = along.cells(frame.log2_cell);
    const int32_t side = 1 << frame.log2_cell;
    const bool leftwards = options.axis == 0, upwards = options.axis != 1;
    frame.first[0] = leftwards ? across.high - side : across.low;
    frame.first[1] = upwards ? along.high - side : along.low;
    frame.step[0] = leftwards ? -1 : 1;
    frame.step[1] = upwards ? -1 : 1;
    if (frame.width <= options.most.width && frame.height <= options.most.height) break;
  }
  frame.size = picture_size(frame, options);
  return frame;
}

namespace {

void say_finest(uint32_t log2) {
  log_info("the memory has no room for all levels of detail: rays stop at nodes of {} voxels a side and more",
           1u << log2);
}

}  // namespace

uint32_t finest_level(const RayDagRef& dag, uint64_t memory, bool colors) {
  constexpr uint64_t kWord = sizeof(uint32_t);
  if (dag.log2_side == dag::kLeafLog2 || !dag.filled) return dag::kLeafLog2 + 1;
  const uint64_t begins = inner_words(dag) / 8;
  uint64_t passing = 0;  // the most that values of two levels take while they are made
  for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= dag.log2_side; ++log2)
    passing = std::max(
        passing, kWord * (level_words(dag, log2) + (log2 < dag.log2_side ? level_words(dag, log2 + 1) : 0)));
  for (uint32_t finest = dag::kLeafLog2 + 1; finest <= dag.log2_side; ++finest) {
    const uint64_t boxes = kWord * words_above(dag, finest), needed = colors ? boxes / 2 * 3 : boxes;
    if (begins + passing + needed > memory) continue;
    if (finest > dag::kLeafLog2 + 1) say_finest(finest);
    return finest;
  }
  say_finest(dag.log2_side);
  return dag.log2_side;
}

namespace {

double largest_part(Vec3d v) {
  return std::fmax(std::fabs(v.x), std::fmax(std::fabs(v.y), std::fabs(v.z)));
}

bool all_finite(Vec3d v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// A ray that begins outside of the cube and goes away from it.
constexpr GridRay kMissing = {
    {-(int64_t{1} << kFineBits), -(int64_t{1} << kFineBits), -(int64_t{1} << kFineBits)},
    {-(int64_t{1} << 60), -(int64_t{1} << 60), -(int64_t{1} << 60)}};

}  // namespace

bool RayPlacer::accepts(Vec3d from, Vec3d direction) const {
  return all_finite(from) && all_finite(direction) && largest_part(direction) > 0 &&
         largest_part((from - origin_) / voxel_size_) < kFarthest;
}

PlacedRay RayPlacer::placed(Vec3d from, Vec3d direction) const {
  const double side = std::ldexp(1.0, static_cast<int>(log2_side_));
  const double shortest = voxel_size_.shortest();
  const double largest = largest_part(direction);  // its reciprocal may be infinite
  const Vec3d world = {direction.x / largest, direction.y / largest, direction.z / largest};
  const Vec3d grid =
      quotient(world, voxel_size_.shape());  // in voxels, while `world` is in their shortest sides
  Vec3d at = (from - origin_) / voxel_size_;
  double before = 0;
  // A ray that begins far away is moved to a place in front of the cube, because the error of a ray grows with its length.
  const Vec3d to_middle = Vec3d{side, side, side} * 0.5 - at;
  if (largest_part(to_middle) > 4 * side) {
    const double speed = std::sqrt(dot(grid, grid));
    before = dot(to_middle, grid) / (speed * speed) - 2 * side / speed;
    const Vec3d nearer = at + grid * before, left = to_middle - grid * before;
    if (!(before > 0) || largest_part(left) > 4 * side) return {kMissing, 0, 0};
    at = nearer;
  }
  const double unit = std::sqrt(dot(world, world)) * shortest;
  return {{fine_point(at), fine_direction(grid)},
          before * unit,
          std::ldexp(unit / largest_part(grid), -static_cast<int>(log2_ticks(log2_side_)))};
}

}  // namespace vox::render
