// Which pictures are taken, from where, and into which files.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "formats/images/png_file.h"
#include "libvox/measure/results.h"
#include "libvox/render/viewpoints.h"
#include "tools/vox-render/options.h"

namespace vox {

struct Frame {
  render::CameraPose pose;
  std::filesystem::path file;
};

// Of what is in the boxes, in units; one without a pose for a cut.
std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options);

// Before the work, not after it: can the pictures be written where they are to go?
void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options);

// What every picture's file says, with the camera or the cut.
std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options);

void set_picture(measure::ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options);

}  // namespace vox
