// Labels: values of a volume that are names and not amounts, of organs, cells or materials. Between two of
// them nothing lies, and each has a colour of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// The kCastColors colours of labels: a label has the one at its label_slot() (bricks/volume_cast.h).
using LabelColors = std::vector<scene::Rgb8>;

// Colours with hues far from each other, farthest for the first labels.
LabelColors distinct_colors();
// These colours, over and over again, the first for label 1.
LabelColors repeated_colors(std::span<const scene::Rgb8> colors);
// The colours of a scene's materials, where the scene is read as a volume: label m + 1 is material m.
LabelColors material_colors(const scene::Palette& palette);

// What the values of a volume look like.
struct LabelSurvey {
  std::vector<uint32_t> labels;  // all that occur in voxels that are not empty
  // Whether the values seem to be labels: three or more different whole numbers, where nine of ten filled
  // voxels have an equal one beside them.
  bool likely = false;
};

// Reads the whole volume where its values are whole numbers that are not negative; finds no labels in others.
LabelSurvey survey_labels(const volume::Volume& volume, uint32_t background);

}  // namespace vox::render
