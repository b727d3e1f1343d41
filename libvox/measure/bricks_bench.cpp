#include "libvox/measure/bricks_bench.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/measure/timing.h"
#include "libvox/render/volume_render.h"
#include "libvox/volume/volume.h"

namespace vox::measure {
namespace {

// Computes from the volume itself, layer by layer, the checksum that BricksReader must give for a copy.
uint64_t volume_checksum(const volume::Volume& volume, const volume::ValueRule& rule) {
  const Int3 size = volume.info.size;
  const uint64_t layer = uint64_t(size.x) * uint64_t(size.y);
  return tbb::parallel_reduce(
      tbb::blocked_range<int32_t>(0, size.z), uint64_t{0},
      [&](const auto& layers, uint64_t sum) {
        std::vector<std::byte> values(layer * volume::value_bytes(volume.info.type));
        for (int32_t z = layers.begin(); z < layers.end(); ++z) {
          volume.read({{0, 0, z}, {size.x, size.y, z + 1}}, values.data());
          for (uint64_t i = 0; i < layer; ++i)
            sum += bricks::mixed_word(uint64_t(z) * layer + i,
                                      rule.word(volume::bits_at(volume.info.type, values.data(), i)));
        }
        return sum;
      },
      std::plus<>());
}

struct NamedQuery {
  std::string loop;
  uint32_t filter;
  uint64_t cost;  // approximate cost of one run, in lookups of a filter
  bricks::ReadQuery query;
};

std::vector<NamedQuery> queries(const BricksBenchOptions& options, const BricksBenchSizes& sizes, Int3 size) {
  constexpr uint64_t kGatherCost = 4, kRayCost = 100;
  std::vector<NamedQuery> list;
  for (const uint32_t side : options.filters) {
    const auto radius = static_cast<int32_t>(side / 2);
    list.push_back({"mean",
                    side,
                    bricks::filter_lookups(size, radius),
                    {.loop = bricks::ReadLoop::Mean, .radius = radius}});
  }
  if (sizes.gathers > 0) {
    const uint64_t cost = sizes.gathers * kGatherCost;
    list.push_back({"random", 0, cost, {.loop = bricks::ReadLoop::RandomGather, .gathers = sizes.gathers}});
    list.push_back({"morton", 0, cost, {.loop = bricks::ReadLoop::MortonGather, .gathers = sizes.gathers}});
  }
  if (sizes.picture > 0)
    list.push_back({"cast", 0, kRayCost * sizes.picture * sizes.picture, {.loop = bricks::ReadLoop::Cast}});
  return list;
}

// Returns the part of a volume inside the box as a volume of its own, which must not outlive the whole one.
volume::Volume part_of(const volume::Volume& volume, const VoxelBox& box) {
  volume::Volume part = {volume.info, [&volume, corner = box.min](const VoxelBox& at, std::byte* out) {
                           volume.read({at.min + corner, at.max + corner}, out);
                         }};
  const Vec3d &origin = volume.info.origin, &step = volume.info.spacing;
  part.info.size = box.size();
  part.info.origin = {origin.x + step.x * box.min.x, origin.y + step.y * box.min.y,
                      origin.z + step.z * box.min.z};
  return part;
}

// The view and colors of a picture that shows the whole volume.
struct Picturing {
  bricks::CastView view;
  std::vector<bricks::CastColor> colors = render::cast_colors({});

  Picturing(const bricks::FrozenBricks& bricks, const volume::ValueRange& range, uint32_t side)
      : view(view_of(bricks, range, side)) {}

  static bricks::CastView view_of(const bricks::FrozenBricks& bricks, const volume::ValueRange& range,
                                  uint32_t side) {
    render::VolumeRenderOptions options;
    options.size = {side, side};
    const VoxelBox box = render::VolumeSpace(bricks.info).around(bricks.info.box());
    options.pose = render::framing(std::array{box}, "iso", 0, options.pose.fov, options.size);
    return render::cast_view(bricks, range, options);
  }
};

class Bench {
 public:
  Bench(Engine& engine, const volume::Volume& volume, const BricksBenchOptions& options)
      : engine_(engine),
        whole_(volume),
        options_(options),
        sizes_(sizes_of(options, engine.device())),
        volume_(part_of(volume, measured_box(volume.info.size, sizes_.voxels))),
        queries_(queries(options, sizes_, volume_.info.size)) {}

