#include "libvox/device/this_device.h"
#include "libvox/render/ray_hits_impl.h"
#include "libvox/render/render_impl.h"
#include "libvox/render/volume_render_impl.h"

template std::unique_ptr<vox::render::Renderer> vox::render::make_renderer(device::ThisDevice&,
                                                                           const dag::FrozenDag&,
                                                                           const scene::Palette&,
                                                                           const RendererOptions&);

template std::unique_ptr<vox::render::VolumeRenderer> vox::render::make_volume_renderer(
    device::ThisDevice&, const bricks::FrozenBricks&);

template std::unique_ptr<vox::render::RayCaster> vox::render::make_ray_caster(
    device::ThisDevice&, const dag::FrozenDag&, const attributes::PackedValues*);
