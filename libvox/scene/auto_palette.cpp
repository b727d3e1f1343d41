#include "libvox/scene/auto_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "libvox/base/loops.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/surface.h"

namespace vox::scene {
namespace {

// Returns x (from 0 to 1) to the power of `exponent` (from 0 to below 1), within 1e-6. Each binary digit of
// the exponent takes one square root, which IEEE 754 rounds alike everywhere; pow() differs between C
// libraries.
double to_the_power(double x, double exponent) {
  double power = 1, root = x;
  for (int digit = 0; digit < 24 && exponent > 0; ++digit) {
    root = std::sqrt(root);
    exponent *= 2;
    if (exponent >= 1) power *= root, exponent -= 1;
  }
  return power;
}

std::vector<WeightedPoint> with_powers(std::vector<WeightedPoint> points, double exponent) {
  if (exponent >= 1) return points;
  double area = 0;
  for (const WeightedPoint& point : points) area += point.weight;
  for (WeightedPoint& point : points) point.weight = to_the_power(point.weight / area, exponent);
  return points;
}

std::vector<ColorArea> cluster_colors(const std::vector<WeightedPoint>& areas,
                                      const PaletteOptions& options) {
  const std::vector<WeightedPoint> pull = with_powers(areas, options.area_power);
  const std::vector<Vec3d> means = with_far_colors(areas, pull, cluster(pull, options.most), options.most);
  std::vector<double> sums(means.size());
  const std::vector<NearestMean> nearest = nearest_means(areas, means);
  for (size_t i = 0; i < areas.size(); ++i) sums[nearest[i].mean] += areas[i].weight;
  std::vector<ColorArea> colors;
  for (size_t i = 0; i < means.size(); ++i)
    if (sums[i] > 0)
      colors.push_back({linear_to_srgb(oklab_to_linear(means[i])), static_cast<uint64_t>(sums[i])});
  return colors;
}

// Merges equal colors. The largest one comes first.
Palette palette_of(const std::vector<ColorArea>& colors) {
  using Key = std::tuple<uint8_t, uint8_t, uint8_t>;
  std::map<Key, uint64_t> merged;
  for (const auto& [color, area] : colors) merged[{color.r, color.g, color.b}] += area;
  std::vector<std::pair<Key, uint64_t>> sorted(merged.begin(), merged.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
  Palette palette;
  for (const auto& [key, area] : sorted) {
    auto [r, g, b] = key;
    palette.colors[palette.count] = {r, g, b};
    palette.names[palette.count++] = hex_name({r, g, b});
  }
  return palette;
}

}  // namespace

std::string hex_name(Rgb8 color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

Palette auto_palette(const ColorHistogram& histogram, const PaletteOptions& options) {
  if (histogram.points.empty())
    return palette_of({{}});  // nothing is visible, but an index still needs its entry
  if (!histogram.few.empty() && histogram.few.size() <= options.most) return palette_of(histogram.few);
  return palette_of(cluster_colors(histogram.points, options));
}

Palette auto_palette(const Scene& scene, const PaletteOptions& options) {
  return auto_palette(count_colors(scene), options);
}

namespace {

ChosenPalette palette_of_colors(const Scene& scene, const PaletteChoice& choice) {
  const SceneSurface surface(scene, choice.paint);
  if (choice.given && !choice.measure) return {index_scene(scene, *choice.given, surface), std::nullopt};
  const ColorHistogram histogram = count_colors(surface);
  const Palette palette = choice.given ? *choice.given : auto_palette(histogram, choice.weights);
  return {index_scene(scene, palette, surface), palette_error(histogram, palette)};
}

}  // namespace

ChosenPalette choose_palette(Scene& scene, const PaletteChoice& choice) {
  bake_base_colors(scene);
  if (choice.materials == MaterialMode::Texture) return palette_of_colors(scene, choice);
  if (has_named_entries(choice.materials) && choice.most_names > 0)
    return {index_scene(scene, mesh_materials(scene, {.mode = choice.materials,
                                                      .rules = choice.rules,
                                                      .most = choice.most_names})),
            std::nullopt};
  Palette palette;
  if (choice.given) {
    palette = *choice.given;
  } else if (has_named_entries(choice.materials)) {
    palette =
        mesh_palette(scene, {.mode = choice.materials, .rules = choice.rules, .most = choice.weights.most});
  }
  return {index_scene(scene, palette, choice.materials, choice.paint), std::nullopt};
}

namespace {

constexpr size_t kBlock = 1024;      // points that are added up one after the other
constexpr uint32_t kMaxRounds = 32;  // later rounds of Lloyd's iteration move means by less than a code

struct Moments {
  double weight = 0;
  Vec3d sum = {0, 0, 0}, squares = {0, 0, 0};

  void add(const WeightedPoint& p) {
    weight += p.weight;
    sum = sum + p.at * p.weight;
    squares = squares + Vec3d{p.at.x * p.at.x, p.at.y * p.at.y, p.at.z * p.at.z} * p.weight;
  }
  void add(const Moments& other) {
    weight += other.weight;
    sum = sum + other.sum;
    squares = squares + other.squares;
  }
  Vec3d mean() const { return sum * (1 / weight); }
  std::array<double, 3> errors() const {  // weighted squared distances from the mean, per axis
    Vec3d m = mean();
    return {squares.x - m.x * sum.x, squares.y - m.y * sum.y, squares.z - m.z * sum.z};
  }
};

double along(Vec3d v, size_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Splits the group whose points stray most from its mean, at the mean, across the axis along which they stray
// most, until there are `count` groups (variance-based color quantization: Wan, Prusinkiewicz & Wong 1990).
std::vector<Vec3d> first_means(const std::vector<WeightedPoint>& points, uint32_t count) {
  struct Group {
    std::vector<uint32_t> members;
    Moments moments;
  };
  auto worst_axis = [](const Group& group) {
    auto errors = group.moments.errors();
    return static_cast<size_t>(std::max_element(errors.begin(), errors.end()) - errors.begin());
  };
  auto badness = [&](const Group& group) {
    return group.members.size() < 2 ? 0 : group.moments.errors()[worst_axis(group)];
  };
  std::vector<Group> groups(1);
  for (uint32_t i = 0; i < points.size(); ++i) {
    groups[0].members.push_back(i);
    groups[0].moments.add(points[i]);
  }
  while (groups.size() < count) {
    auto worst = std::max_element(groups.begin(), groups.end(),
                                  [&](const Group& a, const Group& b) { return badness(a) < badness(b); });
    size_t axis = worst_axis(*worst);
    double middle = along(worst->moments.mean(), axis);
    std::array<Group, 2> halves;
    for (uint32_t i : worst->members) {
      Group& half = halves[along(points[i].at, axis) > middle];
      half.members.push_back(i);
      half.moments.add(points[i]);
    }
    if (halves[0].members.empty() || halves[1].members.empty())
      break;  // the points are equal except for
              // rounding
    *worst = std::move(halves[0]);
    groups.push_back(std::move(halves[1]));
  }
  std::vector<Vec3d> means;
  for (const Group& group : groups) means.push_back(group.moments.mean());
  return means;
}

NearestMean nearest(const std::vector<Vec3d>& means, Vec3d at) {
  NearestMean best;
  for (uint32_t i = 0; i < means.size(); ++i) {
    Vec3d apart = at - means[i];
    double distance = dot(apart, apart);
    if (distance < best.squared) {
      best = {i, distance, best.squared};
    } else if (distance < best.next_squared) {
      best.next_squared = distance;
    }
  }
  return best;
}

// Calls f(block, i) for each of n points, in blocks of fixed size.
template <class F>
void for_each_in_blocks(size_t n, const F& f) {
  parallel_for(size_t{0}, (n + kBlock - 1) / kBlock, [&](size_t block) {
    for (size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) f(block, i);
  });
}

// Returns the moments of the points nearest to each mean. Blocks of fixed size are added in order.
std::vector<Moments> assign(const std::vector<WeightedPoint>& points, const std::vector<Vec3d>& means) {
  size_t blocks = (points.size() + kBlock - 1) / kBlock;
  std::vector<std::vector<Moments>> parts(blocks, std::vector<Moments>(means.size()));
  for_each_in_blocks(points.size(), [&](size_t block, size_t i) {
    parts[block][nearest(means, points[i].at).mean].add(points[i]);
  });
  std::vector<Moments> sums(means.size());
  for (const auto& part : parts)
    for (size_t i = 0; i < sums.size(); ++i) sums[i].add(part[i]);
  return sums;
}

}  // namespace

std::vector<Vec3d> cluster(const std::vector<WeightedPoint>& points, uint32_t count) {
  if (points.empty()) return {};
  std::vector<Vec3d> means = settle(points, first_means(points, count));
  std::vector<Vec3d> result;
  const std::vector<Moments> clusters = assign(points, means);
  for (size_t i = 0; i < means.size(); ++i)
    if (clusters[i].weight > 0) result.push_back(means[i]);
  return result;
}

std::vector<Vec3d> settle(const std::vector<WeightedPoint>& points, std::vector<Vec3d> means) {
  for (uint32_t round = 0; round < kMaxRounds; ++round) {
    std::vector<Moments> clusters = assign(points, means);
    std::vector<Vec3d> before = means;
    for (size_t i = 0; i < means.size(); ++i)
      if (clusters[i].weight > 0) means[i] = clusters[i].mean();
    if (means == before) break;
  }
  return means;
}

std::vector<NearestMean> nearest_means(const std::vector<WeightedPoint>& points,
                                       const std::vector<Vec3d>& means) {
  std::vector<NearestMean> result(points.size());
  for_each_in_blocks(points.size(), [&](size_t, size_t i) { result[i] = nearest(means, points[i].at); });
  return result;
}

namespace {

std::vector<WeightedPoint> points_of_cells(const std::vector<ColorTally::Cell>& cells) {
  std::vector<WeightedPoint> points;
  for (const auto& cell : cells) {
    if (cell.weight == 0) continue;
    double weight = static_cast<double>(cell.weight);
    Vec3d sum = {static_cast<double>(cell.r), static_cast<double>(cell.g), static_cast<double>(cell.b)};
    points.push_back({linear_to_oklab(sum * (1 / (weight * 65535))), weight});
  }
  return points;
}

}  // namespace

ColorHistogram count_colors(const Scene& scene, const SurfacePaint* paint) {
  return count_colors(SceneSurface(scene, paint));
}

ColorHistogram count_colors(const SceneSurface& surface) {
  return count_colors(tally_surface(surface, ColorTally()));
}

ColorHistogram count_colors(ColorTally tally) {
  if (tally.few.too_many) return {.few = {}, .points = points_of_cells(tally.cells)};
  ColorHistogram histogram = {.few = std::move(tally.few.colors), .points = {}};
  for (const auto& [color, area] : histogram.few)
    histogram.points.push_back({linear_to_oklab(srgb_to_linear(color)), static_cast<double>(area)});
  return histogram;
}

PaletteError palette_error(const ColorHistogram& histogram, const Palette& palette) {
  std::vector<Vec3d> entries;
  for (uint32_t i = 0; i < palette.count; ++i)
    entries.push_back(linear_to_oklab(srgb_to_linear(palette.colors[i])));
  const std::vector<NearestMean> nearest = nearest_means(histogram.points, entries);
  double area = 0, sum = 0, over = 0;
  for (size_t i = 0; i < nearest.size(); ++i) {
    const double weight = histogram.points[i].weight;
    area += weight;
    sum += weight * kDeltaE * std::sqrt(nearest[i].squared);
    if (nearest[i].squared > kFarInOklab * kFarInOklab) over += weight;
  }
  return area > 0 ? PaletteError{.mean = sum / area, .over_10 = over / area} : PaletteError{};
}

namespace {

constexpr double kLeastShare = 1e-4;   // a share of the area
constexpr uint32_t kMostTries = 8;     // exchanges, including those that leave more area far away
constexpr uint32_t kSpared = 3;        // means that are tried for each exchange
constexpr size_t kMostCenters = 1024;  // far colors that are tried as a group's middle: those with the
                                       // largest area

bool is_far(double squared) {
  return squared > kFarInOklab * kFarInOklab;
}

double squared_distance(Vec3d a, Vec3d b) {
  return dot(a - b, a - b);
}

double far_area(const std::vector<WeightedPoint>& areas, const std::vector<NearestMean>& nearest) {
  double sum = 0;
  for (size_t i = 0; i < areas.size(); ++i)
    if (is_far(nearest[i].squared)) sum += areas[i].weight;
  return sum;
}

struct FarGroup {
  std::vector<uint32_t> members;  // indices of points
  double area = 0;
};

// Returns the group of the points in `far` that are not far from `center`.
FarGroup group_around(const std::vector<WeightedPoint>& areas, const std::vector<uint32_t>& far,
                      Vec3d center) {
  FarGroup group;
  for (uint32_t i : far)
    if (!is_far(squared_distance(areas[i].at, center))) {
      group.members.push_back(i);
      group.area += areas[i].weight;
    }
  return group;
}

// Returns the group with the largest area among the points in `far`.
FarGroup largest_group(const std::vector<WeightedPoint>& areas, const std::vector<uint32_t>& far) {
  std::vector<uint32_t> centers = far;
  std::stable_sort(centers.begin(), centers.end(),
                   [&](uint32_t a, uint32_t b) { return areas[a].weight > areas[b].weight; });
  centers.resize(std::min(centers.size(), kMostCenters));
  std::vector<FarGroup> groups(centers.size());
  parallel_for(size_t{0}, centers.size(),
               [&](size_t i) { groups[i] = group_around(areas, far, areas[centers[i]].at); });
  auto largest = std::max_element(groups.begin(), groups.end(),
                                  [](const FarGroup& a, const FarGroup& b) { return a.area < b.area; });
  return largest == groups.end() ? FarGroup() : std::move(*largest);
}

Vec3d mean_of(const std::vector<WeightedPoint>& areas, const FarGroup& group) {
  Vec3d sum = {0, 0, 0};
  for (uint32_t i : group.members) sum = sum + areas[i].at * areas[i].weight;
  return sum * (1 / group.area);
}

// Returns the means, except the last one, that can best be spared: those without which squared distances grow
// least.
std::vector<size_t> spare_means(const std::vector<WeightedPoint>& pull, const std::vector<Vec3d>& means) {
  std::vector<double> losses(means.size());
  const std::vector<NearestMean> nearest = nearest_means(pull, means);
  for (size_t i = 0; i < pull.size(); ++i)
    losses[nearest[i].mean] += pull[i].weight * (nearest[i].next_squared - nearest[i].squared);
  std::vector<size_t> spare(means.size() - 1);
  std::iota(spare.begin(), spare.end(), size_t{0});
  std::stable_sort(spare.begin(), spare.end(), [&](size_t a, size_t b) { return losses[a] < losses[b]; });
  spare.resize(std::min<size_t>(spare.size(), kSpared));
  return spare;
}

struct Exchange {
  std::vector<Vec3d> means;
  double far_area;
};

// Returns the exchange that gives this color a place and leaves the least area far away.
Exchange with_place(const std::vector<WeightedPoint>& areas, const std::vector<WeightedPoint>& pull,
                    std::vector<Vec3d> means, Vec3d color, uint32_t count) {
  means.push_back(color);
  auto settled = [&](const std::vector<Vec3d>& start) {
    Exchange result = {settle(pull, start), 0};
    result.far_area = far_area(areas, nearest_means(areas, result.means));
    return result;
  };
  if (means.size() <= count) return settled(means);
  std::optional<Exchange> best;
  for (size_t spared : spare_means(pull, means)) {
    std::vector<Vec3d> start = means;
    start.erase(start.begin() + static_cast<std::ptrdiff_t>(spared));
    Exchange exchange = settled(start);
    if (!best || exchange.far_area < best->far_area) best = std::move(exchange);
  }
  return *best;
}

}  // namespace

std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count) {
  double area = 0;
  for (const WeightedPoint& point : areas) area += point.weight;
  std::vector<bool> given_up(areas.size());
  for (uint32_t tries = 0; tries < kMostTries; ++tries) {
    const std::vector<NearestMean> nearest = nearest_means(areas, means);
    std::vector<uint32_t> far;
    for (uint32_t i = 0; i < areas.size(); ++i)
      if (is_far(nearest[i].squared) && !given_up[i]) far.push_back(i);
    const FarGroup group = largest_group(areas, far);
    if (group.area < kLeastShare * area) break;
    Exchange exchange = with_place(areas, pull, means, mean_of(areas, group), count);
    if (exchange.far_area < far_area(areas, nearest)) {
      means = std::move(exchange.means);
    } else {
      for (uint32_t i : group.members) given_up[i] = true;
    }
  }
  return means;
}

}  // namespace vox::scene
