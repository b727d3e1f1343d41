// Prints the library's warnings and errors on stderr, where a test may look for them. Every test program
// contains this file.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "libvox/base/log_line.h"

namespace vox {
namespace {

class LogToStderr : public testing::Environment {
 public:
  void SetUp() override {
    set_log_sink([](LogLevel level, std::string_view text) {
      if (level <= LogLevel::Warning) std::fprintf(stderr, "%s\n", std::string(text).c_str());
    });
  }
};

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new LogToStderr);  // gtest deletes it

}  // namespace
}  // namespace vox
