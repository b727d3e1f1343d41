// Sets the amount of work that tests do: less in programs with sanitizers, which are slow.
#pragma once

#include <cstdint>
#include <vector>

namespace vox {

#ifdef __SANITIZE_THREAD__
// The thread sanitizer examines the order of events, which a few of them show as well as many.
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// A factor for the work of tests, such as the number of scripts. With sanitizers it is small, because their
// findings show early.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint32_t kThoroughness = 1;
#else
inline constexpr uint32_t kThoroughness = 10;
#endif

// Returns all of these cases or, in programs with sanitizers, every fourth, beginning with the first.
template <class T>
std::vector<T> sampled(const std::vector<T>& cases) {
  if (kThoroughness == 10) return cases;
  std::vector<T> some;
  for (uint64_t i = 0; i < cases.size(); i += 4) some.push_back(cases[i]);
  return some;
}

}  // namespace vox
