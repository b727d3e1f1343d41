// Renderers on all devices of a group, which share out the rows of each picture as ranks do (ranks/picture_share.h).
#pragma once

#include <utility>
#include <vector>

#include "libvox/engine/engine.h"

namespace vox {

// An engine, which outlives its renderer.
template <class Renderer>
struct RendererOn {
  Engine* engine;
  std::unique_ptr<Renderer> renderer;
};

// There is at least one. A slice is the work of the first.
std::unique_ptr<render::Renderer> group_renderer(std::vector<RendererOn<render::Renderer>> renderers);
std::unique_ptr<render::VolumeRenderer> group_renderer(
    std::vector<RendererOn<render::VolumeRenderer>> renderers);

}  // namespace vox
