#include "formats/voxels/surfaces/surface_mesher.h"

#include <utility>

namespace vox {
namespace {

constexpr uint32_t kNoVertex = UINT32_MAX;
constexpr int32_t kCorners = BorderedCube::kSide + 1;  // corners of voxels along each axis

size_t number_of_corner(const Int3& at) {
  const auto x = static_cast<size_t>(at.x), y = static_cast<size_t>(at.y), z = static_cast<size_t>(at.z);
  return (z * kCorners + y) * kCorners + x;
}

}  // namespace

SurfaceMesher::SurfaceMesher() : numbers_(size_t{kCorners} * kCorners * kCorners, kNoVertex) {}

uint32_t SurfaceMesher::vertex(const Int3& at) {
  uint32_t& number = numbers_[number_of_corner(at)];
  if (number == kNoVertex) {
    number = static_cast<uint32_t>(mesh_.vertices.size());  // fits, because there are at most 65³ corners
    mesh_.vertices.push_back(corner_ + at);
  }
  return number;
}

const SurfaceMesh& SurfaceMesher::mesh(Int3 corner, std::span<const FaceRectangle> rectangles) {
  corner_ = corner;
  mesh_.vertices.clear();
  mesh_.quads.clear();
  for (const FaceRectangle& rectangle : rectangles) {
    const Int3 lowest = {rectangle.corner[0], rectangle.corner[1], rectangle.corner[2]};
    const Int3 along_u = in_layer(rectangle.axis, 0, rectangle.width, 0),
               along_v = in_layer(rectangle.axis, 0, 0, rectangle.height);
    std::array<uint32_t, 4> quad = {vertex(lowest), vertex(lowest + along_u),
                                    vertex(lowest + along_u + along_v), vertex(lowest + along_v)};
    // So far the order is that of a face that looks along u × v: up for x and z, down for y.
    const bool is_turned = (rectangle.looks == FaceRectangle::Looks::Up) != (rectangle.axis != 1);
    if (is_turned) std::swap(quad[1], quad[3]);
    mesh_.quads.push_back(quad);
  }
  for (const Int3& at : mesh_.vertices) numbers_[number_of_corner(at - corner_)] = kNoVertex;
  return mesh_;
}

}  // namespace vox
