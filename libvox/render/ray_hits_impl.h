// Casting single rays on one device.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/render.h"
#include "libvox/render/trace.h"
#include "libvox/render/voxel_colors.h"

namespace vox::render {

template <class Colors>
struct CastRays {
  static constexpr int kBlocksAtOnce = 4;
  RayDagRef dag;
  Colors colors;
  const GridRay* rays;
  GridHit* hits;

  VOX_HD void operator()(uint64_t i) const {
    const Ray ray = ray_of(rays[i]);
    hits[i] = hit_of(ray, trace(dag, ray));
  }

  // Does the same as operator() for the i with begin <= i < end, at most kTogether, on a processor.
  static constexpr uint32_t kTogether = 16;
  void cast_together(uint64_t begin, uint64_t end) const {
    std::array<Ray, kTogether> cast = {};
    std::array<PassedNodes, kTogether> passed;
    std::array<Hit, kTogether> found;
    for (uint64_t i = begin; i < end; ++i) cast[i - begin] = ray_of(rays[i]);
    trace_together<kTogether>(dag, cast, static_cast<uint32_t>(end - begin), passed, found);
    for (uint64_t i = begin; i < end; ++i) hits[i] = hit_of(cast[i - begin], found[i - begin]);
  }

 private:
  VOX_HD Ray ray_of(const GridRay& ray) const {
    return make_ray(make_course(dag.log2_side, ray.direction), ray.from, 0);
  }
  VOX_HD GridHit hit_of(const Ray& ray, const Hit& hit) const {
    if (!hit.found()) return {0, {-1, -1, -1}, 0, GridHit::kNothing, 0};
    uint32_t value = 0;
    if constexpr (Colors::kThere)
      value = colors.at(dag, hit.low);
    else
      value = hit_material(dag, ray, hit);
    return {ticks_to(ray, hit.at), hit.low, value, axis_of(hit.at), 0};
  }
};
static_assert(GridHit::kInside == kNoAxis);
static_assert(device::ResidentBody<CastRays<NoVoxelColors>>);

template <class Device>
class DeviceRayCaster final : public RayCaster {
 public:
  DeviceRayCaster(Device& device, const dag::FrozenDag& dag, const attributes::PackedValues* colors)
      : device_(device), dag_(device, dag) {
    if (colors == nullptr) return;
    const dag::VoxelNumbers numbers(dag);
    if (!dag.empty() && numbers.voxels(0, 0) > colors->count)
      throw Error("there are fewer colors than voxels");
    colors_.emplace(device, numbers.levels(), colors, nullptr);
  }

  void cast(std::span<const GridRay> rays, std::span<GridHit> hits) override {
    if (colors_)
      cast(rays, hits, colors_->ref());
    else
      cast(rays, hits, NoVoxelColors());
  }

 private:
  template <class Colors>
  void cast(std::span<const GridRay> rays, std::span<GridHit> hits, const Colors& colors) {
    auto from = device_.template make<GridRay>(rays.size());
    auto to = device_.template make<GridHit>(rays.size());
    device_.upload(from.data(), rays.data(), rays.size());
    const CastRays<Colors> body = {dag_.ref(), colors, from.data(), to.data()};
    constexpr uint64_t kTogether = CastRays<Colors>::kTogether;
    if constexpr (device::kReadsHostMemory<Device>)
      device_.template for_each_block<char>(
          {"render: single rays", 80 * kTogether}, (rays.size() + kTogether - 1) / kTogether,
          [&](auto, uint64_t i) {
            throw_if_cancelled();
            body.cast_together(i * kTogether, std::min<uint64_t>(rays.size(), (i + 1) * kTogether));
          });
    else
      device_.for_each({"render: single rays", 80}, rays.size(), body);
    device_.download(hits.data(), to.data(), rays.size());
  }

  Device& device_;
  RayDag<Device> dag_;
  std::optional<VoxelColors<Device>> colors_;
};

template <class Device>
std::unique_ptr<RayCaster> make_ray_caster(Device& device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors) {
  return std::make_unique<DeviceRayCaster<Device>>(device, dag, colors);
}

}  // namespace vox::render
