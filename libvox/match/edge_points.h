// Finds feature points of a picture, for geometric hashing (Alcantara et al. 2009, §6): pixels where Sobel's
// filter finds an edge, thinned to those where the edge turns. Along a straight edge all pixels look alike,
// so two pictures of one thing would get different points there; where an edge turns, both get the same one
// (Förstner & Gülch 1987, "A fast operator for detection and precise location of distinct points"). All of
// this is integer arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/vec.h"
#include "libvox/device/pool.h"
#include "libvox/scene/scene.h"

namespace vox::match {

using PixelPlace = Vec2<int32_t>;

// A gray picture, row by row from the top.
struct GrayPicture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> values = {};
};
// Converts an image to gray; transparent pixels become white. Luma is computed as in ITU-R BT.601 from the
// colors as they are stored, with weights in 256ths.
inline GrayPicture gray_of(const scene::Image& image) {
  constexpr scene::Rgba8 kWhite = {255, 255, 255, 255};
  GrayPicture gray = {image.width, image.height};
  gray.values.reserve(image.pixels.size());
  for (const scene::Rgba8& pixel : image.pixels) {
    const auto [r, g, b, a] = pixel.a == 0 ? kWhite : pixel;
    gray.values.push_back(static_cast<uint8_t>((r * 77u + g * 150u + b * 29u) >> 8));
  }
  return gray;
}

// The result of Sobel's filter at a pixel: four times the change of gray from pixel to pixel along each axis.
struct GrayGradient {
  int32_t x, y;
  VOX_HD int64_t square() const { return int64_t{x} * x + int64_t{y} * y; }
};

// A view of the edges of a gray picture, for kernels and for the host.
struct EdgesRef {
  static constexpr int32_t kReach = 3;  // turn() looks at 7 × 7 pixels, 3 in each direction
  // A limit on trace² / determinant. The quotient is 4 where the picture changes equally in all directions.
  // The straighter the edge, the larger it is. Beyond this limit only noise makes the edge seem to turn.
  static constexpr int64_t kRoundest = 40;
  static constexpr int32_t kBorder = 4;  // turn() is 0 for pixels this close to the picture's border

  const uint8_t* values;
  int32_t width, height;
  int64_t least_square;  // the least square of the gradient on an edge

  VOX_HD bool is_inside(int32_t x, int32_t y, int32_t border) const {
    return x >= border && y >= border && x < width - border && y < height - border;
  }
  VOX_HD PixelPlace place(uint64_t i) const {
    return {static_cast<int32_t>(i % static_cast<uint64_t>(width)),
            static_cast<int32_t>(i / static_cast<uint64_t>(width))};
  }
  VOX_HD int32_t gray(int32_t x, int32_t y) const { return values[int64_t{y} * width + x]; }

  // The pixel must not lie on the picture's border.
  VOX_HD GrayGradient gradient(int32_t x, int32_t y) const {
    const int32_t left = gray(x - 1, y - 1) + 2 * gray(x - 1, y) + gray(x - 1, y + 1);
    const int32_t right = gray(x + 1, y - 1) + 2 * gray(x + 1, y) + gray(x + 1, y + 1);
    const int32_t above = gray(x - 1, y - 1) + 2 * gray(x, y - 1) + gray(x + 1, y - 1);
    const int32_t below = gray(x - 1, y + 1) + 2 * gray(x, y + 1) + gray(x + 1, y + 1);
    return {right - left, below - above};
  }
  VOX_HD bool is_edge(int32_t x, int32_t y) const {
    return is_inside(x, y, 1) && gradient(x, y).square() >= least_square;
  }

  // Returns how much the picture changes around an edge point across the direction in which it changes most:
  // the determinant divided by the trace of Σ g gᵀ, a sum over the gradients g nearby in which nearer ones
  // weigh more. Returns 0 where there is no edge. A sum is at most 256 · 1020², so kRoundest times a product
  // of two sums has 62 bits.
  VOX_HD uint32_t turn(int32_t x, int32_t y) const {
    if (!is_inside(x, y, kBorder) || !is_edge(x, y)) return 0;
    int64_t xx = 0, xy = 0, yy = 0;
    for (int32_t dy = -kReach; dy <= kReach; ++dy)
      for (int32_t dx = -kReach; dx <= kReach; ++dx) {
        const GrayGradient g = gradient(x + dx, y + dy);
        const int32_t weight = (kReach + 1 - (dx < 0 ? -dx : dx)) * (kReach + 1 - (dy < 0 ? -dy : dy));
        xx += int64_t{weight} * g.x * g.x;
        xy += int64_t{weight} * g.x * g.y;
        yy += int64_t{weight} * g.y * g.y;
      }
    const int64_t determinant = xx * yy - xy * xy, trace = xx + yy;
    return kRoundest * determinant < trace * trace ? 0 : static_cast<uint32_t>(determinant / trace);
  }
};
// Returns the edges of a picture. There is an edge where gray changes by at least `step` from one pixel to
// the next.
inline EdgesRef edges_of(const GrayPicture& picture, const uint8_t* values, uint32_t step) {
  const int64_t gradient = 4 * int64_t{step};
  return {values, static_cast<int32_t>(picture.width), static_cast<int32_t>(picture.height),
          gradient * gradient};
}

