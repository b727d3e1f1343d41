#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <random>

#include "formats/io/compression.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/formats/voxels/export_scenes.h"
#include "tests/formats/voxels/nanovdb/nvdb_bytes.h"

namespace vox {
namespace {

using namespace testing_export;
using namespace testing_nvdb;

constexpr std::array<NvdbGrid, 4> kKinds = {NvdbGrid::Index, NvdbGrid::OnIndex, NvdbGrid::U8, NvdbGrid::Rgba};

void write_all(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class T>
void set_number(std::string& bytes, uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Returns the file as another program would write it, without our description of the scene.
std::string foreign(std::string bytes) {
  const size_t name = bytes.rfind(std::string("vox scene\0", 10));
  bytes[name] = 'V';
  return bytes;
}

class NvdbReader : public ExportTest {
 protected:
  dag::VoxelScene read(const std::string& name) const { return read_voxels(path(name)).scene; }

  std::string bytes_of(const KnownScene& known, NvdbGrid grid) const {
    write_nvdb(known.scene, path("a.nvdb"), {}, grid);
    return read_bytes(path("a.nvdb"));
  }
  std::string problem(const std::string& bytes) const {
    write_all(path("b.nvdb"), bytes);
    try {
      read("b.nvdb");
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("b.nvdb"), std::string::npos) << error.what();
      return error.what();
    }
    return "";
  }
};

TEST_F(NvdbReader, GivesBackVoxelsMaterialsAndWhereTheyAre) {
  for (const uint32_t resolution : {4u, 41u, 130u}) {
    KnownScene known = known_scene(resolution, Materials::Sixteen, noise_grid(resolution));
    known.scene.origin = {0.1, -2.7, 1e9 / 3};
    known.scene.voxel_size = 0.3;
    known.scene.up = dag::UpAxis::Z;
    for (const NvdbGrid grid : kKinds) {
      write_nvdb(known.scene, path("a.nvdb"), {}, grid);
      const dag::VoxelScene back = read("a.nvdb");
      dag::verify(back.dag);
      EXPECT_EQ(back.dag.digest, known.scene.dag.digest);
      EXPECT_EQ(back.palette.colors, known.scene.palette.colors);
      EXPECT_EQ(back.palette.names, known.scene.palette.names);
      EXPECT_EQ(back.palette.count, 16u);
      EXPECT_EQ(back.origin, known.scene.origin);
      EXPECT_EQ(back.voxel_size, known.scene.voxel_size);
      EXPECT_EQ(back.up, dag::UpAxis::Z);
    }
  }
}

TEST_F(NvdbReader, GivesBackAClipBoxAndScenesWithoutMaterialsOrVoxels) {
  const KnownScene known = known_scene(70, Materials::None, noise_grid(2));
  const KnownScene empty = known_scene(70, Materials::None, empty_grid);
  for (const NvdbGrid grid : {NvdbGrid::Index, NvdbGrid::OnIndex, NvdbGrid::U8}) {
    write_nvdb(known.scene, path("a.nvdb"), {}, grid);
    EXPECT_EQ(read("a.nvdb").dag.digest, known.scene.dag.digest);
    write_nvdb(known.scene, path("a.nvdb"), VoxelBox{{60, 0, 0}, {70, 70, 70}}, grid);
    const dag::VoxelScene clipped = read("a.nvdb");
    EXPECT_EQ(clipped.dag.voxels, known.count({{60, 0, 0}, {70, 70, 70}}));
    EXPECT_EQ(clipped.dag.resolution, 70u);
    write_nvdb(empty.scene, path("a.nvdb"), {}, grid);
    EXPECT_EQ(read("a.nvdb").dag.digest, empty.scene.dag.digest);
  }
}

TEST_F(NvdbReader, ZipFilesAndGridsAsTheyLieInMemoryAreTheSame) {
  const KnownScene known = known_scene(20, Materials::Sixteen, noise_grid(7));
  const std::string bytes = bytes_of(known, NvdbGrid::U8);
  const uint64_t at = NvdbPlaces(bytes).grid;
  std::string memory = bytes.substr(at);
  memory[7] = '1';
  write_all(path("memory.nvdb"), memory);
  EXPECT_EQ(read("memory.nvdb").dag.digest, known.scene.dag.digest);

  const Bytes packed =
      Deflater(1).deflated({reinterpret_cast<const uint8_t*>(bytes.data()) + at, bytes.size() - at});
  std::string zip = bytes.substr(0, at) + std::string(8, 0) + std::string(packed.begin(), packed.end());
  set_number<uint16_t>(zip, 14, 1);
  set_number<uint64_t>(zip, 16 + 8, packed.size() + 8);
  set_number<uint64_t>(zip, at, packed.size());
  write_all(path("zip.nvdb"), zip);
  EXPECT_EQ(read("zip.nvdb").dag.digest, known.scene.dag.digest);
  set_number<uint64_t>(zip, 16, uint64_t{1} << 50);  // the size in memory
  EXPECT_NE(problem(zip).find("compressed bytes cannot hold"), std::string::npos);
}

TEST_F(NvdbReader, OtherProgramsVoxelsLieWhereTheirTransformSays) {
  const QuietLog quiet;
  const KnownScene known = known_scene(16, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 2 && y == 3 && z == 4 ? 5 : dag::kEmptyVoxel;
  });
  std::string bytes = foreign(bytes_of(known, NvdbGrid::Rgba));
  const NvdbPlaces at(bytes);
  set_number<uint64_t>(bytes, at.tiles, uint64_t{0xfffff} << 42);  // the tile begins at x = -4096
  set_number<double>(bytes, at.grid + 528, 7.5);
  write_all(path("b.nvdb"), bytes);
  const dag::VoxelScene scene = read("b.nvdb");
  EXPECT_EQ(scene.dag.voxels, 1u);
  EXPECT_EQ(scene.origin, (Vec3d{-4096 + 7.5, 0, 0}));
  EXPECT_EQ(dag::voxel_at(scene.dag, 2, 3, 4), 0);
  ASSERT_EQ(scene.palette.count, 1u);
  EXPECT_EQ(scene.palette.colors[0], known.scene.palette.colors[5]);
}

TEST_F(NvdbReader, ValuesThatAreNoColorsLeaveVoxelsWithoutMaterialsWithAWarning) {
  std::vector<std::string> warnings;
  const LogSink before = set_log_sink([&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
  const KnownScene known = known_scene(20, Materials::Sixteen, noise_grid(8));
  for (const NvdbGrid grid : {NvdbGrid::U8, NvdbGrid::Index}) {
    write_all(path("b.nvdb"), foreign(bytes_of(known, grid)));
    const dag::VoxelScene scene = read("b.nvdb");
    EXPECT_FALSE(scene.dag.materials);
    EXPECT_EQ(scene.dag.voxels, known.scene.dag.voxels);
  }
  set_log_sink(before);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("its values are not colors"), std::string::npos);
}

TEST_F(NvdbReader, WhatItCannotReadIsNamed) {
  const std::string bytes = bytes_of(known_scene(8, Materials::Sixteen, noise_grid(9)), NvdbGrid::U8);
  const NvdbPlaces at(bytes);
  const auto changed = [&](uint64_t place, auto value) {
    std::string copy = bytes;
    set_number(copy, place, value);
    return problem(copy);
  };
  EXPECT_NE(changed(14, uint16_t{2}).find("compressed grid"), std::string::npos);
  EXPECT_NE(changed(14, uint16_t{7}).find("codec 7"), std::string::npos);
  EXPECT_NE(changed(8, uint32_t{29 << 21}).find("version 29.0.0"), std::string::npos);
  EXPECT_NE(changed(0, uint64_t{1}).find("no NanoVDB file"), std::string::npos);
  EXPECT_NE(changed(12, uint16_t{0}).find("not the start of a segment"), std::string::npos);
  EXPECT_NE(changed(at.grid + 636, uint32_t{99}).find("type 99"), std::string::npos);
  EXPECT_NE(problem(bytes.substr(0, 16)).find("is not within"), std::string::npos);
}

// The program packs with the Blosc library itself.
TEST_F(NvdbReader, GridsPackedWithBloscHoldTheSameVoxels) {
  if (std::system("command -v nanovdb_convert > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "nanovdb_convert is not installed";
  const KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(11));
  write_vdb(known.scene, path("a.vdb"), std::nullopt);
  for (const std::string grid : {"density", "color"}) {
    for (const std::string packing : {"plain", "blosc"}) {
      const std::string command = fmt::format("nanovdb_convert -f {} -g {} '{}' '{}' > /dev/null 2>&1",
                                              packing == "blosc" ? "-b" : "", grid, path("a.vdb").string(),
                                              path(packing + ".nvdb").string());
      ASSERT_EQ(std::system(command.c_str()), 0);
    }
    const std::string packed = read_bytes(path("blosc.nvdb"));
    ASSERT_EQ(packed[14], 2);
    EXPECT_LT(packed.size(), read_bytes(path("plain.nvdb")).size() / 2);
    const dag::VoxelScene scene = read("blosc.nvdb");
    EXPECT_EQ(scene.dag.digest, read("plain.nvdb").dag.digest) << grid;
    EXPECT_EQ(scene.dag.voxels, known.scene.dag.voxels);
    // Damage and truncation are errors, or leave a grid whose values differ.
    Random random(12);
    for (uint32_t i = 0; i < 5 * kThoroughness; ++i) {
      std::string damaged = packed;
      damaged[200 + random.below(static_cast<uint32_t>(packed.size() - 200))] ^=
          static_cast<char>(1 + random.below(255));
      if (i % 4 == 0) damaged.resize(random.below(static_cast<uint32_t>(packed.size())));
      problem(damaged);
    }
    std::string huge = packed;
    set_number(huge, 16, uint64_t{1} << 60);
    EXPECT_NE(problem(huge).find("cannot hold a grid"), std::string::npos);
  }
}

// If a tree could reach one node by several ways, a small file could have very many voxels.
TEST_F(NvdbReader, ANodeHasOnePlace) {
  const std::string bytes = bytes_of(known_scene(8, Materials::Sixteen, noise_grid(9)), NvdbGrid::U8);
  const NvdbPlaces at(bytes);
  const uint64_t upper = at.root + number_at<uint64_t>(bytes, at.tiles + 8);
  std::string many = bytes;
  for (uint64_t n = 1; n < 32768; ++n)
    set_number<uint64_t>(many, upper + 8256 + 8 * n, number_at<uint64_t>(bytes, upper + 8256));
  for (uint64_t i = 0; i < 4096; ++i) many[upper + 32 + 4096 + i] = '\xff';
  EXPECT_NE(problem(many).find("fewer bytes than its nodes need"), std::string::npos);
}

TEST_F(NvdbReader, ATruncatedFileIsAnError) {
  const std::string bytes = bytes_of(known_scene(5, Materials::Sixteen, noise_grid(10)), NvdbGrid::Index);
  for (size_t size = 1; size < bytes.size(); size += size < 1200 || size + 1400 > bytes.size() ? 7 : 1999)
    ASSERT_NE(problem(bytes.substr(0, size)), "") << size;
}

TEST_F(NvdbReader, DamagedBytesAreAnErrorOrASceneThatIsCorrect) {
  const QuietLog quiet;
  std::mt19937 random(11);
  for (const NvdbGrid grid : kKinds) {
    const std::string bytes = bytes_of(known_scene(9, Materials::Sixteen, noise_grid(12)), grid);
    const NvdbPlaces at(bytes);
    const uint64_t upper = at.root + number_at<uint64_t>(bytes, at.tiles + 8), lower = upper + 270400;
    // Most of the file is tables of nodes with no effect.
    const std::array<std::pair<uint64_t, uint64_t>, 4> parts = {{{0, upper + 40},
                                                                 {upper + 8256, upper + 8300},
                                                                 {lower, lower + 1120},
                                                                 {lower + 33856, bytes.size()}}};
    for (uint32_t i = 0; i < 40 * kThoroughness; ++i) {
      std::string damaged = bytes;
      const auto [begin, end] = parts[i % parts.size()];
      for (uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
        char& byte = damaged[begin + random() % (end - begin)];
        byte = static_cast<char>(byte ^ 1 << random() % 8);
      }
      write_all(path("b.nvdb"), damaged);
      try {
        dag::verify(read("b.nvdb").dag);
      } catch (const Error& error) {
        ASSERT_NE(std::string(error.what()).find("b.nvdb"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace vox
