// Tests scenes whose words are read from the file when they are used, against the same scenes read as wholes.
#include <tbb/parallel_for.h>

#include <functional>

#include "libvox/base/progress.h"
#include "libvox/dag/walk.h"
#include "tests/common/random.h"
#include "tests/formats/scene/scene_file_fixture.h"
#include "tests/formats/scene/stored_forms.h"

namespace vox {
namespace {

constexpr uint32_t kSide = 160;  // levels of several pieces, and of so few words that they are read at once

dag::VoxelScene noise(bool materials) {
  dag::VoxelScene scene = sample_scene(4, materials);
  Random random(7);
  scene.dag = dense_dag(kSide, materials, [&](uint32_t, uint32_t, uint32_t) {
    return random.below(3) == 0 ? static_cast<int>(random.below(16)) : dag::kEmptyVoxel;
  });
  return scene;
}

class PagedScene : public SceneFile {
 protected:
  // Returns the file's scene, of which at most this much is kept.
  std::optional<dag::VoxelScene> paged(uint64_t budget) {
    kept = std::make_shared<PagedBudget>(budget);
    return read_paged_scene(path, kept);
  }

  std::shared_ptr<PagedBudget> kept;
};

TEST_F(PagedScene, IsTheSceneThatIsReadAsAWhole) {
  for (const bool materials : {true, false}) {
    const dag::VoxelScene whole = noise(materials);
    for (const StoredForm form : kStoredForms) {
      write_as(form, whole, path);
      expect_equal_scenes(whole, read_scene(path));
      const SceneInfo info = read_scene_info(path);
      for (const uint64_t budget : {uint64_t{1}, uint64_t{2} << 20, uint64_t{1} << 30}) {
        const std::optional<dag::VoxelScene> scene = paged(budget);
        ASSERT_TRUE(scene);
        EXPECT_TRUE(scene->dag.paged);
        EXPECT_EQ(kept->filled(), 0u);
        expect_equal_scenes(whole, *scene);
        for (size_t level = 0; level < whole.dag.levels.size(); ++level) {
          EXPECT_EQ(whole.dag.levels[level].places.starts(), scene->dag.levels[level].places.starts());
          EXPECT_EQ(whole.dag.levels[level].words.size(), info.level_words[level]);
        }
        EXPECT_NO_THROW(throw_late_error());
        EXPECT_GT(kept->filled(), 0u);
        EXPECT_LE(kept->held(), std::max(budget, PagedBudget::kLeastPieces << 20));
      }
    }
  }
}

TEST_F(PagedScene, ManyReadItAtOnce) {
  const dag::VoxelScene whole = noise(true);
  for (const StoredForm form : kStoredForms) {
    write_as(form, whole, path);
    const std::optional<dag::VoxelScene> scene = paged(2 << 20);
    ASSERT_TRUE(scene);
    tbb::parallel_for(uint64_t{0}, uint64_t{64}, [&](uint64_t task) {
      Random random(task);
      for (int i = 0; i < 50; ++i) {
        const uint32_t x = random.below(kSide), y = random.below(kSide), z = random.below(kSide);
        ASSERT_EQ(dag::voxel_at(whole.dag, x, y, z), dag::voxel_at(scene->dag, x, y, z));
      }
    });
    EXPECT_NO_THROW(throw_late_error());
  }
}

TEST_F(PagedScene, SmallAndEmptyScenesAreReadToo) {
  dag::VoxelScene nothing = sample_scene(37);
  nothing.dag = dense_dag(37, true, nowhere);
  for (const dag::VoxelScene& whole : {sample_scene(), sample_scene(4), sample_scene(5, false), nothing})
    for (const StoredForm form : kStoredForms) {
      write_as(form, whole, path);
      const std::optional<dag::VoxelScene> scene = paged(1);
      ASSERT_TRUE(scene);
      expect_equal_scenes(whole, *scene);
      expect_equal_scenes(whole, read_scene(path));
    }
}

TEST_F(PagedScene, WhatMustBeReadAsAWholeIsNotPaged) {
  write_scene(sample_scene(), path, {}, {}, kOldestSceneVersion);
  EXPECT_FALSE(paged(1));
}

// Level 5 has two runs of nodes from start to start.
TEST_F(PagedScene, LongNumbersThatAreWrongAreErrors) {
  using Starts = std::vector<uint64_t>;
  const dag::VoxelScene whole = noise(false);
  ASSERT_GT(whole.dag.levels[5].nodes, dag::kStartEvery);
  const std::vector<std::pair<std::string, std::function<void(Words&, Starts&)>>> damages = {
      {"points to a node of level 6 that does not exist", [](Words& words, Starts&) { words[2] = 1; }},
      {"points to node 4294967295 of level 6", [](Words& words, Starts&) { words[1] = UINT32_MAX; }},
      {"", [](Words& words, Starts&) { words[0] ^= 1; }},
      {"", [](Words& words, Starts&) { words[0] = 0; }},
      {"", [](Words& words, Starts&) { words.back() = 0xff; }},
      {"cannot have", [](Words& words, Starts&) { words.pop_back(); }},
      {"", [](Words& words, Starts&) { words.resize(words.size() - 2); }},
      {"", [](Words& words, Starts&) { words.resize(words.size() + 2, 0); }},
      {"cannot end at", [](Words& words, Starts&) { words.resize(words.size() / 2); }},
      {"cannot start at", [](Words&, Starts& starts) { starts[1] += 1; }},
      {"", [](Words&, Starts& starts) { starts[1] -= 17; }},
      {"cannot end at", [](Words&, Starts& starts) { starts[1] = 0; }},
      {"cannot end at", [](Words&, Starts& starts) { starts[1] = UINT64_MAX - 1; }},
      {"cannot have these", [](Words&, Starts& starts) { starts[0] = 18; }},
      {"cannot have these", [](Words&, Starts& starts) { starts.pop_back(); }}};
  for (size_t i = 0; i < damages.size(); ++i) {
    write_long_numbers(whole, path, [&](uint32_t level, Words& words, Starts& starts) {
      if (level == 5) damages[i].second(words, starts);
    });
    const auto expect_error = [&](const auto& read) {
      try {
        read();
        ADD_FAILURE() << "damage " << i;
      } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find(path.string()), 0u) << text;
        EXPECT_NE(text.find(damages[i].first), std::string::npos) << text;
      }
    };
    expect_error([&] { read_scene(path); });
    expect_error([&] {
      dag::compute_digest(paged(1)->dag);
      throw_late_error();
    });
  }
}

