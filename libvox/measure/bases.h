// Bases of a picture, for geometric hashing (Alcantara et al. 2009, §6). A basis is an ordered pair of
// feature points that defines a system of coordinates: the first point is its origin, the second lies on its
// u axis, a fixed number of cells away. If the picture is rotated, scaled and shifted together with the
// basis, the coordinates (u, v) of its points stay the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libvox/base/mix.h"
#include "libvox/measure/edge_points.h"

namespace vox::measure {

// A basis is stored as the numbers of its two points, 16 bits each.
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

// The limits of a basis's length: a twelfth to a half of the picture's diagonal. In a shorter basis the
// errors of its two points would scatter the coordinates; in a longer one all points would lie close
// together.
struct BasisLength {
  static constexpr int64_t kShortest = 12, kLongest = 2;

  int64_t diagonal_square;
  VOX_HD bool holds(int64_t square) const {
    return square * kShortest * kShortest >= diagonal_square &&
           square * kLongest * kLongest <= diagonal_square;
  }
};

// Computes coordinates in one basis. A picture has at most 2^15 pixels a side, so a product of two
// differences of places fits into 32 bits. No point is more than 12 times as far from the origin as the end
// point is, so with 128 cells a coordinate has 11 bits.
struct BasisFrame {
  static constexpr uint32_t kMostCells = 128;
  static constexpr int64_t kZero = 1 << 15;  // added to coordinates, which may be negative

  PixelPlace origin;
  int64_t x, y, square;  // from the origin to the end
  int64_t cells;         // the distance between the basis's two points

  VOX_HD BasisFrame(const PixelPlace* points, uint32_t basis, uint32_t cells_apart)
      : origin(points[origin_of(basis)]),
        x(points[end_of(basis)].x - origin.x),
        y(points[end_of(basis)].y - origin.y),
        square(x * x + y * y),
        cells(cells_apart) {}

  // Returns the key of the cell that a point lies in: u and v, rounded to the nearest whole number.
  VOX_HD uint32_t key(PixelPlace point) const {
    const int64_t to_x = point.x - origin.x, to_y = point.y - origin.y;
    return coordinate(to_x * x + to_y * y) << 16 | coordinate(to_y * x - to_x * y);
  }

 private:
  // Returns ⌊cells · part / square + 1/2⌋ + kZero.
  VOX_HD uint32_t coordinate(int64_t part) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(2 * cells * part + (2 * kZero + 1) * square) /
                                 static_cast<uint64_t>(2 * square));
  }
};

// A view of a picture's points and bases in a device's memory.
struct BasesRef {
  const PixelPlace* points;
  uint32_t count;  // number of points, at least 3
  const uint32_t* bases;
  uint32_t cells;  // the distance between the two points of a basis

  // A basis has coordinates for all points except its own two.
  VOX_HD uint32_t points_of_basis() const { return count - 2; }
  VOX_HD uint32_t basis(uint64_t i) const { return bases[i / points_of_basis()]; }
  // Returns the key of item i: the coordinates of one point in one basis. The items of a basis are numbered
  // by their points, and the basis's own two points are skipped.
  VOX_HD uint32_t key(uint64_t i) const {
    const uint32_t of = basis(i), origin = origin_of(of), end = end_of(of);
    auto point = static_cast<uint32_t>(i % points_of_basis());
    if (point >= (origin < end ? origin : end)) ++point;
    if (point >= (origin < end ? end : origin)) ++point;
    return BasisFrame(points, of, cells).key(points[point]);
  }
};

// --- bodies of loops ---

// True if a pair of points is chosen as a basis: its length is within the limits, and its hash is below
// `chance`, which happens with a probability of chance / 2^32. Pair i consists of the points i / count and i
// % count.
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
  uint32_t *pairs, *hashes;  // pairs are replaced by bases
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
  uint64_t count = 0;  // number of bases
  uint32_t cells = 0;

  BasesRef ref() const { return {points.data(), static_cast<uint32_t>(points.size()), bases.data(), cells}; }
  uint64_t items() const { return count == 0 ? 0 : count * ref().points_of_basis(); }
};

struct BasisChoice {
  static constexpr uint64_t kAlways = uint64_t{1} << 32;

  uint64_t chance = kAlways;   // the probability of each pair, as a multiple of 1 / 2^32
  uint64_t most = UINT64_MAX;  // maximum number of bases; if more are found, a hash decides
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
