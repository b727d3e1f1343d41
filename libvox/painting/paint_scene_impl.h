// Implements paint_scene.h for any device.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/painting/find_shares.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/painting/paint_scene.h"

namespace vox::painting {

// The atlas on a device while strokes are applied: a table of the texels that are painted, with their paint.
//
// The method is that of García et al. 2011, §4.3. If strokes touch only texels that are in the table, these
// texels change in place. If they touch others, the old and the new texels together become the cells of a new
// table.

// Computes the paint of a texel. The shares of one texel are a run; the strokes of a run are painted over one
// another. A stroke that occurs more than once, from several triangles or pieces of its line, counts with the
// largest of its shares.
struct PaintRuns {
  device::CellsRef runs;
  const uint32_t* values;  // made by share_value()
  const Paint* colors;     // one for each stroke
  VOX_HD Paint paint(uint64_t run, Paint below) const {
    for (uint64_t i = runs.begin(run), end = runs.end(run); i < end;) {
      const uint32_t stroke = values[i] >> 16;
      uint32_t share = 0;
      for (; i < end && values[i] >> 16 == stroke; ++i)
        if (const uint32_t here = values[i] & 0xffff; here > share) share = here;
      below = painted_over(colors[stroke], share, below);
    }
    return below;
  }
};

struct KeysOfRuns {
  const uint64_t* keys;
  const uint32_t* starts;
  uint64_t* run_keys;
  VOX_HD void operator()(uint64_t i) const { run_keys[i] = keys[starts[i]]; }
};

struct IsNewRun {
  const uint32_t* slots;
  VOX_HD bool operator()(uint64_t i) const { return slots[i] == hash::kNoSlot; }
};

// Changes the paint of texels that are in the table.
struct UpdatePaints {
  PaintRuns runs;
  const uint32_t* slots;
  Paint* paints;
  VOX_HD void operator()(uint64_t i) const {
    if (slots[i] != hash::kNoSlot) paints[slots[i]] = runs.paint(i, paints[slots[i]]);
  }
};

// Collects the texels of the table, without its empty cells.
struct GatherTexels {
  const uint32_t* slots;
  const uint64_t* cells;
  const Paint* paints;
  uint64_t* to_cells;
  Paint* to_paints;
  VOX_HD void operator()(uint64_t i) const {
    to_cells[i] = cells[slots[i]];
    to_paints[i] = paints[slots[i]];
  }
};

struct NewTexels {
  PaintRuns runs;
  const uint32_t* chosen;  // the runs of texels that are not in the table
  const uint64_t* run_keys;
  hash::CellFormat<uint64_t> format;
  uint64_t* to_cells;
  Paint* to_paints;
  VOX_HD void operator()(uint64_t i) const {
    to_cells[i] = format.cell(run_keys[chosen[i]], 0);
    to_paints[i] = runs.paint(chosen[i], Paint{});
  }
};

struct KeysOfCells {
  const uint64_t* cells;
  hash::CellFormat<uint64_t> format;
  uint64_t* keys;
  VOX_HD void operator()(uint64_t i) const { keys[i] = format.key(cells[i]); }
};

struct PlacePaints {
  const uint32_t* slots;
  const Paint* paints;
  Paint* to_paints;
  VOX_HD void operator()(uint64_t i) const { to_paints[slots[i]] = paints[i]; }
};

template <class Device>
class Atlas {
 public:
  explicit Atlas(Device& device) : device_(device), table_(device, {.value_bits = kCellFormat.value_bits}) {}

  // Applies shares, which must be in the order of the strokes. Their keys have `key_bits` bits.
  void apply(TexelShares shares, uint32_t key_bits, const Paint* colors) {
    const uint64_t n = shares.count;
    if (n == 0) return;
    device_.sort_pairs({"sort shares by texel", 24}, shares.keys, shares.values, n, key_bits);
    auto starts = device_.template make<uint32_t>(n);
    const uint64_t texels = device_.select({"select texels", 8}, n,
                                           device::StartsRun<uint64_t>{shares.keys.data(), 0}, starts.data());
    auto keys = device_.template make<uint64_t>(texels);
    device_.for_each({"keys of texels", 20}, texels,
                     KeysOfRuns{shares.keys.data(), starts.data(), keys.data()});
    shares.keys.reset();
    auto slots = device_.template make<uint32_t>(texels);
    if (texels_ > 0)
      table_.find(keys.data(), texels, slots.data());
    else
      device_.fill(slots.data(), texels, hash::kNoSlot);
    const PaintRuns runs = {{starts.data(), texels, n}, shares.values.data(), colors};
    device_.for_each({"update paint", 32}, texels, UpdatePaints{runs, slots.data(), paints_.data()});
    const IsNewRun is_new = {slots.data()};
    if (const uint64_t added = device_.sum({"count new texels", 4}, texels, is_new); added > 0) {
      auto chosen = device_.template make<uint32_t>(added);
      device_.select({"select new texels", 4}, texels, is_new, chosen.data());
      rebuild(added, {runs, chosen.data(), keys.data(), kCellFormat, nullptr, nullptr});
    } else {
      ++updates_;
    }
  }

