// Runs measurements that are compiled for each device on the device of an engine.
#include "libvox/engine/engine.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/table_report.h"

namespace vox::measure {
namespace {

template <class F>
auto on_device(Engine& engine, const F& f) {
  const device::DeviceHandle handle = engine.handle();
#ifdef VOX_HAS_CUDA
  if (device::CudaDevice* const* cuda = std::get_if<device::CudaDevice*>(&handle)) return f(**cuda);
#endif
  return f(*std::get<device::CpuDevice*>(handle));
}

}  // namespace

HashBenchResult bench_hash(Engine& engine, const HashBenchOptions& options) {
  return on_device(engine, [&](auto& device) { return bench_hash_on(device, options); });
}

std::vector<TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag, const TablesQuery& query) {
  return on_device(engine, [&](auto& device) { return measure_tables_on(device, dag, query); });
}

}  // namespace vox::measure
