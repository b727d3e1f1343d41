// Tests the reader in C of folders of chunks, tools/c/vox_chunks.h, with the scenes from which these are made.
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>

#include "formats/pages/scene_page.h"
#include "formats/voxels/export.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/bits.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/scene/scene_file_fixture.h"
#include "tools/c/vox_chunks.h"

namespace vox {
namespace {

extern "C" size_t inflate_chunk(void* to, size_t room, const void* from, size_t size) {
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  size_t length = 0;
  const libdeflate_result result = libdeflate_zlib_decompress(decompressor, from, size, to, room, &length);
  libdeflate_free_decompressor(decompressor);
  return result == LIBDEFLATE_SUCCESS ? length : 0;
}
std::string deflate_chunk(const std::vector<uint32_t>& words) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(1);
  std::string to(libdeflate_zlib_compress_bound(compressor, words.size() * 4), '\0');
  to.resize(libdeflate_zlib_compress(compressor, words.data(), words.size() * 4, to.data(), to.size()));
  libdeflate_free_compressor(compressor);
  return to;
}

struct CloseChunks {
  void operator()(vox_chunks* scene) const { vox_chunks_close(scene); }
};
using OpenChunks = std::unique_ptr<vox_chunks, CloseChunks>;

OpenChunks opened(const std::filesystem::path& folder, size_t memory = 1 << 20) {
  const char* problem = nullptr;
  OpenChunks scene(vox_chunks_open(folder.c_str(), memory, inflate_chunk, &problem));
  EXPECT_EQ(scene == nullptr, problem != nullptr);
  return scene;
}

std::vector<vox_cell> cells_in(vox_chunks* scene, const VoxelBox& box, uint32_t level) {
  std::vector<vox_cell> cells;
  const auto keep = [](const vox_cell* cell, void* to) {
    static_cast<std::vector<vox_cell>*>(to)->push_back(*cell);
    return 0;
  };
  const int32_t low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
  EXPECT_EQ(vox_chunks_visit(scene, low, high, level, keep, &cells), 0) << vox_chunks_error(scene);
  return cells;
}

// A cell of the dense grid of a level, computed from all voxels inside.
struct DenseCell {
  uint32_t materials = 0, voxels = 0;
  double light[3] = {0, 0, 0};
};
std::vector<DenseCell> dense_level(const dag::VoxelScene& scene, uint32_t level) {
  const uint32_t side = scene.dag.side() >> level;
  std::vector<DenseCell> cells(size_t{side} * side * side);
  std::vector<Vec3d> lights;
  for (uint32_t material = 0; material < scene::kPaletteSize; ++material)
    lights.push_back(scene::srgb_to_linear(render::material_color(scene.palette, material)));
  for (uint32_t z = 0; z < scene.dag.resolution; ++z)
    for (uint32_t y = 0; y < scene.dag.resolution; ++y)
      for (uint32_t x = 0; x < scene.dag.resolution; ++x) {
        const int material = dag::voxel_at(scene.dag, x, y, z);
        if (material < 0) continue;
        DenseCell& cell = cells[(size_t{z >> level} * side + (y >> level)) * side + (x >> level)];
        cell.materials |= 1u << material;
        ++cell.voxels;
        for (uint32_t i = 0; i < 3; ++i) cell.light[i] += lights[static_cast<size_t>(material)][i];
      }
  return cells;
}

// Expects that the cells are those of the dense grid, each once, and that one of more than the level's side is of one
// material.
void expect_level(vox_chunks* chunks, const dag::VoxelScene& scene, uint32_t level) {
  const auto cube = static_cast<int32_t>(scene.dag.side());
  const int32_t side = cube >> level;
  std::vector<DenseCell> expected = dense_level(scene, level);
  for (const vox_cell& cell : cells_in(chunks, cube_at({0, 0, 0}, scene.dag.side()), level)) {
    ASSERT_GE(cell.side, 1u << level);
    ASSERT_EQ(cell.side & (cell.side - 1), 0u);
    ASSERT_TRUE(cell.side == 1u << level || popcount(cell.materials) == 1);
    const auto wide = static_cast<int32_t>(cell.side) >> level;
    for (int32_t i = 0; i < wide * wide * wide; ++i) {
      const Int3 at = {(cell.x >> level) + i % wide, (cell.y >> level) + i / wide % wide,
                       (cell.z >> level) + i / wide / wide};
      ASSERT_LT(std::max({at.x, at.y, at.z}), side);
      DenseCell& here = expected[(size_t(at.z) * size_t(side) + size_t(at.y)) * size_t(side) + size_t(at.x)];
      ASSERT_GT(here.voxels, 0u) << "an empty cell, or one twice";
      ASSERT_EQ(cell.materials, here.materials);
      for (uint32_t c = 0; c < 3; ++c) {
        const int mean = scene::linear_to_srgb(here.light[c] / here.voxels);
        ASSERT_NEAR(cell.color[c], mean, popcount(here.materials) == 1 || level > 2 ? 1 : 12);
      }
      here.voxels = 0;
    }
  }
  EXPECT_TRUE(std::ranges::all_of(expected, [](const DenseCell& cell) { return cell.voxels == 0; }));
}

// Scenes that differ in what their nodes hold: surfaces, noise, solid parts, one voxel, none.
std::vector<dag::VoxelScene> known_scenes(bool materials) {
  std::vector<dag::VoxelScene> list;
  const auto add = [&](uint32_t side, const DenseGrid& grid) {
    dag::VoxelScene scene = sample_scene(4, materials);
    scene.palette.count = materials ? scene::kPaletteSize : 0;
    scene.dag = dense_dag(side, materials, grid);
    list.push_back(std::move(scene));
  };
  add(70, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t hash = mix64(x | uint64_t{y} << 20 | uint64_t{z} << 40);
    return hash % 3 == 0 ? static_cast<int>(hash >> 8 & 15) : dag::kEmptyVoxel;
  });
  add(64, [](uint32_t x, uint32_t y, uint32_t z) {
    const int64_t dx = int64_t{x} - 30, dy = int64_t{y} - 35, dz = int64_t{z} - 32;
    return dx * dx + dy * dy + dz * dz < 900 ? (x < 32 ? 3 : 5) : dag::kEmptyVoxel;
  });
  add(33, [](uint32_t x, uint32_t y, uint32_t z) { return x == 32 && y == 1 && z == 20 ? 9 : -1; });
  add(16, [](uint32_t, uint32_t, uint32_t) { return 7; });
  add(8, [](uint32_t, uint32_t, uint32_t) { return dag::kEmptyVoxel; });
  add(4, [](uint32_t x, uint32_t y, uint32_t z) { return int(x + y + z); });
  return list;
}

