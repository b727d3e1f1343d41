#include <gtest/gtest.h>

#include <set>

#include "libvox/base/error.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"
#include "libvox/hash/table_options.h"
#include "libvox/volume/volume.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

edit::Edit sphere_at(int64_t x) {
  return edit::PaintEdit{.shape = {.kind = edit::ShapeKind::Sphere, .a = {x, 0, 0}, .radius = 256}};
}

std::vector<edit::Command> commands_of(const edit::Script& script) {
  std::vector<edit::Command> commands;
  for (edit::ScriptCursor cursor(script); auto command = cursor.next();) commands.push_back(*command);
  return commands;
}

edit::EditPlace center(const edit::Command& command) {
  return std::get<edit::PaintEdit>(std::get<edit::Edit>(command.action)).shape.a;
}

// A script as a tree that is run by recursion. The cursor must agree with it.
struct Node {
  uint32_t line = 0;  // the line of a command; 0 for a repetition
  uint32_t count = 0;
  edit::EditPlace step = {0, 0, 0};
  std::vector<Node> body = {};
};

void write(const Node& node, edit::Script& script) {
  if (node.line != 0) return void(script.commands.push_back({.line = node.line, .action = sphere_at(0)}));
  auto index = script.repeats.size();
  auto first = static_cast<uint32_t>(script.commands.size());
  script.repeats.push_back({.first = first, .count = node.count, .step = node.step});
  for (const Node& part : node.body) write(part, script);
  script.repeats[index].end = static_cast<uint32_t>(script.commands.size());
}

void run(const Node& node, edit::EditPlace offset, std::vector<std::pair<uint32_t, edit::EditPlace>>& done) {
  if (node.line != 0) return void(done.push_back({node.line, offset}));
  for (uint32_t n = 0; n < node.count; ++n)
    for (const Node& part : node.body) run(part, offset + node.step * int64_t{n}, done);
}

Node random_node(Random& random, uint32_t& line, uint32_t depth) {
  if (depth == 0 || random.below(3) == 0) return {.line = ++line};
  Node node{.count = 1 + random.below(3), .step = {int64_t{random.below(100)}, 5, -7}};
  for (uint32_t parts = 1 + random.below(3); parts > 0; --parts)
    node.body.push_back(random_node(random, line, depth - 1));
  return node;
}

TEST(ScriptCursor, RunsRepetitionsInRepetitionsAsRecursionDoes) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    edit::Script script;
    std::vector<std::pair<uint32_t, edit::EditPlace>> expected;
    uint32_t line = 0;
    for (int i = 0; i < 3; ++i) {
      Node node = random_node(random, line, 4);
      write(node, script);
      run(node, {0, 0, 0}, expected);
    }
    std::vector<std::pair<uint32_t, edit::EditPlace>> commands;
    for (const edit::Command& command : commands_of(script))
      commands.push_back({command.line, center(command)});
    ASSERT_EQ(commands, expected);
  }
}

TEST(ScriptCursor, AnEmptyScriptHasNoCommands) {
  EXPECT_TRUE(commands_of({}).empty());
}

edit::Script jittered(uint64_t seed, uint32_t line) {
  edit::Script script;
  script.commands.push_back({.line = line, .action = sphere_at(1000)});
  script.commands.push_back({.line = line + 1, .action = sphere_at(2000)});
  script.repeats.push_back(
      {.line = line, .first = 0, .end = 2, .count = 1000, .jitter = {300, 2, 0}, .seed = seed});
  return script;
}

