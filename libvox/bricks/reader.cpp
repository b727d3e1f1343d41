#include "libvox/bricks/reader.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"

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

}  // namespace vox::bricks
