// The commands of a script besides edits: undo and redo, snapshots, collections, and edits that share a pass.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/editor.h"
#include "tests/common/test_engine.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

class EditorCommands : public testing::Test {
 protected:
  edit::Script parse(const std::string& text) { return parse_edit_script(text, "test.txt", {}); }

  // Returns the number of filled voxels after a script.
  uint64_t voxels_after(const std::string& text, uint32_t batch = 1) {
    const edit::Script script = parse(text);
    session_ = edit::make_edit_session(engine_->handle(), engine_->table(), dag::empty_dag(32, true));
    passes_.clear();
    collections_.clear();
    edit::Editor(*session_, script, {}, {.batch = batch},
                 {.pass = [&](const edit::PassRecord& pass) { passes_.push_back(pass); },
                  .collected = [&](const edit::CollectRecord& record) { collections_.push_back(record); }})
        .run();
    return session_->freeze().voxels;
  }

  std::unique_ptr<Engine> engine_ = test_engine();
  std::unique_ptr<edit::EditSession> session_;
  std::vector<edit::PassRecord> passes_;
  std::vector<edit::CollectRecord> collections_;
};

// Three cubes of 1, 8 and 64 voxels.
const std::string kCubes =
    "box add min 0,0,0 max 1,1,1 material 1\n"
    "box add min 4,4,4 max 6,6,6 material 1\n"
    "box add min 8,8,8 max 12,12,12 material 1\n";

TEST_F(EditorCommands, UndoTakesBackTheLastEditsAndRedoBringsThemAgain) {
  for (const uint32_t batch : {1u, 2u, 3u}) {
    EXPECT_EQ(voxels_after(kCubes, batch), 73u);
    EXPECT_EQ(voxels_after(kCubes + "undo\n", batch), 9u);
    EXPECT_EQ(voxels_after(kCubes + "undo 2\n", batch), 1u);
    EXPECT_EQ(voxels_after(kCubes + "undo 3\n", batch), 0u);
    EXPECT_EQ(voxels_after(kCubes + "undo 2\nredo\n", batch), 9u);
    EXPECT_EQ(voxels_after(kCubes + "undo 3\nredo\n", batch), 1u);
    EXPECT_EQ(voxels_after(kCubes + "undo 3\nredo 2\nundo\n", batch), 1u);
    EXPECT_EQ(voxels_after(kCubes + "undo 3\nredo\nredo\nredo\n", batch), 73u);
  }
}

TEST_F(EditorCommands, UndoAndRedoBeyondTheEndsWarnAndGoOn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(voxels_after(kCubes + "undo 50\nbox add min 0,0,0 max 2,2,2 material 3\nredo 7\n"), 8u);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("test.txt:4: there is nothing left to undo"), std::string::npos) << said;
  EXPECT_NE(said.find("test.txt:6: there is nothing left to redo"), std::string::npos) << said;
}

// A redo restores the edits that were undone last, but none that were undone before another edit. The editor
// must foresee this when it determines how far back a script reaches.
TEST_F(EditorCommands, AnEditMakesWhatWasUndoneUnreachable) {
  const std::string add = "box add min 20,20,20 max 21,21,21 material 2\n";
  EXPECT_EQ(voxels_after(kCubes + "undo 3\n" + add + "redo 3\n"), 1u);
  EXPECT_EQ(voxels_after(kCubes + "undo 2\n" + add + "redo 3\nundo 2\n"), 0u);
  EXPECT_EQ(voxels_after(kCubes + "undo\n" + add + "redo 3\nundo 3\nredo 3\n"), 10u);
}

TEST_F(EditorCommands, ARestoredSnapshotCanBeUndone) {
  EXPECT_EQ(voxels_after("snapshot empty\n" + kCubes + "restore empty\n"), 0u);
  EXPECT_EQ(voxels_after("snapshot empty\n" + kCubes + "restore empty\nundo\n"), 73u);
  EXPECT_EQ(voxels_after("snapshot empty\n" + kCubes + "restore empty\nundo 2\ngc\nredo 2\n"), 0u);
  EXPECT_EQ(voxels_after("snapshot a\n" + kCubes + "snapshot a\nclear\ngc\nrestore a\n"), 73u);
}

TEST_F(EditorCommands, IndependentEditsShareAPassAndOthersDoNot) {
  voxels_after(kCubes, 16);
  ASSERT_EQ(passes_.size(), 1u);
  EXPECT_EQ(passes_[0].edits, 3u);
  EXPECT_EQ(passes_[0].line, 1u);
  EXPECT_EQ(passes_[0].tool, "box add");
  EXPECT_EQ(passes_[0].changed_voxels, 73u);
  EXPECT_GT(passes_[0].store.item_bytes, 0u);
  voxels_after(kCubes + "sphere remove center 20,20,20 radius 3\n", 16);
  ASSERT_EQ(passes_.size(), 1u);
  EXPECT_EQ(passes_[0].tool, "several");
  voxels_after(kCubes, 2);
  EXPECT_EQ(passes_.size(), 2u);
  voxels_after(kCubes + "box remove min 9,9,9 max 10,10,10\n", 16);  // touches the third cube
  EXPECT_EQ(passes_.size(), 2u);
  voxels_after(kCubes + "copy min 0,0,0 max 1,1,1 to 20,20,20\ncopy min 20,20,20 max 21,21,21 to 0,9,0\n",
               16);
  EXPECT_EQ(passes_.size(), 3u);
}

TEST_F(EditorCommands, GarbageIsCollectedWhenTheScriptSaysSo) {
  const std::string noise =
      "repeat 12 step 1,0,0\nsphere add center 8,16,16 radius 6 noise 3 material 1\nend\n";
  voxels_after(noise);
  EXPECT_EQ(collections_.size(), 0u);
  voxels_after(noise + "gc\n");
  ASSERT_EQ(collections_.size(), 1u);
  EXPECT_EQ(collections_[0].line, 4u);
  EXPECT_LT(collections_[0].work.items_after, collections_[0].work.items_before);
  voxels_after("gc every 5\n" + noise);
  EXPECT_EQ(collections_.size(), 2u);
  voxels_after("gc threshold 20%\n" + noise);
  EXPECT_GT(collections_.size(), 2u);
  voxels_after("gc every 5 budget 1000ms\n" + noise);
  EXPECT_GE(collections_.size(), 1u);
  voxels_after("gc every 1\ngc never\n" + noise);
  EXPECT_EQ(collections_.size(), 0u);
}

TEST_F(EditorCommands, AnEditThatFailsIsNamedAndLeavesTheSceneBeforeIt) {
  const edit::Script script = parse(kCubes + "erode steps 1\nfill seed 20,20,20 material 3 limit 5\n");
  session_ = edit::make_edit_session(engine_->handle(), engine_->table(), dag::empty_dag(32, true));
  edit::Editor editor(*session_, script, {}, {}, {});
  try {
    editor.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("test.txt:5: a fill reaches ")) << error.what();
  }
  const uint64_t voxels = session_->freeze().voxels;
  EXPECT_EQ(voxels, voxels_after(kCubes + "erode steps 1\n"));
}

}  // namespace
}  // namespace vox
