// The number of prefetch stages of a loop's body.
#pragma once

namespace vox::device {

// Returns Body::kPrefetchStages if the body has it, else 2.
template <class Body>
constexpr int prefetch_stages() {
  if constexpr (requires { Body::kPrefetchStages; }) {
    return Body::kPrefetchStages;
  } else {
    return 2;
  }
}

}  // namespace vox::device
