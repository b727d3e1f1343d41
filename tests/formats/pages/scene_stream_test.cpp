// Tests the folders of pages that load as their readers fly.
#include "formats/pages/scene_page.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "formats/pages/html_page.h"
#include "formats/pages/scene_chunks.h"
#include "libvox/scene/oklab.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/pages/chunk_reader.h"
#include "tests/formats/scene/scene_file_fixture.h"

namespace vox {
namespace {

using ChunkMap = std::map<std::string, std::vector<uint32_t>>;

struct Cut {
  ChunkMap chunks;
  ChunkTotals totals;
};

Cut cut(const dag::VoxelScene& scene, const ChunkLimits& limits, bool counts_voxels = false) {
  Cut made;
  std::mutex mutex;
  made.totals = cut_into_chunks(scene, limits, counts_voxels,
                                [&](const dag::Digest& name, std::span<const uint32_t> words) {
                                  const std::lock_guard lock(mutex);
                                  made.chunks[dag::to_string(name)].assign(words.begin(), words.end());
                                });
  return made;
}

constexpr size_t kMostUnused = 16;

void expect_chunks(const dag::VoxelScene& scene, const ChunkLimits& limits, uint32_t least_deep = 1,
                   bool counts_voxels = false) {
  const Cut made = cut(scene, limits, counts_voxels);
  ChunkReader reader(scene, [&](const std::string& name) { return made.chunks.at(name); });
  reader.expect_scene(dag::to_string(made.totals.top));
  // Nodes that stand only below homogeneous ones are roots of chunks that nothing refers to.
  EXPECT_LE(reader.chunks(), made.chunks.size());
  EXPECT_GE(reader.chunks() + kMostUnused, made.chunks.size());
  EXPECT_GE(reader.deepest(), least_deep);
}

dag::VoxelScene with_voxels(uint32_t side, bool materials, const DenseGrid& grid) {
  dag::VoxelScene scene = sample_scene(4, materials);
  scene.dag = dense_dag(side, materials, grid);
  return scene;
}

// Scenes that differ in what their nodes hold: noise, surfaces, solid parts, parts that are equal, and little.
std::vector<dag::VoxelScene> scenes(bool materials) {
  const auto random = std::make_shared<Random>(5);
  std::vector<dag::VoxelScene> list = {sample_scene(64, materials)};
  list.push_back(with_voxels(70, materials, [random](uint32_t, uint32_t, uint32_t) {
    return random->below(3) == 0 ? static_cast<int>(random->below(16)) : dag::kEmptyVoxel;
  }));
  list.push_back(with_voxels(128, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    const int64_t dx = int64_t{x} - 60, dy = int64_t{y} - 70, dz = int64_t{z} - 64;
    return dx * dx + dy * dy + dz * dz < 3000 ? (x < 64 ? 3 : 5) : dag::kEmptyVoxel;
  }));
  list.push_back(with_voxels(96, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    return (x * 7 + y * y + z % 32 * 5) % 11 == 0 ? static_cast<int>(x % 16) : dag::kEmptyVoxel;
  }));
  list.push_back(with_voxels(33, materials, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 32 && y == 1 && z == 20 ? 9 : dag::kEmptyVoxel;
  }));
  return list;
}

TEST(SceneChunks, CountTheVoxelsOfTheirNodes) {
  for (const dag::VoxelScene& scene : scenes(false))
    expect_chunks(scene, {.most_words = 5000, .most_levels = 2}, 1, true);
}

// The colors in chunks of colors, of level 0, and the means that the levels above should have.
struct ColorChunks {
  ColorChunks(const ChunkMap& chunks, const ColorTotals& totals, uint64_t count) {
    const std::vector<uint32_t>& index = chunks.at(dag::to_string(totals.index));
    size_t at = 4;
    for (const uint64_t files : totals.levels) {
      levels.emplace_back();
      for (uint64_t i = 0; i < files; ++i, at += 4)
        add(chunks.at(fmt::format("{:08x}{:08x}{:08x}{:08x}", index.at(at), index.at(at + 1),
                                  index.at(at + 2), index.at(at + 3))),
            count);
      EXPECT_EQ(levels.back().size(), count);
      count = (count + 63) / 64;
    }
    EXPECT_EQ(at, index.size());
  }

  void add(const std::vector<uint32_t>& words, uint64_t count) {
    EXPECT_EQ(words.at(0), 0x4c435856u);
    const auto* const heads = reinterpret_cast<const attributes::ValueGroup*>(words.data() + 4);
    const std::vector<attributes::ValueGroup> groups(heads, heads + words.at(2));
    const auto* const bytes = reinterpret_cast<const uint8_t*>(words.data() + 4 + 8 * words.at(2));
    const attributes::ValuesRef ref = {groups.data(), bytes, nullptr, 24};
    const uint64_t left = count - levels.back().size();
    for (uint64_t i = 0; i < std::min<uint64_t>(left, 49152); ++i) levels.back().push_back(ref[i]);
  }