TEST(ScriptCursor, JitterFillsItsRangeEvenlyAndMovesARoundAsOne) {
  std::vector<edit::Command> commands = commands_of(jittered(7, 1));
  ASSERT_EQ(commands.size(), 2000u);
  std::set<int64_t> seen;
  std::array<int, 5> counts = {};
  double mean = 0;
  for (size_t i = 0; i < commands.size(); i += 2) {
    edit::EditPlace offset = center(commands[i]) - edit::EditPlace{1000, 0, 0};
    EXPECT_EQ(center(commands[i + 1]), (edit::EditPlace{2000, 0, 0} + offset));
    EXPECT_LE(std::abs(offset.x), 300);
    ASSERT_LE(std::abs(offset.y), 2);
    EXPECT_EQ(offset.z, 0);
    seen.insert(offset.x);
    ++counts[static_cast<size_t>(offset.y + 2)];
    mean += static_cast<double>(offset.x) / 1000;
  }
  EXPECT_GT(seen.size(), 400u);          // 601 are possible in 1000 draws; 487 are expected
  EXPECT_NEAR(mean, 0, 5 * 173 / 31.6);  // five standard errors
  for (int count : counts) EXPECT_NEAR(count, 200, 65);
}

TEST(ScriptCursor, JitterDependsOnTheSeedAndNotOnTheLine) {
  auto places = [](const edit::Script& script) {
    std::vector<edit::EditPlace> all;
    for (const edit::Command& command : commands_of(script)) all.push_back(center(command));
    return all;
  };
  EXPECT_EQ(places(jittered(7, 1)), places(jittered(7, 100)));
  EXPECT_NE(places(jittered(7, 1)), places(jittered(8, 1)));
}

