// Takes pictures of a volume with rays that gather colors from front to back.
//
// A ray takes the interpolated value at every whole number of steps from the eye, between the points where it
// enters and leaves the volume's box. A table turns values into colors and opacities; surfaces are brighter
// if they face the sun. Values that are labels are not mixed: a sample has the color of the voxel that
// contains it, and surfaces are where voxels are filled. A ray is set up in doubles and followed in single
// floats, with one rounding per operation and without library functions, so that pictures are the same on
// every device and through every kind of access.
#pragma once

#include "libvox/base/hd.h"
#include "libvox/base/morton.h"
#include "libvox/base/vec.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/volume/value_bits.h"

namespace vox::bricks {

// Values between voxels, by trilinear interpolation, through any accessor (jit/loops.h).
//
// Positions are in voxels. A value belongs to the center of its voxel; a position outside of the volume has
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

  // Returns the value of the voxel that contains the position.
  VOX_HD float nearest() const {
    const auto near_x = [this](uint32_t row) {
      return from_low.x < 0.5f ? values[2 * row] : values[2 * row + 1];
    };
    const auto near_y = [&](uint32_t layer) {
      return from_low.y < 0.5f ? near_x(2 * layer) : near_x(2 * layer + 1);
    };
    return from_low.z < 0.5f ? near_y(0) : near_y(1);
  }

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
  uint32_t background;     // 4 B, the bits of a value whose word is 0
};
static_assert(sizeof(ValueMeaning) == 20);

// The two voxels between which a position lies along one axis.
struct VoxelPair {
  int32_t low, high;
  float from_low;

  VOX_HD VoxelPair(float at, int32_t size) {
    const float middle = at - 0.5f, inside = clamped(middle, static_cast<float>(size - 1));
    low = static_cast<int32_t>(inside);
    // At both ends of the volume the two voxels are one, so that values do not grow there.
    high = low + (middle > 0 && low + 1 < size ? 1 : 0);
    from_low = inside - static_cast<float>(low);
  }

  // Returns the nearest number between 0 and `most`; 0 for NaN. It has no branches.
  VOX_HD static float clamped(float number, float most) {
    const float above = number > 0 ? number : 0;
    return above < most ? above : most;
  }
};

// The voxels between which a position lies.
struct SamplePlace {
  VoxelPair x, y, z;

  VOX_HD SamplePlace(Vec3<float> at, Int3 size) : x(at.x, size.x), y(at.y, size.y), z(at.z, size.z) {}

  VOX_HD Int3 low() const { return {x.low, y.low, z.low}; }
  VOX_HD Int3 high() const { return {x.high, y.high, z.high}; }
  VOX_HD Vec3<float> from_low() const { return {x.from_low, y.from_low, z.from_low}; }
};

template <class Access, class T>
struct Interpolator {
  const Access& access;
  ValueMeaning meaning;

  VOX_HD float operator()(Vec3<float> at) const { return cell(at).value(); }

  VOX_HD ValueCell cell(Vec3<float> at) const {
    const SamplePlace place(at, meaning.size);
    T words[8];
    access.template corners<T>(place.low(), place.high(), words);
    return cell(words, place.from_low());
  }
  VOX_HD ValueCell cell(const T* words, Vec3<float> from_low) const {
    ValueCell cell = {{}, from_low};
    VOX_UNROLL for (uint32_t i = 0; i < 8; ++i) cell.values[i] = value_of(words[i]);
    return cell;
  }

 private:
  VOX_HD float value_of(T word) const {
    // The compiler knows the type from T, except for words of two bytes.
    const volume::ValueType type = sizeof(T) == 1   ? volume::ValueType::U8
                                   : sizeof(T) == 4 ? volume::ValueType::F32
                                                    : meaning.type;
    return volume::value_float(type, word ^ meaning.background);
  }
};

