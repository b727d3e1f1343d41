// Renderers on all devices of a group. They share the rows of each picture like ranks
// (ranks/picture_share.h).
#pragma once

#include <utility>
#include <vector>

#include "libvox/engine/engine.h"

namespace vox {

// A renderer and its engine, which must outlive it.
template <class Renderer>
struct RendererOn {
  Engine* engine;
  std::unique_ptr<Renderer> renderer;
};

// There must be at least one renderer. The first one takes slices.
std::unique_ptr<render::Renderer> group_renderer(std::vector<RendererOn<render::Renderer>> renderers);
std::unique_ptr<render::VolumeRenderer> group_renderer(
    std::vector<RendererOn<render::VolumeRenderer>> renderers);

}  // namespace vox