  BricksBenchResult run() {
    Stopwatch watch;
    result_.info = volume_.info;
    result_.volume_size = whole_.info.size;
    result_.sizes = sizes_;
    try {
      measure_all();
    } catch (const Cancelled&) {
      if (result_.rows.empty()) throw;
      result_.interrupted = true;
    }
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  void measure_all() {
    const volume::ValueRule rule = volume::value_rule(whole_, options_.threshold);
    if (options_.threshold.share)  // as a number, so that values need not be read again for each set
      options_.threshold = {.share = {}, .raw = rule.threshold};
    volume_sum_ = volume_checksum(volume_, rule);
    progress_.emplace("measuring", total_cost());
    for (const uint32_t log2_side : options_.log2_sides)
      for (const bricks::BrickTypeSet& set : options_.sets) measure(log2_side, set);
    progress_.reset();
    if (options_.trade_off > 0)
      for (const uint32_t log2_side : options_.log2_sides) measure_trade_off(log2_side);
  }

  // Returns the cost of all reads, in all ways and from the dense array.
  uint64_t total_cost() const {
    uint64_t each = 0;
    for (const NamedQuery& query : queries_) each += query.cost * (sizes_.repetitions + 1);
    return each * (options_.log2_sides.size() * options_.sets.size() * options_.accesses.size() + 1);
  }

  void measure(uint32_t log2_side, const bricks::BrickTypeSet& types) {
    bricks::BricksOptions build;
    build.log2_side = log2_side;
    build.types = types.types;
    build.threshold = options_.threshold;
    const bricks::BricksResult built = bricks::build_bricks(engine_.handle(), volume_, build);
    const bricks::FrozenBricks& bricks = built.bricks;
    BricksBenchSet& set = result_.sets.emplace_back(BricksBenchSet{
        types.name, log2_side, bricks.bricks(), bricks.bytes(), bricks.counts, built.seconds, {}});
    result_.filled = bricks.filled;
    std::optional<Picturing> picturing;
    if (sizes_.picture > 0) {
      if (!range_) range_ = render::color_range(bricks);
      picturing.emplace(bricks, *range_, sizes_.picture);
      queries_.back().query.view = &picturing->view;
      queries_.back().query.colors = &picturing->colors;
    }
    const std::unique_ptr<bricks::BricksReader> reader =
        bricks::make_bricks_reader(engine_.handle(), bricks, options_.jit);
    if (sums_.empty()) measure_array(*reader);
    for (const bricks::Access access : options_.accesses) {
      throw_if_cancelled();
      if (access == bricks::Access::Compiled) set.jit = reader->compile();
      measure_rows(*reader, access, set);
    }
  }

  void measure_array(bricks::BricksReader& reader) {
    if (reader.read(bricks::Access::Dense, {}).checksum != volume_sum_)
      throw Error("the bricks do not hold the values of the volume");
    for (const NamedQuery& query : queries_)
      sums_.push_back(reader.read(bricks::Access::Dense, query.query).checksum);
    BricksBenchSet array;
    array.types = "array";
    array.bytes = volume_.info.bytes();
    measure_rows(reader, bricks::Access::Dense, array);
  }

  void measure_rows(bricks::BricksReader& reader, bricks::Access access, const BricksBenchSet& set) {
    for (size_t i = 0; i < queries_.size(); ++i) {
      std::vector<double> seconds;
      BricksBenchRow row;
      row.types = set.types;
      row.log2_side = set.log2_side;
      row.bytes = set.bytes;
      row.access = access;
      row.loop = queries_[i].loop;
      row.filter = queries_[i].filter;
      for (uint32_t repetition = 0; repetition <= sizes_.repetitions; ++repetition) {
        throw_if_cancelled();
        const bricks::ReadResult read = reader.read(access, queries_[i].query);
        progress_->update(cost_ += queries_[i].cost, text_of(row));
        if (read.checksum != sums_[i])
          throw Error(fmt::format("{}³ bricks of {} by {} read different values than the dense array: {}",
                                  1u << row.log2_side, row.types, kAccessNames[size_t(access)], row.loop));
        row.lookups = read.lookups;
        if (repetition > 0) seconds.push_back(read.seconds);
      }
      row.time = summarize(std::move(seconds));
      result_.rows.push_back(std::move(row));
    }
  }

  static std::string text_of(const BricksBenchRow& row) {
    const std::string loop = row.filter > 0 ? fmt::format("mean {}³", row.filter) : row.loop;
    if (row.access == bricks::Access::Dense) return "dense array, " + loop;
    return fmt::format("{}³, {}, {}, {}", 1u << row.log2_side, row.types, kAccessNames[size_t(row.access)],
                       loop);
  }

  void measure_trade_off(uint32_t log2_side) {
    bricks::BricksOptions build;
    build.log2_side = log2_side;
    build.threshold = options_.threshold;
    const bricks::TradeOffRun run = bricks::run_trade_off(engine_.handle(), volume_, build);
    Progress progress("trade-off", uint64_t{options_.trade_off} * bricks::kReplacementNames.size());
    for (uint32_t strategy = 0; strategy < bricks::kReplacementNames.size(); ++strategy) {
      const std::vector<uint32_t> order =
          bricks::replacement_order(run.gains, static_cast<bricks::Replacement>(strategy));
      for (uint32_t point = 0; point < options_.trade_off; ++point) {
        const size_t count = order.size() * point / std::max(1u, options_.trade_off - 1);
        const bricks::FrozenBricks bricks = bricks::replaced(
            run.least.bricks, run.dense, {order.begin(), order.begin() + std::ptrdiff_t(count)});
        result_.trade_off.push_back(
            {bricks::kReplacementNames[strategy], log2_side, count, bricks.bytes(), filter_time(bricks)});
        progress.update(strategy * options_.trade_off + point + 1, bricks::kReplacementNames[strategy]);
      }
    }
  }

  Timing filter_time(const bricks::FrozenBricks& bricks) {
    const std::unique_ptr<bricks::BricksReader> reader =
        bricks::make_bricks_reader(engine_.handle(), bricks, options_.jit);
    std::vector<double> seconds;
    for (uint32_t repetition = 0; repetition <= sizes_.repetitions; ++repetition) {
      throw_if_cancelled();
      const bricks::ReadResult read = reader->read(bricks::Access::Direct, {.loop = bricks::ReadLoop::Mean,
                                                                            .radius = bricks::kTradeOffRadius,
                                                                            .view = nullptr,
                                                                            .colors = nullptr});
      if (!filtered_sum_) filtered_sum_ = read.checksum;
      if (read.checksum != *filtered_sum_)
        throw Error("after bricks were replaced, different values were read");
      if (repetition > 0) seconds.push_back(read.seconds);
    }
    return summarize(std::move(seconds));
  }

  Engine& engine_;
  const volume::Volume& whole_;
  BricksBenchOptions options_;
  BricksBenchSizes sizes_;
  volume::Volume volume_;  // the part that is measured
  std::vector<NamedQuery> queries_;
  std::optional<Progress> progress_;
  uint64_t cost_ = 0;           // cost of what has been done so far
  std::vector<uint64_t> sums_;  // the checksum of each query, read from the dense array
  uint64_t volume_sum_ = 0;
  std::optional<uint64_t> filtered_sum_;
  std::optional<volume::ValueRange> range_;  // does not depend on the bricks
  BricksBenchResult result_;
};

}  // namespace

void check(const BricksBenchOptions& options) {
  if (options.log2_sides.empty() || options.sets.empty() || options.accesses.empty() ||
      (options.filters.empty() && options.gathers == 0u && options.picture == 0u))
    throw UsageError("nothing to measure: sizes, types, kinds of access and loops need at least one value");
  check_filters(options.filters);
  check_picture_side(options.picture.value_or(0));
  if (options.trade_off == 1 || options.trade_off > 1000)
    throw UsageError("a curve has 2 to 1000 points; 0 means no curves");
  if (options.jit.leaves == 0) throw UsageError("a kd tree needs at least one leaf");
  if (options.repetitions == 0u) throw UsageError("the number of repetitions must be at least 1");
  if (options.gathers.value_or(0) > uint64_t{1} << 36)
    throw UsageError("the number of gathers may be at most 2^36");
}

BricksBenchSizes sizes_of(const BricksBenchOptions& options, const std::string& device) {
  const BricksBenchSizes preset =
      device == "cpu" ? BricksBenchOptions::kCpuSizes : BricksBenchOptions::kGpuSizes;
  return {options.voxels.value_or(preset.voxels), options.gathers.value_or(preset.gathers),
          options.picture.value_or(preset.picture), options.repetitions.value_or(preset.repetitions)};
}

VoxelBox measured_box(Int3 volume, uint64_t most_voxels) {
  const VoxelBox whole = {{0, 0, 0}, volume};
  if (most_voxels == 0 || whole.voxels() <= most_voxels) return whole;
  const double share = std::cbrt(static_cast<double>(most_voxels) / static_cast<double>(whole.voxels()));
  const auto part = [&](int32_t side) { return std::max(1, static_cast<int32_t>(side * share)); };
  const Int3 size = {part(volume.x), part(volume.y), part(volume.z)};
  const auto low = [](int32_t side, int32_t of_box) { return (side - of_box) / 2; };
  const Int3 corner = {low(volume.x, size.x), low(volume.y, size.y), low(volume.z, size.z)};
  return {corner, corner + size};
}

BricksBenchResult bench_bricks(Engine& engine, const volume::Volume& volume,
                               const BricksBenchOptions& options) {
  check(options);
  return Bench(engine, volume, options).run();
}

volume::Volume shells_volume(int32_t side) {
  // The largest shell touches the volume's faces. Distances count in half voxels, so that they are whole numbers.
  constexpr int64_t kShells = 16, kHighest = 255, kFall = 12;
  const int64_t most = int64_t{side} * side;
  const auto value = [=](int64_t x, int64_t y, int64_t z) {
    const auto off = [=](int64_t place) { return (2 * place + 1 - side) * (2 * place + 1 - side); };
    const int64_t shell = kShells * (off(x) + off(y) + off(z)) / most;
    return std::byte(shell < kShells && shell % 4 == 3 ? kHighest - kFall * shell : 0);
  };
  return {.info = {.size = {side, side, side}, .type = volume::ValueType::U8, .source = "generated shells"},
          .read = [=](const VoxelBox& box, std::byte* values) {
            for (int32_t z = box.min.z; z < box.max.z; ++z)
              for (int32_t y = box.min.y; y < box.max.y; ++y)
                for (int32_t x = box.min.x; x < box.max.x; ++x) *values++ = value(x, y, z);
          }};
}

}  // namespace vox::measure
