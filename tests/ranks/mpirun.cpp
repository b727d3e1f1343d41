#include "tests/ranks/mpirun.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "libvox/base/run_program.h"

namespace vox::ranks {
namespace {

bool have_mpirun() {
  return has_mpi() && run_program({"mpirun", "--version"}).output.find("Open MPI") != std::string::npos;
}

std::string this_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

}  // namespace

std::optional<Launched> launched(uint32_t count, const std::function<void(LaunchedRanks&)>& body) {
  if (launch().count > 1) {
    body(*joined_ranks());
    return std::nullopt;
  }
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const ProgramResult result = run_program(
      {"mpirun", "--oversubscribe", "--timeout", "100", "-n", std::to_string(count),
       std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_filter=" + this_test()});
  return Launched{result.status, result.output};
}

void with_mpirun(uint32_t count, const std::function<void(LaunchedRanks&)>& body) {
  if (const auto result = launched(count, body)) {
    EXPECT_EQ(result->status, 0) << result->output;
  }
}

void MpirunTest::SetUp() {
  if (launch().count == 1 && !have_mpirun()) GTEST_SKIP() << "no MPI";
}

}  // namespace vox::ranks