  std::vector<std::vector<uint32_t>> levels;
};

TEST(ColorChunks, HoldColorsAndMeans) {
  Random random(8);
  const std::vector<uint64_t> sizes = {1, 64, 49152, 49153, 49152 * 64, 49152 * 64 + 700};
  for (const uint64_t count : std::span(sizes).first(kThoroughness > 1 ? 6 : 4)) {
    SCOPED_TRACE(count);
    std::vector<uint32_t> colors(count);
    for (uint64_t i = 0; i < count; ++i)
      colors[i] = i % 500 < 400 && i > 0 ? colors[i - 1] : static_cast<uint32_t>(random.below(1 << 24));
    attributes::PackedValues packed = attributes::packed_values(colors);
    if (count == 49153) packed = attributes::with_table(std::move(packed));
    ChunkMap chunks;
    std::mutex mutex;
    const ColorTotals totals =
        cut_into_color_chunks(packed, [&](const dag::Digest& name, std::span<const uint32_t> words) {
          const std::lock_guard lock(mutex);
          chunks[dag::to_string(name)].assign(words.begin(), words.end());
        });
    const ColorChunks made(chunks, totals, count);
    uint64_t wrong = 0;
    for (size_t level = 0; level < made.levels.size(); ++level) {
      for (uint64_t i = 0; i < colors.size(); ++i)
        for (uint32_t shift = 0; shift < 24; shift += 8) {
          const int apart = int(made.levels[level][i] >> shift & 255) - int(colors[i] >> shift & 255);
          wrong += std::abs(apart) > (level > 0 ? 1 : 0) ? 1 : 0;
        }
      std::vector<uint32_t> means;
      for (uint64_t first = 0; first < colors.size(); first += 64) {
        const uint64_t end = std::min<uint64_t>(first + 64, colors.size());
        uint32_t mean = 0;
        for (uint32_t shift = 0; shift < 24; shift += 8) {
          double sum = 0;
          for (uint64_t i = first; i < end; ++i)
            sum += scene::srgb_to_linear(static_cast<uint8_t>(made.levels[level][i] >> shift & 255));
          mean |= uint32_t{scene::linear_to_srgb(sum / static_cast<double>(end - first))} << shift;
        }
        means.push_back(mean);
      }
      EXPECT_EQ(level + 1 < made.levels.size(), totals.levels[level] > 1);
      colors = means;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(totals.levels.back(), 1u);
  }
}

TEST(SceneChunks, HoldTheVoxelsOfTheirScene) {
  for (const bool materials : {true, false})
    for (const dag::VoxelScene& scene : scenes(materials)) {
      SCOPED_TRACE(fmt::format("{} voxels in {}", scene.dag.voxels, scene.dag.resolution));
      expect_chunks(scene, {});
      expect_chunks(scene, {.most_words = 5000, .most_levels = 2});
      expect_chunks(scene, {.most_words = 1, .most_levels = 1}, 4);
      expect_chunks(scene, {.most_words = 300, .most_levels = 3}, scene.dag.voxels > 1 ? 2 : 1);
    }
}

TEST(SceneChunks, OfTinyAndEmptyScenesAreOne) {
  for (const bool materials : {true, false})
    for (const uint32_t side : {4u, 5u, 8u}) {
      expect_chunks(
          with_voxels(side, materials, [](uint32_t x, uint32_t, uint32_t) { return x == 1 ? 2 : -1; }), {});
      const dag::VoxelScene empty =
          with_voxels(side, materials, [](uint32_t, uint32_t, uint32_t) { return dag::kEmptyVoxel; });
      expect_chunks(empty, {});
      EXPECT_EQ(cut(empty, {}).chunks.size(), 1u);
    }
}

TEST(SceneChunks, AreNoLargerThanTheirLimitUnlessARootIs) {
  const dag::VoxelScene scene = scenes(true)[1];
  constexpr uint64_t kMost = 3000;
  for (const auto& [name, words] : cut(scene, {.most_words = kMost, .most_levels = 1}).chunks) {
    const uint64_t head = 8 + 2 * words[3] + 5 * words[5];
    EXPECT_TRUE(words.size() - head <= kMost || words[4] == 1) << words.size();
  }
}

TEST(SceneChunks, OfEqualPartsAreTheSame) {
  const auto grid = [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t bits = mix64(x % 64 | y << 8 | z << 16);
    return bits % 3 == 0 ? static_cast<int>(bits >> 32 & 15) : dag::kEmptyVoxel;
  };
  const ChunkLimits limits = {.most_words = 2000, .most_levels = 1};
  const Cut once = cut(with_voxels(64, true, grid), limits),
            twice = cut(with_voxels(128, true,
                                    [&](auto x, auto y, auto z) {
                                      return y < 64 && z < 64 ? grid(x, y, z) : dag::kEmptyVoxel;
                                    }),
                        limits);
  // All chunks but those around the larger scene's root are files of both scenes.
  uint64_t shared = 0;
  for (const auto& [name, words] : once.chunks) shared += twice.chunks.contains(name) ? 1 : 0;
  EXPECT_GT(shared, 10u);
  EXPECT_LE(twice.chunks.size(), once.chunks.size() + 2);
}

class SceneStreamFolder : public SceneFile {
 protected:
  fs::path target() const { return folder / "stream"; }

  // Returns the content of all files by their paths.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target()))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(target()).string()] = read_bytes(entry.path());
    return files;
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((target() / name).parent_path());
    std::ofstream(target() / name) << text;
  }
  static SceneStreamOptions small(Overwrite overwrite = Overwrite::OwnFiles) {
    return {.page = {.title = "a scene"},
            .limits = {.most_words = 2000, .most_levels = 1},
            .overwrite = overwrite};
  }
};

