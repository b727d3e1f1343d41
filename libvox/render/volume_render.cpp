#include "libvox/render/volume_render.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/volume/volume.h"

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
// Returns the share of the range of values for which a color of the table stands.
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
  if (options.scale.size() == 1) throw Error("the color scale has one color").hint("it needs at least two");
  if (options.iso && !(*options.iso > 0 && *options.iso <= 1))
    throw Error(fmt::format("the isosurface is at {}", *options.iso))
        .hint("it must be a share of the range of values, above 0 and up to 1");
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

namespace {

// Returns the boxes around the groups in each part of so many bricks a side, or of one group if that is larger.
std::vector<VoxelBox> outline_of_groups(const bricks::FrozenBricks& bricks, int32_t each) {
  const auto side = static_cast<int32_t>(bricks.shape().side());
  std::map<std::array<int32_t, 3>, VoxelBox> parts;
  bricks::for_each_group(bricks, each, [&](const VoxelBox& group) {
    const std::array<int32_t, 3> place = {group.min.z / each, group.min.y / each, group.min.x / each};
    const auto [part, is_new] = parts.try_emplace(place, group);
    if (!is_new) part->second = hull(part->second, group);
  });
  std::vector<VoxelBox> boxes;
  for (const auto& [at, box] : parts)
    boxes.push_back(intersection({box.min * side, box.max * side}, bricks.info.box()));
  return boxes;
}

}  // namespace

std::vector<VoxelBox> outline(const bricks::FrozenBricks& bricks) {
  constexpr int32_t kMost = 64;
  const bricks::BricksRef access = bricks::ref(bricks);
  const Int3 grid = bricks.grid();
  const int32_t each = (std::max({grid.x, grid.y, grid.z}) + kMost - 1) / kMost;
  const auto side = static_cast<int32_t>(bricks.shape().side());
  if (bricks.is_sparse()) return outline_of_groups(bricks, each);
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

namespace {

// The bricks in which something is filled. Those of a sparse root are read once, however often they occur, and with the
// voxels outside of the volume, which are empty.
class FilledBricks {
 public:
  explicit FilledBricks(const bricks::FrozenBricks& bricks)
      : bricks_(bricks), volume_(bricks::bricks_volume(bricks)) {
    if (bricks.is_sparse()) {
      uses_ = bricks::brick_uses(bricks);
    } else {
      for (uint64_t brick = 0; brick < bricks.bricks(); ++brick)
        if (!bricks.is_empty(brick)) uses_.push_back({brick, 1});
    }
  }

  uint64_t count() const { return uses_.size(); }
  uint64_t times(uint64_t i) const { return uses_[i].times; }

  // Reads the values of a brick. Returns how many there are.
  uint64_t read(uint64_t i, std::vector<std::byte>& values) const {
    values.resize(uint64_t{bricks_.shape().voxels()} * volume::value_bytes(bricks_.info.type));
    if (bricks_.is_sparse()) {
      bricks::read_brick(bricks_, uses_[i].entry, values.data());
      return bricks_.shape().voxels();
    }
    const VoxelBox box = bricks_.box(uses_[i].entry);
    volume_.read(box, values.data());
    return box.voxels();
  }

 private:
  const bricks::FrozenBricks& bricks_;
  volume::Volume volume_;
  std::vector<bricks::BrickUse> uses_;
};

volume::ValueRange joined_ranges(volume::ValueRange a, volume::ValueRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Returns the range of all values. It does not read empty bricks.
volume::ValueRange range_of_bricks(const bricks::FrozenBricks& bricks) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr volume::ValueRange kEverything = {-kInfinity, kInfinity};  // for a value that is not finite
  const volume::Volume volume = bricks::bricks_volume(bricks);
  const volume::ValueType type = bricks.info.type;
  const double background = volume::value_number(type, bricks.background);
  const bool has_empty = bricks.filled < bricks.info.box().voxels();
  if (has_empty && !std::isfinite(background)) return volume::value_range(volume);
  const FilledBricks filled(bricks);
  const volume::ValueRange range = tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, filled.count(), 64),
      has_empty ? volume::ValueRange{background, background} : volume::ValueRange{kInfinity, -kInfinity},
      [&](const tbb::blocked_range<uint64_t>& part, volume::ValueRange found) {
        std::vector<std::byte> values;
        for (uint64_t brick = part.begin(); brick < part.end(); ++brick) {
          const uint64_t voxels = filled.read(brick, values);
          uint32_t before = 0;
          for (uint64_t i = 0; i < voxels; ++i) {
            const uint32_t bits = volume::bits_at(type, values.data(), i);
            if (i > 0 && bits == before) continue;
            before = bits;
            const double number = volume::value_number(type, bits);
            if (!std::isfinite(number)) return kEverything;
            found = joined_ranges(found, {number, number});
          }
        }
        return found;
      },
      joined_ranges);
  // The dense volume finds the same, and says which value is not finite.
  return std::isfinite(range.low) ? range : volume::value_range(volume);
}

}  // namespace

