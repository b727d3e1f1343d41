// Pictures that ranks render together, each with a renderer of its own that holds the whole scene. Ranks take
// bands of rows, and rank 0 puts the bands together. The pixels are bit for bit those of a single renderer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "libvox/device/handle.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"

namespace vox::render {

class PictureShare {
 public:
  // Collective.
  explicit PictureShare(ranks::Ranks& ranks) : ranks_(ranks) { ranks_.restart(); }

  // Collective. Calls render_band() for bands until none are left. Returns the picture on rank 0, and a
  // picture without pixels on the other ranks.
  Picture render(ImageSize size, const std::function<Picture(const RowBand&)>& render_band);

 private:
  uint64_t take();

  ranks::Ranks& ranks_;
  // Bands are numbered across pictures, so that a rank that has finished starts on the next picture. Only at
  // the end of that picture does it wait for rank 0, which may still be writing the last one.
  uint64_t first_ = 0;            // number of the next picture's first band
  std::optional<uint64_t> kept_;  // a number that was taken and belongs to a later picture
};

// Makes one renderer of several ranks' renderers; `own` is this rank's. All ranks make the same calls, and rank 0
// gets the pictures. Collective, like the result's render(). Rank 0 makes slices alone, because they take little
// time.
std::unique_ptr<Renderer> shared_renderer(ranks::Ranks& ranks, std::unique_ptr<Renderer> own);
std::unique_ptr<VolumeRenderer> shared_renderer(ranks::Ranks& ranks, std::unique_ptr<VolumeRenderer> own);

// These functions make renderers on several devices of this process. All devices take a picture together, each as a
// rank with a thread of its own.

// They throw what make_renderer() and make_volume_renderer() for one device throw. At least one device is needed. The
// first one takes slices, and this thread's later calls go to it.
std::unique_ptr<Renderer> make_renderer(const std::vector<device::DeviceHandle>& devices,
                                        const dag::FrozenDag& dag, const scene::Palette& palette,
                                        const RendererOptions& options = {});
std::unique_ptr<VolumeRenderer> make_volume_renderer(const std::vector<device::DeviceHandle>& devices,
                                                     const bricks::FrozenBricks& bricks);

// Collective. Renders one picture.
template <class Renderer, class Options>
Picture render_together(PictureShare& share, Renderer& own, const Options& options) {
  return share.render(options.size, [&](const RowBand& band) {
    Options part = options;
    part.band = band;
    return own.render(part);
  });
}

}  // namespace vox::render
