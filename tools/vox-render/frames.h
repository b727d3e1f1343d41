// Chooses the pictures that vox-render takes: from where, and into which files.
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

// True if the pictures become a film: one was asked for, and it can be written here.
bool writes_film(const RenderToolOptions& options);

// The frames of the voxels in the boxes, in scene units; a cut has one frame without a pose. If a film
// cannot be written here, they are pictures that it can be made of.
std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options);

// Checks before the work, not after it, that the pictures can be written. If there are several processes, the one
// that writes them checks.
void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options);

// The texts in a picture's file, with the camera or the cut.
std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options);

void set_picture(measure::ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options);

}  // namespace vox
