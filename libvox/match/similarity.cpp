#include "libvox/match/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/scene/procedural/shapes.h"

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

namespace {

using Place = Vec2<double>;

// A convex patch of one gray, with three to five corners on a circle.
struct Patch {
  std::array<Place, 5> corners;
  uint32_t count;
  uint8_t gray;
};

// The number of patches in the reference. They lie in a square that extends a fourth further on each side, so
// that a query that looks beyond the reference sees some there as well.
constexpr uint32_t kPatchesInReference = 60;
constexpr double kBeyond = 0.25;
constexpr uint8_t kBackground = 128;

Patch random_patch(scene::Random& random, Place center, double side) {
  Patch patch = {};
  patch.count = 3 + random.below(3);
  patch.gray = static_cast<uint8_t>(20 + random.below(216));
  const double radius = side * random.uniform(0.03, 0.11), first = random.uniform();
  for (uint32_t i = 0; i < patch.count; ++i) {
    const double jitter = random.uniform(-0.25, 0.25);
    const Place corner = scene::unit_circle(first + (i + jitter) / patch.count);
    patch.corners[i] = {center.x + radius * corner.x, center.y + radius * corner.y};
  }
  return patch;
}

Place random_place(scene::Random& random, double low, double high) {
  const double x = random.uniform(low, high);
  return {x, random.uniform(low, high)};
}

// A gray picture with several samples per pixel and axis, into which patches are drawn one over the other.
class Canvas {
 public:
  Canvas(uint32_t side, const Similarity& to_picture)
      : side_(side), to_picture_(to_picture), samples_(size_t{samples()} * samples(), kBackground) {}

  void draw(const Patch& patch) {
    std::array<Place, 5> corners;
    Place low = {1e9, 1e9}, high = {-1e9, -1e9};
    for (uint32_t i = 0; i < patch.count; ++i) {
      const Place at = to_picture_(patch.corners[i]);
      // Pixel centers have whole coordinates.
      corners[i] = {(at.x + 0.5) * kSamples - 0.5, (at.y + 0.5) * kSamples - 0.5};
      low = {std::min(low.x, corners[i].x), std::min(low.y, corners[i].y)};
      high = {std::max(high.x, corners[i].x), std::max(high.y, corners[i].y)};
    }
    for (int32_t y = first(low.y); y < last(high.y); ++y)
      for (int32_t x = first(low.x); x < last(high.x); ++x)
        if (holds(corners, patch.count, {static_cast<double>(x), static_cast<double>(y)}))
          samples_[static_cast<size_t>(y) * samples() + static_cast<size_t>(x)] = patch.gray;
  }

  // Returns the mean of a pixel's samples.
  uint32_t gray(uint32_t x, uint32_t y) const {
    uint32_t sum = 0;
    for (uint32_t dy = 0; dy < kSamples; ++dy)
      for (uint32_t dx = 0; dx < kSamples; ++dx)
        sum += samples_[size_t{y * kSamples + dy} * samples() + x * kSamples + dx];
    return sum / (kSamples * kSamples);
  }

 private:
  static constexpr uint32_t kSamples = 4;

  uint32_t samples() const { return side_ * kSamples; }
  int32_t first(double low) const { return static_cast<int32_t>(std::clamp<double>(low, 0, samples())); }
  int32_t last(double high) const { return static_cast<int32_t>(std::clamp<double>(high + 1, 0, samples())); }

  static bool holds(const std::array<Place, 5>& corners, uint32_t count, Place at) {
    for (uint32_t i = 0; i < count; ++i) {
      const Place a = corners[i], b = corners[(i + 1) % count];
      if ((b.x - a.x) * (at.y - a.y) < (b.y - a.y) * (at.x - a.x)) return false;
    }
    return true;
  }

