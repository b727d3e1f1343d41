// Renderers of several ranks that look like one. All ranks make the same calls, and rank 0 gets the pictures.
#pragma once

#include <memory>

#include "libvox/ranks/picture_share.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"

namespace vox::ranks {

// Collective, and so is the result's render(). Rank 0 makes slices alone, because they take little time.
// `own` is this rank's renderer.
std::unique_ptr<render::Renderer> shared_renderer(Ranks& ranks, std::unique_ptr<render::Renderer> own);
std::unique_ptr<render::VolumeRenderer> shared_renderer(Ranks& ranks,
                                                        std::unique_ptr<render::VolumeRenderer> own);

// Collective. Renders one picture.
template <class Renderer, class Options>
render::Picture render_together(PictureShare& share, Renderer& own, const Options& options) {
  return share.render(options.size, [&](const render::RowBand& band) {
    Options part = options;
    part.band = band;
    return own.render(part);
  });
}

}  // namespace vox::ranks
