#include "libvox/device/handle.h"
#include "libvox/painting/paint_scene.h"

namespace vox::painting {

Painting paint_scene(device::DeviceHandle device, const scene::Scene& scene, const Strokes& strokes,
                     const PaintOptions& options) {
  return device::with_device(device, [&](auto& on) { return paint_scene(on, scene, strokes, options); });
}

}  // namespace vox::painting
