// Makes a mesh from rectangles of faces by finding the corners that they share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/voxels/surfaces/surface_faces.h"

namespace vox {

struct SurfaceMesh {
  std::vector<Int3> vertices;  // corners of voxels in the scene's coordinates, each once
  // Each rectangle has four vertices, counter-clockwise as seen from outside.
  std::vector<std::array<uint32_t, 4>> quads;
};

class SurfaceMesher {
 public:
  SurfaceMesher();

  // Makes the mesh of the cube at `corner`. It lasts until the next call.
  const SurfaceMesh& mesh(Int3 corner, std::span<const FaceRectangle> rectangles);

 private:
  uint32_t vertex(const Int3& at);

  Int3 corner_ = {0, 0, 0};
  SurfaceMesh mesh_;
  std::vector<uint32_t> numbers_;  // for each corner of a voxel, its vertex's number if it has one
};

}  // namespace vox
