// The options of inputs that are no meshes: points and volumes.
#include <utility>

#include "tools/common/common_options.h"
#include "tools/vox-convert/options.h"

namespace vox {

OptionTopic points_topic() {
  return {
      .name = "points",
      .title = "points",
      .options = {
          {.name = "point-radius",
           .argument = "R",
           .preset = "0",
           .unit = "scene units",
           .rules = {{kSizeless, "it is for points, and for splats with --splats centers"}},
           .help = "Also fill the voxels whose centers are at most this far from a point, up to 31 voxels; "
                   "auto: 1.25 times the distance within which nine of ten points have eight others, so "
                   "that scanned surfaces have no holes."},
          {.name = "splats",
           .argument = "HOW",
           .words = {"density", "centers"},
           .preset = "density",
           .rules = {{kSplats, "it is for Gaussian splats"}},
           .help = "density: fill a voxel if the splats at its center, one behind the other, are at least "
                   "as opaque as --splat-opacity says: 1 - product of (1 - a exp(-d^2 / 2)), where a is a "
                   "splat's opacity and d the distance from its center in standard deviations. A deviation "
                   "counts as at least half a voxel, and factors below 1/1024 are left out. centers: fill "
                   "the voxels that contain the centers of splats, whatever their sizes are."},
          {.name = "splat-opacity",
           .argument = "A",
           .preset = "0.5",
           .range = OptionRange{0, 1, OptionRange::Ends::MostExcluded},
           .rules = {{kSplats, "it is for Gaussian splats, which have an opacity"}},
           .help = "The least opacity that fills a voxel; with --splats centers, the least opacity of a "
                   "splat that counts."}}};
}

OptionTopic volumes_topic() {
  OptionTopic topic = {.name = "volumes",
                       .title = "volumes",
                       .options = threshold_options({{kRawVolume | kHeaderVolume, "it is for volumes"}})};
  for (Option& option : raw_options({{kRawVolume, "it is for raw volumes, whose files do not say it"}}))
    topic.options.push_back(std::move(option));
  topic.options.push_back(
      {.name = "channel",
       .argument = "N",
       .rules = {{kHeaderVolume, "it is for volumes whose files say how many values a voxel has"}},
       .help = "If voxels have several values, such as red, green and blue, read this one; the first is 0."});
  return topic;
}

}  // namespace vox