TEST(ScriptCursor, EveryRoundOfAnOuterRepetitionHasItsOwnJitter) {
  edit::Script script;
  script.commands.push_back({.line = 1, .action = sphere_at(0)});
  script.repeats.push_back({.first = 0, .end = 1, .count = 2});
  script.repeats.push_back({.first = 0, .end = 1, .count = 3, .jitter = {1 << 20, 1 << 20, 1 << 20}});
  std::vector<edit::Command> commands = commands_of(script);
  ASSERT_EQ(commands.size(), 6u);
  for (size_t i = 0; i < 6; ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(center(commands[i]), center(commands[j]));
}

// These numbers were recorded once, so that scripts keep their meaning for ever.
TEST(ScriptCursor, JitterIsWhatItAlwaysWas) {
  std::vector<edit::Command> commands = commands_of(jittered(7, 1));
  EXPECT_EQ(center(commands[0]), (edit::EditPlace{1000 - 20, -2, 0}));
  EXPECT_EQ(center(commands[2]), (edit::EditPlace{1000 + 187, -2, 0}));
}

TEST(ScriptCursor, MovingAnEditMovesItsPlacesAndNoSources) {
  edit::EditPlace offset = {256 * 3 + 128, -128, 127};
  Int3 voxels = {4, -1, 0};
  edit::Shape sphere{.kind = edit::ShapeKind::Sphere, .a = {1, 2, 3}, .radius = 9};
  edit::Shape moved_sphere = sphere;
  moved_sphere.a = sphere.a + offset;
  edit::Shape ellipsoid{.kind = edit::ShapeKind::Ellipsoid, .a = {1, 2, 3}, .b = {4, 5, 6}};
  edit::Shape moved_ellipsoid = ellipsoid;
  moved_ellipsoid.a = ellipsoid.a + offset;
  edit::Shape box{.kind = edit::ShapeKind::Box, .a = {1, 2, 3}, .b = {4, 5, 6}};
  edit::Shape moved_box = box;
  moved_box.a = box.a + offset, moved_box.b = box.b + offset;

  EXPECT_EQ(edit::moved(edit::PaintEdit{.shape = ellipsoid}, offset),
            edit::Edit(edit::PaintEdit{.shape = moved_ellipsoid}));
  EXPECT_EQ(edit::moved(edit::MorphEdit{.shape = box}, offset),
            edit::Edit(edit::MorphEdit{.shape = moved_box}));
  EXPECT_EQ(edit::moved(edit::MorphEdit{}, offset), edit::Edit(edit::MorphEdit{}));
  edit::CopyEdit copy{.source = {{0, 0, 0}, {5, 5, 5}}, .to = {7, 7, 7}, .within = sphere};
  edit::CopyEdit moved_copy = copy;
  moved_copy.to = copy.to + voxels, moved_copy.within = moved_sphere;
  EXPECT_EQ(edit::moved(copy, offset), edit::Edit(moved_copy));
  EXPECT_EQ(edit::moved(edit::CombineEdit{.at = {7, 7, 7}}, offset),
            edit::Edit(edit::CombineEdit{.at = Int3{7, 7, 7} + voxels}));
  EXPECT_EQ(edit::moved(edit::FillEdit{.seed = {7, 7, 7}, .shape = sphere}, offset),
            edit::Edit(edit::FillEdit{.seed = Int3{7, 7, 7} + voxels, .shape = moved_sphere}));
}

TEST(ScriptCursor, MovingAnEditOfAVolumeMovesItsShapeAndMask) {
  const edit::Shape sphere{.kind = edit::ShapeKind::Sphere, .a = {1, 2, 3}, .radius = 9};
  const edit::VolumeEdit moved =
      edit::moved(edit::VolumeEdit{.shape = sphere, .mask = 1, .mask_at = {7, 7, 7}}, {256, -512, 0});
  EXPECT_EQ(moved.shape.a, (edit::EditPlace{257, -510, 3}));
  EXPECT_EQ(moved.mask_at, (Int3{8, 5, 7}));
}

TEST(Script, APlaceCountsCharactersAndEveryKindOfLineEnd) {
  const auto place = [](const std::string& text, const std::string& word, uint32_t line) {
    edit::Script script;
    script.path = "a.txt";
    script.text = text;
    return edit::place_of(script, {.line = line, .text = text.find(word), .action = edit::Undo{}});
  };
  EXPECT_EQ(place("undo", "undo", 1), "a.txt:1:1");
  EXPECT_EQ(place("undo\r  redo", "redo", 2), "a.txt:2:3");
  EXPECT_EQ(place("undo\r\n redo", "redo", 2), "a.txt:2:2");
  EXPECT_EQ(place("undo\ngröße, redo", "redo", 2), "a.txt:2:8");
}

edit::Edit box_edit(Int3 min, Int3 max, edit::PaintMode mode = edit::PaintMode::Add, uint8_t material = 0) {
  const auto units = [](Int3 v) { return edit::EditPlace{v.x, v.y, v.z} * edit::kEditUnits; };
  return edit::PaintEdit{.shape = {.kind = edit::ShapeKind::Box, .a = units(min), .b = units(max)},
                         .mode = mode,
                         .material = material};
}

edit::Script script_of(std::vector<edit::Edit> edits) {
  edit::Script script;
  script.path = "a.txt";
  for (edit::Edit& one : edits)
    script.commands.push_back({.line = static_cast<uint32_t>(script.commands.size() + 1), .action = one});
  return script;
}

TEST(ScriptSurvey, CountsEditsByToolAndThoseOutsideOfTheGrid) {
  edit::Script script = script_of({box_edit({1, 1, 1}, {3, 3, 3}), box_edit({30, 0, 0}, {40, 1, 1}),
                                   edit::FillEdit{.seed = {2, 2, 2}}, edit::MorphEdit{}});
  script.commands.push_back({.line = 9, .action = edit::Undo{}});
  const KeptLog log;
  const edit::ScriptFindings found = edit::survey_script(script, {}, 20, {});
  EXPECT_EQ(found.edits, 4u);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.tools.at("box add"), 2u);
  EXPECT_EQ(found.tools.at("fill"), 1u);
  EXPECT_NE(log.text().find("a.txt:2: changes nothing inside the grid"), std::string::npos) << log.text();
  EXPECT_THROW(edit::survey_script(script_of({edit::FillEdit{.seed = {20, 2, 2}}}), {}, 20, {}), Error);
}

TEST(ScriptSurvey, NamesTheFirstTwentyEditsOutsideAndCountsTheOthers) {
  const auto said = [](size_t edits) {
    const KeptLog log;
    const edit::Script script = script_of(std::vector(edits, box_edit({30, 0, 0}, {40, 1, 1})));
    EXPECT_EQ(edit::survey_script(script, {}, 20, {}).outside, edits);
    return log.text();
  };
  EXPECT_NE(said(20).find("a.txt:20: changes nothing"), std::string::npos);
  EXPECT_EQ(said(20).find("more edits"), std::string::npos);
  EXPECT_EQ(said(25).find("a.txt:21:"), std::string::npos);
  EXPECT_NE(said(25).find("5 more edits change nothing"), std::string::npos);
}

