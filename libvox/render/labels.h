// Labels: values of a volume that are names of organs, cells or materials instead of amounts. There are no
// values between two labels, and each label has a colour of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// The kCastColors colours of labels. A label has the colour at its label_slot() (bricks/volume_cast.h).
using LabelColors = std::vector<scene::Rgb8>;

// Returns colours with hues far from each other, farthest for the first labels.
LabelColors distinct_colors();
// Returns these colours repeated in order; label 1 has the first colour.
LabelColors repeated_colors(std::span<const scene::Rgb8> colors);
// Returns the colours of a scene's materials, for a scene that is read as a volume: label m + 1 is material
// m.
LabelColors material_colors(const scene::Palette& palette);

// The result of survey_labels().
struct LabelSurvey {
  std::vector<uint32_t> labels;  // all that occur in voxels that are not empty
  // True if the values seem to be labels: there are three or more different whole numbers, and nine out of
  // ten filled voxels have an equal neighbour.
  bool likely = false;
};

// Reads the whole volume if its values are whole numbers that are not negative. In other volumes it finds no
// labels.
LabelSurvey survey_labels(const volume::Volume& volume, uint32_t background);

}  // namespace vox::render
