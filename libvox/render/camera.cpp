#include "libvox/render/camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/walk.h"

namespace vox::render {
namespace {

constexpr double kFarthest = 0x1p30;  // in voxels: a Ray cannot begin farther away
constexpr double kPi = 3.14159265358979323846;
constexpr double kMargin = 1.05;  // the margin around the framed boxes, as a factor

Vec3d to_double(Int3 v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Vec3d normalized(Vec3d v) {
  return v * (1 / length(v));
}

// Returns the tangent of an angle below a right one, by Lambert's continued fraction. The library's tangent
// differs between machines in the last digit, and pictures are compared exactly.
double tangent(double angle) {
  double below = 41;
  for (double odd = 39; odd > 0; odd -= 2) below = odd - angle * angle / below;
  return angle / below;
}

// The sine and cosine of an angle, computed from the tangent of a quarter of it.
struct Turn {
  double sine, cosine;
  explicit Turn(double degrees) {
    const double rest = degrees - 360 * std::floor(degrees / 360 + 0.5);  // −180 to 180
    const double t = tangent(rest * (kPi / 720));  // the tangent of a quarter of the angle; at most 1
    const double half_sine = 2 * t / (1 + t * t), half_cosine = (1 - t * t) / (1 + t * t);
    sine = 2 * half_sine * half_cosine;
    cosine = half_cosine * half_cosine - half_sine * half_sine;
  }
};

// The direction in which the camera looks, and the axes of the image, as unit vectors.
struct Axes {
  Vec3d forward, right, down;

  explicit Axes(Vec3d towards, Vec3d up = {0, 1, 0}) : forward(normalized(towards)) {
    Vec3d side = cross(forward, normalized(up));
    if (length(side) < 1e-9) {  // straight up or down: right is x, or z if the view is along x
      const Vec3d other = std::fabs(forward.x) < 0.8 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
      side = other - forward * dot(other, forward);
    }
    right = normalized(side);
    down = cross(forward, right);
  }
};

// Half the size of the image, at distance 1.
struct HalfSize {
  double width, height;

  HalfSize(double fov, ImageSize size) {
    if (!(fov >= kMinFov && fov <= kMaxFov))
      throw Error(fmt::format("the field of view is {} degrees", fov))
          .hint(fmt::format("it must be from {} to {}", kMinFov, kMaxFov));
    if (size.width == 0 || size.height == 0)
      throw Error("an image of " + std::to_string(size.width) + " x " + std::to_string(size.height) +
                  " has no pixels");
    const double shorter = tangent(fov * (kPi / 360));
    const double pixel = shorter / std::min(size.width, size.height);
    width = pixel * size.width;
    height = pixel * size.height;
  }

  // Returns half the size of the part of the image in which the framed boxes should lie.
  HalfSize without_margin() const {
    HalfSize inner = *this;
    inner.width /= kMargin;
    inner.height /= kMargin;
    return inner;
  }
};

// The points of a view along one axis of the image. An eye at `e`, whose image has half the size `half` at
// distance 1, sees the point p if |p − e| <= half · depth(p) − half · depth(e). It sees all points if it
// stands at least width() / half behind the middle. At exactly that distance it must stand in the middle of
// low_ and high_, which are the least p + half · depth(p) and the greatest p − half · depth(p).
class Span {
 public:
  void add(double at, double seen) {
    high_ = std::max(high_, at - seen);
    low_ = std::min(low_, at + seen);
  }
  // Grows to the smallest span around this one whose middle is 0.
  void center() {
    high_ = std::max(high_, -low_);
    low_ = -high_;
  }
  double width() const { return (high_ - low_) / 2; }
  // An eye that stands `back` behind the middle sees all points if it lies between these two places.
  double lowest_eye(double half, double back) const { return high_ - half * back; }
  double highest_eye(double half, double back) const { return low_ + half * back; }

 private:
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

// The spans of a view along both axes of the image.
struct Extent {
  Span across, along;

  // Returns how far back an eye must stand to see all points.
  double back(const HalfSize& half) const {
    return std::max(across.width() / half.width, along.width() / half.height);
  }
};

// A framed point, relative to the middle of all boxes: its place along an axis of the image, and how far it
// lies behind the middle.
struct FramedPoint {
  double at, depth;
};

// Returns the place between `low` and `high` along that axis from which an eye `back` behind the middle sees
// the points reach equally far to both sides of its picture. This is not the middle of the points, because
// nearer points appear further from the picture's middle.
double picture_middle(const std::vector<FramedPoint>& points, double back, double low, double high) {
  constexpr int kHalvings = 48;
  constexpr double kNear = 1e-9;
  for (int i = 0; i < kHalvings; ++i) {
    const double eye = (low + high) / 2;
    double right = -HUGE_VAL, left = HUGE_VAL;
    for (const FramedPoint& point : points) {
      const double shown = (point.at - eye) / (point.depth + back);
      right = std::max(right, shown);
      left = std::min(left, shown);
    }
    if (std::fabs(right + left) < kNear) return eye;
    (right + left > 0 ? low : high) = eye;
  }
  return (low + high) / 2;
}

// The boxes that are framed, or one voxel if there are none.
class Boxes {
 public:
  explicit Boxes(std::span<const VoxelBox> boxes) : boxes_(boxes.begin(), boxes.end()) {
    if (boxes_.empty()) boxes_.push_back({{0, 0, 0}, {1, 1, 1}});
    VoxelBox whole = boxes_[0];
    for (const VoxelBox& box : boxes_) whole = hull(whole, box);
    middle_ = (to_double(whole.min) + to_double(whole.max)) * 0.5;
  }

  Vec3d middle() const { return middle_; }

  void add_to(Extent& extent, const Axes& axes, const HalfSize& half) const {
    each_corner([&](Vec3d corner) {
      const double depth = dot(corner, axes.forward);
      extent.across.add(dot(corner, axes.right), half.width * depth);
      extent.along.add(dot(corner, axes.down), half.height * depth);
    });
  }

  // Adds all corners, along one of the image's axes.
  void add_to(std::vector<FramedPoint>& points, Vec3d axis, Vec3d forward) const {
    each_corner([&](Vec3d corner) { points.push_back({dot(corner, axis), dot(corner, forward)}); });
  }

 private:
  // Calls f(corner) for all corners, relative to the middle.
  template <class F>
  void each_corner(const F& f) const {
    for (const VoxelBox& box : boxes_)
      for (int corner = 0; corner < 8; ++corner) {
        const Int3 at = {corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                         corner & 4 ? box.max.z : box.min.z};
        f(to_double(at) - middle_);
      }
  }

  std::vector<VoxelBox> boxes_;
  Vec3d middle_;
};

struct View {
  std::string name;
  Vec3d from;
};

const std::array<View, 7>& views() {
  static const std::array<View, 7> list = {{{"iso", {1, 0.8, 1}},
                                            {"front", {0, 0, 1}},
                                            {"back", {0, 0, -1}},
                                            {"left", {-1, 0, 0}},
                                            {"right", {1, 0, 0}},
                                            {"top", {0, 1, 0}},
                                            {"bottom", {0, -1, 0}}}};
  return list;
}

Vec3d direction_of(const std::string& name, double degrees) {
  for (const View& view : views()) {
    if (view.name != name) continue;
    const Turn turn(degrees);
    const Vec3d from = view.from;
    return {from.x * turn.cosine + from.z * turn.sine, from.y, from.z * turn.cosine - from.x * turn.sine};
  }
  std::string names;
  for (const View& view : views()) names += (names.empty() ? "there are " : ", ") + view.name;
  throw Error("there is no view \"" + name + "\"").hint(names);
}

bool is_near(Vec3d point) {
  return std::fabs(point.x) <= kFarthest && std::fabs(point.y) <= kFarthest &&
         std::fabs(point.z) <= kFarthest;
}

}  // namespace

Camera make_camera(const CameraPose& pose, ImageSize size, uint32_t log2_side, Vec3d per_unit) {
  if (!is_near(pose.eye) || !is_near(pose.target))
    throw Error("the eye and its target must be less than 2^30 voxels away");
  if (!(length(pose.target - pose.eye) > 1e-9))
    throw Error("the eye is where its target is").hint("the camera needs another point to look at");
  if (!(length(pose.up) > kShortestUp && length(pose.up) < HUGE_VAL))
    throw Error("the up vector of the camera has no length");
  const HalfSize half(pose.fov, size);
  const Axes axes(pose.target - pose.eye, pose.up);
  Camera camera;
  camera.eye = product(pose.eye, per_unit);
  camera.corner = product(axes.forward - axes.right * half.width - axes.down * half.height, per_unit);
  camera.right = product(axes.right * (2 * half.width / size.width), per_unit);
  camera.down = product(axes.down * (2 * half.height / size.height), per_unit);
  camera.per_unit = per_unit;
  // A pixel is narrowest along the longest side of a voxel, and a distance in voxels is no longer than in units.
  camera.spread = 2 * half.width / size.width * VoxelSize(per_unit).shortest();
  camera.size = size;
  camera.log2_side = log2_side;
  return camera;
}

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const View& view : views()) list.push_back(view.name);
    return list;
  }();
  return names;
}