class ChunksHeader : public SceneFile {
 protected:
  fs::path target() const { return folder / "chunks of a scene"; }

  void write(const dag::VoxelScene& scene, const ChunkLimits& limits,
             StreamPage index = StreamPage::LeftOut) const {
    write_scene_stream(scene, target(), {.page = {.title = "a \"scene\""}, .limits = limits, .index = index});
  }

  // Walks through whatever the folder holds. Returns true if nothing is wrong with it.
  bool is_read() const {
    const OpenChunks scene = opened(target());
    if (scene == nullptr) return false;
    struct Cells {
      int left = 1'000'000;
      bool are_cells = true;
    };
    const int32_t low[3] = {0, 0, 0}, high[3] = {1 << 20, 1 << 20, 1 << 20};
    const auto count = [](const vox_cell* cell, void* to) {
      Cells& cells = *static_cast<Cells*>(to);
      if (cell->side > 1u << 20 || cell->materials == 0) cells.are_cells = false;
      return --cells.left == 0 ? 1 : 0;
    };
    int result = 0;
    for (const uint32_t level : {0, 3, 5}) {
      Cells cells;
      if (vox_chunks_visit(scene.get(), low, high, level, count, &cells) < 0) result = -1;
      EXPECT_TRUE(cells.are_cells) << "level " << level;
    }
    const int point = vox_chunks_at(scene.get(), 3, 3, 3, 1, nullptr);
    EXPECT_EQ(result < 0 || point < 0, vox_chunks_error(scene.get()) != nullptr);
    return result >= 0 && point >= 0;
  }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target()))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(target()).string()] = read_bytes(entry.path());
    return files;
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((target() / name).parent_path());
    std::ofstream(target() / name, std::ios::binary) << text;
  }
};

