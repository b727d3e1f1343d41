// The benchmark of tables of voxel keys on one device.
#pragma once

#include <algorithm>
#include <string>

#include "libvox/base/progress.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_multi_bench.h"
#include "libvox/measure/key_set_bench.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/key_views.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/random_reads.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// Builds many tables of voxel keys, usually small ones, and counts builds that need several attempts or fail
// (García et al. 2011, §4.1; Alcantara et al. 2009, §7).

// Each build uses other keys and other hash functions.
template <hash::CellWord Cell, class Device>
KeyFailuresRow count_failures(Device& device, const KeysBenchOptions& options, const std::string& table,
                              double load_factor, uint32_t key_bits) {
  KeyFailuresRow row;
  row.table = table;
  row.set = kKeySetNames[static_cast<size_t>(KeySetKind::Random)];
  row.key_bits = key_bits;
  row.value_bits = options.value_bits;
  row.cell_bits = hash::CellFormat<Cell>::kBits;
  row.load_factor = load_factor;
  // Keys with few bits have few different values.
  row.keys = std::min(options.failure_keys, uint64_t{1} << std::min(key_bits - 1, 63u));
  row.builds = options.failure_builds;
  const hash::CellFormat<Cell> format = {options.value_bits};
  const auto cells = device.template make<Cell>(row.keys);
  for (uint64_t build = 0; build < row.builds; ++build) {
    throw_if_cancelled();
    device.for_each("write keys", row.keys,
                    keys::WriteRandomCells<Cell>{format, key_bits, build * row.keys, cells.data()});
    try {
      const auto made = hash::make_key_table<Device, Cell>(
          device,
          {.table = table, .load_factor = load_factor, .value_bits = options.value_bits, .seed = build});
      const hash::KeyTableBuild result = made->build(cells.data(), row.keys);
      if (result.keys != row.keys) throw Error("the table has lost keys");
      row.retried += result.attempts > 1 ? 1 : 0;
      row.most_attempts = std::max(row.most_attempts, result.attempts);
      row.most_probes = std::max(row.most_probes, result.most_probes);
      row.restarts += result.restarts;
      row.parts += result.parts;
    } catch (const Cancelled&) {
      throw;
    } catch (const UsageError& error) {  // the table does not support this load factor
      row.builds = 0;
      row.error = error.what();
    } catch (const Error& error) {
      ++row.failed;
      if (row.error.empty()) row.error = error.what();
    }
  }
  return row;
}

template <class Device>
class KeysBench {
 public:
  KeysBench(Device& device, const KeysBenchOptions& options)
      : device_(device),
        options_(options),
        sizes_(sizes_of(options, device.name())),
        tables_(chosen_tables(options)) {}

