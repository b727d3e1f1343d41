// Tests vox-edit --check, which describes a script and lists all its errors.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "formats/scene/scene_file.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
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

// Tests vox-edit on files with bricks beside the SVDAG.

class EditBricks : public CubesTest {
 protected:
  EditBricks() : CubesTest("vox-edit") {}

  void SetUp() override {
    CubesTest::SetUp();
    if (!folder_.empty()) write("script.txt", "box add min 20,20,20 max 24,24,24 material 3\n");
  }

  // Makes both.h5, whose bricks are made with these options.
  void make_both(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"cube.h5", "--structure", "both", "-o", "both.h5", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
  }
  // Returns the bricks of both.h5 after the script, compared with the scene.
  bricks::FrozenBricks edited_bricks(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"both.h5", "-s", "script.txt", "-o", "edited.h5", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    EXPECT_NE(converted({"--verify", "edited.h5"}).find("correct"), std::string::npos);
    return read_bricks(folder_ / "edited.h5");
  }
  // Returns the bricks that vox-convert makes from the edited scene.
  bricks::FrozenBricks expected_bricks(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"edited.h5", "--structure", "bricks", "-o", "expected.h5", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
    return read_bricks(folder_ / "expected.h5");
  }
};

TEST_F(EditBricks, AreMadeAgainOfTheSameSizeAndTypes) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--brick-size", "16"},
                                                  {"--brick-size", "8", "--types", "empty,dense,octree,list"},
                                                  {"--brick-size", "4", "--optimize", "speed"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    make_both(options);
    const bricks::FrozenBricks edited = edited_bricks(), expected = expected_bricks(options);
    EXPECT_EQ(edited.filled, read_scene(folder_ / "edited.h5").dag.voxels);
    EXPECT_EQ(edited.log2_side, expected.log2_side);
    EXPECT_EQ(edited.allowed_types, expected.allowed_types);
    EXPECT_EQ(edited.counts, expected.counts);
    EXPECT_TRUE(edited.root == expected.root);
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
      EXPECT_TRUE(edited.data[type] == expected.data[type]) << bricks::BrickTypes::kNames[type];
  }
}

// Measured times decide which bricks are dense, but not how much memory a time is worth.
TEST_F(EditBricks, BetweenMemoryAndSpeedStayThere) {
  make_both({"--brick-size", "8", "--optimize", "balanced=0.5"});
  EXPECT_EQ(edited_bricks().slope, 0.5);
}

TEST_F(EditBricks, AreInWhatAScriptSavesToo) {
  write("script.txt", "clear\nsave empty.h5\nundo\nbox add min 20,20,20 max 24,24,24 material 3\n");
  make_both({});
  edited_bricks({"--checkpoint", "1"});
  EXPECT_NE(converted({"--verify", "empty.h5"}).find("correct"), std::string::npos);
  EXPECT_EQ(read_bricks(folder_ / "empty.h5").filled, 0u);
}

TEST_F(EditBricks, AreInTheResultAsJson) {
  make_both({"--brick-size", "16"});
  const std::string json = printed({"both.h5", "-s", "script.txt", "-o", "edited.h5", "--json"});
  EXPECT_EQ(json_value(json, "bricks.size"), "16");
}

