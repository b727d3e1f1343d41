#include "libvox/render/volume_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"

namespace vox::render {
namespace {

// There are two samples per voxel. The light that is left after one step is then the square root of what is
// left after a voxel; unlike other powers, square roots are the same everywhere.
constexpr float kStep = 0.5f;
constexpr double kMostUnits = 0x1p28;  // along an axis: the camera can look this far
constexpr float kAmbient = 0.55f, kSun = 0.6f;

Vec3<float> single(Vec3d v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3<float> single(scene::Rgb8 color) {
  return {static_cast<float>(color.r), static_cast<float>(color.g), static_cast<float>(color.b)};
}
// Returns the share of the range of values for which a colour of the table stands.
double share_of(uint32_t color) {
  return color / double{bricks::kCastColors - 1};
}

// True if a picture through a volume is the same without voxels of this share of the range.
bool is_unseen(double share, const VolumeRenderOptions& options) {
  const double color = std::clamp(share, 0.0, 1.0) * (bricks::kCastColors - 1);
  return opacity_at(options.curve, options.opacity, share_of(static_cast<uint32_t>(color))) == 0 &&
         opacity_at(options.curve, options.opacity, share_of(static_cast<uint32_t>(std::ceil(color)))) == 0;
}

void check_options(const VolumeRenderOptions& options) {
  check_image_size(options.size);
  if (!(options.opacity >= 0 && options.opacity <= 1))
    throw Error(fmt::format("the opacity is {}", options.opacity)).hint("it must be from 0 to 1");
  check_curve(options.curve);
  if (options.scale.size() == 1) throw Error("the colour scale has one colour").hint("it needs at least two");
  if (options.iso && !(*options.iso > 0 && *options.iso <= 1))
    throw Error(fmt::format("the isosurface is at {}", *options.iso))
        .hint("it must be a share of the range of values, above 0 and up to 1");
}

Vec3d product(Vec3d a, Vec3d b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}

}  // namespace

VolumeSpace::VolumeSpace(const volume::VolumeInfo& info) : size_(info.size), corner_(info.origin) {
  const Vec3d s = info.spacing;
  unit_ = std::min({std::fabs(s.x), std::fabs(s.y), std::fabs(s.z)});
  const auto axis = [&](double spacing, int32_t size, double& corner) {
    if (spacing < 0) corner += spacing * size;
    const double ratio = spacing / unit_;
    if (!(std::fabs(ratio) * size <= kMostUnits && std::isfinite(corner)))
      throw Error(fmt::format("voxels of {} x {} x {} cannot be shown", s.x, s.y, s.z))
          .at(info.source)
          .hint("no side may be 0, or very much larger than the others");
    return 1 / ratio;
  };
  voxels_per_unit_ = {axis(s.x, info.size.x, corner_.x), axis(s.y, info.size.y, corner_.y),
                      axis(s.z, info.size.z, corner_.z)};
}

Vec3d VolumeSpace::to_voxels(Vec3d point) const {
  const auto axis = [](double at, double scale, int32_t size) { return at * scale + (scale < 0 ? size : 0); };
  return {axis(point.x, voxels_per_unit_.x, size_.x), axis(point.y, voxels_per_unit_.y, size_.y),
          axis(point.z, voxels_per_unit_.z, size_.z)};
}

VoxelBox VolumeSpace::around(const VoxelBox& voxels) const {
  VoxelBox box;
  const auto axis = [](int32_t low, int32_t high, double scale, int32_t size, int32_t& from, int32_t& to) {
    from = static_cast<int32_t>(std::floor((scale < 0 ? size - high : low) / std::fabs(scale)));
    to = static_cast<int32_t>(std::ceil((scale < 0 ? size - low : high) / std::fabs(scale)));
  };
  axis(voxels.min.x, voxels.max.x, voxels_per_unit_.x, size_.x, box.min.x, box.max.x);
  axis(voxels.min.y, voxels.max.y, voxels_per_unit_.y, size_.y, box.min.y, box.max.y);
  axis(voxels.min.z, voxels.max.z, voxels_per_unit_.z, size_.z, box.min.z, box.max.z);
  return box;
}

std::vector<VoxelBox> outline(const bricks::FrozenBricks& bricks) {
  constexpr int32_t kMost = 64;
  const bricks::BricksRef access = bricks::ref(bricks);
  const Int3 grid = bricks.grid();
  const int32_t each = (std::max({grid.x, grid.y, grid.z}) + kMost - 1) / kMost;
  const auto side = static_cast<int32_t>(bricks.shape().side());
  const auto filled = [&](const VoxelBox& part) {
    VoxelBox found = {grid, {0, 0, 0}};
    for (Int3 at = part.min; at.z < part.max.z; ++at.z)
      for (at.y = part.min.y; at.y < part.max.y; ++at.y)
        for (at.x = part.min.x; at.x < part.max.x; ++at.x)
          if (access.entry(access.index(at)).type != bricks::BrickTypes::kNumber<bricks::EmptyBrick>)
            found = hull(found, {at, at + Int3{1, 1, 1}});
    return found;
  };
  std::vector<VoxelBox> boxes;
  for (Int3 at = {0, 0, 0}; at.z < grid.z; at.z += each)
    for (at.y = 0; at.y < grid.y; at.y += each)
      for (at.x = 0; at.x < grid.x; at.x += each) {
        const VoxelBox found =
            filled(intersection(cube_at(at, static_cast<uint32_t>(each)), {{0, 0, 0}, grid}));
        if (!found.empty())
          boxes.push_back(intersection({found.min * side, found.max * side}, bricks.info.box()));
      }
  return boxes;
}

volume::ValueRange color_range(const bricks::FrozenBricks& bricks) {
  volume::ValueRange range = volume::value_range(bricks::bricks_volume(bricks));
  if (range.low < range.high) return range;
  const double background = volume::value_number(bricks.info.type, bricks.background);
  return {std::min(background, range.low), std::max(background + 1, range.high)};
}

std::vector<bricks::CastColor> cast_colors(const VolumeRenderOptions& options) {
  std::vector<bricks::CastColor> colors;
  const auto add = [&](scene::Rgb8 color, double of_voxel) {
    colors.push_back({single(color), static_cast<float>(1 - std::sqrt(1 - of_voxel))});
  };
  for (const scene::Rgb8 color : options.labels) add(color, options.opacity);
  if (!options.labels.empty()) return colors;
  const ValueScale scale = options.scale.empty() ? viridis_scale() : options.scale;
  for (uint32_t i = 0; i < bricks::kCastColors; ++i) {
    const double share = share_of(i);
    add(scale_color(scale, share), opacity_at(options.curve, options.opacity, share));
  }
  return colors;
}

bricks::CastView cast_view(const bricks::FrozenBricks& bricks, const volume::ValueRange& range,
                           const VolumeRenderOptions& options) {
  check_options(options);
  const double sun = std::sqrt(dot(options.to_sun, options.to_sun));
  if (!(sun > 0 && sun < HUGE_VAL)) throw Error("the direction to the sun must have a finite length above 0");
  const VolumeSpace space(bricks.info);
  const Camera camera = make_camera(options.pose, options.size, 0);
  const Vec3d scale = space.voxels_per_unit();
  bricks::CastView view = {};
  view.eye = space.to_voxels(camera.eye);
  view.corner = product(camera.corner, scale);
  view.right = product(camera.right, scale);
  view.down = product(camera.down, scale);
  view.to_sun = single(options.to_sun * (1 / sun));
  view.background = single(options.background);
  view.ambient = kAmbient;
  view.sun = kSun;
  view.step = kStep;
  view.low = static_cast<float>(range.low);
  const double per_value = (bricks::kCastColors - 1) / (range.high - range.low);
  view.colors_per_value = static_cast<float>(per_value);
  view.slopes = single(scale * per_value);
  view.meaning = {bricks.info.size, bricks.info.type, bricks.background};
  view.width = options.size.width;
  view.height = options.size.height;
  const double background = volume::value_number(bricks.info.type, bricks.background);
  const double span = range.high - range.low, share = (background - range.low) / span;
  view.iso = static_cast<float>(range.low + options.iso.value_or(0) * span);
  view.labels = options.labels.empty() ? 0 : 1;
  view.empty = static_cast<float>(background);
  // Rays may skip empty bricks if nothing of them is visible.
  const bool skips = options.iso ? view.empty < view.iso : view.labels != 0 || is_unseen(share, options);
  view.log2_empty = skips ? bricks.log2_side : 0;
  return view;
}

}  // namespace vox::render
