// Finds feature points of a picture, for geometric hashing (Alcantara et al. 2009, §6): pixels where Sobel's
// filter finds an edge, thinned to those where the edge turns. Along a straight edge all pixels look alike,
// so two pictures of one thing would not have the same points; where an edge turns, both have the same
// (Förstner & Gülch 1987, "A fast operator for detection and precise location of distinct points"). All of
// this is integer arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/base/mix.h"
#include "libvox/base/vec.h"
#include "libvox/device/uploaded.h"
#include "libvox/scene/scene.h"

namespace vox::measure {

using PixelPlace = Vec2<int32_t>;

// A grey picture, row by row from the top.
struct GreyPicture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> values = {};
};
// Converts an image to grey; transparent pixels become white.
GreyPicture grey_of(const scene::Image& image);

// The result of Sobel's filter at a pixel: four times the change of grey from pixel to pixel along each axis.
struct GreyGradient {
  int32_t x, y;
  VOX_HD int64_t square() const { return int64_t{x} * x + int64_t{y} * y; }
};

// A view of the edges of a grey picture, for kernels and for the host.
struct EdgesRef {
  static constexpr int32_t kReach = 3;  // turn() looks at 7 × 7 pixels, 3 in each direction
  // A limit on trace² / determinant. The quotient is 4 where the picture changes equally in all directions,
  // and grows the straighter the edge is. Beyond this limit only noise makes the edge seem to turn.
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
  VOX_HD int32_t grey(int32_t x, int32_t y) const { return values[int64_t{y} * width + x]; }

  // The pixel must not lie on the picture's border.
  VOX_HD GreyGradient gradient(int32_t x, int32_t y) const {
    const int32_t left = grey(x - 1, y - 1) + 2 * grey(x - 1, y) + grey(x - 1, y + 1);
    const int32_t right = grey(x + 1, y - 1) + 2 * grey(x + 1, y) + grey(x + 1, y + 1);
    const int32_t above = grey(x - 1, y - 1) + 2 * grey(x, y - 1) + grey(x + 1, y - 1);
    const int32_t below = grey(x - 1, y + 1) + 2 * grey(x, y + 1) + grey(x + 1, y + 1);
    return {right - left, below - above};
  }
  VOX_HD bool is_edge(int32_t x, int32_t y) const {
    return is_inside(x, y, 1) && gradient(x, y).square() >= least_square;
  }

  // Returns how much the picture changes around an edge point across the direction in which it changes most:
  // the determinant of the sum of g gᵀ over the gradients g nearby, nearer ones weighted more, divided by its
  // trace. Returns 0 where there is no edge. A sum is at most 256 · 1020², so kRoundest times a product of
  // two sums has 62 bits.
  VOX_HD uint32_t turn(int32_t x, int32_t y) const {
    if (!is_inside(x, y, kBorder) || !is_edge(x, y)) return 0;
    int64_t xx = 0, xy = 0, yy = 0;
    for (int32_t dy = -kReach; dy <= kReach; ++dy)
      for (int32_t dx = -kReach; dx <= kReach; ++dx) {
        const GreyGradient g = gradient(x + dx, y + dy);
        const int32_t weight = (kReach + 1 - (dx < 0 ? -dx : dx)) * (kReach + 1 - (dy < 0 ? -dy : dy));
        xx += int64_t{weight} * g.x * g.x;
        xy += int64_t{weight} * g.x * g.y;
        yy += int64_t{weight} * g.y * g.y;
      }
    const int64_t determinant = xx * yy - xy * xy, trace = xx + yy;
    return kRoundest * determinant < trace * trace ? 0 : static_cast<uint32_t>(determinant / trace);
  }
};
// Returns the edges of a picture. There is an edge where grey changes by at least `step` from one pixel to
// the next.
EdgesRef edges_of(const GreyPicture& picture, const uint8_t* values, uint32_t step);

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

// True if an edge turns more at this pixel than at any other nearby; of equal pixels the first one is chosen.
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
  std::vector<PixelPlace> places;  // sorted, the strongest turn first
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
FeaturePoints find_feature_points(Device& device, const GreyPicture& picture, const FeatureOptions& options) {
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

}  // namespace vox::measure
