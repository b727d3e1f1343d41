#include "libvox/base/run_program.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

TEST(RunProgram, GivesExitCodeAndOutput) {
  const ProgramResult result =
      run_program({"sh", "-c", "echo \"$1\"; echo no >&2; exit 3", "sh", "a  b;$HOME"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "a  b;$HOME\nno\n");
}

TEST(RunProgram, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(run_program({"head", "-c", "1000000", "/dev/zero"}).output.size(), 1000000u);
}

TEST(RunProgram, SaysWhatIsMissingOrDied) {
  EXPECT_EQ(run_program({"/no/such/program"}).status, 127);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

}  // namespace
}  // namespace vox