TEST_F(EditBricks, AreLeftOutOnRequestWithALine) {
  make_both({});
  const Finished run = ran({"both.h5", "-s", "script.txt", "-o", "edited.h5", "--drop-bricks"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("the bricks of both.h5 are left out"), std::string::npos) << run.err;
  EXPECT_FALSE(scene_file_parts(folder_ / "edited.h5").bricks);
  expect_failure(kBadUsage, "has no bricks", {"cube.h5", "-s", "script.txt", "-o", "x.h5", "--drop-bricks"});
  expect_failure(kBadUsage, "-o", {"both.h5", "-s", "script.txt", "--drop-bricks"});
}

TEST_F(EditBricks, OfAnotherVolumeAreRefused) {
  converted({"cube.obj", "--res", "32", "--structure", "bricks", "-o", "other.h5", "-q"});
  const bricks::FrozenBricks other = read_bricks(folder_ / "other.h5");
  write_scene(read_scene(folder_ / "cube.h5"), folder_ / "both.h5", {.bricks = &other});
  expect_failure(kFailed, "--drop-bricks", {"both.h5", "-s", "script.txt", "-o", "x.h5"});
}

// Tests the page that vox-edit writes with --html.

class EditPage : public CubesTest {
 protected:
  EditPage() : CubesTest("vox-edit") {}
  std::string page() const { return read_bytes(folder_ / "page.html"); }
  std::string edited(const std::string& script) const {
    write("script.txt", script);
    return printed({"cube.h5", "-s", "script.txt", "--json", "-q", "--html", "page.html"});
  }
};

const std::string kEdits =
    "repeat 30 jitter 20,20,20 seed 3\n  sphere add center 32,32,32 radius 5 material 2\nend\n"
    "box remove min 0,0,0 max 20,20,20\ngc\n";

TEST_F(EditPage, NumbersAreThoseOfTheJson) {
  write("result.json", edited(kEdits));
  EXPECT_EQ(python(kReadTables + std::string(R"(
r = json.load(open('result.json'))
times, nodes = table('Time of a pass'), table('Nodes of a pass')
assert sorted(times) == ['all', 'box remove', 'sphere add'], times
for name, tool in list(r['tools'].items()) + [('all', r)]:
    assert times[name]['edits'] == count(tool['edits']) and times[name]['passes'] == count(tool['passes'])
    for key in 'mean', 'median', 'longest':
        assert times[name][key] == ('%.2f' % tool['pass_ms'][key], tool['pass_ms'][key])
    for key in 'made', 'new':
        assert nodes[name][key] == count(tool['nodes'][key] + tool['leaves'][key])
    assert nodes[name]['changed'] == count(tool['changed_voxels'])
assert 'removed in 1 collection' in open('page.html', encoding='utf-8').read()
print('good')
)")),
            "good\n");
}

TEST_F(EditPage, NamesThePassesOfAShortScriptAndTheToolsOfALongOne) {
  edited("sphere add center 32,32,32 radius 5 material 2\nbox remove min 0,0,0 max 20,20,20\n");
  for (const char* row : {"1 sphere add", "2 box remove"})
    EXPECT_NE(page().find(std::string(">") + row + "<"), std::string::npos) << row;
  edited(kEdits);
  for (const char* line : {"</i>sphere add<", "</i>box remove<"})
    EXPECT_NE(page().find(line), std::string::npos) << line;
}

TEST_F(EditPage, CountsWhatChangedWithoutBeingAskedTo) {
  write("script.txt", kEdits);
  printed({"cube.h5", "-s", "script.txt", "-q", "--html", "page.html"});
  EXPECT_EQ(python(kReadTables + std::string("print(table('Nodes of a pass')['all']['changed'][1] > 0)")),
            "True\n");
}

TEST_F(EditPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  for (const std::string& script :
       {kEdits, std::string("sphere add center 32,32,32 radius 5 material 2\n"),
        std::string(
            "repeat 900 jitter 30,30,30 seed 1\n  sphere add center 32,32,32 radius 2 material 1\nend\n")}) {
    edited(script);
    const PageLook look = look_at(folder_ / "page.html");
    EXPECT_EQ(look.faults, std::vector<std::string>{}) << script;
    EXPECT_EQ(look.charts, 2);
  }
  EXPECT_NE(page().find("Each point is the median of 5 passes"), std::string::npos);
}

TEST_F(EditPage, OfAScriptWithoutEditsSaysSo) {
  edited("# nothing\n");
  EXPECT_NE(page().find("The script has no edits."), std::string::npos);
  EXPECT_EQ(page().find("<svg"), std::string::npos);
}

TEST_F(EditPage, HostileNamesAreText) {
  write("<b onclick='x'>.txt", kEdits);
  printed({"cube.h5", "-s", "<b onclick='x'>.txt", "-q", "--html", "page.html"});
  EXPECT_EQ(page().find("<b onclick"), std::string::npos);
  EXPECT_NE(page().find("&lt;b onclick=&#39;x&#39;&gt;.txt"), std::string::npos);
}

TEST_F(EditPage, ReplacesNothingThatIsReadOrWrittenBesides) {
  write("script.txt", kEdits);
  for (const char* target : {"cube.h5", "script.txt"})
    expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", target});
  expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", "x.h5", "-o", "x.h5"});
  expect_failure(kBadUsage, "--html", {"cube.h5", "-s", "script.txt", "--html", "x.h5", "--log", "x.h5"});
  expect_failure(kFailed, "missing/page.html",
                 {"cube.h5", "-s", "script.txt", "--html", "missing/page.html"});
  expect_failure(kFailed, "page.html", {"cube.h5", "-s", "script.txt", "-q", "--html", "page.html"},
                 {.folder = {}, .file_size_limit = 4000});
}

TEST_F(EditProgram, PrintsOneJsonObject) {
  write("script.txt", kBox + "undo\nredo\ngc\n" + kBox);
  const std::string json = printed({"cube.h5", "-s", "script.txt", "--json"});
  EXPECT_TRUE(json.starts_with("{") && json.ends_with("}\n")) << json;
  for (const char* key :
       {"file", "script", "digest", "resolution", "voxels", "pass_ms.mean", "pass_ms.median",
        "pass_ms.longest", "store.item_bytes", "store.allocated_bytes", "seconds.load", "seconds.edit",
        "seconds.write", "peak_memory_bytes", "device", "garbage.items"})
    EXPECT_NE(json_value(json, key), "") << key;
  EXPECT_EQ(json_value(json, "edits"), "2");
  EXPECT_EQ(json_value(json, "passes"), "2");
  EXPECT_EQ(json_value(json, "changed_voxels"), "64");
  EXPECT_EQ(json_value(json, "garbage.collections"), "1");
  EXPECT_EQ(json_number(json, "voxels"), read_scene(folder_ / "cube.h5").dag.voxels + 64);
  EXPECT_EQ(json_value(json, "digest"), "\"" + dag::to_string(edited(kBox).dag.digest) + "\"");
  if (access("/usr/bin/python3", X_OK) != 0) return;
  write("result.json", json);
  python("import json\njson.load(open('result.json'))\n");
}

TEST_F(EditProgram, SumsUpWhatEachToolDid) {
  write("script.txt", kBox + "clear\nundo\ngc\n" + kBox);
  const std::string text = printed({"cube.h5", "-s", "script.txt", "-o", "x.h5"});
  for (const char* part :
       {"box add", "everything remove", "all", "ms a pass", "garbage: ", "store: ", "x.h5: ", "load "})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_TRUE(has(text, dag::to_string(read_scene(folder_ / "x.h5").dag.digest))) << text;
  EXPECT_FALSE(has(text, "voxels changed")) << text;
  const Finished logged = ran({"cube.h5", "-s", "script.txt", "--log", "x.csv"});
  EXPECT_TRUE(has(logged.out, "voxels changed")) << logged.out;
  EXPECT_TRUE(has(logged.err, "x.csv: ")) << logged.err;
  write("script.txt", "snapshot a\n");
  EXPECT_TRUE(printed({"cube.h5", "-s", "script.txt"}).starts_with("no edits\nstore: "));
}

TEST_F(EditProgram, LogsEveryPassAsCsv) {
  write("script.txt", kBox + "\nclear\n");
  printed({"cube.h5", "-s", "script.txt", "--log", "edits.csv", "-q"});
  const std::string csv = read_bytes(folder_ / "edits.csv");
  EXPECT_TRUE(csv.starts_with(
      "\"line\",frame,tool,edits,changed_voxels,nodes_made,nodes_distinct,nodes_new,leaves_made,"
      "leaves_distinct,leaves_new,octree_bytes,store_items,store_item_bytes,"
      "store_allocated_bytes,octree_seconds,octree_device_seconds,merge_seconds,merge_device_seconds,"
      "seconds\r\n"))
      << csv;
  EXPECT_TRUE(has(csv, "\n1,0,box add,1,64,")) << csv;
  EXPECT_TRUE(has(csv, "\n3,0,everything remove,1,")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  printed({"cube.h5", "-s", "script.txt", "--log", "EDITS.CSV", "-q"});
  EXPECT_TRUE(read_bytes(folder_ / "EDITS.CSV").starts_with("\"line\",frame,tool,"));
}

TEST_F(EditProgram, LogsEveryPassForH5py) {
  if (access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no python";
  write("script.txt", kBox + "gc\nclear\nundo\n");
  printed({"cube.h5", "-s", "script.txt", "--log", "log.h5", "-q"});
  const std::string out = python(
      "import h5py\n"
      "f = h5py.File('log.h5')\n"
      "e, c = f['edits'], f['collections']\n"
      "print(f.attrs['tool'].decode(), f.attrs['script'].decode(), f.attrs['resolution'])\n"
      "print([t.decode() for t in e['tool'][:]], e['line'][:].tolist(), e['edits'][:].tolist())\n"
      "print(e['changed_voxels'][0], e['changed_voxels'].attrs['unit'].decode(), "
      "e['octree_bytes'].attrs['unit'].decode(),\n"
      "      e['seconds'].attrs['unit'].decode(), c['mark_seconds'].attrs['unit'].decode())\n"
      "print(all(e['seconds'][:] >= e['octree_seconds'][:] + e['merge_seconds'][:]), all(e['seconds'][:] > "
      "0))\n"
      "print(all(e['store_allocated_bytes'][:] >= e['store_item_bytes'][:]), all(e['store_items'][:] > 0))\n"
      "print(e['leaves_new'][0], e['octree_bytes'][0] > 0, c['line'][:].tolist(), c['items_after'][:] > "
      "0)\n");
  EXPECT_EQ(out,
            "vox-edit script.txt 64\n"
            "['box add', 'everything remove'] [1, 3] [1, 1]\n"
            "64 voxels bytes s s\n"
            "True True\n"
            "True True\n"
            "1 True [2] [ True]\n");
}

TEST_F(EditProgram, ShowsTheKernelsWithProfile) {
  write("script.txt", kBox);
  const Finished run = ran({"cube.h5", "-s", "script.txt", "--profile"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "kernel")) << run.err;
  EXPECT_TRUE(has(run.err, "edit: ")) << run.err;
}

TEST_F(EditProgram, SaysNothingButTheResultWithQuiet) {
  write("script.txt", kBox);
  const Finished run = ran({"cube.h5", "-s", "script.txt", "-o", "x.h5", "--quiet"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
}

TEST_F(EditProgram, UndoBeyondTheBeginningWarns) {
  write("script.txt", kBox + "undo 5\n");
  const Finished run = ran({"cube.h5", "-s", "script.txt", "-o", "x.h5"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "vox-edit: warning: script.txt:2: there is nothing left to undo")) << run.err;
  EXPECT_EQ(read_scene(folder_ / "x.h5").dag.digest, read_scene(folder_ / "cube.h5").dag.digest);
}

TEST_F(EditProgram, MemoryThatIsTooLittleIsAClearError) {
  write("script.txt", kBox);
  expect_failure(kFailed, "out of memory",
                 {"cube.h5", "-s", "script.txt", "-o", "x.h5", "--memory-limit", "1K"});
}

}  // namespace
}  // namespace vox
