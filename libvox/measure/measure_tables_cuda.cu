#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/measure_tables_impl.h"

template std::vector<vox::TableReport> vox::measure_tables_on(CudaDevice&, const FrozenDag&,
                                                              const TablesQuery&);