// Damage is an error, or it changes nothing that is read. It never leads a walk out of the scene.
TEST_F(PagedScene, DamagedBytesAreAnErrorOrTheSceneAsItWas) {
  const dag::VoxelScene whole = noise(true);
  for (const StoredForm form : kStoredForms) {
    write_as(form, whole, path);
    std::vector<fs::path> files = named_parts(path);
    if (files.empty()) files.push_back(path);
    Random random(11);
    int errors = 0;
    for (int round = 0; round < 20; ++round) {
      const fs::path& file = files[random.below(static_cast<uint32_t>(files.size()))];
      const std::string bytes = read_bytes(file);
      std::string damaged = bytes;
      damaged[random.below(static_cast<uint32_t>(damaged.size()))] ^=
          static_cast<char>(1 + random.below(255));
      write_bytes(file, damaged);
      try {
        const std::optional<dag::VoxelScene> scene = paged(1 << 20);
        ASSERT_TRUE(scene);
        uint64_t voxels = 0;
        dag::for_each_leaf(
            scene->dag, cube_at({0, 0, 0}, scene->dag.side()),
            [&](Int3, uint64_t mask, const uint32_t*) { voxels += static_cast<uint64_t>(popcount(mask)); });
        throw_late_error();
        EXPECT_EQ(voxels, whole.dag.voxels);
      } catch (const Error& error) {
        ++errors;
        EXPECT_NE(std::string(error.what()).find("/scene."), std::string::npos) << error.what();
      }
      write_bytes(file, bytes);
    }
    EXPECT_GT(errors, 10);
  }
}

}  // namespace
}  // namespace vox