const ChunkLimits kSmallChunks = {.most_words = 500, .most_levels = 1};

TEST_F(ChunksHeader, ReadsTheVoxelsOfEveryLevel) {
  for (const bool materials : {true, false})
    for (const dag::VoxelScene& scene : known_scenes(materials))
      for (const ChunkLimits& limits : {ChunkLimits{}, kSmallChunks}) {
        SCOPED_TRACE(fmt::format("{} voxels in {}", scene.dag.voxels, scene.dag.resolution));
        write(scene, limits);
        const OpenChunks chunks = opened(target());
        ASSERT_NE(chunks, nullptr);
        for (uint32_t level = 0; scene.dag.side() >> level > 0; ++level)
          expect_level(chunks.get(), scene, level);
      }
}

// The nodes of a page of 24-bit colors have numbers of voxels. The reader gives all voxels the color of material 0.
TEST_F(ChunksHeader, ReadsTheVoxelsOfAPageOfColors) {
  for (dag::VoxelScene& scene : known_scenes(false)) {
    if (scene.dag.voxels == 0) continue;
    scene.colors = attributes::packed_values(std::vector<uint32_t>(scene.dag.voxels, 0x123456));
    write(scene, kSmallChunks, StreamPage::Written);
    const OpenChunks chunks = opened(target());
    ASSERT_NE(chunks, nullptr);
    for (uint32_t level = 0; scene.dag.side() >> level > 0; ++level) expect_level(chunks.get(), scene, level);
  }
}

TEST_F(ChunksHeader, ReadsWhatTheProgramsWrite) {
  const dag::VoxelScene scene = known_scenes(true)[0];
  write(scene, {}, StreamPage::Written);
  EXPECT_TRUE(fs::exists(target() / "index.html"));
  expect_level(opened(target()).get(), scene, 0);
  export_scene(scene, target() / "scene.json", std::nullopt, {});
  EXPECT_FALSE(fs::exists(target() / "index.html"));
  expect_level(opened(target()).get(), scene, 0);
  const VoxelBox clip = {{10, 3, 40}, {30, 60, 70}};
  export_scene(scene, target() / "scene.json", clip, {});
  expect_level(opened(target()).get(), dag::clipped_scene(scene, clip), 0);
  EXPECT_THROW(export_scene(scene, target() / "other.json", std::nullopt, {}), UsageError);
}

TEST_F(ChunksHeader, TellsAboutTheScene) {
  dag::VoxelScene scene = known_scenes(true)[0];
  scene.voxel_size = {0.25, 0.5, 1};
  scene.palette.names[2] = "a \"quoted\" name\\ of more than 64 bytes, which is cut off where its room ends";
  write(scene, {});
  const OpenChunks chunks = opened(target());
  const vox_chunks_info& info = *vox_chunks_about(chunks.get());
  EXPECT_EQ(info.resolution, 70u);
  EXPECT_EQ(info.log2_side, 7u);
  EXPECT_EQ(info.voxels, scene.dag.voxels);
  EXPECT_EQ(info.has_materials, 1);
  ASSERT_EQ(info.materials, 16u);
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(info.material[i].name, scene.palette.names[i].substr(0, 63));
    EXPECT_EQ(info.material[i].color[1], scene.palette.colors[i].g);
  }
  for (uint32_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(info.origin[axis], scene.origin[axis]);
    EXPECT_EQ(info.sides[axis], scene.voxel_size[axis]);
  }
}