volume::ValueRange color_range(const bricks::FrozenBricks& bricks) {
  volume::ValueRange range = range_of_bricks(bricks);
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
  view.labels = options.labels.empty() || options.iso ? 0 : 1;
  view.empty = static_cast<float>(background);
  // Rays may skip empty voxels if nothing of them is visible.
  const bool skips = options.iso ? view.empty < view.iso : view.labels != 0 || is_unseen(share, options);
  view.skips_empty = skips ? 1 : 0;
  return view;
}

namespace {

// The values of one layer of voxels.
class Layer {
 public:
  Layer(const volume::Volume& volume, const SliceFrame& frame) : frame_(frame), type_(volume.info.type) {
    box_ = volume.info.box();
    const auto at = static_cast<int32_t>(frame.at);
    (frame.axis == 0 ? box_.min.x : frame.axis == 1 ? box_.min.y : box_.min.z) = at;
    (frame.axis == 0 ? box_.max.x : frame.axis == 1 ? box_.max.y : box_.max.z) = at + 1;
    bytes_.resize(box_.voxels() * volume::value_bytes(type_));
    volume.read(box_, bytes_.data());
  }

  uint32_t bits(size_t index) const { return volume::bits_at(type_, bytes_.data(), index); }

  // Returns the bits of the first voxel of a cell that is not empty, or the background if there is none.
  uint32_t of_cell(uint32_t x, uint32_t y, uint32_t background) const {
    const int32_t side = 1 << frame_.log2_cell;
    const int32_t across = frame_.first[0] + static_cast<int32_t>(x) * side * frame_.step[0],
                  along = frame_.first[1] + static_cast<int32_t>(y) * side * frame_.step[1];
    for (int32_t v = along; v < along + side; ++v)
      for (int32_t u = across; u < across + side; ++u)
        if (const uint32_t found = at(u, v, background); found != background) return found;
    return background;
  }

 private:
  uint32_t at(int32_t across, int32_t along, uint32_t background) const {
    const auto part = [&](uint32_t axis) {
      return axis == frame_.axis ? static_cast<int32_t>(frame_.at) : axis == frame_.across ? across : along;
    };
    const Int3 voxel = {part(0), part(1), part(2)}, size = box_.size();
    if (voxel.x >= box_.max.x || voxel.y >= box_.max.y || voxel.z >= box_.max.z) return background;
    const Int3 from = voxel - box_.min;
    return bits((static_cast<size_t>(from.z) * static_cast<size_t>(size.y) + static_cast<size_t>(from.y)) *
                    static_cast<size_t>(size.x) +
                static_cast<size_t>(from.x));
  }

  SliceFrame frame_;
  volume::ValueType type_;
  VoxelBox box_;
  std::vector<std::byte> bytes_;
};

}  // namespace

scene::Rgb8 ValueColors::color(volume::ValueType type, uint32_t bits) const {
  if (!labels.empty()) return labels[bricks::label_slot(bits)];
  return scale_color(scale, (volume::value_number(type, bits) - range.low) / (range.high - range.low));
}