TEST(ScriptSurvey, AnEditOfAVolumeLiesWhereItsOwnMaskDoes) {
  const auto mask_of = [](Int3 size) {
    volume::Volume mask;
    mask.info.size = size;
    return mask;
  };
  const std::vector<volume::Volume> masks = {mask_of({2, 2, 2}), mask_of({9, 9, 9})};
  edit::Script script;
  script.path = "a.txt";
  for (const uint32_t mask : {1u, 2u, 0u})
    script.commands.push_back(
        {.line = mask + 1, .action = edit::VolumeEdit{.mask = mask, .mask_at = {-5, 0, 0}}});
  const KeptLog log;
  const edit::ScriptFindings found = edit::survey_volume_script(script, masks, {20, 20, 20});
  EXPECT_EQ(found.edits, 3u);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_NE(log.text().find("a.txt:2: changes nothing inside the volume"), std::string::npos) << log.text();
}

TEST(ScriptSurvey, TheTouchedRegionHoldsWhatAllEditsReadAndWrite) {
  const edit::Edit copy = edit::CopyEdit{.source = {{1, 2, 3}, {4, 4, 4}}, .to = {10, 10, 10}};
  const edit::Script script =
      script_of({box_edit({30, 0, 0}, {40, 1, 1}), copy, box_edit({6, 6, 6}, {15, 7, 7})});
  EXPECT_EQ(edit::touched_region(script, {}, 20),
            (VoxelRegion{{{1, 2, 3}, {4, 4, 4}}, {{6, 6, 6}, {15, 12, 11}}}));
  EXPECT_EQ(edit::written_boxes(script, {}, 20),
            (VoxelRegion{{{10, 10, 10}, {13, 12, 11}}, {{6, 6, 6}, {15, 7, 7}}}));
  EXPECT_TRUE(edit::touched_region(script_of({box_edit({30, 0, 0}, {40, 1, 1})}), {}, 20).empty());
}

TEST(ScriptSurvey, TheTouchedRegionHoldsEveryEditInAFewBoxes) {
  constexpr uint32_t kResolution = 1 << 14;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<edit::Edit> edits;
    for (uint32_t i = 0; i < 1 + 50 * seed; ++i) {
      const Int3 at = {static_cast<int32_t>(random.below(kResolution - 64)),
                       static_cast<int32_t>(random.below(kResolution - 64)),
                       static_cast<int32_t>(random.below(1 + seed * 100))};
      edits.push_back(box_edit(at, at + Int3{1 + static_cast<int32_t>(random.below(64)), 7, 9}));
    }
    const edit::Script script = script_of(edits);
    const VoxelRegion region = edit::touched_region(script, {}, kResolution);
    EXPECT_LE(region.size(), 64u);
    for (const VoxelBox& written : edit::written_boxes(script, {}, kResolution))
      EXPECT_TRUE(std::ranges::any_of(
          region, [&](const VoxelBox& box) { return intersection(written, box) == written; }));
  }
}

