#include "libvox/dag/colors.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"

namespace vox::dag {
namespace {

scene::ColorHistogram histogram_of(const attributes::PackedValues& colors) {
  tbb::enumerable_thread_specific<scene::ColorTally> tallies;
  parallel_for(tbb::blocked_range<uint64_t>(0, colors.count, 1 << 16), [&](const auto& range) {
    scene::ColorTally& tally = tallies.local();
    // Equal colors follow one another more often than not.
    uint64_t same = 0;
    uint32_t last = 0;
    for (uint64_t i = range.begin(); i < range.end(); ++i) {
      const uint32_t color = colors[i];
      if (color != last && same > 0) tally.add(scene::unpacked_color(last), std::exchange(same, 0));
      last = color;
      ++same;
    }
    tally.add(scene::unpacked_color(last), same);
  });
  scene::ColorTally all;
  for (const scene::ColorTally& tally : tallies) all.merge(tally);
  return scene::count_colors(std::move(all));
}

// Finds the nearest entries of a palette, each color's once.
class KnownEntries {
 public:
  explicit KnownEntries(const scene::Palette& palette) : nearest_(palette), known_(1 << 24) {}

  uint32_t operator()(uint32_t color) {
    std::atomic_ref<uint8_t> known(known_[color]);
    if (const uint8_t entry = known.load(std::memory_order_relaxed); entry != 0) return entry - 1u;
    const uint8_t entry = nearest_(scene::unpacked_color(color));
    known.store(static_cast<uint8_t>(entry + 1), std::memory_order_relaxed);
    return entry;
  }

 private:
  scene::NearestEntry nearest_;
  std::vector<uint8_t> known_;  // the entry of each color + 1; 0 if it has not been asked for
};

// The parts of a DAG in cubes of 64³ voxels.
struct Cubes {
  std::vector<uint64_t> keys;
  std::vector<uint64_t> first_voxels;  // the number of each cube's first voxel
};

class CubeSearch {
 public:
  CubeSearch(const FrozenDag& dag, const VoxelNumbers& numbers) : dag_(dag), numbers_(numbers) {}

  // Returns the cubes that hold voxels, in Morton order. A DAG that is smaller than a cube is one.
  Cubes find() {
    if (!dag_.empty()) visit(0, 0, {0, 0, 0}, 0);
    return std::move(cubes_);
  }

 private:
  void visit(uint32_t level, uint64_t number, Int3 corner, uint64_t first) {
    if (dag_.level_side(level) <= static_cast<uint32_t>(VoxelCube::kSide)) {
      cubes_.keys.push_back(cube_key(corner));
      cubes_.first_voxels.push_back(first);
      return;
    }
    const uint32_t* const node = dag_.levels[level].node(number);
    const auto half = static_cast<int32_t>(dag_.level_side(level + 1));
    uint32_t word = 1;
    for (uint32_t mask = child_mask(node[0]); mask != 0; mask &= mask - 1, ++word)
      visit(level + 1, node[word], corner + octant_corner(static_cast<uint32_t>(lowest_bit(mask)), half),
            first + numbers_.before(level, number, word));
  }

  const FrozenDag& dag_;
  const VoxelNumbers& numbers_;
  Cubes cubes_;
};

}  // namespace

VoxelScene with_palette(VoxelScene scene, const WithPaletteOptions& options) {
  if (!scene.colors) return scene;
  const attributes::PackedValues colors = *std::exchange(scene.colors, std::nullopt);
  const std::vector<scene::NamedColor> named = std::exchange(scene.named_colors, {});
  scene.palette = options.palette ? *options.palette
                  : !named.empty() && named.size() <= scene::kPaletteSize
                      ? scene::named_palette(named)
                      : scene::auto_palette(histogram_of(colors));
  KnownEntries nearest(scene.palette);
  const scene::Dither mixed(scene.palette);
  const auto entry = [&](uint32_t color, Int3 voxel) {
    return options.dither ? mixed(scene::unpacked_color(color), voxel) : nearest(color);
  };
  Cubes cubes = CubeSearch(scene.dag, VoxelNumbers(scene.dag)).find();
  CubeSource source = {
      .resolution = scene.dag.resolution, .materials = true, .cubes = std::move(cubes.keys), .read = {}};
  source.read = [&](size_t i, VoxelCube& cube) {
    uint64_t next = cubes.first_voxels[i];
    const Int3 corner = cube_corner(source.cubes[i]);
    for_each_leaf(scene.dag, cube_at(corner, VoxelCube::kSide),
                  [&](Int3 leaf, uint64_t mask, const uint32_t*) {
                    const uint32_t first = VoxelCube::code(leaf - corner);
                    visit_bits(mask, [&](uint32_t bit) {
                      cube.put(first + bit, entry(colors[next++], leaf + cube_place(bit)));
                    });
                  });
  };
  GatheredDag gathered = dag_of_cubes(source, options.memory_limit);
  for (size_t i = 0; i < scene.shares.size(); ++i)
    scene.shares[i] = colors.count == 0
                          ? 0
                          : static_cast<double>(gathered.voxels_of[i]) / static_cast<double>(colors.count);
  scene.dag = std::move(gathered.dag);
  return scene;
}

namespace {

// Finds the voxels of a scene that each voxel of a coarser one stands for: they follow one another.
template <class OnVoxels>
class CoarseVoxels {
 public:
  // Calls on_voxels(number of the first voxel, how many there are) for each coarse voxel, in order, in visit_all().
  CoarseVoxels(const FrozenDag& dag, uint32_t halvings, OnVoxels on_voxels)
      : dag_(dag), numbers_(dag), side_(1u << halvings), on_voxels_(std::move(on_voxels)) {}

