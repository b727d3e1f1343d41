// Makes a mesh of rectangles of faces: it finds out which corners they share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/voxels/surfaces/surface_faces.h"

namespace vox {

struct SurfaceMesh {
  std::vector<Int3> vertices;  // corners of voxels, in the scene's coordinates, each once
  // Four vertices for each rectangle, counter-clockwise as seen from outside.
  std::vector<std::array<uint32_t, 4>> quads;
};

class SurfaceMesher {
 public:
  SurfaceMesher();

  // Of the cube at `corner`. The mesh lasts until the next call.
  const SurfaceMesh& mesh(Int3 corner, std::span<const FaceRectangle> rectangles);

 private:
  uint32_t vertex(const Int3& at);

  Int3 corner_ = {0, 0, 0};
  SurfaceMesh mesh_;
  std::vector<uint32_t> numbers_;  // for each corner of a voxel the number of its vertex, where it has one
};

}  // namespace vox
