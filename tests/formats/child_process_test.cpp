#include "formats/child_process.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::string message_of(uint64_t seconds, const std::function<void()>& body) {
  try {
    run_in_child_process(seconds, body);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChildProcess, LeavesItsResultInAMemoryFile) {
  MemoryFile file;
  int here = 1;
  EXPECT_EQ(message_of(10,
                       [&] {
                         here = 2;
                         file.write(std::as_bytes(std::span("result", 6)));
                       }),
            "");
  EXPECT_EQ(here, 1);
  file.rewind();
  EXPECT_EQ(file.rest(), 6u);
  std::array<char, 6> result = {};
  file.read(std::as_writable_bytes(std::span(result)));
  EXPECT_EQ(std::string(result.data(), 6), "result");
  EXPECT_THROW(file.read(std::as_writable_bytes(std::span(result))), Error);
}

TEST(ChildProcess, ItsDeathIsAnError) {
  EXPECT_EQ(message_of(10, [] { std::abort(); }), "crashed: Aborted");
  EXPECT_EQ(message_of(10, [] { throw 1; }), "crashed");
}

TEST(ChildProcess, EndlessWorkIsEnded) {
  volatile bool forever = true;
  EXPECT_EQ(message_of(1,
                       [&] {
                         while (forever) continue;
                       }),
            "did not finish in 1 s");
}

}  // namespace
}  // namespace vox