  void visit_all() {
    if (!dag_.empty()) visit(0, 0, 0);
  }

 private:
  void visit(uint32_t level, uint64_t number, uint64_t first) {
    if (dag_.level_side(level) <= side_) return on_voxels_(first, numbers_.voxels(level, number));
    const uint32_t* const node = dag_.levels[level].node(number);
    if (level == dag_.depth()) return visit_blocks(leaf_mask(node), first);
    for (uint32_t word = 1; word < node_words(node[0]); ++word)
      visit(level + 1, node[word], first + numbers_.before(level, number, word));
  }

  void visit_blocks(uint64_t mask, uint64_t first) {
    for (uint32_t block = 0; block < 8; ++block) {
      const auto voxels = static_cast<uint64_t>(popcount(mask >> 8 * block & 0xff));
      if (voxels > 0) on_voxels_(first, voxels);
      first += voxels;
    }
  }

  const FrozenDag& dag_;
  VoxelNumbers numbers_;
  uint32_t side_;
  OnVoxels on_voxels_;
};

struct VoxelRun {
  uint64_t first, count;
};

uint32_t mean_color(const attributes::PackedValues& colors, const VoxelRun& run) {
  uint64_t sum[3] = {};
  for (uint64_t i = run.first; i < run.first + run.count; ++i) {
    const uint32_t color = colors[i];
    for (uint32_t channel = 0; channel < 3; ++channel)
      sum[channel] += scene::ColorTally::kLinear16[color >> 8 * channel & 0xff];
  }
  const auto mean = [&](uint32_t channel) {
    return static_cast<double>(sum[channel]) / (65535.0 * static_cast<double>(run.count));
  };
  return scene::packed_color(scene::linear_to_srgb(Vec3d{mean(0), mean(1), mean(2)}));
}

// Returns the color of the most voxels, the lowest of several.
uint32_t most_frequent_color(const attributes::PackedValues& colors, const VoxelRun& run) {
  std::map<uint32_t, uint64_t> voxels_of;
  for (uint64_t i = run.first; i < run.first + run.count; ++i) ++voxels_of[colors[i]];
  return std::ranges::max_element(voxels_of, {}, &std::pair<const uint32_t, uint64_t>::second)->first;
}

std::vector<scene::WeightedPoint> points_of(const std::vector<uint32_t>& colors) {
  std::vector<scene::WeightedPoint> points;
  for (const uint32_t color : colors)
    points.push_back({scene::linear_to_oklab(scene::srgb_to_linear(scene::unpacked_color(color))), 1});
  return points;
}

// Returns the packed colors of these means, each once, in ascending order.
std::vector<uint32_t> colors_of(const std::vector<Vec3d>& means) {
  std::vector<uint32_t> colors;
  for (const Vec3d& mean : means)
    colors.push_back(scene::packed_color(scene::linear_to_srgb(scene::oklab_to_linear(mean))));
  std::ranges::sort(colors);
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  return colors;
}

}  // namespace

MaterialNumbers::MaterialNumbers(const std::vector<scene::NamedColor>& named) {
  for (uint32_t number = 0; number < named.size(); ++number)
    numbers_.emplace(scene::packed_color(named[number].color), number);
}

uint32_t MaterialNumbers::known(uint32_t color) const {
  if (const std::optional<uint32_t> number = (*this)(color)) return *number;
  throw Error(fmt::format("voxels have the color {}, which no named material has",
                          scene::hex_name(scene::unpacked_color(color))))
      .hint("paint with the colors of the named materials, or make a palette of all colors");
}

attributes::PackedValues with_fewer_colors(const attributes::PackedValues& colors, uint32_t count) {
  const std::vector<uint32_t> different = attributes::different_values(colors);
  if (different.size() <= count) return attributes::with_table(colors);
  std::vector<uint32_t> table = colors_of(scene::cluster(histogram_of(colors).points, count));
  std::vector<Vec3d> places;
  for (const scene::WeightedPoint& point : points_of(table)) places.push_back(point.at);
  const std::vector<scene::NearestMean> nearest = scene::nearest_means(points_of(different), places);
  std::vector<uint32_t> number_of(different.back() + 1);
  for (size_t i = 0; i < different.size(); ++i) number_of[different[i]] = nearest[i].mean;
  const uint32_t bits = attributes::bits_for_table(table.size());
  attributes::ValueWriter writer(bits, std::move(table));
  for (uint64_t i = 0; i < colors.count; ++i) writer.put(number_of[colors[i]]);
  return writer.finish();
}

attributes::PackedValues values_inside(const FrozenDag& dag, const attributes::PackedValues& values,
                                       const VoxelBox& box) {
  const VoxelNumbers numbers(dag);
  attributes::ValueWriter writer(values.value_bits, values.table);
  for_each_leaf(dag, box, [&](Int3 corner, uint64_t inside, const uint32_t* leaf) {
    uint64_t number = numbers.first_of_leaf(corner);
    for (uint64_t left = leaf_mask(leaf); left != 0; left &= left - 1, ++number)
      if ((inside >> lowest_bit(left) & 1) != 0) writer.put(values.ref().stored(number));
  });
  return writer.finish();
}

VoxelScene part_of(VoxelScene scene, FrozenDag part) {
  if (scene.colors) {
    const LeafColors colors(scene);
    attributes::ValueWriter writer;
    for_each_leaf(part, cube_at({0, 0, 0}, part.side()), [&](Int3 corner, uint64_t, const uint32_t* leaf) {
      const std::array<uint32_t, 64> of_leaf = colors(corner);
      visit_bits(leaf_mask(leaf), [&](uint32_t bit) { writer.put(of_leaf[bit]); });
    });
    scene.colors = attributes::with_table(writer.finish());
  }
  scene.dag = std::move(part);
  return scene;
}

namespace {

// Writes value_of(color) of the box's voxels, and 0 for empty ones.
template <class Value, class ValueOf>
void write_dense_values(const FrozenDag& dag, const LeafColors& colors, const VoxelBox& box, Value* to,
                        ValueOf value_of) {
  std::fill_n(to, box.voxels(), Value{0});
  const Int3 size = box.size();
  for_each_leaf(dag, box, [&](Int3 corner, uint64_t mask, const uint32_t*) {
    const std::array<uint32_t, 64> of_leaf = colors(corner);
    visit_bits(mask, [&](uint32_t bit) {
      const Int3 at = corner + cube_place(bit) - box.min;
      to[(int64_t{at.z} * size.y + at.y) * size.x + at.x] = value_of(of_leaf[bit]);
    });
  });
}

}  // namespace

void write_dense_colors(const FrozenDag& dag, const LeafColors& colors, const VoxelBox& box, uint32_t* to) {
  write_dense_values(dag, colors, box, to, std::identity());
}

void write_dense_numbers(const FrozenDag& dag, const LeafColors& colors, const MaterialNumbers& numbers,
                         const VoxelBox& box, uint16_t* to) {
  write_dense_values(dag, colors, box, to,
                     [&](uint32_t color) { return static_cast<uint16_t>(numbers.known(color) + 1); });
}

VoxelScene clipped(VoxelScene scene, const VoxelBox& box) {
  if (scene.colors) scene.colors = values_inside(scene.dag, *scene.colors, box);
  scene.dag = clipped(scene.dag, box);
  return scene;
}

attributes::PackedValues coarser_colors(const VoxelScene& scene, uint32_t halvings) {
  constexpr size_t kAtOnce = 1 << 18;
  attributes::ValueWriter writer;
  std::vector<VoxelRun> runs;
  std::vector<uint32_t> chosen;
  const auto color_of = scene.named_colors.empty() ? mean_color : most_frequent_color;
  const auto write = [&] {
    throw_if_cancelled();
    chosen.resize(runs.size());
    parallel_for(size_t{0}, runs.size(), [&](size_t i) { chosen[i] = color_of(*scene.colors, runs[i]); });
    writer.put(chosen);
    runs.clear();
  };
  CoarseVoxels coarse(scene.dag, halvings, [&](uint64_t first, uint64_t count) {
    runs.push_back({first, count});
    if (runs.size() == kAtOnce) write();
  });
  coarse.visit_all();
  write();
  return attributes::with_table(writer.finish());
}

}  // namespace vox::dag