Picture slice_volume(const volume::Volume& volume, uint32_t background, const ValueColors& colors,
                     const SliceOptions& options) {
  const SliceFrame frame = slice_frame(options, volume.info.box(), volume.info.box());
  const Layer layer(volume, frame);
  Picture picture;
  picture.low = colors.range.low;
  picture.high = colors.range.high;
  const auto [width, height] = frame.size;
  picture.image = {"", width, height, std::vector<scene::Rgba8>(size_t{width} * height)};
  for (uint32_t y = 0; y < frame.height; ++y)
    for (uint32_t x = 0; x < frame.width; ++x) {
      const uint32_t bits = layer.of_cell(x, y, background);
      const scene::Rgb8 color = bits == background ? options.empty : colors.color(volume.info.type, bits);
      const uint32_t left = SliceFrame::first_pixel(x, frame.width, width),
                     right = SliceFrame::first_pixel(x + 1, frame.width, width);
      for (uint32_t row = SliceFrame::first_pixel(y, frame.height, height);
           row < SliceFrame::first_pixel(y + 1, frame.height, height); ++row)
        std::fill_n(picture.image.pixels.begin() + ptrdiff_t{row} * width + left, right - left,
                    scene::Rgba8{color.r, color.g, color.b, 255});
    }
  return picture;
}

// All materials of a palette: very many bricks are not read to see which of them occur.
static ShownValues shown_materials(const scene::Palette& palette) {
  ShownValues shown = {.kind = ShownValues::Kind::Materials,
                       .colors = {{0, static_cast<double>(palette.count)}}};
  shown.colors.labels = material_colors(palette);
  for (uint32_t material = 0; material < palette.count; ++material) shown.labels.push_back(material + 1);
  return shown;
}

ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as) {
  if (palette && as != ValuesAs::Amounts && bricks.is_sparse()) return shown_materials(*palette);
  ShownValues shown = {.colors = {color_range(bricks)}};
  if (as == ValuesAs::Amounts) return shown;
  LabelSurvey survey = survey_labels(bricks);
  if (palette) {
    shown.kind = ShownValues::Kind::Materials;
    shown.colors.labels = material_colors(*palette);
  } else if (survey.likely || as == ValuesAs::Labels) {
    if (survey.labels.empty() && bricks.filled > 0)
      throw UsageError(fmt::format("values of type {} cannot be labels, expected u8 or u16",
                                   volume::value_type_name(bricks.info.type)));
    shown.kind = ShownValues::Kind::Labels;
    shown.colors.labels = distinct_colors();
  } else {
    return shown;
  }
  shown.labels = std::move(survey.labels);
  return shown;
}

volume::ValueRange window_of_most(const bricks::FrozenBricks& bricks) {
  constexpr uint32_t kParts = 1 << 16;
  constexpr uint64_t kBeyond = 100;  // one voxel in so many lies beyond each end
  const volume::ValueRange all = color_range(bricks);
  const double part = (all.high - all.low) / kParts;
  std::vector<uint64_t> counts(kParts);
  uint64_t filled = 0;
  const FilledBricks bricks_with_values(bricks);
  const volume::ValueType type = bricks.info.type;
  std::vector<std::byte> values;
  for (uint64_t brick = 0; brick < bricks_with_values.count(); ++brick) {
    throw_if_cancelled();
    const uint64_t voxels = bricks_with_values.read(brick, values), times = bricks_with_values.times(brick);
    for (uint64_t i = 0; i < voxels; ++i) {
      const uint32_t bits = volume::bits_at(type, values.data(), i);
      if (bits == bricks.background) continue;
      const double at = (volume::value_number(type, bits) - all.low) / part;
      counts[std::min(static_cast<uint32_t>(at), kParts - 1)] += times;
      filled += times;
    }
  }
  const auto part_of =
      [&](uint64_t before) {  // the part that holds the value with so many filled ones before it
        uint32_t at = 0;
        for (; at + 1 < kParts && before >= counts[at]; ++at) before -= counts[at];
        return at;
      };
  const uint64_t beyond = filled / kBeyond;
  const uint32_t low = part_of(beyond), high = part_of(filled - std::min(filled, beyond + 1));
  if (low >= high) return all;
  const volume::ValueRange found = {all.low + low * part, all.low + (high + 1) * part};
  if (type == volume::ValueType::F32) return found;
  constexpr double kRounding = 1e-6;  // a part holds one whole number at most, perhaps at its end
  return {std::ceil(found.low - kRounding), std::floor(found.high + kRounding)};
}

}  // namespace vox::render
