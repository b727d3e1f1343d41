// Pictures of a volume: rays gather colours from front to back.
//
// A ray takes the interpolated value at every whole number of steps from the eye, between the points where it
// enters and leaves the volume's box. A table turns values into colours and opacities; surfaces are brighter
// if they face the sun. Values that are labels are not mixed: a sample has the colour of the voxel that
// contains it, and surfaces are where voxels are filled. A ray is set up in doubles and followed in single
// floats, with one rounding per operation and without library functions, so that pictures are the same on
// every device and through every kind of access.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/volume/value_bits.h"

namespace vox::bricks {

// Values between voxels, by trilinear interpolation, through any accessor (jit/loops.h).
//
// Positions are in voxels. A value belongs to the centre of its voxel; a position outside of the volume has
// the value of the nearest voxel. Everything is computed in single floats with one rounding per operation.
// The result is the same on every device and with all bricks. Between values from `low` to `high`, none
// larger than m, it is off by at most
//   3.001 · 2^-24 · (2 (high - low) + m).
// A position below 2^23 voxels is exact.

// The eight values around a position.
struct ValueCell {
  float values[8];       // x fastest
  Vec3<float> from_low;  // the position relative to the first value, in voxels: 0 to 1

  VOX_HD float value() const { return along_z(along_y(0), along_y(1)); }

  // Returns how much the value grows from voxel to voxel along each axis, or 0 where the volume ends.
  VOX_HD Vec3<float> gradient() const {
    const float dx = along_z(mix(step_x(0), step_x(1), from_low.y), mix(step_x(2), step_x(3), from_low.y));
    const float dy = along_z(along_x(1) - along_x(0), along_x(3) - along_x(2));
    return {dx, dy, along_y(1) - along_y(0)};
  }

 private:
  VOX_HD static float mix(float a, float b, float share) { return a + (b - a) * share; }
  VOX_HD float step_x(uint32_t row) const { return values[2 * row + 1] - values[2 * row]; }
  VOX_HD float along_x(uint32_t row) const { return mix(values[2 * row], values[2 * row + 1], from_low.x); }
  VOX_HD float along_y(uint32_t layer) const {
    return mix(along_x(2 * layer), along_x(2 * layer + 1), from_low.y);
  }
  VOX_HD float along_z(float low, float high) const { return mix(low, high, from_low.z); }
};

// The meaning of the words of a volume.
struct ValueMeaning {
  Int3 size;               // 12 B, the volume's size
  volume::ValueType type;  // 4 B
  uint32_t background;     // 4 B, the bits of a voxel whose word is 0
};
static_assert(sizeof(ValueMeaning) == 20);

// The voxels between which a position lies along one axis.
struct VoxelPair {
  int32_t low, high;
  float from_low;

  VOX_HD VoxelPair(float at, int32_t size) {
    const float middle = at - 0.5f, last = static_cast<float>(size - 1);
    const float inside = !(middle > 0) ? 0 : middle < last ? middle : last;
    low = static_cast<int32_t>(inside);
    high = middle > 0 && low + 1 < size ? low + 1 : low;  // at both ends the same voxel twice: no growth
    from_low = inside - static_cast<float>(low);
  }

  VOX_HD int32_t nearest() const { return from_low < 0.5f ? low : high; }
};

template <class Access, class T>
struct Interpolator {
  const Access& access;
  ValueMeaning meaning;

  VOX_HD float operator()(Vec3<float> at) const { return cell(at).value(); }

  // Returns the value of the voxel that contains the position.
  VOX_HD float nearest(Vec3<float> at) const {
    const VoxelPair x(at.x, meaning.size.x), y(at.y, meaning.size.y), z(at.z, meaning.size.z);
    return value({x.nearest(), y.nearest(), z.nearest()});
  }

  VOX_HD ValueCell cell(Vec3<float> at) const {
    const VoxelPair x(at.x, meaning.size.x), y(at.y, meaning.size.y), z(at.z, meaning.size.z);
    return {{value({x.low, y.low, z.low}), value({x.high, y.low, z.low}), value({x.low, y.high, z.low}),
             value({x.high, y.high, z.low}), value({x.low, y.low, z.high}), value({x.high, y.low, z.high}),
             value({x.low, y.high, z.high}), value({x.high, y.high, z.high})},
            {x.from_low, y.from_low, z.from_low}};
  }

