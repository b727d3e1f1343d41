// Runs thousands of random edits one by one and compares each with a loop over all voxels.
#include "libvox/hash/table_list.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

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
