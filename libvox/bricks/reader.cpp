#include "libvox/bricks/reader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"

namespace vox::bricks {

uint64_t filter_lookups(Int3 size, int32_t radius) {
  const auto along = [&](int64_t side) {
    uint64_t sum = 0;
    for (int64_t at = 0; at < side; ++at)
      sum += static_cast<uint64_t>(std::min(at + radius, side - 1) - std::max<int64_t>(at - radius, 0) + 1);
    return sum;
  };
  return along(size.x) * along(size.y) * along(size.z);
}

namespace {

constexpr uint32_t kDense = BrickTypes::kNumber<DenseBrick>;
constexpr uint32_t kEmpty = BrickTypes::kNumber<EmptyBrick>;

double slope_of(const BrickGains& gains, uint32_t brick) {
  const double saved = gains.ticks_saved[brick];
  return saved > 0 ? static_cast<double>(gains.more_bytes[brick]) / saved
                   : std::numeric_limits<double>::infinity();
}

}  // namespace

BrickGains measure_gains(const FrozenBricks& bricks, BricksReader& reader, const FrozenBricks& dense,
                         BricksReader& dense_reader, int32_t filter) {
  if (bricks.bricks() > UINT32_MAX)
    throw Error("there are too many bricks to measure each one").hint("use larger bricks");
  const std::vector<uint64_t> ticks = reader.brick_ticks(filter),
                              dense_ticks = dense_reader.brick_ticks(filter);
  const std::vector<uint64_t> words = brick_words(bricks), dense_words = brick_words(dense);
  const BricksRef access = ref(bricks);
  BrickGains gains;
  for (uint64_t brick = 0; brick < words.size(); ++brick) {
    const uint32_t type = access.entry(brick).type;
    const bool stays = type == kDense || type == kEmpty;
    gains.ticks.push_back(stays ? 0 : static_cast<double>(ticks[brick]));
    gains.ticks_saved.push_back(
        stays ? 0 : static_cast<double>(ticks[brick]) - static_cast<double>(dense_ticks[brick]));
    gains.bytes.push_back(words[brick] * sizeof(uint32_t));
    gains.more_bytes.push_back(stays ? 0 : (dense_words[brick] - words[brick]) * sizeof(uint32_t));
  }
  return gains;
}

std::vector<uint32_t> replacement_order(const BrickGains& gains, Replacement replacement) {
  std::vector<uint32_t> list;
  for (size_t brick = 0; brick < gains.ticks.size(); ++brick)
    if (gains.more_bytes[brick] > 0) list.push_back(static_cast<uint32_t>(brick));
  const auto key = [&](uint32_t brick) -> double {
    switch (replacement) {
      case Replacement::Slowest:
        return -gains.ticks[brick];
      case Replacement::Gain:
        return -gains.ticks_saved[brick];
      case Replacement::Memory:
        return static_cast<double>(gains.more_bytes[brick]);
      case Replacement::Slope:
        return slope_of(gains, brick);
      default:
        return static_cast<double>(mix64(brick + 1) >> 11);
    }
  };
  std::ranges::stable_sort(list, {}, key);
  return list;
}

std::vector<uint32_t> worth_replacing(const BrickGains& gains, double slope) {
  const double saved = std::accumulate(gains.ticks_saved.begin(), gains.ticks_saved.end(), 0.0);
  const auto bytes =
      static_cast<double>(std::accumulate(gains.more_bytes.begin(), gains.more_bytes.end(), uint64_t{0}));
  std::vector<uint32_t> list;
  if (saved <= 0) return list;
  for (const uint32_t brick : replacement_order(gains, Replacement::Slope))
    if (slope_of(gains, brick) < slope * bytes / saved) list.push_back(brick);
  return list;
}

FrozenBricks replaced(const FrozenBricks& bricks, const FrozenBricks& dense, std::vector<uint32_t> list) {
  std::ranges::sort(list);
  const std::vector<uint64_t> words = brick_words(bricks), dense_words = brick_words(dense);
  BricksAssembly assembly(bricks);
  auto next = list.begin();
  for (uint64_t brick = 0; brick < words.size(); ++brick) {
    const bool other = next != list.end() && *next == brick;
    if (other) ++next;
    assembly.add(other ? dense : bricks, brick, other ? dense_words[brick] : words[brick]);
  }
  return assembly.take();
}

BricksRecipe recipe_for(Optimize goal, BricksOptions options, double slope) {
  if (goal == Optimize::Speed) options.types = kFastBrickTypes;
  BricksRecipe recipe = {.options = options, .slope = {}};
  if (goal == Optimize::Balanced) recipe.slope = slope;
  return recipe;
}

BricksResult make_bricks(device::DeviceHandle device, const volume::Volume& volume,
                         const BricksRecipe& recipe) {
  if (!recipe.slope) return build_bricks(device, volume, recipe.options);
  const Stopwatch watch;
  TradeOffRun run = run_trade_off(device, volume, recipe.options);
  const std::vector<uint32_t> list = worth_replacing(run.gains, *recipe.slope);
  log_info("{} of {} bricks became dense, where faster filters of 3³ are worth the memory",
           format_count(list.size()), format_count(run.least.bricks.bricks()));
  run.least.bricks = replaced(run.least.bricks, run.dense, list);
  run.least.bricks.slope = recipe.slope;
  run.least.seconds = watch.seconds() - run.least.read_seconds;
  return std::move(run.least);
}

BricksResult make_bricks(device::DeviceHandle device, const dag::VoxelScene& scene,
                         const BricksRecipe& recipe) {
  if (!recipe.slope) return build_bricks(device, scene, recipe.options);
  return make_bricks(device, dag::scene_volume(scene), recipe);
}

BricksRecipe recipe_of(const FrozenBricks& bricks) {
  BricksRecipe recipe;
  recipe.options.log2_side = bricks.log2_side;
  recipe.options.types = bricks.allowed_types;
  recipe.options.root = bricks.is_sparse() ? BrickRoot::Sparse : BrickRoot::Dense;
  recipe.slope = bricks.slope;
  return recipe;
}

uint32_t levels_to_the_coarsest(Int3 size) {
  constexpr int32_t kCoarsest = 64;
  uint32_t levels = 0;
  for (int32_t side = std::max({size.x, size.y, size.z}); side > kCoarsest; side = (side + 1) / 2) ++levels;
  return levels;
}

std::vector<FrozenBricks> coarser_levels(device::DeviceHandle device, const FrozenBricks& bricks,
                                         uint32_t count) {
  std::vector<FrozenBricks> levels;
  levels.reserve(count);  // a level is made of the one before
  for (uint32_t level = 0; level < count; ++level) {
    throw_if_cancelled();
    const volume::Volume coarse =
        volume::coarser_volume(bricks_volume(levels.empty() ? bricks : levels.back()));
    levels.push_back(
        build_bricks(device, coarse,
                     {.log2_side = bricks.log2_side, .types = bricks.allowed_types, .threshold = {}})
            .bricks);
  }
  return levels;
}

TradeOffRun run_trade_off(device::DeviceHandle device, const volume::Volume& volume,
                          const BricksOptions& options) {
  TradeOffRun run;
  BricksOptions least = options;
  least.root = BrickRoot::Dense;  // each brick is timed
  run.least = build_bricks(device, volume, least);
  BricksOptions dense = options;
  dense.log2_side = run.least.bricks.log2_side;
  dense.types = kFastBrickTypes;
  dense.root = BrickRoot::Dense;
  run.dense = build_bricks(device, volume, dense).bricks;
  const auto reader = make_bricks_reader(device, run.least.bricks, {}),
             dense_reader = make_bricks_reader(device, run.dense, {});
  run.gains = measure_gains(run.least.bricks, *reader, run.dense, *dense_reader, kTradeOffRadius);
  return run;
}

}  // namespace vox::bricks
