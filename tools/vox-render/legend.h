// Draws a legend, which says what the colours of a picture mean, into a corner of it.
#pragma once

#include <string>
#include <vector>

#include "libvox/render/labels.h"
#include "libvox/render/render.h"
#include "libvox/render/value_scale.h"

namespace vox {

struct LegendStep {
  scene::Rgb8 color;
  std::string label;  // empty where there is none
};

struct Legend {
  std::string title;
  std::vector<LegendStep> steps;  // from left to right, equally wide
};

// A mode has a legend where its colours are not those of things. `voxel_size` is in scene units.
bool has_legend(render::Shade shade);
Legend legend_of(render::Shade shade, const render::Picture& picture, double voxel_size);
// For a volume of amounts.
Legend values_legend(const render::Picture& picture, const render::ValueScale& scale);
// For a surface of a volume.
Legend surface_legend(double value, scene::Rgb8 color);
// The legend for a volume of labels, which are shown as numbers from `first` on: the first sixteen labels.
Legend labels_legend(const std::string& title, const std::vector<uint32_t>& labels, uint32_t first,
                     const render::LabelColors& colors);

// Draws it in the lower left corner, in letters that grow with the picture; a picture that is too small for
// it stays as it is.
void draw_legend(scene::Image& image, const Legend& legend);

}  // namespace vox
