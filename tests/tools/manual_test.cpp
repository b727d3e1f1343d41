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
  std::string help(const Program& program, const std::string& option) const {
    Arguments arguments = program.command;
    arguments.push_back(option);
    const Finished run = run_program(program.name, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }

  // Returns the options that --help lists: "--output" and, for options with a letter, "-o".
  std::vector<Arguments> options(const Program& program) const {
    std::vector<Arguments> list;
    std::istringstream lines(help(program, "--help"));
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
      listed |= line.ends_with(" options:");
      if (!listed || line.size() < 8 || line.substr(6, 2) != "--") continue;
      list.push_back({line.substr(6, line.find(' ', 6) - 6)});
      if (line[2] == '-') list.back().push_back(line.substr(2, 2));
    }
    EXPECT_GE(list.size(), 7u) << program.name;
    return list;
  }

  // Returns the words that bash offers for the last of these words in the test's folder.
  Arguments offered(const Arguments& words) const {
    write("complete.bash", help({words.front(), {}}, "--help=bash"));
    if (words.front() == "vox-bench")
      for (const char* command : {"hash", "bricks"})
        write("complete.bash-" + std::string(command), help({"vox-bench", {command}}, "--help=bash"));
    std::string function = "_" + words.front(), line;
    std::ranges::replace(function, '-', '_');
    for (const std::string& word : words) line += " '" + word + "'";
    std::istringstream lines(shell("source ./complete.bash; COMP_WORDS=(" + line +
                                   "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; " + function +
                                   "; printf '%s\\n' \"${COMPREPLY[@]}\""));
    Arguments list;
    for (std::string word; std::getline(lines, word);)
      if (!word.empty()) list.push_back(word);
    std::ranges::sort(list);
    return list;
  }

  std::string shell(const std::string& script) const {
    write("script.bash", script);
    const std::string command = "cd '" + folder_.string() + "' && bash script.bash";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << script;
    return text;
  }
};

// Returns the option in the language of man(7), where a literal hyphen must be escaped.
std::string in_man(const std::string& option) {
  std::string text;
  for (const char c : option) text += c == '-' ? "\\-" : std::string(1, c);
  return "\\fB" + text + "\\fR";
}

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string each; words >> each;)
    if (each == word) return true;
  return false;
}

TEST_F(Manual, EveryOptionOfHelpIsOnThePageAndInTheCompletions) {
  for (const Program& program : kDescribed) {
    const std::string page = help(program, "--help=man"), zsh = help(program, "--help=zsh");
    std::string bash = help(program, "--help=bash");
    std::ranges::replace(bash, '\'', ' ');
    for (const Arguments& spellings : options(program))
      for (const std::string& option : spellings) {
        EXPECT_NE(page.find(in_man(option)), std::string::npos) << program.name << " " << option;
        EXPECT_TRUE(has_word(bash, option)) << program.name << " " << option;
        const bool in_zsh = zsh.find("  " + option + "[") != std::string::npos ||
                            std::ranges::any_of(std::string("'=,+}"), [&](char end) {
                              return zsh.find(option + end) != std::string::npos;
                            });
        EXPECT_TRUE(in_zsh) << program.name << " " << option;
      }
  }
}

TEST_F(Manual, PagesHaveTheSectionsOfOneAndNoLineOfTextIsTakenForARequest) {
  const Arguments requests = {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi"};
  for (const Program& program : kDescribed) {
    const std::string page = help(program, "--help=man");
    for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"})
      EXPECT_NE(page.find(std::string("\n.SH ") + section + '\n'), std::string::npos)
          << program.name << section;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.starts_with('\'')) << line;
      EXPECT_TRUE(!line.starts_with('.') || std::ranges::count(requests, line.substr(0, line.find(' '))) == 1)
          << line;
    }
  }
}

TEST_F(Manual, EveryCommandOfVoxBenchHasAPageBesideItsOwn) {
  std::istringstream lines(help({"vox-bench", {}}, "--help"));
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

TEST_F(Manual, BashOffersOptionsAndTheWordsAndFilesThatTheyTake) {
  if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP() << "bash is not installed";
  write("house with garden.h5", "");
  std::filesystem::create_directory(folder_ / "house textures");
  EXPECT_EQ(offered({"vox-convert", "--pal"}), (Arguments{"--palette", "--palette-out", "--palette-weight"}));
  EXPECT_EQ(offered({"vox-render", "--legend", ""}), (Arguments{"off", "on"}));
  EXPECT_EQ(offered({"vox-render", "--values", "=", "l"}), Arguments{"labels"});
  EXPECT_EQ(offered({"vox-convert", "house"}), (Arguments{"house textures", "house with garden.h5"}));
  EXPECT_EQ(offered({"vox-convert", "-o", "house w"}), Arguments{"house with garden.h5"});
  EXPECT_EQ(offered({"vox-convert", "--texture-path", "house"}), Arguments{"house textures"});
  EXPECT_EQ(offered({"vox-convert", "--spill", "ho"}), (Arguments{"host", "house textures"}));
  EXPECT_EQ(offered({"vox-convert", "--spill", "D"}), Arguments{});
  EXPECT_EQ(offered({"vox-convert", "--res", "h"}), Arguments{});
  EXPECT_EQ(offered({"vox-scene", "v"}), Arguments{"village"});
  EXPECT_EQ(offered({"vox-bench", "h"}), Arguments{"hash"});
  EXPECT_EQ(offered({"vox-bench", "bricks", "--trade"}), Arguments{"--trade-off"});
}

// docs/editing.md shows the help indented by four blanks, in lines of 100 characters.
TEST_F(Manual, ThePageOnEditingHasAllCommandsAsHelpHasThem) {
  const char* docs = std::getenv("VOX_DOCS");
  if (docs == nullptr) GTEST_SKIP() << "VOX_DOCS names no folder";
  const std::string page = read_bytes(std::filesystem::path(docs) / "editing.md");
  setenv("COLUMNS", "100", 1);
  std::istringstream lines(help({"vox-edit", {}}, "--help"));
  unsetenv("COLUMNS");
  size_t count = 0;
  for (std::string line; std::getline(lines, line) && line != "EXAMPLE";) {
    if (count == 0 && !line.starts_with("SHAPES:")) continue;
    ++count;
    EXPECT_TRUE(line.empty() || page.find("\n    " + line + '\n') != std::string::npos) << line;
  }
  EXPECT_GE(count, 70u);
}

TEST_F(Manual, AFormThatHelpDoesNotHaveIsBadUsage) {
  const Finished run = ran({"--help=html"});
  EXPECT_EQ(run.code, kBadUsage);
  EXPECT_TRUE(one_error(run, "--help is 'html', expected no value, or man, bash or zsh"));
}

}  // namespace
}  // namespace vox
