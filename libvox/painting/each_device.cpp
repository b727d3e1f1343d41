#include "libvox/device/this_device.h"
#include "libvox/painting/paint_scene_impl.h"

template vox::painting::Painting vox::painting::paint_scene(device::ThisDevice&, const scene::Scene&,
                                                            const Strokes&, const PaintOptions&);
