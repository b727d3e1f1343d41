#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/measure_tables_impl.h"

template std::vector<vox::measure::TableReport> vox::measure::measure_tables_on(device::CudaDevice&,
                                                                                const dag::FrozenDag&,
                                                                                const TablesQuery&);