// --- bodies of loops ---

struct IsEdgePoint {
  EdgesRef edges;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const PixelPlace at = edges.place(i);
    return edges.is_edge(at.x, at.y) ? 1 : 0;
  }
};

struct WriteTurns {
  EdgesRef edges;
  uint32_t* turns;
  VOX_HD void operator()(uint64_t i) const {
    const PixelPlace at = edges.place(i);
    turns[i] = edges.turn(at.x, at.y);
  }
};

// True if an edge turns more at this pixel than at any other nearby. If several are equal, the first one is chosen.
struct TurnsMost {
  static constexpr int32_t kApart = 4;

  EdgesRef edges;
  const uint32_t* turns;
  VOX_HD bool operator()(uint64_t i) const {
    const uint32_t turn = turns[i];
    if (turn == 0) return false;
    const PixelPlace at = edges.place(i);
    for (int32_t dy = -kApart; dy <= kApart; ++dy)
      for (int32_t dx = -kApart; dx <= kApart; ++dx) {
        if (!edges.is_inside(at.x + dx, at.y + dy, 0)) continue;
        const int64_t other = static_cast<int64_t>(i) + int64_t{dy} * edges.width + dx;
        if (turns[other] > turn || (turns[other] == turn && other < static_cast<int64_t>(i))) return false;
      }
    return true;
  }
};

// Writes sort keys: pixels where the edge turns most come first, and a hash orders equal ones.
struct WriteTurnOrder {
  const uint32_t *turns, *pixels;
  uint64_t seed;
  uint64_t* order;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t hash = mix64(pixels[i] + mix64(seed + 1)) >> 32;
    order[i] = uint64_t{~turns[pixels[i]]} << 32 | hash;
  }
};

struct FeaturePoints {
  std::vector<PixelPlace> places;  // the strongest turn comes first
  uint64_t edge_points = 0;        // pixels on edges
  uint64_t turns = 0;              // pixels on edges where the edge turns more than nearby
};

struct FeatureOptions {
  uint32_t step = 32;  // as in edges_of()
  uint64_t most = 256;
  uint64_t seed = 0;  // decides the order of points with equal turns
};

// Finds the feature points of a picture with fewer than 2^32 pixels.
template <class Device>
FeaturePoints find_feature_points(Device& device, const GrayPicture& picture, const FeatureOptions& options) {
  const uint64_t n = picture.values.size();
  const auto values = device::uploaded(device, picture.values);
  const EdgesRef edges = edges_of(picture, values.data(), options.step);
  FeaturePoints found;
  found.edge_points = device.sum("count edge points", n, IsEdgePoint{edges});
  auto turns = device.template make<uint32_t>(n);
  device.for_each("find where edges turn", n, WriteTurns{edges, turns.data()});
  auto pixels = device.template make<uint32_t>(n);
  found.turns = device.select("select feature points", n, TurnsMost{edges, turns.data()}, pixels.data());
  auto order = device.template make<uint64_t>(found.turns);
  device.for_each("order feature points", found.turns,
                  WriteTurnOrder{turns.data(), pixels.data(), options.seed, order.data()});
  device.sort_pairs("sort feature points", order, pixels, found.turns, 64);
  std::vector<uint32_t> chosen(std::min(found.turns, options.most));
  device.download(chosen.data(), pixels.data(), chosen.size());
  for (const uint32_t pixel : chosen) found.places.push_back(edges.place(pixel));
  return found;
}

// The bases of a picture, for geometric hashing (Alcantara et al. 2009, §6). A basis is an ordered pair of
// feature points that defines a system of coordinates: the first point is its origin, the second lies on its
// u axis, a fixed number of cells away. If the picture is rotated, scaled and shifted together with the
// basis, the coordinates (u, v) of its points stay the same.

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

// The limits of a basis's length: a twelfth to a half of the picture's diagonal. In a shorter basis,
// errors in its two points would scatter the coordinates. In a longer one, all points would lie close
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

  // Returns the key of the cell in which a point lies: u and v, each rounded to the nearest whole number.
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
PictureBases<Device> choose_bases(Device& device, const GrayPicture& picture,
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

}  // namespace vox::match
