// Measures how much memory a part of a test takes.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace vox {

// Runs f() and returns by how many bytes the process has been larger than before at some time, as far as Linux tells.
template <class F>
uint64_t growth(const F& f) {
  const auto peak = [] {
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kilobytes = 0;
    while (status >> word)
      if (word == "VmHWM:") status >> kilobytes;
    return kilobytes << 10;
  };
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is then what is there now
  const uint64_t before = peak();
  f();
  return peak() - before;
}

}  // namespace vox
