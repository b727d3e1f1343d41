#include "libvox/device/this_device.h"
#include "libvox/measure/compression_impl.h"
#include "libvox/measure/forms_bench_impl.h"
#include "libvox/measure/hash_bench_impl.h"
#include "libvox/measure/intersect_bench_impl.h"
#include "libvox/measure/machine_bench_impl.h"
#include "libvox/measure/match_bench_impl.h"
#include "libvox/measure/measure_tables_impl.h"
#include "libvox/measure/random_reads.h"
#include "libvox/measure/rays_bench_impl.h"

namespace vox::measure {

template Timing upload_time_on(device::ThisDevice&, uint64_t, uint32_t);

template FormsBenchResult bench_forms_on(device::ThisDevice&, const dag::VoxelScene&,
                                         const FormsBenchOptions&);

template HashBenchResult bench_hash_on(device::ThisDevice&, const HashBenchOptions&);

template IntersectResult bench_intersect_on(device::ThisDevice&, const scene::Scene&, const scene::Scene&,
                                            const IntersectOptions&);

template MachineBenchResult bench_machine_on(device::ThisDevice&, const MachineBenchOptions&);

template MatchBenchResult bench_match_on(device::ThisDevice&, const MatchBenchOptions&);

template RaysBenchResult bench_rays_on(device::ThisDevice&, const dag::FrozenDag&, const RaysBenchOptions&);

template SharedDag shared_under_on(device::ThisDevice&, const dag::FrozenDag&, uint32_t);

}  // namespace vox::measure

template std::vector<vox::measure::TableReport> vox::measure::measure_tables_on(device::ThisDevice&,
                                                                                const dag::FrozenDag&,
                                                                                const TablesQuery&);