TEST_F(ChunksHeader, FindsTheCellAtAVoxelAndThoseThatTouchABox) {
  const dag::VoxelScene scene = known_scenes(true)[1];
  write(scene, kSmallChunks);
  const OpenChunks chunks = opened(target(), 1);  // no chunk stays
  Random random(3);
  const auto place = [&] { return static_cast<int32_t>(random.below(80)) - 8; };
  for (uint32_t level = 0; level < 5; ++level) {
    const std::vector<DenseCell> dense = dense_level(scene, level);
    const int32_t side = 64 >> level;
    for (int i = 0; i < 200; ++i) {
      const Int3 at = {place(), place(), place()};
      const bool is_inside = std::min({at.x, at.y, at.z}) >= 0 && std::max({at.x, at.y, at.z}) < 64;
      const size_t index =
          size_t((at.z >> level) * side + (at.y >> level)) * size_t(side) + size_t(at.x >> level);
      const uint32_t materials = is_inside ? dense[index].materials : 0;
      vox_cell cell = {};
      ASSERT_EQ(vox_chunks_at(chunks.get(), at.x, at.y, at.z, level, &cell), materials != 0 ? 1 : 0);
      ASSERT_EQ(cell.materials, materials);
    }
    const VoxelBox all = cube_at({0, 0, 0}, 64), box = {{place(), place(), place()}, {50, 41, 64}};
    std::vector<vox_cell> expected = cells_in(chunks.get(), all, level);
    std::erase_if(expected, [&](const vox_cell& cell) {
      return intersection(cube_at({cell.x, cell.y, cell.z}, cell.side), box).empty();
    });
    const std::vector<vox_cell> found = cells_in(chunks.get(), box, level);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(std::tie(found[i].x, found[i].y, found[i].z, found[i].side),
                std::tie(expected[i].x, expected[i].y, expected[i].z, expected[i].side));
  }
  const int32_t low[3] = {0, 0, 0}, high[3] = {64, 64, 64};
  const auto stop = [](const vox_cell*, void*) { return 7; };
  EXPECT_EQ(vox_chunks_visit(chunks.get(), low, high, 0, stop, nullptr), 1);
}

TEST_F(ChunksHeader, RefusesFoldersThatLackSomething) {
  EXPECT_EQ(opened(target()), nullptr);
  write(known_scenes(true)[0], {.most_words = 5000, .most_levels = 1});  // all of its chunks are needed
  EXPECT_TRUE(is_read());
  const auto all = files();
  ASSERT_GT(all.size(), 5u);
  for (const auto& [name, bytes] : all) {
    fs::remove(target() / name);
    const bool is_without = is_read();
    put(name, bytes.substr(0, bytes.size() / 2));
    const bool is_cut = is_read();
    put(name, bytes);
    EXPECT_FALSE(is_without && is_cut) << name;
  }
  EXPECT_TRUE(is_read());
}

TEST_F(ChunksHeader, SurvivesDamagedFiles) {
  write(known_scenes(true)[1], kSmallChunks);
  const auto all = files();
  Random random(11);
  for (uint32_t i = 0; i < 40 * kThoroughness; ++i) {
    const auto& [name, bytes] = *std::next(all.begin(), random.below(static_cast<uint32_t>(all.size())));
    std::string damaged = i % 4 == 0 ? all.at("scene.json") : bytes;
    for (uint32_t n = random.below(3) + 1; n > 0; --n)
      damaged[random.below(static_cast<uint32_t>(damaged.size()))] = static_cast<char>(random.below(256));
    put(i % 4 == 0 ? "scene.json" : name, damaged);
    is_read();
    put(i % 4 == 0 ? "scene.json" : name, i % 4 == 0 ? all.at("scene.json") : bytes);
  }
  EXPECT_TRUE(is_read());
}

// The chunks of a folder, changed as by someone who gives them the names of their words, so that only the checks of the
// words themselves stand in the way.
class ForgedChunks {
 public:
  using Words = std::vector<uint32_t>;