std::vector<VoxelBox> outline(const dag::FrozenDag& dag) {
  std::vector<VoxelBox> boxes;
  const uint32_t last = std::min(kOutlineLevel, dag.depth());
  const VoxelBox filled = dag::filled_box(dag);
  dag::for_each_node(dag, filled, [&](uint32_t level, Int3 corner, const uint32_t*) {
    if (level < last) return true;
    boxes.push_back(intersection(cube_at(corner, dag.level_side(level)), filled));
    return false;
  });
  return boxes;
}

CameraPose framing(std::span<const VoxelBox> boxes, const std::string& view, double turn, double fov,
                   ImageSize size) {
  const Boxes framed(boxes);
  const HalfSize half = HalfSize(fov, size).without_margin();
  const Axes axes(direction_of(view, turn) * -1);
  Extent extent;
  framed.add_to(extent, axes, half);
  const double back = extent.back(half);
  const auto middle = [&](const Span& span, Vec3d axis, double half_size) {
    std::vector<FramedPoint> points;
    framed.add_to(points, axis, axes.forward);
    return picture_middle(points, back, span.lowest_eye(half_size, back), span.highest_eye(half_size, back));
  };
  const Vec3d target = framed.middle() + axes.right * middle(extent.across, axes.right, half.width) +
                       axes.down * middle(extent.along, axes.down, half.height);
  return {target - axes.forward * back, target, fov};
}

