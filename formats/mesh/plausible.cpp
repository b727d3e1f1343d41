#include "formats/mesh/plausible.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libvox/base/log.h"

namespace vox {
namespace {

constexpr double kWidest = 1e15;
constexpr double kSmallest = 1e-30;  // 4-byte integers that are read as floats are smaller than this

struct CoordinateRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

}  // namespace

void warn_of_implausible(const scene::Scene& scene, const std::filesystem::path& path) {
  CoordinateRange x, y, z;
  for (const scene::Triangle& triangle : scene.triangles)
    for (const uint32_t index : triangle.position) {
      x.add(scene.positions[index].x);
      y.add(scene.positions[index].y);
      z.add(scene.positions[index].z);
    }
  double widest = 0, largest = 0;
  for (const CoordinateRange& range : {x, y, z}) {
    widest = std::max(widest, range.most - range.least);
    largest = std::max({largest, range.most, -range.least});
  }
  if (widest > kWidest) {
    log_warning("{}: the scene is {:.3g} wide: is the file damaged, or its header wrong?", path.string(),
                widest);
  } else if (largest > 0 && largest < kSmallest) {
    log_warning("{}: no coordinate is larger than {:.3g}: is the file damaged, or its header wrong?",
                path.string(), largest);
  }
}

}  // namespace vox
