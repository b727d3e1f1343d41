#include "libvox/device/this_device.h"
#include "libvox/measure/keys_bench_impl.h"

namespace vox::measure {

template KeysBenchResult bench_keys_on(device::ThisDevice&, const KeysBenchOptions&);

}  // namespace vox::measure