// Reads the values along a ray. Samples that follow one another often lie between the same voxels, which are read once.
template <class Access, class T>
class ValuesOfRay {
 public:
  VOX_HD ValuesOfRay(const Access& access, const ValueMeaning& meaning) : values_{access, meaning} {}

  VOX_HD ValueCell cell(Vec3<float> at) {
    const SamplePlace place(at, values_.meaning.size);
    const Int3 both = place.low() + place.high();  // the sum determines both places
    if (!(both == both_)) values_.access.template corners<T>(place.low(), place.high(), words_);
    both_ = both;
    return values_.cell(words_, place.from_low());
  }

 private:
  Interpolator<Access, T> values_;
  Int3 both_ = {-1, -1, -1};
  T words_[8] = {};
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

// The voxels on which a sample depends: the eight around it (Cell), or only the one that contains it (Voxel).
enum class SampleReach : uint32_t { Cell, Voxel };

// The empty space of a volume, which rays skip. empty_space.h finds it.
//
// A part is a cube of voxels, often of a single one, and a cell is a cube of 8³ parts. A sample belongs to the
// cell and the part of the voxel that contains it or, if it lies between voxels v and v + 1, of v. A part is busy
// if one of its samples depends on a filled voxel, and a cell is busy if one of its parts is. The distance
// between cells is the largest of those along the three axes. So all cells that are nearer to a cell than its
// nearest busy cell form a cube, and are empty.
struct EmptySpaceRef {
  static constexpr uint32_t kFirstBusy = 256;  // above all distances

  Int3 grid = {0, 0, 0};            // 12 B, cells along each axis
  uint32_t log2_part = 0;           // 4 B, log2 of a part's side in voxels
  Vec3<float> highest = {0, 0, 0};  // 12 B, the last voxel
  float middle = 0;                 // 4 B, 0.5 for samples between voxels: a voxel then begins at its middle
  // 8 B, [cells], x fastest: kFirstBusy + i for the i-th busy cell, otherwise the distance from the nearest busy
  // cell; null: rays skip nothing
  const uint32_t* cells = nullptr;
  // 8 B, eight words for each busy cell: for each block of 4³ parts, x fastest, a bit for each part, x fastest
  const uint64_t* busy = nullptr;

  VOX_HD uint32_t log2_block() const { return log2_part + 2; }
  VOX_HD uint32_t log2_cell() const { return log2_part + 3; }
  // Returns the voxel to which a sample belongs; for samples between voxels it is VoxelPair::low.
  VOX_EVERY_STEP Int3 voxel_at(Vec3<float> at) const {
    return {static_cast<int32_t>(VoxelPair::clamped(at.x - middle, highest.x)),
            static_cast<int32_t>(VoxelPair::clamped(at.y - middle, highest.y)),
            static_cast<int32_t>(VoxelPair::clamped(at.z - middle, highest.z))};
  }
  // There are fewer than 2^32 cells.
  VOX_HD uint32_t index(Int3 cell) const {
    return static_cast<uint32_t>((cell.z * grid.y + cell.y) * grid.x + cell.x);
  }
  VOX_HD Int3 cell(uint64_t index) const {
    const auto i = static_cast<uint32_t>(index), across = static_cast<uint32_t>(grid.x),
               rows = static_cast<uint32_t>(grid.y);
    return {static_cast<int32_t>(i % across), static_cast<int32_t>(i / across % rows),
            static_cast<int32_t>(i / across / rows)};
  }
  VOX_HD static Int3 shifted(Int3 voxel, uint32_t log2) {
    return {voxel.x >> log2, voxel.y >> log2, voxel.z >> log2};
  }
  // Returns the word of a busy cell with the voxel's part, and the place of the part's bit in it.
  VOX_HD uint64_t block_of(uint32_t cell, Int3 voxel) const {
    const Int3 block = shifted(voxel, log2_block());
    const auto word = static_cast<uint32_t>((block.x & 1) | (block.y & 1) << 1 | (block.z & 1) << 2);
    return busy[8 * uint64_t{cell - kFirstBusy} + word];
  }
  VOX_HD uint32_t part_of(Int3 voxel) const {
    const Int3 part = shifted(voxel, log2_part);
    return static_cast<uint32_t>((part.x & 3) | (part.y & 3) << 2 | (part.z & 3) << 4);
  }
};
static_assert(sizeof(EmptySpaceRef) == 48);

// All data that a picture needs except the bricks. Positions and directions are in voxels.
struct CastView {
  Vec3d eye;                    // 24 B
  Vec3d corner, right, down;    // 72 B, from the eye to the image's upper left corner; from pixel to pixel
  Vec3<float> to_sun;           // 12 B, a unit vector in the world
  Vec3<float> slopes;           // 12 B, growth in the world per growth in voxels, times any constant
  Vec3<float> background;       // 12 B, sRGB, 0 to 255
  float ambient, sun;           // 8 B, strengths of the light
  float step;                   // 4 B, in voxels
  float low, colors_per_value;  // 8 B, the first color's value, and colors per unit of value
  ValueMeaning meaning;         // 20 B
  uint32_t width, height;       // 8 B
  uint32_t labels;              // 4 B, 1: values are labels; label_slot() finds their colors
  float empty;                  // 4 B, the value of empty voxels
  float iso;                    // 4 B, the value on an isosurface (volume_iso.h)
  uint32_t skips_empty;         // 4 B, 1: samples that depend on no filled voxel change nothing
  EmptySpaceRef empty_space;    // 48 B, set only if skips_empty is 1
  const CastColor* colors;      // 8 B, [kCastColors]
  CastPixel* pixels;            // 8 B, row by row

