// A loop over groups calls its body in one of two ways: as body(group, i) or, if the body has a function
// prepare(i), as body(group, body.prepare(i)).
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox::device {

template <class Body>
VOX_HD auto prepared(const Body& body, uint64_t i) {
  if constexpr (requires { body.prepare(i); }) {
    return body.prepare(i);
  } else {
    return i;
  }
}

}  // namespace vox::device
