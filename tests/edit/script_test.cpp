#include <gtest/gtest.h>

#include <set>

#include "libvox/edit/script.h"
#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
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
