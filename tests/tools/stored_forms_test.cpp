// Runs the programs on one scene in each form in which a file may hold its words, in so little memory that the words
// stay in the file.
#include <set>

#include "tests/formats/scene/stored_forms.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

class StoredFormsProgram : public ProgramTest {
 protected:
  // Makes the scene in one file, in parts, and with child numbers of 8 bytes, in folders of these names.
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    for (const char* form : kForms) fs::create_directories(folder_ / form);
    ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20K", "--texture-size", "256", "-o", "ball.obj"}).code,
              0);
    const std::vector<std::string> convert = {"ball.obj", "--res", "2K", "-q", "--device"};
    const auto made = [&](std::vector<std::string> more) {
      more.insert(more.begin(), convert.begin(), convert.end());
      const Finished run = run_program("vox-convert", more, {.folder = folder_, .file_size_limit = {}});
      ASSERT_EQ(run.code, 0) << run.err;
    };
    made({"cpu", "-o", "one/ball.h5"});
    made({"cpu,cpu,cpu", "--parts", "-o", "parts/ball.h5"});
    write_as(StoredForm::LongNumbers, read_scene(folder_ / "one/ball.h5"), folder_ / "long/ball.h5");
    for (const char* form : kForms) {
      write(std::string(form) + "/few.txt",
            "sphere add center 1000,1900,1000 radius 30 material 3\n"
            "box remove min 900,1800,900 max 1100,1950,950\n"
            "copy min 1000,1850,1000 max 1050,2000,1050 to 1060,1900,1000\n");
    }
  }

  // Returns everything that is in a form's folder, by its path there. Scene files count as their digests.
  std::map<std::string, std::string> results(const std::string& form) const {
    std::map<std::string, std::string> found;
    for (const auto& [path, content] : listing(folder_ / form))
      found[fs::path(path).lexically_relative(folder_ / form)] =
          path.ends_with(".h5") ? digest(path) : content;
    return found;
  }

  static constexpr const char* kForms[] = {"one", "parts", "long"};
};

TEST_F(StoredFormsProgram, GiveTheSameResultsForEachFormOfAScene) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> runs = {
      {"vox-convert", {"ball.h5", "--verify"}},
      {"vox-convert", {"ball.h5", "--res", "512", "-o", "coarse.h5"}},
      {"vox-convert", {"ball.h5", "--clip", "-0.1,0.9,-0.1,0.1,1.1,0.1", "-o", "box.vox"}},
      {"vox-convert", {"ball.h5", "--clip", "-0.1,0.9,-0.1,0.1,1.1,0.1", "-o", "box.nvdb"}},
      {"vox-stats", {"ball.h5", "--only", "scene,materials,levels"}},
      {"vox-render", {"ball.h5", "--size", "120x80", "-o", "view.png"}},
      {"vox-edit", {"ball.h5", "-s", "few.txt", "-o", "ball.h5", "--force"}}};  // whose parts are removed
  for (auto [program, arguments] : runs) {
    // vox-stats reads a scene at once if it takes three quarters of the memory, other programs if it takes half.
    const char* limit = program == "vox-stats" ? "40M" : "64M";
    arguments.insert(arguments.end(), {"--device", "cpu", "--memory-limit", limit, "--log-level", "debug"});
    std::set<std::string> printed;
    for (const char* form : kForms) {
      const Finished run = run_program(program, arguments, {.folder = folder_ / form, .file_size_limit = {}});
      EXPECT_EQ(run.code, 0) << run.err;
      EXPECT_TRUE(has(run.err, "are read as they are used")) << run.err;
      if (program != "vox-edit") printed.insert(run.out);  // which tells how long it has taken
    }
    EXPECT_LE(printed.size(), 1u) << testing::PrintToString(printed);
  }
  const auto expected = results("one");
  for (const char* form : {"parts", "long"}) EXPECT_TRUE(results(form) == expected) << form;
}

}  // namespace
}  // namespace vox
