// The comparison of two scenes by vox-stats --against: the voxels that both fill.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/scene_overlap.h"
#include "tools/vox-stats/stats.h"

namespace vox {

// One of the two.
struct ComparedScene {
  std::string file;
  dag::VoxelScene scene;  // without the words of its DAG once it has been compared
};

// Two scenes of one grid.
struct Comparison {
  ComparedScene first, second;
  dag::VoxelScene both;  // the voxels that both fill
  measure::SceneOverlap overlap;
  std::string device, device_text;
  std::optional<render::Picture> picture;  // a picture of these voxels, for the page; none if there are none
  std::vector<device::KernelTime> kernels;
};

measure::ResultGroup results_of(const Comparison& comparison);
std::string screen_text(const Comparison& comparison);
HtmlPage page_of(const Comparison& comparison);

// Does all that --against asks for.
void run_against(const StatsOptions& options);

}  // namespace vox