 private:
  VOX_HD float value(Int3 voxel) const {
    // The compiler knows the type from T, except for words of two bytes.
    const volume::ValueType type = sizeof(T) == 1   ? volume::ValueType::U8
                                   : sizeof(T) == 4 ? volume::ValueType::F32
                                                    : meaning.type;
    return volume::value_float(type, access.template get<T>(voxel) ^ meaning.background);
  }
};

inline constexpr uint32_t kCastColors = 256;
inline constexpr float kCastOpaque = 0.99f;  // a ray stops at this opacity

struct CastColor {
  Vec3<float> color;  // 12 B, sRGB, 0 to 255
  float opacity;      // 4 B, for one step
};
static_assert(sizeof(CastColor) == 16);

struct CastPixel {
  uint8_t r, g, b, a;
};

// The empty space of a volume, which rays pass over. empty_space.h finds it.
//
// A cell is a cube of 8³ voxels or more, and has 4³ parts. A sample that lies between voxels v and v + 1 belongs to
// the cell and the part of v. A part is busy if one of its samples touches a filled voxel, and a cell if one of its
// parts is. The distance between cells is the largest of those along the three axes, so that all cells of the cube
// around a cell that is nearer than the nearest busy one are empty.
struct EmptySpaceRef {
  Int3 grid = {0, 0, 0};   // 12 B, cells along each axis
  uint32_t log2_cell = 2;  // 4 B, log2 of a cell's side in voxels
  const uint64_t* busy =
      nullptr;  // 8 B, [cells], x fastest: a bit for each part, x fastest; null: no ray skips
  const uint8_t* distances =
      nullptr;  // 8 B, [cells]: the distance from the nearest busy cell, 0 for busy cells

  VOX_HD uint32_t log2_part() const { return log2_cell - 2; }
  VOX_HD Int3 cell_of(Int3 voxel) const {
    return {voxel.x >> log2_cell, voxel.y >> log2_cell, voxel.z >> log2_cell};
  }
  VOX_HD uint64_t index(Int3 cell) const {
    return (static_cast<uint64_t>(cell.z) * static_cast<uint64_t>(grid.y) + static_cast<uint64_t>(cell.y)) *
               static_cast<uint64_t>(grid.x) +
           static_cast<uint64_t>(cell.x);
  }
  VOX_HD Int3 cell(uint64_t index) const {
    const auto across = static_cast<uint64_t>(grid.x), rows = static_cast<uint64_t>(grid.y);
    return {static_cast<int32_t>(index % across), static_cast<int32_t>(index / across % rows),
            static_cast<int32_t>(index / across / rows)};
  }
  // Returns the number of a voxel's part in its cell.
  VOX_HD uint32_t part_of(Int3 voxel) const {
    const auto along = [this](int32_t at) { return static_cast<uint32_t>(at >> log2_part() & 3); };
    return along(voxel.x) | along(voxel.y) << 2 | along(voxel.z) << 4;
  }
};
static_assert(sizeof(EmptySpaceRef) == 32);

// All data that a picture needs except the bricks. Positions and directions are in voxels.
struct CastView {
  Vec3d eye;                    // 24 B
  Vec3d corner, right, down;    // 72 B, from the eye to the image's upper left corner; to the next pixels
  Vec3<float> to_sun;           // 12 B, a unit vector in the world
  Vec3<float> slopes;           // 12 B, factors from growth per voxel to growth in the world, up to scale
  Vec3<float> background;       // 12 B, sRGB, 0 to 255
  float ambient, sun;           // 8 B, strengths of the light
  float step;                   // 4 B, in voxels
  float low, colors_per_value;  // 8 B, the first colour's value, and colours per unit of value
  ValueMeaning meaning;         // 20 B
  uint32_t width, height;       // 8 B
  uint32_t labels;              // 4 B, 1: values are labels; label_slot() finds their colours
  float empty;                  // 4 B, the value of empty voxels
  float iso;                    // 4 B, the value on an isosurface (volume_iso.h)
  uint32_t skips_empty;         // 4 B, 1: samples that touch no filled voxel change nothing
  EmptySpaceRef empty_space;    // 32 B, set only if such samples change nothing
  const CastColor* colors;      // 8 B, [kCastColors]
  CastPixel* pixels;            // 8 B, row by row

