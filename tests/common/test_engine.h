// The engine on which a test runs: the device that VOX_TEST_DEVICE names, otherwise the CPU.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "libvox/base/log_line.h"
#include "libvox/engine/engine.h"

namespace vox {

inline std::string test_device() {
  const char* device = std::getenv("VOX_TEST_DEVICE");
  return device != nullptr && *device != '\0' ? device : "cpu";
}

// On a GPU a launch with little work takes a hundred times as long as on a CPU. Tests of many such launches run
// fewer cases there.
inline bool test_on_gpu() {
  return test_device() != "cpu";
}

// Returns how many of a test's random cases run: a tenth on a GPU.
inline uint32_t cases_on_device(uint32_t cases) {
  return test_on_gpu() ? (cases + 9) / 10 : cases;
}

inline std::unique_ptr<Engine> test_engine(EngineOptions options = {}) {
  options.device = test_device();
  return make_engine(options);
}

// The library logs no messages while a QuietLog lives.

class QuietLog {
 public:
  QuietLog() : before_(set_log_sink(nullptr)) {}
  ~QuietLog() { set_log_sink(std::move(before_)); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  LogSink before_;
};

}  // namespace vox
