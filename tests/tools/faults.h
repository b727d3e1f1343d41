// Every kind of output of every tool, for tests that make calls of the tools fail while they write it.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/tools/program.h"

namespace vox {

struct FaultyOutput {
  std::string name;
  std::string program;
  std::vector<std::string> arguments;  // R stands for 32 in the run before, and for 64 in the run that fails

  bool holds_times() const;  // such files differ from run to run
  bool comes_early() const;  // the file is written before the work is done, and stays if the rest fails
};
void PrintTo(const FaultyOutput& output, std::ostream* out);

const std::vector<FaultyOutput>& faulty_outputs();

// The numbers of the calls that fail, one in each run: 1 to `count`, or about `most` of them at equal distances unless
// VOX_TEST_ALL_FAULTS is set.
std::vector<uint64_t> fault_numbers(uint64_t count, uint64_t most);

// Runs a command that writes into the folder out, with temporary files in tmp.
class FaultsTest : public ProgramTest, public testing::WithParamInterface<FaultyOutput> {
 protected:
  void SetUp() override;

  Finished run(const std::string& resolution, const std::map<std::string, std::string>& environment) const;
  uint64_t calls_of_last_run() const;
  std::map<std::string, std::string> outputs() const;  // without temporary files
  std::vector<std::string> leftovers() const;          // temporary files
  void restore(const std::map<std::string, std::string>& files) const;
  bool names_a_file(const Finished& failed) const;
  void expect_whole_file(const std::string& path, const std::string& bytes,
                         const std::map<std::string, std::string>& expected, const std::string& what) const;
  void expect_whole(const std::map<std::string, std::string>& expected,
                    const std::map<std::string, std::string>& old, const std::string& what) const;
};

}  // namespace vox