  explicit ForgedChunks(const std::map<std::string, std::string>& files) : facts_(files.at("scene.json")) {
    for (const auto& [path, bytes] : files) {
      if (!path.ends_with(".voxc")) continue;
      Words words(1 << 16);
      words.resize(inflate_chunk(words.data(), words.size() * 4, bytes.data(), bytes.size()) / 4);
      chunks_[fs::path(path).stem().string()] = std::move(words);
    }
    top_ = facts_.substr(facts_.find("\"top\": \"") + 8, 32);
  }

  // Changes words of a chunk, and all names up to scene.json. Returns the files that are new.
  std::map<std::string, std::string> forged(Random& random) const {
    const auto& [name, words] =
        *std::next(chunks_.begin(), random.below(static_cast<uint32_t>(chunks_.size())));
    Words changed = words;
    for (uint32_t n = random.below(2) + 1; n > 0; --n) change(changed, random);
    std::map<std::string, std::string> files;
    add(name, changed, files);
    return files;
  }

 private:
  static void change(Words& words, Random& random) {
    const uint32_t head = std::min<uint32_t>(64, static_cast<uint32_t>(words.size()));
    uint32_t& word = words[random.below(random.below(2) == 0 ? head : static_cast<uint32_t>(words.size()))];
    switch (random.below(6)) {
      case 0:
        word ^= 1u << random.below(32);
        return;
      case 1:
        word += random.below(5) - 2;
        return;
      case 2:
        word = random.below(2) == 0 ? UINT32_MAX : 0;
        return;
      case 3:
        word = random.below(UINT32_MAX);
        return;
      case 4:
        word &= UINT16_MAX;  // the header of a node has its materials above
        return;
      default:
        words.resize(random.below(static_cast<uint32_t>(words.size())) + 1);
    }
  }

  static std::string name_of(const Words& words) {
    dag::Digest digest = dag::start_digest(4);
    for (const uint32_t word : words) dag::combine(digest, word);
    return dag::to_string(digest);
  }
  static std::array<uint32_t, 4> name_words(const std::string& name) {
    std::array<uint32_t, 4> words;
    for (size_t i = 0; i < 4; ++i)
      words[i] = static_cast<uint32_t>(std::stoul(name.substr(8 * i, 8), nullptr, 16));
    return words;
  }

  void add(const std::string& old, const Words& words, std::map<std::string, std::string>& files) const {
    const std::string name = name_of(words);
    files["chunks/" + name.substr(0, 2) + "/" + name + ".voxc"] = deflate_chunk(words);
    if (old == top_) {
      files["scene.json"] = facts_;
      files["scene.json"].replace(facts_.find("\"top\": \"") + 8, 32, name);
    }
    const auto from = name_words(old), to = name_words(name);
    for (const auto& [parent, parent_words] : chunks_) {
      Words changed = parent_words;
      for (auto at = changed.begin();
           (at = std::search(at, changed.end(), from.begin(), from.end())) != changed.end(); at += 4)
        std::copy(to.begin(), to.end(), at);
      if (changed != parent_words) return add(parent, changed, files);
    }
  }

  std::string facts_, top_;
  std::map<std::string, Words> chunks_;
};

TEST_F(ChunksHeader, SurvivesForgedChunks) {
  for (const size_t scene : {size_t{1}, size_t{2}, size_t{5}}) {
    write(known_scenes(true)[scene], kSmallChunks);
    const auto all = files();
    const ForgedChunks forger(all);
    Random random(17);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 30 * kThoroughness; ++i) {
      const auto forged = forger.forged(random);
      for (const auto& [name, bytes] : forged) put(name, bytes);
      refused += is_read() ? 0u : 1u;
      for (const auto& [name, bytes] : forged)
        if (!all.contains(name)) fs::remove(target() / name);
      put("scene.json", all.at("scene.json"));
    }
    EXPECT_GT(refused, 3 * kThoroughness);
    EXPECT_TRUE(is_read());
  }
}

}  // namespace
}  // namespace vox
