#include "libvox/match/similarity.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace vox::match {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;

Vec2<double> exactly(PixelPlace place) {
  return {static_cast<double>(place.x), static_cast<double>(place.y)};
}

// Returns the nearest point to each place within a distance; of equally near points, the first. The points
// are sorted by y, so that only a few have to be tested.
std::vector<uint32_t> nearest_points(std::span<const Vec2<double>> places,
                                     std::span<const Vec2<double>> points, double reach) {
  std::vector<uint32_t> by_y(points.size());
  std::iota(by_y.begin(), by_y.end(), 0u);
  std::ranges::sort(by_y, {}, [&](uint32_t i) { return std::pair(points[i].y, i); });
  std::vector<uint32_t> nearest;
  for (const Vec2<double> place : places) {
    std::pair<double, uint32_t> best = {reach * reach, kNobody};
    const auto y_of = [&](uint32_t i) { return points[i].y; };
    for (auto at = std::ranges::lower_bound(by_y, place.y - reach, {}, y_of);
         at != by_y.end() && points[*at].y <= place.y + reach; ++at) {
      const double x = place.x - points[*at].x, y = place.y - points[*at].y;
      best = std::min(best, std::pair(x * x + y * y, *at));
    }
    nearest.push_back(best.second);
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

// Both sets of points are taken relative to their centers and multiplied by their number n, which is at most
// 2^12, so sums are below 2^(12 + 12 + 32).
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
  const Vec2<double> center = fit({static_cast<double>(qx) / count, static_cast<double>(qy) / count});
  fit.shift = {static_cast<double>(rx) / count - center.x, static_cast<double>(ry) / count - center.y};
  return fit;
}

std::vector<PointPair> points_together(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference, const Similarity& similarity,
                                       double reach) {
  std::vector<Vec2<double>> moved, still;
  for (const PixelPlace point : query) moved.push_back(similarity(exactly(point)));
  for (const PixelPlace point : reference) still.push_back(exactly(point));
  const std::vector<uint32_t> of_query = nearest_points(moved, still, reach),
                              of_reference = nearest_points(still, moved, reach);
  std::vector<PointPair> together;
  for (size_t i = 0; i < query.size(); ++i)
    if (of_query[i] != kNobody && of_reference[of_query[i]] == i)
      together.push_back({query[i], reference[of_query[i]]});
  return together;
}

namespace {

// Fits the similarity repeatedly to the points that it brings together, until these points stay the same.
Similarity settled(std::span<const PixelPlace> query, std::span<const PixelPlace> reference,
                   Similarity similarity, double reach) {
  constexpr uint32_t kMostSteps = 8;
  constexpr uint64_t kFewestPoints = 3;
  for (uint32_t step = 0; step < kMostSteps; ++step) {
    const std::vector<PointPair> together = points_together(query, reference, similarity, reach);
    const std::optional<Similarity> better = fit_similarity(together);
    if (together.size() < kFewestPoints || !better || *better == similarity) break;
    similarity = *better;
  }
  return similarity;
}

}  // namespace

PictureMatch refine_match(std::span<const PixelPlace> query, std::span<const PixelPlace> reference,
                          const VotedPair& pair) {
  const PointPair both[] = {{query[origin_of(pair.query)], reference[origin_of(pair.reference)]},
                            {query[end_of(pair.query)], reference[end_of(pair.reference)]}};
  PictureMatch match = {.similarity = *fit_similarity(both), .votes = pair.votes};
  for (const double reach : {12.0, 6.0, 3.0, 2.0, 1.5})
    match.similarity = settled(query, reference, match.similarity, reach);
  match.points = points_together(query, reference, match.similarity, PictureMatch::kReach).size();
  return match;
}

namespace {

// True if more of the query's points fall on the reference's than chance explains. The expected number
// assumes that the reference's points lie anywhere. The excess must be many standard deviations (of a Poisson
// distribution), because a match is the best of many that were tried.
bool is_more_than_chance(uint64_t points, uint64_t query, uint64_t reference, const MatchLimits& limits) {
  constexpr double kDeviations = 10;
  const double each = std::numbers::pi * PictureMatch::kReach * PictureMatch::kReach /
                      static_cast<double>(limits.reference_pixels);
  const double expected = static_cast<double>(query) * static_cast<double>(reference) * each;
  const double more = static_cast<double>(points) - expected;
  return more > 0 && more * more > kDeviations * kDeviations * expected;
}

}  // namespace

std::optional<PictureMatch> best_match(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference,
                                       std::span<const VotedPair> pairs, const MatchLimits& limits) {
  constexpr size_t kMostPairs = 64;
  constexpr uint64_t kFewestPoints = 8;
  PictureMatch best;
  for (const VotedPair& pair : pairs.first(std::min(pairs.size(), kMostPairs)))
    if (const PictureMatch match = refine_match(query, reference, pair); match.points > best.points)
      best = match;
  if (best.points < kFewestPoints || best.points * 100 < limits.least_percent * query.size() ||
      !is_more_than_chance(best.points, query.size(), reference.size(), limits))
    return std::nullopt;
  return best;
}

}  // namespace vox::match
