// The length of a vector. It is not in vec.h because code that is compiled at run time includes vec.h, and
// must do without <cmath>.
#pragma once

#include <cmath>

#include "libvox/base/vec.h"

namespace vox {

VOX_HD inline double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

}  // namespace vox
