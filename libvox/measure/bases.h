// Bases of a picture, for geometric hashing (Alcantara et al. 2009, §6): pairs of feature points, each of
// which is a system of coordinates. The first point is its origin; the second lies on its u axis, a fixed
// number of cells away. A point has the same coordinates (u, v) in all systems that a turn, a scale and a
// shift bring onto each other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libvox/base/mix.h"
#include "libvox/measure/edge_points.h"

namespace vox::measure {

// The numbers of both points; the greatest has 16 bits.
inline constexpr uint32_t kMostFeaturePoints = 4096;
VOX_HD inline uint32_t basis_of(uint32_t origin, uint32_t end) {
  return origin << 16 | end;
}
VOX_HD inline uint32_t origin_of(uint32_t basis) {
  return basis >> 16;
}
VOX_HD inline uint32_t end_of(uint32_t basis) {
  return basis & 0xffff;
}

// How long a basis may be: a twelfth to a half of the picture's diagonal. The coordinates of a shorter one
// would be spread out by the errors of its two points; in those of a longer one all points lie close
// together.
struct BasisLength {
  static constexpr int64_t kShortest = 12, kLongest = 2;

  int64_t diagonal_square;
  VOX_HD bool holds(int64_t square) const {
    return square * kShortest * kShortest >= diagonal_square &&
           square * kLongest * kLongest <= diagonal_square;
  }
};

// The coordinates of one basis. A picture has at most 2^15 pixels a side, so that products of two differences
// of places have 32 bits, and no point is more than 12 times as far from the origin as the end: coordinates have
// 11 bits with 128 cells.
struct BasisFrame {
  static constexpr uint32_t kMostCells = 128;
  static constexpr int64_t kZero = 1 << 15;  // is added to coordinates, which may be negative

  PixelPlace origin;
  int64_t x, y, square;  // from the origin to the end
  int64_t cells;         // that they are apart

  VOX_HD BasisFrame(const PixelPlace* points, uint32_t basis, uint32_t cells_apart)
      : origin(points[origin_of(basis)]),
        x(points[end_of(basis)].x - origin.x),
        y(points[end_of(basis)].y - origin.y),
        square(x * x + y * y),
        cells(cells_apart) {}

  // The key of the cell that a point is in: u and v, rounded to the nearest whole number.
  VOX_HD uint32_t key(PixelPlace point) const {
    const int64_t to_x = point.x - origin.x, to_y = point.y - origin.y;
    return coordinate(to_x * x + to_y * y) << 16 | coordinate(to_y * x - to_x * y);
  }

 private:
  // ⌊cells · part / square + 1/2⌋ + kZero.
  VOX_HD uint32_t coordinate(int64_t part) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(2 * cells * part + (2 * kZero + 1) * square) /
                                 static_cast<uint64_t>(2 * square));
  }
};

// A picture's points and bases in a device's memory.
struct BasesRef {
  const PixelPlace* points;
  uint32_t count;  // of the points, 3 or more
  const uint32_t* bases;
  uint32_t cells;  // that the points of a basis are apart

  // Every basis has coordinates for all points but its own two.
  VOX_HD uint32_t points_of_basis() const { return count - 2; }
  VOX_HD uint32_t basis(uint64_t i) const { return bases[i / points_of_basis()]; }
  // The key of item i: of point i % points_of_basis() of those that a basis has, leaving out its own.
  VOX_HD uint32_t key(uint64_t i) const {
    const uint32_t of = basis(i), origin = origin_of(of), end = end_of(of);
    auto point = static_cast<uint32_t>(i % points_of_basis());
    if (point >= (origin < end ? origin : end)) ++point;
    if (point >= (origin < end ? end : origin)) ++point;
    return BasisFrame(points, of, cells).key(points[point]);
  }
};

// --- bodies of loops ---

// Whether a pair of points is taken as a basis: by its length, and with a chance of so many in 2^32. Pair i
// is of the points i / count and i % count.
struct IsBasis {
  const PixelPlace* points;
  uint32_t count;
  BasisLength length;
  uint64_t seed, chance;

  VOX_HD uint32_t basis(uint64_t pair) const {
    return basis_of(static_cast<uint32_t>(pair / count), static_cast<uint32_t>(pair % count));
  }
  VOX_HD uint32_t hash(uint64_t pair) const {
    return static_cast<uint32_t>(mix64(basis(pair) + mix64(seed + 1)) >> 32);
  }
  VOX_HD bool operator()(uint64_t pair) const {
    const uint32_t of = basis(pair);
    return origin_of(of) != end_of(of) && hash(pair) < chance &&
           length.holds(BasisFrame(points, of, 1).square);
  }
};

struct WriteBases {
  IsBasis is_basis;
  uint32_t *pairs, *hashes;  // pairs become bases
  VOX_HD void operator()(uint64_t i) const {
    hashes[i] = is_basis.hash(pairs[i]);
    pairs[i] = is_basis.basis(pairs[i]);
  }
};

// The points and bases of a picture.
template <class Device>
struct PictureBases {
  device::Buffer<PixelPlace> points;
  device::Buffer<uint32_t> bases;
  uint64_t count = 0;  // of the bases
  uint32_t cells = 0;

  BasesRef ref() const { return {points.data(), static_cast<uint32_t>(points.size()), bases.data(), cells}; }
  uint64_t items() const { return count == 0 ? 0 : count * ref().points_of_basis(); }
};

struct BasisChoice {
  static constexpr uint64_t kAlways = uint64_t{1} << 32;

  uint64_t chance = kAlways;   // of a pair, of so many in 2^32
  uint64_t most = UINT64_MAX;  // bases; if there are more, a hash decides
  uint64_t seed = 0;
  uint32_t cells = 32;
};

// Chooses bases among all pairs of at most kMostFeaturePoints points of a picture.
template <class Device>
PictureBases<Device> choose_bases(Device& device, const GreyPicture& picture,
                                  const std::vector<PixelPlace>& points, const BasisChoice& choice) {
  PictureBases<Device> chosen;
  chosen.points = device::uploaded(device, points);
  chosen.cells = choice.cells;
  const int64_t width = picture.width, height = picture.height;
  const IsBasis is_basis = {chosen.points.data(),
                            static_cast<uint32_t>(points.size()),
                            {width * width + height * height},
                            choice.seed,
                            choice.chance};
  const uint64_t pairs = points.size() * points.size();
  chosen.bases = device.template make<uint32_t>(pairs);
  const uint64_t found = device.select("choose bases", pairs, is_basis, chosen.bases.data());
  auto hashes = device.template make<uint32_t>(pairs);
  device.for_each("write bases", found, WriteBases{is_basis, chosen.bases.data(), hashes.data()});
  device.sort_pairs("sort bases", hashes, chosen.bases, found, 32);
  chosen.count = points.size() < 3 ? 0 : std::min(found, choice.most);
  return chosen;
}

}  // namespace vox::measure
