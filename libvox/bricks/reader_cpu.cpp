#include "libvox/bricks/reader_impl.h"
#include "libvox/device/cpu_device.h"

namespace vox::bricks {

static JitImage compile_for(const device::CpuDevice&, const std::string& source, const JitOptions& options) {
  return compile_for_cpu(source, options.compiler);
}

template std::unique_ptr<BricksReader> make_bricks_reader(device::CpuDevice&, const FrozenBricks&,
                                                          const JitOptions&);

}  // namespace vox::bricks
