// Tests --help: descriptions form one column, lines fit, examples run.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

const std::vector<std::pair<std::string, Arguments>> kPrograms = {
    {"vox-convert", {}},     {"vox-edit", {}},          {"vox-render", {}},
    {"vox-stats", {}},       {"vox-scene", {}},         {"vox-bench", {}},
    {"vox-bench", {"hash"}}, {"vox-bench", {"bricks"}}, {"vox-bench", {"convert"}},
    {"vox-bench", {"edit"}}, {"vox-bench", {"forms"}},  {"vox-bench", {"intersect"}},
    {"vox-bench", {"keys"}}, {"vox-bench", {"match"}}};

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
    EXPECT_EQ(options(page).size(), command.empty() && program == "vox-scene"   ? 9u
                                    : command.empty() && program == "vox-bench" ? 7u
                                                                                : 10u)
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
  converted({"ct.h5", "-q", "-o", "ct.nrrd"});
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
      example.insert(example.end(), {"-q", "--device", test_device()});
      const bool has_size =
          std::ranges::count(example, "--slice") + std::ranges::count(example, "--html") == 0;
      if (std::string(program) == "vox-render" && has_size)
        example.insert(example.end(), {"--size", "64x48"});
      const Finished run = run_program(program, example, {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(run.code, 0) << program << testing::PrintToString(example) << run.err;
    }
  EXPECT_GE(count, kThoroughness == 10 ? 28u : 6u);
}

}  // namespace
}  // namespace vox
