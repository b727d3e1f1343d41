// Implements paint_scene.h for any device. paint_scene_cpu.cpp and paint_scene_cuda.cu include this file and
// name the device.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/stopwatch.h"
#include "libvox/device/uploaded.h"
#include "libvox/painting/atlas.h"
#include "libvox/painting/canvas.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/painting/stroke_arrays.h"

namespace vox::painting {

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

  // What the strokes paint, and which of them do; nothing where it is too much at once for several strokes. The first of
  // them is that of this line.
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
