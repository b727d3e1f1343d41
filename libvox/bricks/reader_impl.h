// The reader on one device.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/device_bricks.h"
#include "libvox/bricks/empty_space.h"
#include "libvox/bricks/jit/source.h"
#include "libvox/bricks/reader.h"
#include "libvox/device/atomics.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace vox::bricks {

// Calls f.template operator()<Body>(name) with the body of a loop and the name of its entry point.
template <class F>
void with_loop(ReadLoop loop, const F& f) {
  switch (loop) {
#define VOX_WITH_LOOP(name, entry, Body) \
  case ReadLoop::name:                   \
    return f.template operator()<Body>(#entry);
    VOX_READ_LOOPS(VOX_WITH_LOOP)
#undef VOX_WITH_LOOP
  }
}

// A clock in a unit of its own. It serves only to compare how long pieces of work on one device take.
VOX_HD inline uint64_t ticks() {
#if defined(__CUDA_ARCH__)
  return static_cast<uint64_t>(clock64());
#elif defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

template <class T>
struct TimedFilter {
  MeanFilter<DenseRootRef, T> filter;
  uint64_t* sums;  // [bricks]

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CubeOrder::voxel(i, filter.task.size);
    if (!CubeOrder::inside(at, filter.task.size)) return;
    const uint64_t begin = ticks();
    filter(i);
    device::atomic_add(sums + filter.access.index(filter.access.place_of(at)), ticks() - begin);
  }
};

template <class Device, class T>
class DeviceBricksReader final : public BricksReader {
 public:
  DeviceBricksReader(Device& device, const FrozenBricks& bricks, const JitOptions& options)
      : device_(device),
        frozen_(bricks),
        options_(options),
        bricks_(device, bricks),
        empty_spaces_(device, bricks_.ref(), bricks.info.type) {
    if (CubeOrder::count(bricks.info.size) >> 41 != 0)
      throw Error("a volume of this size cannot be read as a whole").at(bricks.info.source);
  }

  ReadResult read(Access access, const ReadQuery& query) override {
    const Extent extent = extent_of(query);
    last_bytes_ = extent.words * extent.word_bytes;
    const uint64_t room = (last_bytes_ + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    if (out_.size() < room) {
      out_.reset();
      out_ = device_.template make<uint32_t>(room);
    }
    JitTask task = {.size = frozen_.info.size,
                    .radius = query.radius,
                    .background = frozen_.background,
                    .sign = sign_bit(),
                    .count = query.gathers,
                    .out = out_.data(),
                    .view = {}};
    device::Buffer<CastColor> colors;
    if (query.loop == ReadLoop::Cast) {
      colors = device::uploaded(device_, *query.colors);
      task.view = *query.view;
      task.view.colors = colors.data();
      task.view.pixels = reinterpret_cast<CastPixel*>(out_.data());
      if (task.view.skips_empty != 0) task.view.empty_space = empty_spaces_.of(task.view.reach());
    }
    ReadResult result;
    result.lookups = query.loop == ReadLoop::Mean ? filter_lookups(task.size, query.radius) : extent.words;
    result.seconds = run(access, query.loop, task, extent.steps);
    result.checksum =
        device_.sum("bricks: checksum", extent.words,
                    MixedWord{reinterpret_cast<const uint8_t*>(out_.data()), extent.word_bytes});
    return result;
  }

  void last_words(void* words) override {
    device_.download(static_cast<char*>(words), reinterpret_cast<const char*>(out_.data()), last_bytes_);
  }

  std::vector<uint64_t> brick_ticks(int32_t radius) override {
    const uint64_t n = frozen_.bricks(), voxels = frozen_.info.box().voxels();
    auto sums = device_.template make<uint64_t>(n);
    auto words = device_.template make<T>(voxels);
    const JitTask task = {.size = frozen_.info.size,
                          .radius = radius,
                          .background = frozen_.background,
                          .sign = sign_bit(),
                          .count = 0,
                          .out = words.data(),
                          .view = {}};
    const TimedFilter<T> body = {{DenseRootRef{bricks_.ref()}, task}, sums.data()};
    // The first round lets caches and clocks settle; only the second one counts.
    for (int round = 0; round < 2; ++round) {
      device_.fill(sums.data(), n, uint64_t{0});
      device_.for_each({"bricks: timed filter", sizeof(T)}, CubeOrder::count(task.size), body);
    }
    std::vector<uint64_t> result(n);
    device_.download(result.data(), sums.data(), n);
    return result;
  }

  const JitReport& compile() override {
    if (report_) return *report_;
    report_.emplace();
    const KdTree& tree = plant();
    try {
      const std::string source = jit_source(frozen_, tree, options_.places);
      report_->source_bytes = source.size();
      Stopwatch watch;
      const JitImage image = compile_for(device_, source, options_);
      report_->compile_seconds = watch.lap();
      code_.emplace(image);
      report_->load_seconds = watch.lap();
      report_->compiled = true;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      throw_if_cancelled();  // an interrupt also ends the compiler
      log_line(LogLevel::Warning,
               std::string("access to bricks is interpreted, not compiled: ") + error.what());
    }
    return *report_;
  }

 private:
  // The number of steps of a loop, and the number of bytes that it writes.
  struct Extent {
    uint64_t steps, words, word_bytes;
  };
  Extent extent_of(const ReadQuery& query) const {
    const volume::VolumeInfo& info = frozen_.info;
    switch (query.loop) {
      case ReadLoop::RandomGather:
      case ReadLoop::MortonGather:
        return {query.gathers, query.gathers, sizeof(T)};
      case ReadLoop::Cast:
        return {query.view->tiles().count(), uint64_t{query.view->width} * query.view->height,
                sizeof(CastPixel)};
      default:
        return {CubeOrder::count(info.size), info.box().voxels(), sizeof(T)};
    }
  }

  double run(Access access, ReadLoop loop, const JitTask& task, uint64_t n) {
    switch (access) {
      case Access::Dense:
        fill_dense();
        return run_body(DenseRef{frozen_.info.size, dense_.data()}, loop, task, n);
      case Access::Direct:
        return with_root(bricks_.ref(), [&](const auto& root) { return run_body(root, loop, task, n); });
      case Access::KdTree:
        plant();
        if (frozen_.is_sparse()) return run(Access::Direct, loop, task, n);  // its tree has only one leaf
        return run_body(KdRef{{bricks_.ref()}, nodes_.data()}, loop, task, n);
      default:
        return run_compiled(loop, task, n);
    }
  }

  template <class Ref>
  double run_body(const Ref& ref, ReadLoop loop, const JitTask& task, uint64_t n) {
    return device_.seconds([&] {
      with_loop(loop, [&]<template <class, class> class Body>(const char* name) {
        device_.for_each({name, sizeof(T)}, n, Body<Ref, T>{ref, task});
      });
    });
  }

  double run_compiled(ReadLoop loop, const JitTask& task, uint64_t n) {
    if (!compile().compiled) return run(Access::KdTree, loop, task, n);
    return device_.seconds([&] {
      with_loop(loop, [&]<template <class, class> class Body>(const char* name) {
        device_.launch({"compiled loop", sizeof(T)}, *code_, name, n, bricks_.ref(), task);
      });
    });
  }

  uint32_t sign_bit() const { return frozen_.info.type == volume::ValueType::I16 ? 0x8000 : 0; }

  void fill_dense() {
    if (dense_.size() > 0) return;
    dense_ = device_.template make<T>(frozen_.info.box().voxels());
    const JitTask task = {.size = frozen_.info.size,
                          .radius = 0,
                          .background = 0,
                          .sign = 0,
                          .count = 0,
                          .out = dense_.data(),
                          .view = {}};
    run(Access::Direct, ReadLoop::Copy, task, CubeOrder::count(task.size));
  }

  const KdTree& plant() {
    if (!tree_) {
      Stopwatch watch;
      tree_ = build_kd_tree(frozen_, options_.leaves, options_.split);
      nodes_ = device_.template make<KdNode>(tree_->nodes.size());
      device_.upload(nodes_.data(), tree_->nodes.data(), tree_->nodes.size());
      tree_seconds_ = watch.lap();
    }
    if (report_) {
      report_->leaves = tree_->leaves;
      report_->mixed = tree_->mixed;
      report_->depth = tree_->depth();
      report_->tree_seconds = tree_seconds_;
    }
    return *tree_;
  }

  Device& device_;
  const FrozenBricks& frozen_;
  JitOptions options_;
  DeviceBricks<Device> bricks_;
  EmptySpaces<Device> empty_spaces_;
  device::Buffer<T> dense_;
  device::Buffer<uint32_t> out_;
  uint64_t last_bytes_ = 0;
  std::optional<KdTree> tree_;
  double tree_seconds_ = 0;
  device::Buffer<KdNode> nodes_;
  std::optional<JitReport> report_;
  std::optional<typename Device::Code> code_;
};

template <class Device>
std::unique_ptr<BricksReader> make_bricks_reader(Device& device, const FrozenBricks& bricks,
                                                 const JitOptions& options) {
  return volume::with_word_type(bricks.info.type, [&]<class T>() -> std::unique_ptr<BricksReader> {
    return std::make_unique<DeviceBricksReader<Device, T>>(device, bricks, options);
  });
}

}  // namespace vox::bricks
