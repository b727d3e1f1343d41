#include "formats/io/child_process.h"

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
    run_in_child_process({.seconds = seconds, .bytes = uint64_t{64} << 20}, [&](ChildMemory&) { body(); });
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
            "took more than 1 s");
}

// Allocates memory and touches it, because untouched memory costs nothing.
void take(size_t bytes) {
  std::vector<char> memory(bytes, 1);
  volatile char last = memory.back();
  static_cast<void>(last);
}

TEST(ChildProcess, TakesNoMoreMemoryThanItMayUntilThatIsLifted) {
  constexpr size_t kMore = size_t{100} << 20;
  std::string too_much = "took more than 64.00 MiB of memory";
#ifdef __SANITIZE_ADDRESS__
  too_much = "crashed";
#endif
  EXPECT_EQ(message_of(10, [] { take(size_t{32} << 20); }), "");
  EXPECT_EQ(message_of(10, [] { take(kMore); }), too_much);
  EXPECT_NO_THROW(run_in_child_process({.seconds = 10, .bytes = 1 << 20}, [](ChildMemory& memory) {
    memory.lift();
    take(kMore);
  }));
}

}  // namespace
}  // namespace vox
