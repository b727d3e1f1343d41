// Apart from vec.h, which just-in-time compiled code includes and which therefore has no <cmath>.
#pragma once

#include <cmath>

#include "libvox/base/vec.h"

namespace vox {

VOX_HD inline double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

}  // namespace vox
