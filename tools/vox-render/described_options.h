// The description of vox-render: its options with the pictures that they go with, and examples. options.h reads
// the command line by it.
#pragma once

#include "tools/common/option.h"

namespace vox {

// The traits of a run, for the rules of options: what it shows.
enum RenderTrait : uint32_t {
  kLit = 1,       // a scene in the light
  kMeasured = 2,  // depth, normal or level as colours
  kSharing = 4,
  kSceneCut = 8,
  kVolume = 16,
  kVolumeCut = 32,
  kOccluded = 64,   // ambient occlusion by --ao
  kPage = 128,      // a page to fly through, whose reader chooses all but the first view
  kIso = 256,       // a surface of a volume
  kMany = 512,      // a film, or a path with times
  kFacing = 1024,   // --shade material or normal
  kSampled = 2048,  // several samples a pixel
  kLevels = 4096,   // a scene in the light, with level of detail
  kShadowed = 8192  // a scene in the light, with something that makes its ground darker
};

ToolDescription render_description();

}  // namespace vox
