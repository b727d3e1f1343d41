#include "libvox/device/cpu_device.h"
#include "libvox/measure/measure_tables_impl.h"

template std::vector<vox::measure::TableReport> vox::measure::measure_tables_on(device::CpuDevice&,
                                                                                const dag::FrozenDag&,
                                                                                const TablesQuery&);
