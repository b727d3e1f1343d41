// Which pictures are taken, from where, and into which files.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "formats/images/png_file.h"
#include "libvox/measure/results.h"
#include "tools/vox-render/options.h"

namespace vox {

// Where what is shown lies in the world: cameras stand in units of `unit` from its corner.
struct Place {
  Vec3d corner;
  double unit;

  Vec3d to_units(Vec3d world) const { return (world - corner) * (1 / unit); }
  Vec3d to_world(Vec3d units) const { return units * unit + corner; }
};

struct Frame {
  CameraPose pose;
  std::filesystem::path file;
};

// Of what is in the boxes, in units; one without a pose for a cut.
std::vector<Frame> frames(std::span<const VoxelBox> boxes, const Place& place,
                          const RenderToolOptions& options);

// Before the work, not after it: can the pictures be written where they are to go?
void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options);

// What every picture's file says, with the camera or the cut.
std::vector<PngText> picture_texts(const CameraPose& pose, const Place& place,
                                   const RenderToolOptions& options);

void set_picture(ResultGroup& results, const Frame& frame, const Picture& picture, const Place& place,
                 const RenderToolOptions& options);

}  // namespace vox
