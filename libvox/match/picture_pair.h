// Generated pairs of pictures: a reference, and a query that shows a part of it rotated, scaled and shifted,
// in another light, behind objects that the reference does not have. The transformation between them is
// known. Equal seeds give equal pairs on every machine.
#pragma once

#include <cstdint>
#include <optional>

#include "libvox/match/similarity.h"
#include "libvox/scene/scene.h"

namespace vox::match {

struct PicturePairOptions {
  static constexpr uint32_t kLeastSide = 64, kMostSide = 4096, kMostClutter = 400, kMostNoise = 64;

  uint32_t side = 512;    // side of the reference in pixels; the query's is three quarters of it
  uint32_t clutter = 25;  // objects in front of the query, in percent of the reference's objects in it
  uint32_t noise = 6;     // greatest error of a pixel, up or down, in gray levels
  uint64_t seed = 1;
  uint32_t frame = 0;  // each frame is another query for the same reference
};

struct PicturePair {
  scene::Image query, reference;
  Similarity known;  // from the query's places to the reference's
};

// Throws UsageError unless all options make sense.
void check(const PicturePairOptions& options);

// The options must be accepted by check().
PicturePair make_picture_pair(const PicturePairOptions& options);

// Returns the reference in gray and, if a match is given, the query's edges over it in color.
scene::Image overlay_of(const GrayPicture& query, const GrayPicture& reference, uint32_t step,
                        const std::optional<Similarity>& similarity);

}  // namespace vox::match
