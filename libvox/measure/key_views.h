// Pictures that show a set of keys (García et al. 2011, §4.3). Each pixel shows a place of the set's grid,
// and the thread of the pixel searches for its key. A view has
//
//   uint64_t candidates() const            the number of pixels, row by row
//   VOX_HD bool is_seen(uint64_t i) const  true if the i-th pixel shows a place of the grid
//   VOX_HD Int3 place(uint64_t i) const    that place
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/measure/key_shapes.h"
#include "libvox/scene/scene.h"

namespace vox::measure {

// A plane through a grid. The main axis is the one closest to the plane's normal. The pixels lie along the
// other two axes, and each shows the voxel v for which normal · (v − point) is nearest to 0. Some voxels are
// outside of the grid.
struct Slice {
  Int3 normal, point;
  uint32_t main, right, down;  // the main axis, the axis along a row, the axis from row to row

  // Returns the voxel of a pixel that is nearest to the plane, or of two such voxels the one further along the axis.
  VOX_HD Int3 place(int32_t x, int32_t y) const {
    const int64_t along =
        -(int64_t{normal[right]} * (x - point[right]) + int64_t{normal[down]} * (y - point[down]));
    const int64_t length = normal[main] < 0 ? -int64_t{normal[main]} : int64_t{normal[main]};
    const int64_t twice = 2 * (normal[main] < 0 ? -along : along) + length;
    const int64_t steps = twice >= 0 ? twice / (2 * length) : -((2 * length - 1 - twice) / (2 * length));
    Int3 place = {};
    place[right] = x;
    place[down] = y;
    place[main] = static_cast<int32_t>(point[main] + steps);
    return place;
  }
};

// Slices with random orientations, each through a random voxel of a grid of side³, computed with integers
// only.
struct RandomSlices {
  static constexpr int32_t kMostNormal = 1023;  // limit for each coordinate

  int32_t side;
  uint32_t count;
  uint64_t seed = 0;

  VOX_HD uint64_t pixels() const { return static_cast<uint64_t>(side) * static_cast<uint64_t>(side); }
  uint64_t candidates() const { return count * pixels(); }
  VOX_HD Int3 place(uint64_t i) const {
    const uint64_t pixel = i % pixels(), width = static_cast<uint64_t>(side);
    return slice(i / pixels())
        .place(static_cast<int32_t>(pixel % width), static_cast<int32_t>(pixel / width));
  }
  VOX_HD bool is_seen(uint64_t i) const {
    const Int3 at = place(i);
    for (uint32_t axis = 0; axis < 3; ++axis)
      if (at[axis] < 0 || at[axis] >= side) return false;
    return true;
  }

  // Chooses normals within a ball but not near its center, so that all directions are equally likely.
  VOX_HD Slice slice(uint64_t which) const {
    // The state is a counter, so the sequence cannot run into a cycle.
    uint64_t state = mix64(seed + 1) + mix64(which + 1);
    Slice slice = {};
    int64_t length2 = 0;
    do {
      const uint64_t random = mix64(++state);
      slice.normal = Int3{part(random), part(random >> 21), part(random >> 42)};
      length2 = 0;
      for (uint32_t axis = 0; axis < 3; ++axis) length2 += int64_t{slice.normal[axis]} * slice.normal[axis];
    } while (length2 > int64_t{kMostNormal} * kMostNormal || length2 < kMostNormal * kMostNormal / 4);
    for (uint32_t axis = 1; axis < 3; ++axis)
      if (absolute(slice.normal[axis]) > absolute(slice.normal[slice.main])) slice.main = axis;
    slice.right = slice.main == 0 ? 1 : 0;
    slice.down = slice.main == 2 ? 1 : 2;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      slice.point[axis] = static_cast<int32_t>((mix64(++state) >> 32) * static_cast<uint64_t>(side) >> 32);
    }
    return slice;
  }

 private:
  VOX_HD static int32_t absolute(int32_t value) { return value < 0 ? -value : value; }
  VOX_HD static int32_t part(uint64_t random) {
    return static_cast<int32_t>((random & 0x1fffff) % (2 * kMostNormal + 1)) - kMostNormal;
  }
};

// A picture that turns about its middle. It is shown in several frames of its own size.
struct TurningPicture {
  static constexpr uint32_t kMostFrames = 16;
  static constexpr int kLog2Unit = 14;

