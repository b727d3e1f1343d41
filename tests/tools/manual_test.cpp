// Tests --help=man, bash and zsh: the manual pages and completions that the build makes the tools write.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

struct Program {
  std::string name;
  Arguments command;
};

const std::vector<Program> kDescribed = {{"vox-convert", {}},
                                         {"vox-edit", {}},
                                         {"vox-render", {}},
                                         {"vox-stats", {}},
                                         {"vox-scene", {}},
                                         {"vox-bench", {}},
                                         {"vox-bench", {"hash"}},
                                         {"vox-bench", {"keys"}},
                                         {"vox-bench", {"bricks"}},
                                         {"vox-bench", {"convert"}},
                                         {"vox-bench", {"edit"}},
                                         {"vox-bench", {"forms"}},
                                         {"vox-bench", {"intersect"}},
                                         {"vox-bench", {"match"}}};

class Manual : public ProgramTest {
 protected:
  std::string help(const Program& program, const Arguments& topic) const {
    Arguments arguments = program.command;
    arguments.emplace_back("--help");
    arguments.insert(arguments.end(), topic.begin(), topic.end());
    const Finished run = run_program(program.name, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }

  // The options that --help all lists: "--output" and, if it has a letter, "-o".
  Arguments options(const Program& program) const {
    Arguments list;
    std::istringstream lines(help(program, {"all"}));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ") || line.size() < 8 || line.substr(6, 2) != "--") continue;
      list.push_back(line.substr(6, line.find(' ', 6) - 6));
      if (line[2] == '-') list.push_back(line.substr(2, 2));
    }
    EXPECT_GE(list.size(), 7u) << program.name;
    return list;
  }

  // The folder of pages and completions that the build makes.
  static std::filesystem::path share() { return std::filesystem::path(std::getenv("VOX_BIN")) / "share"; }

  // The page of a program; "" if the build has made none.
  static std::string page(const Program& program) {
    const std::string name = program.name + (program.command.empty() ? "" : "-" + program.command[0]);
    const std::filesystem::path file = share() / "man/man1" / (name + ".1");
    return std::filesystem::exists(file) ? read_bytes(file) : "";
  }

  // The words that bash offers for the last of these words, in the folder of the test.
  Arguments offered(const Arguments& words) const {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string completions = (share() / "bash-completion/completions" / words.front()).string();
    std::istringstream lines(shell("source " + std::string(kBashCompletion) + "\nsource '" + completions +
                                   "'\nPATH=\"$VOX_BIN:$PATH\"\nCOMP_WORDS=(" + line + ")\nCOMP_CWORD=" +
                                   std::to_string(words.size() - 1) + "\nCOMP_LINE=\"${COMP_WORDS[*]}\"\n" +
                                   "COMP_POINT=${#COMP_LINE}\n_vox '" + words.front() + "' '" + words.back() +
                                   "' ''\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"));
    Arguments list;
    for (std::string word; std::getline(lines, word);)
      if (!word.empty()) list.push_back(word);
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    return list;
  }

  std::string shell(const std::string& script) const {
    write("script.bash", script);
    const std::string command = "cd '" + folder_.string() + "' && bash script.bash";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << script;
    std::filesystem::remove(folder_ / "script.bash");
    return text;
  }

  static constexpr const char* kBashCompletion = "/usr/share/bash-completion/bash_completion";
};

// Returns the option in the language of man(7), where a literal hyphen must be escaped.
std::string in_man(const std::string& option) {
  std::string text;
  for (const char c : option) text += c == '-' ? "\\-" : std::string(1, c);
  return text;
}

TEST_F(Manual, EveryOptionOfHelpIsOnThePage) {
  if (page(kDescribed.front()).empty()) GTEST_SKIP() << "the build had no help2man";
  for (const Program& program : kDescribed)
    for (const std::string& option : options(program))
      EXPECT_TRUE(has(page(program), in_man(option))) << program.name << " " << option;
}

TEST_F(Manual, PagesHaveTheSectionsOfOneAndNoDate) {
  if (page(kDescribed.front()).empty()) GTEST_SKIP() << "the build had no help2man";
  for (const Program& program : kDescribed) {
    for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES"})
      EXPECT_TRUE(has(page(program), std::string("\n.SH ") + section + '\n')) << program.name << section;
    EXPECT_TRUE(has(page(program), "Exit status:")) << program.name;
    EXPECT_TRUE(has(page(program), "\"1\" \"\" \"vox ")) << program.name;
    EXPECT_FALSE(has(page(program), "???")) << program.name;
  }
}

TEST_F(Manual, TheLinesOfAScriptStayLines) {
  const std::string edit = page({"vox-edit", {}});
  if (edit.empty()) GTEST_SKIP() << "the build had no help2man";
  EXPECT_TRUE(has(edit, "\n.nf\n# a hill with trees, and a road through it\n"));
}

TEST_F(Manual, EveryCommandOfVoxBenchHasAPageBesideItsOwn) {
  std::istringstream lines(help({"vox-bench", {}}, {}));
  size_t commands = 0;
  bool listed = false;
  for (std::string line; std::getline(lines, line) && !(listed && line.empty());) {
    if (listed) {
      const std::string command = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_EQ(std::ranges::count(kDescribed, Arguments{command}, &Program::command), 1) << command;
      ++commands;
    }
    listed |= line == "Commands:";
  }
  EXPECT_GE(commands, 2u);
}

TEST_F(Manual, BashOffersOptionsCommandsAndFiles) {
  if (!std::filesystem::exists(kBashCompletion)) GTEST_SKIP() << "bash-completion is not installed";
  write("house.h5", "");
  std::filesystem::create_directory(folder_ / "house textures");
  EXPECT_EQ(offered({"vox-convert", "--palette-"}), (Arguments{"--palette-out", "--palette-weight"}));
  EXPECT_EQ(offered({"vox-convert", "house"}), (Arguments{"house textures", "house.h5"}));
  EXPECT_EQ(offered({"vox-convert", "-o", "house."}), Arguments{"house.h5"});
  EXPECT_EQ(offered({"vox-bench", "h"}), Arguments{"hash"});
  EXPECT_EQ(offered({"vox-bench", "bricks", "--trade"}), Arguments{"--trade-off"});
}

// docs/editing.md shows the help indented by four blanks, in lines of 100 characters.
TEST_F(Manual, ThePageOnEditingHasAllCommandsAsHelpHasThem) {
  const char* docs = std::getenv("VOX_DOCS");
  if (docs == nullptr) GTEST_SKIP() << "VOX_DOCS names no folder";
  const std::string editing = read_bytes(std::filesystem::path(docs) / "editing.md");
  setenv("COLUMNS", "100", 1);
  std::istringstream lines(help({"vox-edit", {}}, {"script"}));
  unsetenv("COLUMNS");
  size_t count = 0;
  for (std::string line; std::getline(lines, line) && line != "EXAMPLE";) {
    if (count == 0 && !line.starts_with("SHAPES:")) continue;
    ++count;
    EXPECT_TRUE(line.empty() || editing.find("\n    " + line + '\n') != std::string::npos) << line;
  }
  EXPECT_GE(count, 70u);
}

}  // namespace
}  // namespace vox
