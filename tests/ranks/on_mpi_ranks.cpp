#include "tests/ranks/on_mpi_ranks.h"

#include <fmt/format.h>
#include <filesystem>
#include <string>
#include <vector>

#include "libvox/base/run_program.h"
#include "tests/common/mpirun.h"

namespace vox::ranks {
namespace {

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
  std::vector<std::string> command = mpirun_command(count);
  command.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  command.push_back("--gtest_filter=" + this_test());
  const ProgramResult result = run_program(command);
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
