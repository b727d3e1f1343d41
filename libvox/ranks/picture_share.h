// Pictures that ranks take together, each with a renderer of its own that holds all of the scene: they take bands of
// rows, and rank 0 puts them together. Pixels are bit for bit those of one renderer.
#pragma once

#include <functional>
#include <optional>

#include "libvox/ranks/ranks.h"
#include "libvox/render/render.h"

namespace vox::ranks {

class PictureShare {
 public:
  // Collective.
  explicit PictureShare(Ranks& ranks) : ranks_(ranks) { ranks_.restart(); }

  // Collective. Calls render_band() for bands until all are taken, and returns the picture on rank 0; on the others one
  // without pixels.
  render::Picture render(render::ImageSize size,
                         const std::function<render::Picture(const render::RowBand&)>& render_band);

 private:
  uint64_t take();

  Ranks& ranks_;
  // Bands have numbers in the order of pictures, so that who is done begins with the next picture, and waits only then
  // for rank 0, which may be writing the last one.
  uint64_t first_ = 0;            // of the next picture
  std::optional<uint64_t> kept_;  // a number that is taken, of a later picture
};

}  // namespace vox::ranks