  uint32_t side_;
  Similarity to_picture_;
  std::vector<uint8_t> samples_;
};

// A change of light: gray becomes gray · gain / 256 + more.
struct Light {
  uint32_t gain = 256, more = 0;
};

scene::Image picture_of(const std::vector<Patch>& patches, uint32_t side, const Similarity& to_picture,
                        Light light, uint32_t noise, uint64_t seed) {
  Canvas canvas(side, to_picture);
  for (const Patch& patch : patches) canvas.draw(patch);
  scene::Image image = {"", side, side, {}};
  image.pixels.reserve(size_t{side} * side);
  scene::Random random(seed);
  for (uint32_t y = 0; y < side; ++y)
    for (uint32_t x = 0; x < side; ++x) {
      const auto lit = static_cast<int32_t>((canvas.gray(x, y) * light.gain >> 8) + light.more);
      const int32_t wrong = static_cast<int32_t>(random.below(2 * noise + 1)) - static_cast<int32_t>(noise);
      const auto gray = static_cast<uint8_t>(std::clamp(lit + wrong, 0, 255));
      image.pixels.push_back({gray, gray, gray, 255});
    }
  return image;
}

// Returns a similarity from the query's places to the reference's that puts its center near the reference's
// center.
Similarity random_similarity(scene::Random& random, double query_side, double side) {
  const Place unit = scene::unit_circle(random.uniform());
  const double scale = random.uniform(0.75, 1.25);
  Similarity similarity = {{scale * unit.x, scale * unit.y}, {0, 0}};
  const Place to = random_place(random, side * 0.45, side * 0.55);
  const Place from = similarity({query_side / 2, query_side / 2});
  similarity.shift = {to.x - from.x, to.y - from.y};
  return similarity;
}

void check_range(uint32_t value, std::string_view name, uint32_t low, uint32_t high) {
  if (value < low || value > high)
    throw UsageError(fmt::format("{} has {}, expected {} to {}", name, value, low, high));
}

}  // namespace

void check(const PicturePairOptions& options) {
  using Options = PicturePairOptions;
  check_range(options.side, "the pictures' side", Options::kLeastSide, Options::kMostSide);
  check_range(options.clutter, "the clutter", 0, Options::kMostClutter);
  check_range(options.noise, "the noise", 0, Options::kMostNoise);
}

PicturePair make_picture_pair(const PicturePairOptions& options) {
  scene::Random random(options.seed);
  const double side = options.side;
  const uint32_t query_side = options.side / 4 * 3;
  PicturePair pair;
  pair.known = random_similarity(random, query_side, side);

  scene::Random of_frame(mix64(options.seed) + options.frame);
  if (options.frame > 0) pair.known = random_similarity(of_frame, query_side, side);

  constexpr double kSpan = 1 + 2 * kBeyond;
  std::vector<Patch> patches;
  for (uint32_t i = 0; i < static_cast<uint32_t>(kPatchesInReference * kSpan * kSpan); ++i) {
    const Place center = random_place(random, -kBeyond * side, (1 + kBeyond) * side);
    patches.push_back(random_patch(random, center, side));
  }
  pair.reference = picture_of(patches, options.side, {}, {}, options.noise, random.bits());
  pair.reference.name = "generated reference";
  if (options.frame > 0) random = of_frame;

  const double shown = query_side * pair.known.scale() / side;
  const double clutter = options.clutter * 0.01 * kPatchesInReference * shown * shown;
  for (uint32_t i = 0; i < static_cast<uint32_t>(clutter); ++i) {
    const Place center = pair.known(random_place(random, 0, query_side));
    patches.push_back(random_patch(random, center, side));
  }
  pair.query = picture_of(patches, query_side, pair.known.inverse(), {.gain = 217, .more = 12}, options.noise,
                          random.bits());
  pair.query.name =
      options.frame == 0 ? "generated query" : fmt::format("generated query {}", options.frame + 1);
  return pair;
}

scene::Image overlay_of(const GrayPicture& query, const GrayPicture& reference, uint32_t step,
                        const std::optional<Similarity>& similarity) {
  constexpr scene::Rgba8 kEdge = {255, 106, 0, 255};
  const EdgesRef edges = edges_of(query, query.values.data(), step);
  const Similarity to_query = similarity.value_or(Similarity()).inverse();
  scene::Image image = {"", reference.width, reference.height, {}};
  image.pixels.reserve(reference.values.size());
  for (uint32_t y = 0; y < reference.height; ++y)
    for (uint32_t x = 0; x < reference.width; ++x) {
      const uint8_t gray = reference.values[size_t{y} * reference.width + x];
      const Place at = to_query({static_cast<double>(x), static_cast<double>(y)});
      // Places far outside would not fit into the integers of a pixel's place.
      const bool is_near = at.x > -1 && at.y > -1 && at.x < query.width && at.y < query.height;
      const bool is_edge = similarity && is_near &&
                           edges.is_edge(static_cast<int32_t>(std::floor(at.x + 0.5)),
                                         static_cast<int32_t>(std::floor(at.y + 0.5)));
      image.pixels.push_back(is_edge ? kEdge : scene::Rgba8{gray, gray, gray, 255});
    }
  return image;
}

}  // namespace vox::match