std::vector<CameraPose> turntable(std::span<const VoxelBox> boxes, const std::string& view, uint32_t count,
                                  double fov, ImageSize size) {
  const Boxes framed(boxes);
  const HalfSize half = HalfSize(fov, size).without_margin();
  std::vector<Axes> turns;
  Extent extent;
  for (uint32_t i = 0; i < count; ++i) {
    turns.emplace_back(direction_of(view, 360.0 * i / count) * -1);
    framed.add_to(extent, turns.back(), half);
  }
  extent.across.center();  // keeps the axis of the turntable in the middle
  const double back = extent.back(half);
  std::vector<FramedPoint> points;
  for (const Axes& axes : turns) framed.add_to(points, axes.down, axes.forward);
  const double down = picture_middle(points, back, extent.along.lowest_eye(half.height, back),
                                     extent.along.highest_eye(half.height, back));
  std::vector<CameraPose> poses;
  for (const Axes& axes : turns) {
    const Vec3d target = framed.middle() + axes.down * down;
    poses.push_back({target - axes.forward * back, target, fov});
  }
  return poses;
}

PixelRays pixel_rays(const Camera& camera) {
  constexpr int kBits = 57;
  double largest = 0;
  for (const uint32_t corner : {0u, 1u, 2u, 3u}) {
    const Vec3d d = camera.direction(corner & 1 ? camera.size.width : 0, corner & 2 ? camera.size.height : 0);
    largest = std::max({largest, std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
  }
  const int exponent = fine_exponent(largest, kBits);
  PixelRays rays;
  rays.eye = fine_point(camera.eye);
  rays.corner = fine_direction(camera.corner, exponent);
  rays.right = fine_direction(camera.right, exponent);
  rays.down = fine_direction(camera.down, exponent);
  rays.depth_one = std::ldexp(1.0f, exponent);
  rays.spread = static_cast<float>(camera.spread);
  rays.log2_side = camera.log2_side;
  const Vec3d sides = quotient({1, 1, 1}, camera.per_unit);
  rays.sides = {static_cast<float>(sides.x), static_cast<float>(sides.y), static_cast<float>(sides.z)};
  return rays;
}

}  // namespace vox::render
