// How a volume is shown: the options of the group "Volume".
#pragma once

#include <cxxopts.hpp>
#include <optional>
#include <string>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/render/opacity.h"
#include "libvox/render/shown_values.h"

namespace vox {

// The values at the ends of the scale: the lowest and the highest of all, or window_of_most().
enum class ScaleEnds { All, Most };

struct VolumeLook {
  double opacity = render::kVolumeOpacity;
  render::OpacityCurve curve = {};  // instead of the opacity, where it has points
  std::optional<double> iso = {};   // the isosurface of this share of the range
  render::ValuesAs values = render::ValuesAs::Auto;
  ScaleEnds ends = ScaleEnds::All;
  render::ValueScale scale = {};              // of amounts; none where the command line names none
  std::vector<scene::Rgb8> file_colors = {};  // of a file: a scale's stops, or those of labels
};

void describe_volume_options(cxxopts::Options& options);
// Throws UsageError, also for options that exclude each other, and Error where a file of colours cannot be read.
VolumeLook read_volume_look(const cxxopts::ParseResult& parsed);

// The colours of these bricks; `palette` is that of a scene whose materials they are. Throws Error where colours do not
// fit to what the values are.
render::ShownValues colored_values(const bricks::FrozenBricks& bricks,
                                   const std::optional<scene::Palette>& palette, const VolumeLook& look);

}  // namespace vox
