#include "libvox/device/handle.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"

namespace vox::render {

std::unique_ptr<Renderer> make_renderer(device::DeviceHandle device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette, const RendererOptions& options) {
  return device::with_device(device, [&](auto& on) { return make_renderer(on, dag, palette, options); });
}

std::unique_ptr<VolumeRenderer> make_volume_renderer(device::DeviceHandle device,
                                                     const bricks::FrozenBricks& bricks) {
  return device::with_device(device, [&](auto& on) { return make_volume_renderer(on, bricks); });
}

std::unique_ptr<RayCaster> make_ray_caster(device::DeviceHandle device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors) {
  return device::with_device(device, [&](auto& on) { return make_ray_caster(on, dag, colors); });
}

}  // namespace vox::render
