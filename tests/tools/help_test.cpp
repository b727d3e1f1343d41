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
    {"vox-convert", {}},        {"vox-edit", {}},          {"vox-render", {}},
    {"vox-stats", {}},          {"vox-scene", {}},         {"vox-bench", {}},
    {"vox-bench", {"hash"}},    {"vox-bench", {"bricks"}}, {"vox-bench", {"intersect"}},
    {"vox-bench", {"convert"}}, {"vox-bench", {"edit"}}};

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
  std::vector<std::string> help(const std::string& program, Arguments arguments, const char* columns) const {
    arguments.emplace_back("--help");
    setenv("COLUMNS", columns, 1);
    const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    unsetenv("COLUMNS");
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream stream(run.out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  // Returns the examples of --help without the text beside them.
  std::vector<Arguments> examples(const std::string& program) const {
    std::vector<Arguments> list;
    for (const std::string& line : help(program, {}, "100")) {
      if (!line.starts_with("  " + program + " ") || line.find('[') != std::string::npos) continue;
      list.push_back(words(line.substr(2, line.find("  ", 2) - 2)));
    }
    return list;
  }
};

TEST_F(HelpProgram, LinesFitTheScreenAndAllDescriptionsBeginInOneColumn) {
  for (const auto& [program, arguments] : kPrograms)
    for (const char* columns : {"80", "100"}) {
      size_t column = 0;
      bool options = false;
      for (const std::string& line : help(program, arguments, columns)) {
        EXPECT_LE(characters(line), std::strtoul(columns, nullptr, 10)) << program << ": " << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << program << ": '" << line << "'";
        EXPECT_FALSE(line.ends_with("(default:")) << program << ": " << line;
        options |= line.ends_with(" options:");
        const size_t dashes = line.find("--");
        if (!options || dashes != 6) continue;
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
