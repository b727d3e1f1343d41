// Tests vox-edit --check, which describes a script and lists all its errors.
#include <algorithm>

#include "tests/tools/program.h"

namespace vox {
namespace {

class EditCheck : public CubesTest {
 protected:
  EditCheck() : CubesTest("vox-edit") {}
};

const std::string kCheckedBox = "box add min 20,20,20 max 24,24,24 material 3\n";

TEST_F(EditCheck, SaysWhatAScriptHoldsAndEditsNothing) {
  write("script.txt",
        kCheckedBox + "repeat 30\nsphere remove center 500,0,0 radius 3\nend\nstamp bare.h5 at 0,0,0\n");
  const Finished run = ran({"bare.h5", "-s", "script.txt", "--check"});
  EXPECT_EQ(run.code, 1);  // the box has a material
  write("script.txt",
        "box add min 0,0,0 max 1,1,1\nrepeat 30\nsphere remove center 500,0,0 radius 3\nend\n"
        "stamp bare.h5 at -64,0,0\nstamp bare.h5 at -63,0,0\n");
  const Finished good = ran({"bare.h5", "-s", "script.txt", "--check"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(has(good.out, "33 commands, 33 edits, 31 without effect")) << good.out;
  EXPECT_TRUE(has(good.err, "script.txt:3: changes nothing inside the grid")) << good.err;
  EXPECT_TRUE(has(good.err, "11 more edits")) << good.err;
  const std::string json = printed({"bare.h5", "-s", "script.txt", "--check", "--json", "-q"});
  EXPECT_EQ(json_value(json, "outside"), "31");
  EXPECT_EQ(json_value(json, "tools.stamp"), "2");
  EXPECT_FALSE(exists("edited.h5"));
  write("script.txt", kCheckedBox + "fill seed 90,3,3 material 1\n");
  expect_failure(kFailed, "script.txt:2:1: the seed of the fill lies outside of the grid",
                 {"cube.h5", "-s", "script.txt", "--check"});
}

TEST_F(EditCheck, SaysEverythingThatIsWrong) {
  const std::string text =
      "spheer add\n"
      "repeat 2 steps 1,1,1\n"  // its end is not reported as an error too
      "  box add min 1,1,1 max 2,2,2 material 99\n"
      "end\n"
      "save nothing.txt\n"
      "undo\n"
      "  stamp none.h5 at 1,1,1\n"
      "fill seed 1,1\n"
      "repeat 3\n";
  write("script.txt", text);
  const Finished run = ran({"cube.h5", "-s", "script.txt", "--check"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_EQ(run.out, "");
  for (const char* part :
       {"error: script.txt:1:1: 'spheer' is no command", "error: script.txt:2:10: 'steps' is no argument",
        "error: script.txt:3:40: ", "error: script.txt:5:1: 'nothing.txt' is no scene file",
        "error: script.txt:7:3: none.h5: no such file", "error: script.txt:8:11: ",
        "error: script.txt:9:1: no 'end' follows", "error: script.txt: 7 errors\n"})
    EXPECT_TRUE(has(run.err, part)) << part << "\n" << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 8) << run.err;
  const Finished json = ran({"cube.h5", "-s", "script.txt", "--check", "--json", "-q"});
  EXPECT_EQ(json.code, kFailed);
  EXPECT_EQ(json_value(json.out, "errors"), "7");
  expect_failure(kFailed, "script.txt:1:1: 'spheer'", {"cube.h5", "-s", "script.txt", "-o", "x.h5"});
}

TEST_F(EditCheck, ShowsFiftyErrorsOfAScriptThatHasMore) {
  std::string text = kCheckedBox;
  for (int i = 0; i < 70; ++i) text += "fill seed 90,3,3 material 1\n";
  write("script.txt", text);
  const Finished run = ran({"cube.h5", "-s", "script.txt", "--check"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 51);
  EXPECT_TRUE(has(run.err, "script.txt:51:1: the seed of the fill")) << run.err;
  EXPECT_TRUE(has(run.err, "error: script.txt: 70 errors, the first 50 above\n")) << run.err;
}

TEST_F(EditCheck, SaysEverythingThatIsWrongWithARecording) {
  write("bad.csv", "EditSphere,10,20,30,4,TRUE\nEditSphere,1,2\nUndo\nEditBall,1\n");
  const Finished run = ran({"cube.h5", "-s", "bad.csv", "--check"});
  EXPECT_EQ(run.code, kFailed);
  for (const char* part : {"bad.csv:2:1: 2 cells", "bad.csv:4:1: 'EditBall'", "bad.csv: 2 errors"})
    EXPECT_TRUE(has(run.err, part)) << part << "\n" << run.err;
}

}  // namespace
}  // namespace vox