  int32_t width, height;
  uint32_t frames;
  Vec2<int32_t> turns[kMostFrames] = {};  // cosine and sine, times 2^kLog2Unit

  VOX_HD uint64_t pixels() const { return static_cast<uint64_t>(width) * static_cast<uint64_t>(height); }
  uint64_t candidates() const { return frames * pixels(); }
  VOX_HD Int3 place(uint64_t i) const {
    const Vec2<int32_t> turn = turns[i / pixels()];
    const auto pixel = static_cast<int64_t>(i % pixels());
    const int64_t x = 2 * (pixel % width) - width + 1, y = 2 * (pixel / width) - height + 1;
    return {half(turn.x * x - turn.y * y, width), half(turn.y * x + turn.x * y, height), 0};
  }
  VOX_HD bool is_seen(uint64_t i) const {
    const Int3 at = place(i);
    return at.x >= 0 && at.x < width && at.y >= 0 && at.y < height;
  }

 private:
  // Returns the pixel at half the distance `twice` from the middle. Distances are times 2^kLog2Unit.
  VOX_HD static int32_t half(int64_t twice, int32_t side) {
    return static_cast<int32_t>((twice + (int64_t{side} << kLog2Unit)) >> (kLog2Unit + 1));
  }
};

// Returns the picture in this many frames of one full turn: at least one, and at most kMostFrames.
TurningPicture turning_picture(uint32_t width, uint32_t height, uint64_t frames);

// A close view of a model with a painted atlas. It is a disc of pixels. For an atlas of 4096² texels its
// radius is 352, which gives about the 389,586 pixels of the paper's view. From one pixel to the next the
// view moves by slightly more than a texel, at a small angle to the rows of texels.
struct ModelView {
  static constexpr int64_t kRight = 288, kDown = 32, kUnit = 256;  // a pixel's step to the right, times kUnit

  uint32_t side;  // side of the atlas

  VOX_HD int64_t radius() const { return int64_t{side} * 11 / 128; }
  VOX_HD int64_t width() const { return 2 * radius() + 1; }
  uint64_t candidates() const { return static_cast<uint64_t>(width() * width()); }
  VOX_HD bool is_seen(uint64_t i) const {
    const int64_t x = right(i), y = down(i);
    return x * x + y * y <= radius() * radius();
  }
  VOX_HD Int3 place(uint64_t i) const {
    const int64_t x = right(i), y = down(i), middle = int64_t{side} * kUnit / 2;
    return {static_cast<int32_t>((middle + x * kRight - y * kDown) / kUnit),
            static_cast<int32_t>((middle + x * kDown + y * kRight) / kUnit), 0};
  }

 private:
  VOX_HD int64_t right(uint64_t i) const { return static_cast<int64_t>(i) % width() - radius(); }
  VOX_HD int64_t down(uint64_t i) const { return static_cast<int64_t>(i) / width() - radius(); }
};

// Pictures of tables of voxel keys.

// Returns a picture with one pixel for each slot, row by row. Pixels after the last slot are white. Without a width the
// picture is roughly square.
scene::Image picture_of_slots(const std::string& name, const std::vector<scene::Rgba8>& slots,
                              std::optional<uint32_t> width);
// Returns such a picture of maximum ages (García et al. 2011, Figure 4) in the paper's colors: age 0 is black, 1
// blue, 2 green, 3 yellow, and greater ones red.
scene::Image picture_of_ages(const std::vector<uint8_t>& ages, std::optional<uint32_t> width);

// The maximum ages of a picture that is hashed in 2D, each axis by itself. This is only for the paper's Figure 4,
// which shows how a coherent hash keeps neighbors together. It is computed on the host.
enum class Probes2d { Coherent, Random };

struct AgesIn2d {
  uint32_t side = 0;          // the table's side, a prime
  std::vector<uint8_t> ages;  // for each slot, the largest age among keys that try it first; x fastest
  uint64_t keys = 0;
};

// Hashes the pixels that are not white. Throws Error if the table could not be built in several attempts.
AgesIn2d maximum_ages_in_2d(const SparsePicture& picture, double load_factor, Probes2d probes);

// Returns the color of a place: x is red, y green and z blue.
scene::Rgba8 color_of_place(const Int3& place, const Int3& size);

// Returns the pictures side by side, with a gap between them.
scene::Image side_by_side(const std::vector<const scene::Image*>& images);

}  // namespace vox::measure