  KeysBenchResult run() {
    Stopwatch watch;
    result_.sizes = sizes_;
    result_.age_bits = options_.age_bits;
    result_.maximum_ages = options_.maximum_ages;
    result_.first_age = options_.first_age;
    measure_ceilings();
    picture_ = picture_pixels();
    Progress progress("measuring", options_.key_bits.size() * (points().size() + multi_points()) *
                                       options_.load_factors.size() * tables_.size());
    progress_ = &progress;
    for (const uint32_t bits : options_.key_bits) {
      if (measure::cell_bits(bits, options_.value_bits) == 32)
        measure_cells<uint32_t>(bits);
      else
        measure_cells<uint64_t>(bits);
      if (measure::cell_bits(bits, 0) == 32)
        measure_multi<uint32_t>(bits);
      else
        measure_multi<uint64_t>(bits);
    }
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  // The parameters from which one set of keys is made.
  struct Point {
    KeySetKind set;
    hash::KeyLayout layout;
    uint64_t keys;
  };

  std::vector<Point> points() const {
    std::vector<Point> points;
    const auto is_of_map = [](KeyOp op) { return std::ranges::find(kMultiOps, op) != kMultiOps.end(); };
    if (std::ranges::all_of(options_.ops, is_of_map)) return points;
    for (const uint64_t keys : sizes_.keys)
      for (const KeySetKind set : options_.sets) {
        // A given picture and a mesh have a fixed number of keys.
        const bool has_own_keys =
            set == KeySetKind::Mesh || (set == KeySetKind::Image && !options_.picture.pixels.empty());
        if (has_own_keys && keys != sizes_.keys.front()) continue;
        for (const hash::KeyLayout layout : options_.layouts) {
          points.push_back({set, layout, keys});
          if (set == KeySetKind::Random) break;  // random keys have no layout
        }
      }
    return points;
  }

  // Returns the number of sets of keys with several values.
  size_t multi_points() const {
    return is_any_asked_for(options_, kMultiOps) ? sizes_.keys.size() * options_.multiplicities.size() : 0;
  }

  // Measures random reads from about as much memory as the largest table takes.
  void measure_ceilings() {
    const uint64_t most = *std::max_element(sizes_.keys.begin(), sizes_.keys.end());
    const uint64_t bytes = std::max<uint64_t>(most * 8 * 5 / 4, 1 << 20);
    result_.ceilings = measure_random_reads(device_, bytes, std::max<uint64_t>(16 * sizes_.searches, 1 << 20),
                                            options_.repetitions);
    device_.pool().trim();
  }

  // Returns the colors of the given picture, if there is one.
  device::Buffer<uint32_t> picture_pixels() {
    std::vector<uint32_t> colors;
    colors.reserve(options_.picture.pixels.size());
    for (const scene::Rgba8& pixel : options_.picture.pixels) colors.push_back(rgb_of(pixel));
    return device::uploaded(device_, colors);
  }

  PictureShape picture_shape(uint64_t keys) const {
    if (!options_.picture.pixels.empty())
      return {{picture_.data(), options_.picture.width, options_.picture.height}};
    const uint32_t side = picture_side(keys);
    return {{nullptr, side, side}};
  }

  template <hash::CellWord Cell>
  void measure_cells(uint32_t key_bits) {
    for (const Point& point : points()) {
      KeysBenchRow first;
      first.set = kKeySetNames[static_cast<size_t>(point.set)];
      if (point.set != KeySetKind::Random)
        first.layout = hash::kKeyLayoutNames[static_cast<size_t>(point.layout)];
      first.key_bits = key_bits;
      first.value_bits = options_.value_bits;
      first.cell_bits = 8 * sizeof(Cell);
      device_.pool().trim();
      measure_set(point, std::move(first), [&] { return make_set<Cell>(point, key_bits); });
    }
    for (const double load_factor : options_.load_factors)
      for (const std::string& table : tables_)
        if (options_.failure_builds > 0)
          result_.failures.push_back(count_failures<Cell>(device_, options_, table, load_factor, key_bits));
  }

  // Measures maps and indices of random keys.
  template <hash::CellWord Cell>
  void measure_multi(uint32_t key_bits) {
    if (!is_any_asked_for(options_, kMultiOps)) return;
    for (const uint64_t items : sizes_.keys)
      for (const uint32_t multiplicity : options_.multiplicities) {
        KeyMultiBench<Device, Cell> bench(device_, options_, items, multiplicity, key_bits);
        for_tables([&](const std::string& table, double load_factor) {
          const std::vector<KeysBenchRow> rows = bench.measure(table, load_factor);
          result_.rows.insert(result_.rows.end(), rows.begin(), rows.end());
          return rows.back();
        });
      }
  }

  // Calls measure(table, load_factor) for each table and load factor, and reports its result as progress.
  template <class Measure>
  void for_tables(const Measure& measure) {
    for (const double load_factor : options_.load_factors)
      for (const std::string& table : tables_) {
        const auto done = measure(table, load_factor);
        progress_->update(++done_,
                          done.table + ", " + done.set + (done.layout.empty() ? "" : ", " + done.layout));
      }
  }

  template <hash::CellWord Cell>
  KeySet<Cell> make_set(const Point& point, uint32_t key_bits) {
    const hash::CellFormat<Cell> format = {options_.value_bits};
    switch (point.set) {
      case KeySetKind::Random:
        return make_random_keys<Cell>(device_, format, key_bits, point.keys, sizes_.searches,
                                      is_any_asked_for(options_, kChangeOps) ? point.keys / 2 : 0);
      case KeySetKind::Pixels:
        return make_shape_keys<Cell>(device_, format, key_bits, PixelsShape{picture_side(point.keys)},
                                     point.layout);
      case KeySetKind::Image:
        return picture_set<Cell>(point, key_bits);
      case KeySetKind::Surface: {
        const RandomSlices view = slices(surface_shape(point.keys).size().x);
        return with_view(
            make_surface_keys<Cell>(device_, format, key_bits, surface_side(point.keys), point.layout),
            format, point.layout, surface_shape(point.keys), view, view.count);
      }
      case KeySetKind::Painted: {
        const PaintedShape shape = {atlas_side(point.keys)};
        return with_view(make_shape_keys<Cell>(device_, format, key_bits, shape, point.layout), format,
                         point.layout, shape, ModelView{shape.side}, 1);
      }
      case KeySetKind::Mesh:
        return mesh_set<Cell>(point, key_bits);
    }
    throw Error("there is no such set of keys");
  }

  template <hash::CellWord Cell>
  KeySet<Cell> mesh_set(const Point& point, uint32_t key_bits) {
    const hash::CellFormat<Cell> format = {options_.value_bits};
    const SceneLeaves& scene = options_.scene;
    if (scene.leaves.empty()) throw Error("the set mesh has no voxels");
    const auto leaves = device::uploaded(device_, scene.leaves),
               masks = device::uploaded(device_, scene.masks);
    const SceneShape shape = {static_cast<int32_t>(scene.side), leaves.data(), masks.data(),
                              scene.leaves.size()};
    const RandomSlices view = slices(shape.side);
    return with_view(make_shape_keys<Cell>(device_, format, key_bits, shape, point.layout), format,
                     point.layout, shape, view, view.count);
  }

  // Makes the set of a picture. Its view has about as many pixels as there are searches.
  template <hash::CellWord Cell>
  KeySet<Cell> picture_set(const Point& point, uint32_t key_bits) {
    const hash::CellFormat<Cell> format = {options_.value_bits};
    const PictureShape shape = picture_shape(point.keys);
    const TurningPicture view = turning_picture(shape.picture.width, shape.picture.height,
                                                sizes_.searches / std::max<uint64_t>(shape.candidates(), 1));
    return with_view(make_shape_keys<Cell>(device_, format, key_bits, shape, point.layout), format,
                     point.layout, shape, view, view.frames);
  }

  template <hash::CellWord Cell, class Shape, class View>
  KeySet<Cell> with_view(KeySet<Cell> set, hash::CellFormat<Cell> format, hash::KeyLayout layout,
                         const Shape& shape, const View& view, uint64_t frames) {
    if (!is_asked_for(options_, KeyOp::FindView)) return set;
    set.view = make_view(device_, format, shape, layout, view);
    set.view_frames = frames;
    return set;
  }

  // Returns the whole grid around a surface.
  static SurfaceShape surface_shape(uint64_t keys) {
    return {{static_cast<int32_t>(surface_side(keys))}, nullptr, 0};
  }
  // Returns slices with about as many pixels as there are searches, but at least kFewestSlices of them.
  RandomSlices slices(int32_t side) const {
    constexpr uint64_t kFewestSlices = 4;
    RandomSlices slices = {side, 1};
    slices.count = static_cast<uint32_t>(std::max(kFewestSlices, sizes_.searches / slices.pixels()));
    return slices;
  }

  // If a set cannot be made for a reason other than lack of memory, each table gets a row with the reason.
  template <class Make>
  void measure_set(const Point& point, KeysBenchRow first, const Make& make) {
    try {
      const auto set = make();
      if (set.keys == 0) throw Error("the set has no keys");
      first.keys = set.keys;
      measure_tables(point, KeySetBench(device_, options_, sizes_.searches, set, first), set);
    } catch (const Cancelled&) {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      first.op = kKeyOpNames[static_cast<size_t>(options_.ops.front())];
      first.error = error.what();
      for_tables([&](const std::string& table, double load_factor) {
        first.load_factor = load_factor;
        first.table = table;
        result_.rows.push_back(first);
        return first;
      });
    }
  }

  template <class SetBench, class Set>
  void measure_tables(const Point& point, SetBench bench, const Set& set) {
    for_tables([&](const std::string& table, double load_factor) {
      for (const KeysBenchRow& row : bench.measure(table, load_factor))
        result_.rows.push_back(with_share(row));
      keep_picture(point, bench, set);
      keep_ages(point, bench);
      keep_slots(point, bench);
      return bench.point();
    });
  }

  // Stores the ages of the last table, and draws its maximum ages unless that table has a picture already.
  // The picture is as wide as the set's picture, so with a coherent table neighbors in one are neighbors in
  // the other.
  template <class SetBench>
  void keep_ages(const Point& point, const SetBench& bench) {
    result_.ages.insert(result_.ages.end(), bench.ages().begin(), bench.ages().end());
    if (bench.maximum_ages().empty() || has_picture(result_.age_pictures, bench.point().table)) return;
    result_.age_pictures.push_back({bench.point(), picture_of_ages(bench.maximum_ages(), width_of(point))});
    if (!options_.ages_in_2d || point.set != KeySetKind::Image) return;
    std::vector<uint32_t> colors;
    for (const scene::Rgba8& pixel : options_.picture.pixels) colors.push_back(rgb_of(pixel));
    SparsePicture picture = picture_shape(point.keys).picture;
    picture.colors = colors.empty() ? nullptr : colors.data();
    const AgesIn2d ages =
        maximum_ages_in_2d(picture, bench.point().load_factor,
                           bench.point().table == "robin" ? Probes2d::Coherent : Probes2d::Random);
    result_.age_pictures.back().image = picture_of_ages(ages.ages, ages.side);
  }

  static bool has_picture(const std::vector<TablePicture>& pictures, const std::string& table) {
    return std::ranges::any_of(pictures, [&](const TablePicture& one) { return one.point.table == table; });
  }

  // Draws the slots of the last table unless that table has a picture already. A key has its pixel's color if that is
  // its value in the table; otherwise the color stands for its place.
  template <class SetBench>
  void keep_slots(const Point& point, const SetBench& bench) {
    const std::optional<Int3> size = size_of(point);
    if (bench.slots().empty() || !size || has_picture(result_.table_pictures, bench.point().table)) return;
    using Cell = std::decay_t<decltype(*bench.slots().front())>;
    const hash::CellFormat<Cell> format = {options_.value_bits};
    const hash::KeyGrid grid(point.layout, *size);
    const bool holds_colors = point.set == KeySetKind::Image && options_.value_bits >= kColorBits;
    std::vector<scene::Rgba8> colors;
    colors.reserve(bench.slots().size());
    for (const std::optional<Cell>& cell : bench.slots())
      colors.push_back(!cell          ? pixel_of_rgb(kWhite)
                       : holds_colors ? pixel_of_rgb(format.value(*cell))
                                      : color_of_place(grid.place(format.key(*cell)), *size));
    result_.table_pictures.push_back({bench.point(), picture_of_slots("slots", colors, width_of(point))});
  }

  // Returns the size of the grid of the set's places; random keys have none.
  std::optional<Int3> size_of(const Point& point) const {
    if (point.set == KeySetKind::Surface) return surface_shape(point.keys).size();
    if (point.set == KeySetKind::Image) return picture_shape(point.keys).size();
    if (point.set == KeySetKind::Mesh) {
      const auto side = static_cast<int32_t>(options_.scene.side);
      return Int3{side, side, side};
    }
    if (const auto side = width_of(point))
      return Int3{static_cast<int32_t>(*side), static_cast<int32_t>(*side), 1};
    return std::nullopt;
  }

  // Returns the width of the set's picture; other sets have none.
  std::optional<uint32_t> width_of(const Point& point) const {
    switch (point.set) {
      case KeySetKind::Pixels:
        return picture_side(point.keys);
      case KeySetKind::Image:
        return picture_shape(point.keys).picture.width;
      case KeySetKind::Painted:
        return atlas_side(point.keys);
      default:
        return std::nullopt;
    }
  }

  KeysBenchRow with_share(KeysBenchRow row) const {
    if (const auto rate = row.items_per_second(); rate && row.sectors)
      row.ceiling_share = *rate * *row.sectors / result_.ceilings.front().reads_per_second;
    return row;
  }

  // Draws the picture that a table returned, unless one has been drawn.
  template <class SetBench, class Set>
  void keep_picture(const Point& point, SetBench& bench, const Set& set) {
    if (point.set != KeySetKind::Image || !options_.rebuild || options_.value_bits < kColorBits ||
        !result_.rebuilt.pixels.empty())
      return;
    const std::vector<uint32_t> values = bench.found_values();
    if (values.empty()) return;
    std::vector<std::decay_t<decltype(*set.walk.keys.data())>> keys(values.size());
    device_.download(keys.data(), set.walk.keys.data(), keys.size());
    const Int3 size = picture_shape(point.keys).size();
    const hash::KeyGrid grid(point.layout, size);
    scene::Image& image = result_.rebuilt;
    image.width = static_cast<uint32_t>(size.x);
    image.height = static_cast<uint32_t>(size.y);
    image.pixels.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const Int3 place = grid.place(keys[i]);
      image.pixels[static_cast<size_t>(place.y) * image.width + static_cast<size_t>(place.x)] =
          pixel_of_rgb(values[i] == hash::kNoValue ? kWhite : values[i]);
    }
  }

  static constexpr uint32_t kColorBits = 24;

  Device& device_;
  const KeysBenchOptions& options_;
  const KeysBenchSizes sizes_;
  const std::vector<std::string> tables_;
  device::Buffer<uint32_t> picture_;
  KeysBenchResult result_;
  Progress* progress_ = nullptr;
  uint64_t done_ = 0;
};

template <class Device>
KeysBenchResult bench_keys_on(Device& device, const KeysBenchOptions& options) {
  check(options);
  try {
    return KeysBench<Device>(device, options).run();
  } catch (OutOfMemory& error) {
    error.hint("allow more memory or lower the scale");
    throw;
  }
}

}  // namespace vox::measure
