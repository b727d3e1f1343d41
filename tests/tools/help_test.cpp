// Tests --help: descriptions form one column, lines fit, examples run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "formats/images/image.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"
#include "tools/common/reports.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

const std::vector<std::pair<std::string, Arguments>> kPrograms = {
    {"vox-convert", {}},     {"vox-edit", {}},          {"vox-render", {}},
    {"vox-stats", {}},       {"vox-scene", {}},         {"vox-bench", {}},
    {"vox-bench", {"hash"}}, {"vox-bench", {"bricks"}}, {"vox-bench", {"convert"}},
    {"vox-bench", {"edit"}}, {"vox-bench", {"forms"}},  {"vox-bench", {"intersect"}},
    {"vox-bench", {"keys"}}, {"vox-bench", {"match"}},  {"vox-bench", {"rays"}},
    {"vox-bench", {"all"}}};

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

class HelpProgram : public ProgramTest {
 protected:
  // The lines of --help TOPIC, or of the short page if the topic is empty.
  std::vector<std::string> help(const std::string& program, Arguments arguments, const std::string& topic,
                                const char* columns) const {
    arguments.emplace_back("--help");
    if (!topic.empty()) arguments.push_back(topic);
    setenv("COLUMNS", columns, 1);
    const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    unsetenv("COLUMNS");
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream stream(run.out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // The options that lines of help list, in their order.
  static Arguments options(const std::vector<std::string>& lines) {
    Arguments list;
    for (const std::string& line : lines)
      if (line.starts_with("  ") && line.size() > 8 && line.substr(6, 2) == "--")
        list.push_back(line.substr(6, line.find(' ', 6) - 6));
    return list;
  }

  // The topics that the last line of the short page names.
  Arguments topics(const std::string& program, const Arguments& command) const {
    std::string text;
    for (const std::string& line : help(program, command, "", "100")) text += line + ' ';
    const size_t begin = text.rfind("a topic: ") + 9, end = text.find('.', begin);
    Arguments names = words(text.substr(begin, end - begin));
    for (std::string& name : names)
      if (name.ends_with(',')) name.pop_back();
    return names;
  }

  // The examples of --help all, without the text beside them.
  std::vector<Arguments> examples(const std::string& program) const {
    std::vector<Arguments> list;
    for (const std::string& line : help(program, {}, "all", "100")) {
      if (!line.starts_with("  " + program + " ") || line.find('[') != std::string::npos) continue;
      list.push_back(words(line.substr(2, line.find("  ", 2) - 2)));
    }
    return list;
  }
};

TEST_F(HelpProgram, TheShortPageFitsAScreenAndHasTheOptionsThatMostPeopleNeed) {
  for (const auto& [program, command] : kPrograms) {
    const std::vector<std::string> page = help(program, command, "", "100");
    EXPECT_LE(page.size(), 40u) << program << testing::PrintToString(command);
    EXPECT_EQ(options(page).size(), command.empty() && program == "vox-bench" ? 7u : 10u)
        << program << testing::PrintToString(command);
    const std::string name = command.empty() ? program : program + " " + command[0];
    EXPECT_EQ(page.front().rfind("Usage: " + name + " ", 0), 0u) << page.front();
    EXPECT_EQ(std::ranges::count_if(
                  page, [&](const std::string& line) { return line.starts_with("  " + program); }),
              3)
        << name;
  }
}

TEST_F(HelpProgram, EveryOptionIsInExactlyOneTopicAndInTheWholeHelp) {
  for (const auto& [program, command] : kPrograms) {
    Arguments of_topics;
    for (const std::string& topic : topics(program, command))
      for (const std::string& option : options(help(program, command, topic, "100")))
        of_topics.push_back(option);
    EXPECT_EQ(of_topics, options(help(program, command, "all", "100"))) << program;
    std::ranges::sort(of_topics);
    EXPECT_EQ(std::ranges::adjacent_find(of_topics), of_topics.end()) << program;
    for (const std::string& option : options(help(program, command, "", "100")))
      EXPECT_TRUE(std::ranges::binary_search(of_topics, option)) << program << " " << option;
  }
}

TEST_F(HelpProgram, ATopicThatThereIsNotIsBadUsageAndTheNearestOneIsNamed) {
  const Finished run = ran({"--help", "volums"});
  EXPECT_EQ(run.code, kBadUsage);
  EXPECT_TRUE(one_error(run, "--help has no topic 'volums', expected all or one of: files, "));
  EXPECT_TRUE(has(run.err, "did you mean 'volumes'?"));
}

TEST_F(HelpProgram, AMisspeltOptionNamesTheOneThatWasMeant) {
  for (const auto& [given, meant] : std::vector<std::pair<std::string, std::string>>{
           {"--resolution", "--res"}, {"--materails", "--materials"}, {"--thresh", "--threshold"}}) {
    const Finished run = ran({"a.obj", given, "64"});
    EXPECT_EQ(run.code, kBadUsage);
    EXPECT_TRUE(one_error(run, "there is no option " + given + " (did you mean '" + meant + "'?)"));
  }
  EXPECT_FALSE(has(ran({"a.obj", "--quaternion"}).err, "did you mean"));
}

TEST_F(HelpProgram, AMisspeltInputNamesTheFileBesideIt) {
  write("village.obj", "");
  expect_failure(kFailed, "vilage.obj: no such file (did you mean 'village.obj'?)",
                 {"vilage.obj", "--res", "64"});
  std::filesystem::create_directory(folder_ / "scenes");
  write("scenes/house.h5", "");
  const Finished render =
      run_program("vox-render", {"scenes/hose.h5"}, {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(render.code, kFailed);
  EXPECT_TRUE(one_error(render, "scenes/hose.h5: no such file (did you mean 'house.h5'?)", "vox-render"));
  EXPECT_FALSE(has(ran({"palace.obj", "--res", "64"}).err, "did you mean"));
}

TEST_F(HelpProgram, LinesFitTheScreenAndAllDescriptionsOfATopicBeginInOneColumn) {
  for (const auto& [program, arguments] : kPrograms)
    for (const char* columns : {"80", "100"}) {
      size_t column = 0;
      for (const std::string& line : help(program, arguments, "all", columns)) {
        EXPECT_LE(characters(line), std::strtoul(columns, nullptr, 10)) << program << ": " << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << program << ": '" << line << "'";
        EXPECT_FALSE(line.ends_with("Default:")) << program << ": " << line;
        if (line.starts_with("Options for ")) column = 0;
        const size_t dashes = line.find("--");
        if (dashes != 6 || !line.starts_with("  ")) continue;
        const size_t gap = line.find("  ", 6);
        if (gap == std::string::npos) continue;  // the description is in the next line
        const size_t begin = characters(line.substr(0, line.find_first_not_of(' ', gap)));
        if (column == 0) column = begin;
        EXPECT_EQ(begin, column) << program << ": " << line;
      }
      EXPECT_GT(column, 0u) << program;
    }
}

TEST_F(HelpProgram, EveryExampleRuns) {
  const std::string sliver = "v 0 0 0\nv 1 0.5 0.5\nv 1 0.501 0.5\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";
  for (const char* name : {"house.obj", "a.obj", "b.obj"}) write(name, sliver);
  for (const char* name : {"a.xyz", "b.xyz"}) write(name, "0 0 0 255 0 0\n1 1 1 0 255 0\n");
  write("ct_64x64x93_uint16.raw", std::string(64 * 64 * 93 * 2, 'v'));
  write("changes.txt", "sphere add center 20,20,20 radius 3 material 0\n");
  write("recording.csv", "EditSphere,10,10,10,3,TRUE\n");
  write("camera.csv", "eye_x,eye_y,eye_z,target_x,target_y,target_z\n3,2,8,0,1,0\n");
  write("strokes.txt", "stroke color #c03020 radius 0.1 at 0,0,0\n");
  for (const char* name : {"house.h5", "city.h5", "a.h5", "b.h5"})
    converted({"house.obj", "--res", "128", "-q", "-o", name});
  converted({"ct_64x64x93_uint16.raw", "-q", "-o", "ct.h5"});
  converted({"ct_64x64x93_uint16.raw", "-q", "-o", "scan.h5"});
  write("values.txt", "smooth in box min 0,0,0 max 20,20,20\n");
  converted({"ct.h5", "-q", "-o", "ct.nrrd"});
  converted({"ct.nrrd", "-q", "-o", "mri.h5"});
  converted({"house.h5", "-q", "-o", "land.vox"});
  size_t count = 0;
  for (const char* program : {"vox-convert", "vox-edit", "vox-render", "vox-stats"})
    for (Arguments example : sampled(examples(program))) {
      if (std::ranges::count(example, "cuda") > 0) continue;
      ++count;
      example.erase(example.begin());
      for (const char* large : {"4K", "2K"})
        std::ranges::replace(example, std::string(large), std::string("128"));
      std::ranges::replace(example, std::string("1K"), std::string("32"));
      example.insert(example.end(), {"-q", "--device", "cpu"});  // no GPU, which takes a second to start
      const bool has_size =
          std::ranges::count(example, "--slice") + std::ranges::count(example, "--html") == 0;
      if (std::string(program) == "vox-render" && has_size)
        example.insert(example.end(), {"--size", "64x48"});
      const Finished run = run_program(program, example, {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(run.code, 0) << program << testing::PrintToString(example) << run.err;
    }
  EXPECT_GE(count, kThoroughness == 10 ? 28u : 6u);
}

// Tests --help=man, bash and zsh: the manual pages and completions that the build makes the tools write.

struct Program {
  std::string name;
  Arguments command;
};

const std::vector<Program> kDescribed = {{"vox-convert", {}},        {"vox-edit", {}},
                                         {"vox-render", {}},         {"vox-stats", {}},
                                         {"vox-scene", {}},          {"vox-bench", {}},
                                         {"vox-bench", {"hash"}},    {"vox-bench", {"keys"}},
                                         {"vox-bench", {"bricks"}},  {"vox-bench", {"compression"}},
                                         {"vox-bench", {"convert"}}, {"vox-bench", {"edit"}},
                                         {"vox-bench", {"forms"}},   {"vox-bench", {"intersect"}},
                                         {"vox-bench", {"match"}},   {"vox-bench", {"rays"}},
                                         {"vox-bench", {"replay"}},  {"vox-bench", {"all"}},
                                         {"vox-bench", {"machine"}}};

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
  EXPECT_EQ(offered({"vox-convert", "--palette-"}),
            (Arguments{"--palette-out", "--palette-size", "--palette-weight"}));
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

// Tests --version of every program.

using VersionProgram = ProgramTest;

TEST_F(VersionProgram, BeginsWithTheVersionAndSaysWhatTheBuildHas) {
  const std::regex expected(
      "vox \\d+\\.\\d+\\.\\d+\n"
      "  compiler +\\w+ \\d+\\.\\d+[^\n]*\n"
      "  CUDA +(none|\\d+\\.\\d+(\\.\\d+)? for [0-9a-z -]+)\n"
      "  processors +[\\w-]+\n"
      "  HDF5 +\\d+\\.\\d+\\.\\d+\n"
      "(  [^\n]+ (yes|no)\n)+");
  std::string first;
  for (const char* program :
       {"vox-convert", "vox-edit", "vox-render", "vox-stats", "vox-scene", "vox-bench"}) {
    const Finished run = run_program(program, {"--version"}, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << program << run.err;
    EXPECT_TRUE(std::regex_match(run.out, expected)) << program << "\n" << run.out;
    if (first.empty()) first = run.out;
    EXPECT_EQ(run.out, first) << program;
  }
}

TEST_F(VersionProgram, SaysTheSameAsAJsonObject) {
  const std::string text = converted({"--version"});
  const std::string json = converted({"--version", "--json"});
  EXPECT_TRUE(json.starts_with("{") && json.ends_with("}\n")) << json;
  const std::string version = json_value(json, "version");
  EXPECT_TRUE(text.starts_with("vox " + version.substr(1, version.size() - 2) + "\n")) << text;
  EXPECT_EQ(json_value(json, "webp"), can_read_webp() ? "true" : "false");
  EXPECT_EQ(json_value(json, "webp") == "true", std::regex_search(text, std::regex("WebP images +yes")))
      << text;
  for (const char* key :
       {"compiler", "cuda", "cuda_architectures", "processors", "hdf5", "meshopt", "draco", "isal", "zstd"})
    EXPECT_NE(json_value(json, key), "") << key;
}

TEST_F(VersionProgram, NamesNoCudaWhereTheDeviceIsRefusedForWantOfIt) {
  write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const Finished run =
      run_program("vox-convert", {"a.obj", "--res", "8", "--device", "cuda:99", "-o", "a.h5"},
                  {.folder = folder_, .file_size_limit = {}});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(json_value(converted({"--version", "--json"}), "cuda") == "\"none\"",
            run.err.find("this build has no CUDA") != std::string::npos)
      << run.err;
}

TEST(NumberText, IsWrittenAsPeopleDo) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(-3.14159), "-3.14");
  EXPECT_EQ(number_text(999.4), "999");
  EXPECT_EQ(number_text(999.6), "1,000");
  EXPECT_EQ(number_text(-1000), "-1,000");
  EXPECT_EQ(number_text(-999999), "-999,999");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(25e6), "2.50e+07");
  EXPECT_EQ(number_text(-25e6), "-2.50e+07");
  EXPECT_EQ(number_text(0.0001), "1.00e-04");
}

}  // namespace
}  // namespace vox
