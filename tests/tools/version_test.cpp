// Tests --version of every program.
#include <regex>

#include "formats/images/webp.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

using VersionProgram = ProgramTest;

TEST_F(VersionProgram, BeginsWithTheVersionAndSaysWhatTheBuildHas) {
  const std::regex expected(
      "vox \\d+\\.\\d+\\.\\d+\n"
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
  for (const char* key : {"cuda", "cuda_architectures", "processors", "hdf5", "meshopt", "draco", "isal"})
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

}  // namespace
}  // namespace vox
