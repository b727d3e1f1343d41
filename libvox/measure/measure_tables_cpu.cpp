#include "libvox/device/cpu_device.h"
#include "libvox/measure/measure_tables_impl.h"

template std::vector<vox::TableReport> vox::measure_tables_on(CpuDevice&, const FrozenDag&,
                                                              const TablesQuery&);