  // Copies the atlas to the host. The caller sets `painted` and `layers`.
  FrozenAtlas freeze(AtlasKeys keys) const {
    FrozenAtlas frozen;
    frozen.keys = keys;
    frozen.texels = texels_;
    if (texels_ == 0) return frozen;
    frozen.table = table_.ref();
    frozen.cells.resize(table_.slots() + 1);
    device_.download(frozen.cells.data(), table_.cells(), frozen.cells.size());
    frozen.paints.resize(frozen.cells.size());
    device_.download(frozen.paints.data(), paints_.data(), frozen.paints.size());
    return frozen;
  }

  uint64_t texels() const { return texels_; }
  uint64_t rebuilds() const { return rebuilds_; }
  uint64_t updates() const { return updates_; }

 private:
  void rebuild(uint64_t added, NewTexels texels) {
    const uint64_t all = texels_ + added;
    auto cells = device_.template make<uint64_t>(all);
    auto paints = device_.template make<Paint>(all);
    if (texels_ > 0) {
      auto slots = device_.template make<uint32_t>(texels_);
      device_.select({"select cells of texels", 8}, table_.slots(), table_.holds_key(), slots.data());
      device_.for_each(
          {"gather texels", 36}, texels_,
          GatherTexels{slots.data(), table_.cells(), paints_.data(), cells.data(), paints.data()});
    }
    texels.to_cells = cells.data() + texels_;
    texels.to_paints = paints.data() + texels_;
    device_.for_each({"new texels", 40}, added, texels);
    paints_.reset();
    table_.build(cells.data(), all);
    device_.for_each({"keys of cells", 16}, all, KeysOfCells{cells.data(), kCellFormat, cells.data()});
    auto slots = device_.template make<uint32_t>(all);
    table_.find(cells.data(), all, slots.data());
    paints_ = device_.template make<Paint>(table_.slots() + 1);
    device_.fill(paints_.data(), paints_.size(), Paint{});
    device_.for_each({"place paint", 20}, all, PlacePaints{slots.data(), paints.data(), paints_.data()});
    texels_ = all;
    ++rebuilds_;
  }

  Device& device_;
  hash::LinesTable<Device, uint64_t> table_;
  device::Buffer<Paint> paints_;  // one for each slot of the table
  uint64_t texels_ = 0, rebuilds_ = 0, updates_ = 0;
};

// The mesh and its layers in the memory of a device.
template <class Device>
class SceneOnCanvas {
 public:
  SceneOnCanvas(Device& device, const scene::Scene& scene, const Canvas& canvas, AtlasKeys keys)
      : triangles_(device.template make<scene::Triangle>(scene.triangles.size() + canvas.squares.size())),
        positions_(device::uploaded(device, scene.positions)),
        texcoords_(device::uploaded(device, canvas.texcoords)),
        layers_(device::uploaded(device, canvas.layers)),
        of_scene_(scene.triangles.size()),
        keys_(keys) {
    device.upload(triangles_.data(), scene.triangles.data(), of_scene_);
    device.upload(triangles_.data() + of_scene_, canvas.squares.data(), canvas.squares.size());
  }

  StrokeSearch search(StrokesRef strokes) const {
    return {{triangles_.data(), positions_.data(), texcoords_.data(), layers_.data()},
            triangles(),
            of_scene_,
            strokes,
            keys_};
  }
  uint64_t triangles() const { return triangles_.size(); }

 private:
  device::Buffer<scene::Triangle> triangles_;
  device::Buffer<Vec3d> positions_;
  device::Buffer<Vec2f> texcoords_;
  device::Buffer<Layer> layers_;
  uint64_t of_scene_;
  AtlasKeys keys_;
};

// Applies strokes to an atlas, as many at a time as there is memory for.
template <class Device>
class Painter {
 public:
  Painter(Device& device, const scene::Scene& scene, const PaintOptions& options)
      : device_(device),
        options_(options),
        canvas_(prepare_canvas(scene, options)),
        keys_(AtlasKeys::of_size(options.size)),
        scene_(device, scene, canvas_, keys_),
        atlas_(device) {}

