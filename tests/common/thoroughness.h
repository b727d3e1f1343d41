// How much of their work tests do: instrumented programs are slow.
#pragma once

#include <cstdint>

namespace vox {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer =
    true;  // which looks at the order of events, not at how many there are
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// What sanitizers look for shows in the first scripts.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint32_t kThoroughness = 1;
#else
inline constexpr uint32_t kThoroughness = 10;
#endif

}  // namespace vox
