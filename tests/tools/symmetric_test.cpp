// Tests the tools with the symmetric form of scenes.
#include "formats/images/image.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class SymmetricProgram : public CubesTest {};

TEST_F(SymmetricProgram, IsWrittenAloneOrBesideOtherStructures) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "90", "--materials", "none", "-o", "plain.h5"});
  const std::string before = digest("plain.h5");
  for (const std::string structure : {"symmetric", "svdag,symmetric", "both,symmetric", "symmetric,hash"}) {
    const std::string json =
        converted({"plain.h5", "--structure", structure, "-o", "a.h5", "--force", "--verify", "--json"});
    EXPECT_EQ(json_value(json, "verified"), "true");
    EXPECT_EQ(digest("a.h5"), before);
    EXPECT_LT(std::stod(json_value(json, "symmetric.nodes")), std::stod(json_value(json, "unique_nodes")));
    EXPECT_NE(converted({"--verify", "a.h5"}).find("a.h5: correct: "), std::string::npos);
    EXPECT_NE(converted({"a.h5", "--info"}).find("in symmetric form"), std::string::npos);
    const std::string info = converted({"a.h5", "--info", "--json"});
    EXPECT_EQ(json_value(info, "symmetric.bytes"), json_value(json, "symmetric.bytes"));
    EXPECT_EQ(json_value(info, "dag_bytes"), json_value(json, "dag_bytes"));
  }
}

TEST_F(SymmetricProgram, OfAMeshWithColorsIsUsedAsItsScene) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "60", "--materials", "colors", "-o", "plain.h5"});
  const std::string json = converted({"cube.obj", "--res", "60", "--materials", "colors", "--structure",
                                      "symmetric", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "verified"), "true");
  EXPECT_EQ(digest("a.h5"), digest("plain.h5"));
  for (const std::string extension : {"vl32", "ply", "npz"}) {
    converted({"plain.h5", "-o", "b." + extension});
    converted({"a.h5", "-o", "a." + extension});
    EXPECT_TRUE(read_bytes(folder_ / ("a." + extension)) == read_bytes(folder_ / ("b." + extension)));
  }
  converted({"a.h5", "-o", "again.h5"});
  EXPECT_EQ(json_value(converted({"again.h5", "--info", "--json"}), "symmetric.nodes"), "");
  EXPECT_NE(converted({"--verify", "again.h5"}).find("correct"), std::string::npos);
}

class SymmetricPictures : public CubesTest {
 protected:
  SymmetricPictures() : CubesTest("vox-render") {}

  scene::Image picture(const std::string& scene, const std::string& structure,
                       const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {scene, "--structure", structure, "--size", "80x60", "-o", "a.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    return read_image(folder_ / "a.png");
  }
};

TEST_F(SymmetricPictures, AreThoseOfTheSvdag) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "60", "--materials", "colors", "--structure", "svdag,symmetric", "-o",
             "both.h5"});
  converted({"both.h5", "--structure", "symmetric", "-o", "alone.h5"});
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--shade", "normal"},
                                               {"--slice", "y=20"},
                                               {"--ao", "4"},
                                               {"--shade", "sharing"},
                                               {"--cut", "z=30"}}) {
    const scene::Image expected = picture("both.h5", "svdag", more);
    EXPECT_TRUE(picture("alone.h5", "auto", more).pixels == expected.pixels);
    const bool is_whole = more.empty() || (more[1] != "sharing" && more[0] != "--cut");
    EXPECT_TRUE(!is_whole || picture("both.h5", "symmetric", more).pixels == expected.pixels);
  }
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--shade", "sharing"}, {"--cut", "z=30"}})
    expect_failure(kBadUsage, "--structure symmetric is for whole scenes",
                   {"both.h5", "--structure", "symmetric", more[0], more[1], "-o", "b.png"});
}

TEST_F(SymmetricProgram, IsForGeometryAlone) {
  write("cube.obj", cube_obj());
  expect_failure(kBadUsage, "--structure symmetric holds geometry alone",
                 {"cube.obj", "--res", "20", "--structure", "symmetric", "-o", "a.h5"});
  expect_failure(kFailed, "the symmetric form holds geometry alone",
                 {"cube.h5", "--structure", "symmetric", "-o", "a.h5"});
  expect_failure(kBadUsage, "--parts is for",
                 {"cube.obj", "--res", "20", "--materials", "none", "--structure", "svdag,symmetric",
                  "--parts", "-o", "a.h5"});
}

}  // namespace
}  // namespace vox
