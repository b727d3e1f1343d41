// How many stages a loop's body has in which it asks ahead for what it is going to read.
#pragma once

namespace vox::device {

// Body::kPrefetchStages where the body says it, else two.
template <class Body>
constexpr int prefetch_stages() {
  if constexpr (requires { Body::kPrefetchStages; }) {
    return Body::kPrefetchStages;
  } else {
    return 2;
  }
}

}  // namespace vox::device
