// The look of a volume in a picture: the options of the topic "volume".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/render/opacity.h"
#include "libvox/render/shown_values.h"
#include "tools/common/command_line.h"

namespace vox {

// The values at the ends of the scale: the lowest and the highest of all, or window_of_most().
enum class ScaleEnds { All, Most };

struct VolumeLook {
  double opacity = render::kVolumeOpacity;
  render::OpacityCurve curve = {};  // used instead of the opacity if it has points
  std::optional<double> iso = {};   // the isosurface of this share of the range
  render::ValuesAs values = render::ValuesAs::Auto;
  ScaleEnds ends = ScaleEnds::All;
  render::ValueScale scale = {};              // of amounts; empty if the command line names none
  std::vector<scene::Rgb8> file_colors = {};  // a file's colours: the stops of a scale, or labels
};

// Throws UsageError, also for options that exclude each other, and Error if a file of colours cannot be read.
VolumeLook read_volume_look(const CommandLine& arguments);

// Returns the colours of these bricks; `palette` is the palette of a scene whose materials they are. Throws Error
// if the colours do not fit the values.
render::ShownValues colored_values(const bricks::FrozenBricks& bricks,
                                   const std::optional<scene::Palette>& palette, const VolumeLook& look);

}  // namespace vox