  VOX_HD Tiles tiles() const { return {width, height}; }
  // A sample of labels depends only on the voxel that contains it.
  VOX_HD SampleReach reach() const { return labels != 0 ? SampleReach::Voxel : SampleReach::Cell; }
};

// The part of a ray that lies in the volume: `count` positions, of which the n-th is at start + step · n.
struct CastRay {
  Vec3<float> start, step;
  Vec3<float> per_voxel;  // steps per voxel: about 1 / step, and slightly less if the step is upwards
  uint32_t count;

  VOX_HD CastRay(const CastView& view, double x, double y) : start{}, step{}, per_voxel{}, count(0) {
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
    per_voxel = {inverse(step.x), inverse(step.y), inverse(step.z)};
  }

  VOX_HD Vec3<float> at(uint32_t n) const { return between(static_cast<float>(n)); }
  VOX_HD Vec3<float> between(float n) const { return start + step * n; }

 private:
  VOX_HD static Vec3<float> single(Vec3d v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }
  VOX_HD static float inverse(float step) {
    return step == 0 ? 0x1p100f : (step > 0 ? 1 - 0x1p-22f : 1.0f) / step;
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

// Returns the index of a label's color. Labels below 256 have different colors, and so do any 254
// consecutive labels. After each multiple of 256 one color is left out.
VOX_HD constexpr uint32_t label_slot(uint32_t label) {
  return (label + (label >> 8)) % kCastColors;
}

// The functions that rays of all kinds of pictures share: they skip empty space, and look up colors and light.
template <class Access>
struct VolumeWalk {
  const Access& access;
  const CastView& view;

  // Sets the i-th pixel in the order of tiles to the result of `seen(ray)`. Does nothing if there is no such pixel.
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
    for (uint32_t n = next_sample(ray, 0); n < ray.count; n = next_sample(ray, n + 1))
      if (!see(n)) return;
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

  // Returns the first sample from n on that may depend on a filled voxel, or ray.count if there is none.
  VOX_HD uint32_t next_sample(const CastRay& ray, uint32_t n) const {
    while (n < ray.count) {
      const uint32_t next = past_empty(ray, n);
      if (next == n) return n;
      n = next;
    }
    return n;
  }

  // Skips samples that depend on no filled voxel. Returns the sample after the last of them, or n if sample n may
  // depend on one.
  VOX_EVERY_STEP uint32_t past_empty(const CastRay& ray, uint32_t n) const {
    const EmptySpaceRef& space = view.empty_space;
    if (space.cells == nullptr) return n;
    const Vec3<float> at = ray.at(n);
    const Int3 voxel = space.voxel_at(at);
    const uint32_t cell = space.cells[space.index(space.shifted(voxel, space.log2_cell()))];
    uint32_t log2 = space.log2_cell(), distance = cell;
    if (cell >= EmptySpaceRef::kFirstBusy) {
      const uint64_t block = space.block_of(cell, voxel);
      if (block != 0) return n + ((block >> space.part_of(voxel) & 1) != 0 ? 0 : 1);
      log2 = space.log2_block();
      distance = 1;
    }
    return n + 1 + steps_in_cubes(ray, n, at, voxel, log2, static_cast<int32_t>(distance));
  }

 private:
  // Returns the number of samples after sample n that certainly lie in cubes of 2^log2 voxels a side, fewer than
  // `distance` cubes away from the voxel's cube. Even with rounding, positions along a ray never turn back, so
  // if the last sample is in this box, so are all samples between.
  VOX_HD uint32_t steps_in_cubes(const CastRay& ray, uint32_t n, Vec3<float> at, Int3 voxel, uint32_t log2,
                                 int32_t distance) const {
    const EmptySpaceRef& space = view.empty_space;
    const Int3 cube = space.shifted(voxel, log2);
    const auto until = [&](float from, float step, float per_voxel, int32_t own) {
      const int32_t low = own - (distance - 1);
      const int32_t end = step < 0 ? low : own + distance;
      // Nothing lies below the volume's first plane, so it limits no ray.
      const float plane = step < 0 && low <= 0 ? -0x1p30f : static_cast<float>(end << log2);
      return (plane - (from - space.middle)) * per_voxel;
    };
    const float x = until(at.x, ray.step.x, ray.per_voxel.x, cube.x),
                y = until(at.y, ray.step.y, ray.per_voxel.y, cube.y),
                z = until(at.z, ray.step.z, ray.per_voxel.z, cube.z);
    const float to_side = x < y ? x : y, most = to_side < z ? to_side : z;
    const uint32_t left = ray.count - 1 - n;
    const uint32_t steps = !(most < static_cast<float>(left)) ? left
                           : most > 0                         ? static_cast<uint32_t>(most)
                                                              : 0;
    const Int3 last = space.shifted(space.voxel_at(ray.at(n + steps)), log2) - cube;
    const auto is_near = [=](int32_t apart) { return apart < distance && -apart < distance; };
    return is_near(last.x) && is_near(last.y) && is_near(last.z) ? steps : 0;
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
    ValuesOfRay<Access, T> values(access, view.meaning);
    const VolumeWalk<Access> walk = {access, view};
    Vec3<float> sum = {0, 0, 0};
    float clear = 1;
    walk.each_sample(ray, [&](uint32_t n) {
      ValueCell cell = values.cell(ray.at(n));
      uint32_t color = 0;
      if (view.labels == 0) {
        color = walk.color_of(cell.value());
      } else {
        const float label = cell.nearest();
        if (label == view.empty) return true;
        color = label_slot(static_cast<uint32_t>(label));
      }
      const CastColor here = view.colors[color];
      if (here.opacity == 0) return true;
      if (view.labels != 0) cell = filled(cell);
      sum = sum + here.color * (clear * here.opacity * walk.light(cell));
      clear = clear * (1 - here.opacity);
      return clear > 1 - kCastOpaque;
    });
    return walk.pixel(sum + view.background * clear);
  }

  // Returns the cell with each value replaced by 1 if its voxel is filled, otherwise by 0.
  VOX_HD ValueCell filled(ValueCell cell) const {
    for (float& value : cell.values) value = value == view.empty ? 0.0f : 1.0f;
    return cell;
  }
};

}  // namespace vox::bricks
