// Rules that give names of a mesh numbers.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

class AssignRules : public testing::Test {
 protected:
  ~AssignRules() override { std::filesystem::remove(file_); }

  std::vector<scene::AssignRule> read(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return read_assign_rules(file_);
  }
  std::string problem(const std::string& text) const {
    try {
      read(text);
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }

  const std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "rules.csv";
};

TEST_F(AssignRules, HaveAPatternANumberAndMayHaveAName) {
  const auto rules = read("\xef\xbb\xbf# numbers\n\n wall *, 3 ,concrete\r\n?door,15\nwalls,3\n");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].pattern, "wall *");
  EXPECT_EQ(rules[0].number, 3);
  EXPECT_EQ(rules[1].pattern, "?door");
  EXPECT_EQ(rules[1].number, 15);
  EXPECT_EQ(rules[1].name, "");
  for (const size_t i : {0u, 2u}) EXPECT_EQ(rules[i].name, "concrete");
}

TEST_F(AssignRules, AreRefusedWithTheirLine) {
  EXPECT_NE(problem("a,1\nb\n").find("rules.csv:2:1: 1 cell, expected 2 or 3"), std::string::npos);
  EXPECT_NE(problem("a,1,b,c\n").find("rules.csv:1:1: 4 cells"), std::string::npos);
  EXPECT_NE(problem("\na,1\n,2\n").find("rules.csv:3:1: the pattern is empty"), std::string::npos);
  for (const char* number : {"0", "16", "-1", "x", "", "1.5", "99999999999999999999"})
    EXPECT_NE(problem("a," + std::string(number) + "\n").find("rules.csv:1:3: the number is '"),
              std::string::npos)
        << number << ": " << problem("a," + std::string(number) + "\n");
  EXPECT_NE(problem("a,1,one\nb,1,two\n").find("number 1 is called 'two' here and 'one' in line 1"),
            std::string::npos);
  EXPECT_NE(problem("# nothing\n").find("has no rule"), std::string::npos);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "a,1\n";
  EXPECT_EQ(read(many).size(), 100'000u);
  EXPECT_NE(problem(many + "a,1\n").find("rules.csv:100001:1: more than 100000 rules"), std::string::npos);
  EXPECT_NE(problem("").find("rules.csv"), std::string::npos);
}

}  // namespace
}  // namespace vox