  VOX_HD Tiles tiles() const { return {width, height}; }
};

// The part of a ray that lies in the volume: `count` positions, of which the n-th is at start + step · n.
struct CastRay {
  Vec3<float> start, step;
  uint32_t count;

  VOX_HD CastRay(const CastView& view, double x, double y) : start{}, step{}, count(0) {
    const Vec3d through = view.corner + view.right * x + view.down * y;
    const Vec3d direction = through * (1 / square_root(dot(through, through)));
    const Int3 size = view.meaning.size;
    double enter = 0, leave = 0x1p40;
    clip(view.eye.x, direction.x, size.x, enter, leave);
    clip(view.eye.y, direction.y, size.y, enter, leave);
    clip(view.eye.z, direction.z, size.z, enter, leave);
    if (!(enter < leave)) return;
    const double length = static_cast<double>(view.step);
    const auto before = static_cast<int64_t>(enter / length), last = static_cast<int64_t>(leave / length);
    count = static_cast<uint32_t>(last - before);
    const Vec3d at = view.eye + direction * (static_cast<double>(before + 1) * length);
    start = single(at);
    step = single(direction * length);
  }

  VOX_HD Vec3<float> at(uint32_t n) const { return between(static_cast<float>(n)); }
  VOX_HD Vec3<float> between(float n) const { return start + step * n; }

 private:
  VOX_HD static Vec3<float> single(Vec3d v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }
  // Narrows [enter, leave] to the part of the ray between the two planes that bound the volume along an axis.
  VOX_HD static void clip(double eye, double direction, int32_t size, double& enter, double& leave) {
    const double high = static_cast<double>(size);
    if (direction == 0) {
      if (eye < 0 || eye > high) leave = -1;
      return;
    }
    const double to_low = (0 - eye) / direction, to_high = (high - eye) / direction;
    const double in = direction < 0 ? to_high : to_low, out = direction < 0 ? to_low : to_high;
    if (in > enter) enter = in;
    if (out < leave) leave = out;
  }
};

// Returns the index of a label's colour. Labels below 256 have different colours, and so have any 254
// consecutive labels: above each multiple of 256 one colour is left out.
VOX_HD constexpr uint32_t label_slot(uint32_t label) {
  return (label + (label >> 8)) % kCastColors;
}

// The steps that rays of all kinds of pictures share: they skip what is empty, and look up colours and light.
template <class Access>
struct VolumeWalk {
  const Access& access;
  const CastView& view;

  // Sets the i-th pixel in the order of tiles, if there is one, to the result of `seen(ray)`.
  template <class Seen>
  VOX_HD static void cast_pixel(const CastView& view, uint64_t i, const Seen& seen) {
    const Tiles tiles = view.tiles();
    const Vec2<uint32_t> at = tiles.pixel(i);
    if (tiles.holds(at)) view.pixels[tiles.index(at)] = seen(CastRay(view, at.x + 0.5, at.y + 0.5));
  }

  // Calls see(n) for the samples of a ray from front to back, except those that are certainly empty, until it
  // returns false.
  template <class See>
  VOX_HD void each_sample(const CastRay& ray, See see) const {
    for (uint32_t n = 0; n < ray.count;) {
      const uint32_t next = past_empty(ray, n);
      if (next == n && !see(n)) return;
      n = next == n ? n + 1 : next;
    }
  }

  VOX_HD uint32_t color_of(float value) const { return code((value - view.low) * view.colors_per_value); }
  VOX_HD static CastPixel pixel(Vec3<float> color) {
    return {code(color.x), code(color.y), code(color.z), 255};
  }
  VOX_HD static uint8_t code(float at) {
    return static_cast<uint8_t>(!(at > 0) ? 0 : at < 255 ? static_cast<uint32_t>(at + 0.5f) : 255);
  }

  VOX_HD float light(const ValueCell& cell) const { return light_of(cell.gradient()); }
  // Returns the light where values grow by this much from voxel to voxel.
  VOX_HD float light_of(Vec3<float> growth) const {
    const Vec3<float> inwards = {growth.x * view.slopes.x, growth.y * view.slopes.y,
                                 growth.z * view.slopes.z};
    const float steep = square_root(dot(inwards, inwards));
    const float facing = steep > 0 ? -dot(inwards, view.to_sun) / steep : 0.5f;
    return facing > 0 ? view.ambient + view.sun * facing : view.ambient;
  }

