// Pairs of pictures that need no files: a reference and a query that shows a part of it, turned, scaled,
// shifted, in another light, behind things that the reference does not have. What brings one onto the other
// is known. For a seed they are the same on every machine.
#pragma once

#include "libvox/measure/similarity.h"
#include "libvox/scene/scene.h"

namespace vox::measure {

struct PicturePairOptions {
  static constexpr uint32_t kLeastSide = 64, kMostSide = 4096, kMostClutter = 400, kMostNoise = 64;

  uint32_t side = 512;    // pixels, of the reference; the query has three quarters
  uint32_t clutter = 25;  // things before the query, per cent of those that it shows of the reference
  uint32_t noise = 6;     // grey levels by which a pixel may be wrong, up and down
  uint64_t seed = 1;
};

struct PicturePair {
  scene::Image query, reference;
  Similarity known;  // of the query's places to the reference's
};

// Throws UsageError unless all of the options make sense.
void check(const PicturePairOptions& options);

// The options are ones that check() accepts.
PicturePair make_picture_pair(const PicturePairOptions& options);

// The reference in grey, and where it has been found the edges of the query in colour.
scene::Image overlay_of(const GreyPicture& query, const GreyPicture& reference, uint32_t step,
                        const std::optional<Similarity>& similarity);

}  // namespace vox::measure
