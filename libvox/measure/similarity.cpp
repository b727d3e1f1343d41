#include "libvox/measure/similarity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vox::measure {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

double square_distance(Vec2<double> a, PixelPlace b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return x * x + y * y;
}

// The nearest point to each place, within a distance; of equally near ones the first.
template <class Place, class Point, class Distance>
std::vector<uint32_t> nearest(std::span<const Place> places, std::span<const Point> points, double reach,
                              const Distance& square) {
  std::vector<uint32_t> nearest(places.size(), kNobody);
  for (size_t i = 0; i < places.size(); ++i) {
    double least = reach * reach;
    for (size_t j = 0; j < points.size(); ++j)
      if (const double here = square(places[i], points[j]);
          here < least || (here == least && nearest[i] == kNobody)) {
        least = here;
        nearest[i] = static_cast<uint32_t>(j);
      }
  }
  return nearest;
}

}  // namespace

Similarity Similarity::inverse() const {
  const double square = turn.x * turn.x + turn.y * turn.y;
  const Similarity turned = {{turn.x / square, -turn.y / square}, {0, 0}};
  const Vec2<double> back = turned(shift);
  return {turned.turn, {-back.x, -back.y}};
}

double Similarity::scale() const {
  return std::sqrt(turn.x * turn.x + turn.y * turn.y);
}

double Similarity::degrees() const {
  return std::atan2(turn.y, turn.x) * 180 / std::numbers::pi;
}

double greatest_distance(const Similarity& a, const Similarity& b, uint32_t width, uint32_t height) {
  double most = 0;
  for (const double x : {0.0, width - 1.0})
    for (const double y : {0.0, height - 1.0}) {
      const Vec2<double> p = a({x, y}), q = b({x, y});
      most = std::max(most, (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));
    }
  return std::sqrt(most);
}

// Both sets of points are taken from their centres, times their number n, which is at most 2^12: sums are below
// 2^(12 + 12 + 32).
std::optional<Similarity> fit_similarity(std::span<const PointPair> pairs) {
  const auto n = static_cast<int64_t>(pairs.size());
  int64_t qx = 0, qy = 0, rx = 0, ry = 0, square = 0, along = 0, across = 0;
  for (const auto& [q, r] : pairs) {
    qx += q.x;
    qy += q.y;
    rx += r.x;
    ry += r.y;
    square += int64_t{q.x} * q.x + int64_t{q.y} * q.y;
    along += int64_t{q.x} * r.x + int64_t{q.y} * r.y;
    across += int64_t{q.x} * r.y - int64_t{q.y} * r.x;
  }
  const int64_t spread = n * square - qx * qx - qy * qy;
  if (spread == 0) return std::nullopt;
  Similarity fit;
  fit.turn = {static_cast<double>(n * along - qx * rx - qy * ry) / static_cast<double>(spread),
              static_cast<double>(n * across - qx * ry + qy * rx) / static_cast<double>(spread)};
  const auto count = static_cast<double>(n);
  const Vec2<double> centre = fit({static_cast<double>(qx) / count, static_cast<double>(qy) / count});
  fit.shift = {static_cast<double>(rx) / count - centre.x, static_cast<double>(ry) / count - centre.y};
  return fit;
}

std::vector<PointPair> points_together(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference, const Similarity& similarity,
                                       double reach) {
  std::vector<Vec2<double>> moved;
  for (const PixelPlace point : query)
    moved.push_back(similarity({static_cast<double>(point.x), static_cast<double>(point.y)}));
  const std::span<const Vec2<double>> places = moved;
  const auto of_query = nearest(places, reference, reach, square_distance);
  const auto of_reference =
      nearest(reference, places, reach, [](PixelPlace a, Vec2<double> b) { return square_distance(b, a); });
  std::vector<PointPair> together;
  for (size_t i = 0; i < query.size(); ++i)
    if (of_query[i] != kNobody && of_reference[of_query[i]] == i)
      together.push_back({query[i], reference[of_query[i]]});
  return together;
}

PictureMatch refine_match(std::span<const PixelPlace> query, std::span<const PixelPlace> reference,
                          const VotedPair& pair) {
  const PointPair both[] = {{query[origin_of(pair.query)], reference[origin_of(pair.reference)]},
                            {query[end_of(pair.query)], reference[end_of(pair.reference)]}};
  PictureMatch match = {.similarity = *fit_similarity(both), .votes = pair.votes};
  constexpr uint64_t kFewest = 3;
  for (const double reach : {4.0, 3.0, 2.0, 1.5, 1.5, 1.5}) {
    const std::vector<PointPair> together =
        points_together(query, reference, match.similarity, reach * PictureMatch::kReach);
    const auto better = fit_similarity(together);
    if (together.size() < kFewest || !better) break;
    match.similarity = *better;
  }
  match.points = points_together(query, reference, match.similarity, PictureMatch::kReach).size();
  return match;
}

std::optional<PictureMatch> best_match(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference,
                                       std::span<const VotedPair> pairs, uint32_t least_percent) {
  constexpr size_t kMostPairs = 16;
  constexpr uint64_t kFewestPoints = 8;
  PictureMatch best;
  for (const VotedPair& pair : pairs.first(std::min(pairs.size(), kMostPairs)))
    if (const PictureMatch match = refine_match(query, reference, pair); match.points > best.points)
      best = match;
  if (best.points < kFewestPoints || best.points * 100 < least_percent * query.size()) return std::nullopt;
  return best;
}

}  // namespace vox::measure