TEST(ScriptSurvey, TheLastOfMoreThanAMillionBoxesHoldsAllThatFollow) {
  constexpr uint32_t kMost = 1 << 20;
  edit::Script script = script_of({box_edit({0, 0, 0}, {1, 1, 1})});
  script.repeats.push_back({.first = 0, .end = 1, .count = kMost - 1});
  for (const int32_t x : {3, 9, 5})
    script.commands.push_back({.line = 2, .action = box_edit({x, 0, 0}, {x + 1, 1, 1})});
  const std::vector<VoxelBox> boxes = edit::written_boxes(script, {}, 20);
  ASSERT_EQ(boxes.size(), kMost);
  EXPECT_EQ(boxes[kMost - 2], (VoxelBox{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_EQ(boxes.back(), (VoxelBox{{3, 0, 0}, {10, 1, 1}}));
}

TEST(ScriptSurvey, APaletteGrowsToTheMaterialsThatEditsFillWith) {
  dag::VoxelScene scene;
  scene.dag.materials = true;
  scene.palette.count = 2;
  const Int3 low = {0, 0, 0}, high = {1, 1, 1};
  edit::extend_palette(scene, script_of({box_edit(low, high, edit::PaintMode::Remove, 9),
                                         box_edit(low, high, edit::PaintMode::Add, 1)}));
  EXPECT_EQ(scene.palette.count, 2u);
  edit::extend_palette(scene, script_of({box_edit(low, high, edit::PaintMode::Add, 4)}));
  ASSERT_EQ(scene.palette.count, 5u);
  EXPECT_EQ(scene.palette.names[4], "material 4");
  EXPECT_NE(scene.palette.colors[3], scene.palette.colors[4]);
  edit::extend_palette(scene, script_of({edit::FillEdit{.material = 6}}));
  EXPECT_EQ(scene.palette.count, 7u);
  scene.dag.materials = false;
  edit::extend_palette(scene, script_of({box_edit(low, high, edit::PaintMode::Add, 9)}));
  EXPECT_EQ(scene.palette.count, 7u);
}

// Runs thousands of random edits one by one and compares each with a loop over all voxels.

constexpr Scripts kPlans[] = {{4, 40, 12}, {5, 40, 10}, {8, 40, 10}, {16, 30, 10},
                              {33, 12, 8}, {64, 6, 8},  {100, 2, 6}, {128, 2, 6}};

template <class MakeEdit>
void check_all(uint32_t brushes, uint64_t seed, const MakeEdit& make_edit) {
  const auto engine = test_engine();
  for (const Scripts& plan : kPlans) {
    check_scripts(*engine, plan, brushes, seed, make_edit);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(EditScripts, PaintingInShapesIsWhatALoopOverTheVoxelsDoes) {
  check_all(0, 1, [](Random& random, const std::vector<Dense>& scenes) -> edit::Edit {
    return random_paint(random, scenes[0].side);
  });
}

TEST(EditScripts, CopiesAreWhatALoopOverTheVoxelsDoes) {
  check_all(2, 2, [](Random& random, const std::vector<Dense>& scenes) -> edit::Edit {
    return random_copy(random, scenes);
  });
}

TEST(EditScripts, CombiningScenesIsWhatALoopOverTheVoxelsDoes) {
  check_all(2, 3, [](Random& random, const std::vector<Dense>& scenes) -> edit::Edit {
    if (one_in(random, 3)) return random_paint(random, scenes[0].side);
    return random_combine(random, scenes);
  });
}

TEST(EditScripts, ErodingDilatingAndSmoothingAreWhatALoopOverTheVoxelsDoes) {
  check_all(0, 4, [](Random& random, const std::vector<Dense>& scenes) -> edit::Edit {
    if (one_in(random, 4)) return random_paint(random, scenes[0].side);
    return random_morph(random, scenes[0].side);
  });
}

TEST(EditScripts, ScenesOf256VoxelsASideAreEditedLikeSmallOnes) {
  if (kThoroughness < 10) GTEST_SKIP() << "the arrays are too large for instrumented programs";
  check_scripts(*test_engine(), {256, 1, 4}, 2, 5, random_edit);
}

// This test lets the thread sanitizer check that edits are safe on several threads.
TEST(EditScripts, EditsOnSeveralThreadsAreThoseOfOne) {
  check_scripts(*test_engine({.threads = 4}), {40, 10, 8}, 2, 6, random_edit);
}

class EditTables : public testing::TestWithParam<std::string> {};

TEST_P(EditTables, HoldAnEditedScene) {
  const auto engine = test_engine({.table = GetParam()});
  check_scripts(*engine, {16, 20, 10}, 2, 7, random_edit);
  check_scripts(*engine, {64, 2, 8}, 2, 7, random_edit);
}

INSTANTIATE_TEST_SUITE_P(All, EditTables, testing::ValuesIn(hash::table_names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace vox
