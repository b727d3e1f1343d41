// Loops over whole numbers on all cores. They do what oneTBB's do. Those are templates, which the compiler repeats
// for each body of a loop; here oneTBB's part is compiled once, and a program compiles in less time.
#pragma once

#include <oneapi/tbb/blocked_range.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace vox {

// A reference to a function object that does the work of all i with begin <= i < end. It must outlive the loop.
class LoopBody {
 public:
  template <std::invocable<uint64_t, uint64_t> F>
  LoopBody(const F& f)  // NOLINT(google-explicit-constructor)
      : object_(&f), call_([](const void* object, uint64_t begin, uint64_t end) {
          (*static_cast<const F*>(object))(begin, end);
        }) {}

  void operator()(uint64_t begin, uint64_t end) const { call_(object_, begin, end); }

 private:
  const void* object_;
  void (*call_)(const void* object, uint64_t begin, uint64_t end);
};

// Calls the body for parts of [0, n), which are not split further when they have at most `grain` numbers.
void for_parts(uint64_t n, uint64_t grain, LoopBody body);

// Calls f(i) for every i with begin <= i < end.
template <class Number, class F>
void parallel_for(Number begin, std::type_identity_t<Number> end, const F& f) {
  if (!(begin < end)) return;
  const auto first = static_cast<uint64_t>(begin);
  for_parts(static_cast<uint64_t>(end) - first, 1, [&](uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) f(static_cast<Number>(first + i));
  });
}

// Calls f(part) for parts of this range.
template <class Number, class F>
void parallel_for(const tbb::blocked_range<Number>& range, const F& f) {
  if (range.empty()) return;
  const auto first = static_cast<uint64_t>(range.begin());
  for_parts(static_cast<uint64_t>(range.end()) - first, range.grainsize(), [&](uint64_t from, uint64_t to) {
    f(tbb::blocked_range<Number>(static_cast<Number>(first + from), static_cast<Number>(first + to)));
  });
}

}  // namespace vox