  // Skips samples that touch no filled voxel. Returns the sample after the last of them, or n if sample n may
  // touch one. Even with rounding, positions along a ray never turn back, so if two samples are in one box, all
  // samples between them are too.
  VOX_HD uint32_t past_empty(const CastRay& ray, uint32_t n) const {
    const EmptySpaceRef& space = view.empty_space;
    if (space.busy == nullptr) return n;
    const Vec3<float> at = ray.at(n);
    const Int3 voxel = low_voxel(at), cell = space.cell_of(voxel);
    const uint64_t index = space.index(cell), busy = space.busy[index];
    if (busy != 0) return n + (busy >> space.part_of(voxel) & 1 ? 0 : 1);
    const int32_t distance = space.distances[index], before = distance - 1;
    const Int3 low = (cell - Int3{before, before, before}) * (1 << space.log2_cell),
               high = (cell + Int3{distance, distance, distance}) * (1 << space.log2_cell);
    uint32_t steps = ray.count - 1 - n;
    bound(at.x, ray.step.x, low.x, high.x, steps);
    bound(at.y, ray.step.y, low.y, high.y, steps);
    bound(at.z, ray.step.z, low.z, high.z, steps);
    const Int3 last = low_voxel(ray.at(n + steps));
    const bool is_inside = last.x >= low.x && last.y >= low.y && last.z >= low.z && last.x < high.x &&
                           last.y < high.y && last.z < high.z;
    return n + 1 + (is_inside ? steps : 0);
  }

 private:
  VOX_HD Int3 low_voxel(Vec3<float> at) const {
    const Int3 size = view.meaning.size;
    return {VoxelPair(at.x, size.x).low, VoxelPair(at.y, size.y).low, VoxelPair(at.z, size.z).low};
  }
  // Limits `steps` to those that stay between two planes along one axis, as far as rounding lets us know.
  // Nothing lies below the volume's first plane, which limits no ray.
  VOX_HD static void bound(float at, float step, int32_t low, int32_t high, uint32_t& steps) {
    if (step < 0 && low <= 0) return;
    const float most = (static_cast<float>(step < 0 ? low : high) - (at - 0.5f)) / step;
    if (!(most < static_cast<float>(steps))) return;
    const uint32_t whole = most > 0 ? static_cast<uint32_t>(most) : 0;
    const bool is_beyond = step > 0 && whole > 0 && static_cast<float>(whole) == most;  // `high` is outside
    steps = is_beyond ? whole - 1 : whole;
  }
};

template <class Access, class T>
struct CastVolume {
  Access access;
  CastView view;
  uint64_t first = 0;  // the first pixel of this part of the loop

  VOX_HD void operator()(uint64_t i) const {
    VolumeWalk<Access>::cast_pixel(view, first + i, [this](const CastRay& ray) { return seen(ray); });
  }

 private:
  VOX_HD CastPixel seen(const CastRay& ray) const {
    const Interpolator<Access, T> values = {access, view.meaning};
    const VolumeWalk<Access> walk = {access, view};
    Vec3<float> sum = {0, 0, 0};
    float clear = 1;
    walk.each_sample(ray, [&](uint32_t n) {
      const Vec3<float> at = ray.at(n);
      uint32_t color = 0;
      if (view.labels != 0) {
        const float label = values.nearest(at);
        if (label == view.empty) return true;
        color = label_slot(static_cast<uint32_t>(label));
      }
      ValueCell cell = values.cell(at);
      if (view.labels == 0) color = walk.color_of(cell.value());
      const CastColor here = view.colors[color];
      if (here.opacity == 0) return true;
      if (view.labels != 0) cell = filled(cell);
      sum = sum + here.color * (clear * here.opacity * walk.light(cell));
      clear = clear * (1 - here.opacity);
      return clear > 1 - kCastOpaque;
    });
    return walk.pixel(sum + view.background * clear);
  }

  // Returns the cell with 1 in place of the value if a voxel is filled, otherwise 0.
  VOX_HD ValueCell filled(ValueCell cell) const {
    for (float& value : cell.values) value = value == view.empty ? 0.0f : 1.0f;
    return cell;
  }
};

}  // namespace vox::bricks
