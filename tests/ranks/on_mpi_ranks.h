// Tests that run in several processes: each test starts its own program again by mpirun, for this test alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libvox/ranks/launched.h"

namespace vox::ranks {

// Skips its tests if there is no MPI.
class MpirunTest : public testing::Test {
 protected:
  void SetUp() override;
};

struct Launched {
  int status = 0;      // the exit code of mpirun
  std::string output;  // the output of all processes
};

// Runs `body` in `count` processes. Inside these processes it returns nothing.
std::optional<Launched> launched(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

// Does the same and expects that all processes succeed.
void with_mpirun(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

}  // namespace vox::ranks