  Painting run(const Strokes& strokes) {
    const Stopwatch watch;
    for (size_t begin = 0; begin < strokes.size();) {
      const size_t end = std::min(strokes.size(), begin + most_at_once());
      apply(strokes, begin, end);
      begin = end;
    }
    painting_.atlas = atlas_.freeze(keys_);
    painting_.atlas.layers = canvas_.layers;
    painting_.atlas.painted = painted_layers(painting_.atlas);
    painting_.far_triangles = canvas_.far_triangles;
    painting_.rebuilds = atlas_.rebuilds();
    painting_.updates = atlas_.updates();
    painting_.seconds = watch.seconds();
    return std::move(painting_);
  }

 private:
  // Returns how many strokes can be applied together: the number of a pair of a stroke and a triangle must
  // fit in 32 bits.
  size_t most_at_once() const {
    const uint64_t pairs = UINT32_MAX / std::max<uint64_t>(1, scene_.triangles());
    const uint64_t wanted = options_.batch > 0 ? options_.batch : kMostStrokesAtOnce - 1;
    return std::clamp<uint64_t>(wanted, 1, std::clamp<uint64_t>(pairs, 1, kMostStrokesAtOnce - 1));
  }

  // Returns how many shares there may be at once, including the arrays with which they are sorted and put
  // into the table: as many as there is memory for, and for several strokes no more than keep a device busy.
  uint64_t most_shares(uint64_t strokes) const {
    constexpr uint64_t kBytesPerShare = 96;
    const uint64_t fits =
        std::clamp<uint64_t>(device_.pool().available() / kBytesPerShare, 4096, UINT32_MAX - 1);
    return strokes == 1 ? fits : std::min(fits, 16 * device_.preferred_chunk_pairs());
  }

  // Applies the strokes [begin, end), in halves if they paint too much at once.
  void apply(const Strokes& strokes, size_t begin, size_t end) {
    const StrokeArrays arrays = stroke_arrays(strokes, begin, end);
    if (std::optional<TexelShares> shares = found(arrays, strokes[begin].line)) {
      apply(std::move(*shares), arrays);
      for (size_t i = begin; i < end; ++i)
        if (touched_[i - begin] == 0) painting_.missed.push_back(strokes[i].line);
      return;
    }
    const size_t middle = begin + (end - begin) / 2;
    apply(strokes, begin, middle);
    apply(strokes, middle, end);
  }

  // Returns what the strokes paint, and sets touched_. Returns nothing if several strokes paint too much at once.
  // `line` is the script line of the first stroke.
  std::optional<TexelShares> found(const StrokeArrays& arrays, uint32_t line) {
    const uint64_t count = arrays.strokes.size();
    const bool is_one = count == 1;
    try {
      const auto refs = device::uploaded(device_, arrays.strokes);
      const auto segments = device::uploaded(device_, arrays.segments);
      auto touched = device_.template make<uint32_t>(count);
      device_.fill(touched.data(), count, 0u);
      TexelShares shares = find_shares(device_, scene_.search({refs.data(), segments.data()}), count,
                                       canvas_.levels, most_shares(count), touched.data());
      touched_.resize(count);
      device_.download(touched_.data(), touched.data(), count);
      return shares;
    } catch (const TooManyShares& too_many) {
      if (is_one) throw stroke_too_large(too_many.count, line);
    } catch (const OutOfMemory&) {
      if (is_one) throw;
      device_.pool().trim();
    }
    return std::nullopt;
  }

  void apply(TexelShares shares, const StrokeArrays& arrays) {
    const auto colors = device::uploaded(device_, arrays.colors);
    device_.sync();
    const Stopwatch watch;
    atlas_.apply(std::move(shares), keys_.bits(canvas_.layers.size()), colors.data());
    device_.sync();
    painting_.table_seconds += watch.seconds();
  }

  Device& device_;
  PaintOptions options_;
  Canvas canvas_;
  AtlasKeys keys_;
  SceneOnCanvas<Device> scene_;
  Atlas<Device> atlas_;
  Painting painting_;
  std::vector<uint32_t> touched_;  // for each stroke that was applied last: 1 if it has painted something
};

template <class Device>
Painting paint_scene(Device& device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options) {
  Painter<Device> painter(device, scene, options);
  check_strokes(scene, strokes, options.size);
  return painter.run(strokes);
}

}  // namespace vox::painting
