// Labels: values of a volume that are names and not amounts, of organs, cells or materials. Between two of
// them nothing lies, and each has a colour of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// Of the label whose label_slot() it is (bricks/volume_cast.h), kCastColors of them.
using LabelColors = std::vector<scene::Rgb8>;

// Hues far from each other, the first labels' farthest.
LabelColors distinct_colors();
// Of a scene's materials as a volume: label m + 1 is material m.
LabelColors material_colors(const scene::Palette& palette);

// What the values of a volume look like.
struct LabelSurvey {
  std::vector<uint32_t> labels;  // all that occur, those of empty voxels apart
  // They seem to be labels: whole numbers, three and more of them, of which nine in ten have an equal one
  // beside them.
  bool likely = false;
};

// Reads the whole volume where its values are whole numbers that are not negative; finds none in others.
LabelSurvey survey_labels(const volume::Volume& volume, uint32_t background);

}  // namespace vox::render
