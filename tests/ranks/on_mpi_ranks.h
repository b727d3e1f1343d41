// Tests that several processes run together: each test starts its own program once more, by mpirun, for itself alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libvox/ranks/launched.h"

namespace vox::ranks {

// Skips its tests where there is no MPI.
class MpirunTest : public testing::Test {
 protected:
  void SetUp() override;
};

struct Launched {
  int status = 0;      // the exit code of mpirun
  std::string output;  // of all processes
};

// Runs `body` in so many processes. Nothing is returned in these.
std::optional<Launched> launched(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

// The same; expects that all end well.
void with_mpirun(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

}  // namespace vox::ranks