TEST_F(SceneStreamFolder, OfAPagedSceneIsTheSame) {
  const dag::VoxelScene whole = scenes(true)[1];
  write_scene(whole, path);
  const SceneStream made = write_scene_stream(whole, target(), small());
  const std::map<std::string, std::string> expected = files();
  EXPECT_EQ(made.files, expected.size());
  EXPECT_EQ(made.chunks + 2, made.files);
  uint64_t bytes = 0;
  for (const auto& [name, content] : expected) bytes += content.size();
  EXPECT_EQ(made.bytes, bytes);
  EXPECT_GT(made.chunks, 20u);
  const std::optional<dag::VoxelScene> paged = read_paged_scene(path, std::make_shared<PagedBudget>(1));
  ASSERT_TRUE(paged);
  write_scene_stream(*paged, target(), small());
  EXPECT_EQ(files(), expected);
}

TEST_F(SceneStreamFolder, IsReplacedByAnother) {
  write_scene_stream(sample_scene(64), target(), small());
  const std::map<std::string, std::string> first = files();
  write_scene_stream(sample_scene(32), target(), small());
  const std::map<std::string, std::string> second = files();
  EXPECT_NE(first, second);
  write_scene_stream(sample_scene(64), target(), small());
  EXPECT_EQ(files(), first);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    EXPECT_FALSE(entry.path().string().ends_with(".tmp")) << entry.path();
}

TEST_F(SceneStreamFolder, KeepsFilesThatVoxDidNotWrite) {
  for (const char* name :
       {"notes.txt", "index.html", "scene.json", "chunks/notes.txt", "chunks/ab/short.voxc"}) {
    fs::remove_all(target());
    put(name, "by hand");
    EXPECT_THROW(check_stream_folder(target(), Overwrite::OwnFiles), Error) << name;
    EXPECT_THROW(write_scene_stream(sample_scene(), target(), small()), Error) << name;
    EXPECT_EQ(files(), (std::map<std::string, std::string>{{name, "by hand"}}));
  }
  fs::remove_all(target());
  write_scene_stream(sample_scene(64), target(), small());
  put("chunks/notes.txt", "by hand");
  EXPECT_THROW(write_scene_stream(sample_scene(32), target(), small()), Error);
  write_scene_stream(sample_scene(32), target(), small(Overwrite::AllFiles));
  std::map<std::string, std::string> forced = files();
  EXPECT_EQ(forced["chunks/notes.txt"], "by hand");
  forced.erase("chunks/notes.txt");
  fs::remove_all(target());
  write_scene_stream(sample_scene(32), target(), small());
  EXPECT_EQ(files(), forced);
}

TEST_F(SceneStreamFolder, KeepsOtherPagesOfVox) {
  put("index.html", HtmlPage("a report", "of a scene").text());
  EXPECT_THROW(write_scene_stream(sample_scene(), target(), small()), Error);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(SceneStreamFolder, IsNotReplacedByAWriterThatFails) {
  write_scene_stream(sample_scene(64), target(), small());
  const std::map<std::string, std::string> before = files();
  dag::VoxelScene damaged = sample_scene(64);
  damaged.dag.levels.back().words[0] = damaged.dag.levels.back().words[1] = 0;
  EXPECT_THROW(write_scene_stream(damaged, target(), small()), Error);
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(fs::exists(target().string() + ".0-0.tmp"));
  EXPECT_THROW(check_stream_folder(folder / "missing" / "stream", Overwrite::OwnFiles), Error);
  std::ofstream(path) << "a file";
  EXPECT_THROW(check_stream_folder(path, Overwrite::AllFiles), Error);
}

}  // namespace
}  // namespace vox
