// Runs measurements that are compiled for each device on the first device of an engine.
#include "libvox/device/handle.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/compression.h"
#include "libvox/measure/edit_bench.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/intersect_bench.h"
#include "libvox/measure/keys_bench.h"
#include "libvox/measure/machine_bench.h"
#include "libvox/measure/match_bench.h"
#include "libvox/measure/rays_bench.h"

namespace vox::measure {

Timing upload_time(Engine& engine, uint64_t bytes, uint32_t repetitions) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return upload_time_on(device, bytes, repetitions); });
}

HashBenchResult bench_hash(Engine& engine, const HashBenchOptions& options) {
  return device::with_device(engine.handle(), [&](auto& device) { return bench_hash_on(device, options); });
}

KeysBenchResult bench_keys(Engine& engine, const KeysBenchOptions& options) {
  return device::with_device(engine.handle(), [&](auto& device) { return bench_keys_on(device, options); });
}

IntersectResult bench_intersect(Engine& engine, const scene::Scene& first, const scene::Scene& second,
                                const IntersectOptions& options) {
  return device::with_device(
      engine.handle(), [&](auto& device) { return bench_intersect_on(device, first, second, options); });
}

FormsBenchResult bench_forms(Engine& engine, const dag::VoxelScene& scene, const FormsBenchOptions& options) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return bench_forms_on(device, scene, options); });
}

MachineBenchResult bench_machine(Engine& engine, const MachineBenchOptions& options) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return bench_machine_on(device, options); });
}

MatchBenchResult bench_match(Engine& engine, const MatchBenchOptions& options) {
  return device::with_device(engine.handle(), [&](auto& device) { return bench_match_on(device, options); });
}

RaysBenchResult bench_rays(Engine& engine, const dag::FrozenDag& dag, const RaysBenchOptions& options) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return bench_rays_on(device, dag, options); });
}

SharedDag shared_under(Engine& engine, const dag::FrozenDag& geometry, uint32_t symmetries) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return shared_under_on(device, geometry, symmetries); });
}

std::vector<TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag, const TablesQuery& query) {
  return device::with_device(engine.handle(),
                             [&](auto& device) { return measure_tables_on(device, dag, query); });
}

}  // namespace vox::measure
