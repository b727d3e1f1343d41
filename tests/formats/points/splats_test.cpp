// Tests the readers of splats with small files that the tests write byte by byte.
#include "formats/points/splat_voxels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/points/points.h"
#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"
#include "tests/common/random.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

TEST(PortableMath, ExpAndLogAreThoseOfTheLibrary) {
  Random random(3);
  for (uint32_t i = 0; i < 10000 * kThoroughness; ++i) {
    const double x = random.uniform(-700, 700), y = std::exp(random.uniform(-700, 700));
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 4e-16) << x;
    EXPECT_NEAR(portable_log(y), std::log(y), 4e-16 * std::max(1.0, std::abs(std::log(y)))) << y;
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1e300), 0);
  EXPECT_EQ(portable_exp(1e300), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
  EXPECT_EQ(portable_log(1), 0);
}

template <class T>
std::string splat_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <class T, class... More>
std::string splat_bytes(T value, More... more) {
  return splat_bytes(value) + splat_bytes(more...);
}

struct SplatRecord {
  std::array<float, 3> place, logs;  // the logarithms of its deviations
  std::array<float, 4> turn;         // w, x, y, z
  float logit = 0;
  std::array<float, 3> harmonics = {0, 0, 0};
};

const std::vector<SplatRecord> kTwoSplats = {{{1, 2, 3}, {-1, 0, 2}, {2, 0, 0, 2}, 0, {-0.5f, 0, 1}},
                                             {{-4, 0.5f, 0}, {0, 0, 0}, {0, 0, 0, 0}, 2}};

enum class Extras { None, NormalsAndRest };

std::string splat_ply(const std::vector<SplatRecord>& splats, Extras extras = Extras::None) {
  std::string file =
      "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(splats.size()) + "\n";
  const auto property = [&](const std::string& name) { file += "property float " + name + "\n"; };
  const bool more = extras == Extras::NormalsAndRest;
  for (const char* name : {"x", "y", "z"}) property(name);
  if (more)
    for (const char* name : {"nx", "ny", "nz"}) property(name);
  for (int i = 0; i < 3; ++i) property(fmt::format("f_dc_{}", i));
  if (more)
    for (int i = 0; i < 45; ++i) property(fmt::format("f_rest_{}", i));
  property("opacity");
  for (int i = 0; i < 3; ++i) property(fmt::format("scale_{}", i));
  for (int i = 0; i < 4; ++i) property(fmt::format("rot_{}", i));
  file += "end_header\n";
  for (const SplatRecord& splat : splats) {
    file += splat_bytes(splat.place);
    if (more) file += std::string(12, '\0');
    file += splat_bytes(splat.harmonics);
    if (more) file += std::string(180, '\1');
    file += splat_bytes(splat.logit, splat.logs, splat.turn);
  }
  return file;
}

CloudPiece all_splats(const PointCloud& cloud) {
  EXPECT_EQ(cloud.pieces, 1u);
  return cloud.read(0);
}

void expect_vector(const Vec3d& a, const Vec3d& b, double most = 1e-6) {
  for (uint32_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(a[axis], b[axis], most) << axis;
}

TEST(SplatFiles, PlyFilesOfTrainersAreRead) {
  TestFolder folder;
  for (const Extras extras : {Extras::None, Extras::NormalsAndRest}) {
    const auto file = folder.write("a.ply", splat_ply(kTwoSplats, extras));
    EXPECT_EQ(ply_points_of(file), PlyPoints::Splats);
    const PointCloud cloud = open_points(std::vector{file});
    EXPECT_TRUE(cloud.has_shapes);
    const CloudPiece found = all_splats(cloud);
    ASSERT_EQ(found.shapes.size(), 2u);
    expect_vector(found.points[0].place, {1, 2, 3});
    // 255 · (0.5 + 0.28209 · f_dc)
    EXPECT_EQ(found.points[0].rgb, 0x5c80c7u);
    const SplatShape& shape = found.shapes[0];
    expect_vector(shape.deviations, {std::exp(-1), 1, std::exp(2)});
    EXPECT_EQ(shape.opacity, 0.5);
    // A quarter turn around z.
    expect_vector(shape.axes[0], {0, 1, 0});
    expect_vector(shape.axes[1], {-1, 0, 0});
    expect_vector(shape.axes[2], {0, 0, 1});
    expect_vector(found.shapes[1].axes[1], {0, 1, 0});
    EXPECT_NEAR(found.shapes[1].opacity, 1 / (1 + std::exp(-2)), 1e-12);
  }
}

TEST(SplatFiles, AxesAreTurnedWithTheirPlaces) {
  TestFolder folder;
  const auto file = folder.write("a.ply", splat_ply(kTwoSplats));
  const CloudPiece found = all_splats(open_points(std::vector{file}, {.up = dag::UpAxis::Z}));
  expect_vector(found.points[0].place, {1, 3, -2});
  expect_vector(found.shapes[0].axes[0], {0, 0, -1});
  expect_vector(found.shapes[0].axes[2], {0, 1, 0});
}

TEST(SplatFiles, CentersLeaveOutTransparentSplatsAndSizes) {
  TestFolder folder;
  const auto file = folder.write("a.ply", splat_ply(kTwoSplats));
  const PointCloud cloud =
      open_points(std::vector{file}, {.splats = SplatUse::Centers, .splat_opacity = 0.7});
  EXPECT_FALSE(cloud.has_shapes);
  const CloudPiece found = all_splats(cloud);
  ASSERT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.left_out, 1u);
  EXPECT_TRUE(found.shapes.empty());
  EXPECT_EQ(found.points[0].place.x, -4);
}

TEST(SplatFiles, SplatsWithoutSizesAreForTheirCentersOnly) {
  TestFolder folder;
  std::string text = "ply\nformat ascii 1.0\nelement vertex 1\n";
  for (const char* name : {"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity"})
    text += std::string("property float ") + name + "\n";
  const auto file = folder.write("a.ply", text + "end_header\n1 2 3 0 0 0 5\n");
  EXPECT_THROW(open_points(std::vector{file}), Error);
  EXPECT_EQ(open_points(std::vector{file}, {.splats = SplatUse::Centers}).read(0).points.size(), 1u);
}

TEST(SplatFiles, FlatSplatsHaveTwoSizes) {
  TestFolder folder;
  std::string text = "ply\nformat ascii 1.0\nelement vertex 1\n";
  for (const char* name : {"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1",
                           "rot_0", "rot_1", "rot_2", "rot_3"})
    text += std::string("property float ") + name + "\n";
  const auto file = folder.write("a.ply", text + "end_header\n1 2 3 0 0 0 5 0 1 1 0 0 0\n");
  expect_vector(all_splats(open_points(std::vector{file})).shapes[0].deviations, {1, std::exp(1), 0});
}

TEST(SplatFiles, NumbersThatAreNotFiniteDropASplat) {
  TestFolder folder;
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  std::vector<SplatRecord> splats(7, kTwoSplats[1]);
  splats[0].place[1] = nan;
  splats[1].logs[2] = nan;
  splats[2].logs[2] = inf;
  splats[3].turn[0] = inf;
  splats[4].logit = nan;
  splats[5].logs[0] = -inf;  // flat
  splats[6].logit = -inf;    // transparent
  const PointCloud cloud = open_points(std::vector{folder.write("a.ply", splat_ply(splats))});
  const CloudSurvey found = survey_splats(cloud, 0.5);
  EXPECT_EQ(found.not_finite, 5u);
  EXPECT_EQ(found.points, 1u);
  EXPECT_EQ(found.left_out, 1u);
}

std::string splat_file() {
  return splat_bytes(1.0f, 2.0f, 3.0f, 0.5f, 1.0f, 2.0f, uint32_t{0x80030201}, uint8_t{218}, uint8_t{128},
                     uint8_t{128}, uint8_t{218}) +
         splat_bytes(-1.0f, 0.0f, 0.0f, 0.5f, 1.0f, 2.0f, uint32_t{0xff030201}, uint8_t{255}, uint8_t{128},
                     uint8_t{128}, uint8_t{128});
}

TEST(SplatFiles, SplatFilesAreRead) {
  TestFolder folder;
  const PointCloud cloud = open_points(std::vector{folder.write("a.splat", splat_file())});
  const CloudPiece found = all_splats(cloud);
  ASSERT_EQ(found.points.size(), 2u);
  expect_vector(found.points[0].place, {1, 2, 3});
  EXPECT_EQ(found.points[0].rgb, 0x010203u);
  expect_vector(found.shapes[0].deviations, {0.5, 1, 2});
  EXPECT_NEAR(found.shapes[0].opacity, 128 / 255.0, 1e-12);
  expect_vector(found.shapes[0].axes[0], {0, 1, 0});
  expect_vector(found.shapes[1].axes[0], {1, 0, 0});
  EXPECT_EQ(
      open_points(std::vector{folder.path() / "a.splat"}, {.splats = SplatUse::Centers}).read(0).left_out,
      0u);
}

std::string gzipped(const std::string& text) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

struct SpzHeader {
  uint32_t magic = 0x5053474e, version = 3, count = 2;
  uint8_t degree = 0, bits = 12, flags = 0, reserved = 0;
};
static_assert(sizeof(SpzHeader) == 16);

// Two splats, the second of which is turned a quarter around z.
std::string spz_content(const SpzHeader& header) {
  const auto fixed = [](double v) { return splat_bytes(static_cast<int32_t>(v * 4096)).substr(0, 3); };
  std::string content = splat_bytes(header);
  if (header.version == 1) {
    for (const uint16_t half : std::array<uint16_t, 6>{0x3e00, 0xc080, 0x0000, 0xd640, 0x3800, 0x4700})
      content += splat_bytes(half);
  } else {
    for (const double v : {1.5, -2.25, 0.0, -100.0, 0.5, 7.0}) content += fixed(v);
  }
  content += "\x80\xff";                                  // opacities
  content += std::string("\x80\x00\xff\x80\x80\x80", 6);  // colors
  content += std::string("\xa0\xb0\x90\xa0\xa0\xa0", 6);  // sizes
  if (header.version < 3) {
    content += std::string("\x80\x80\x80\x80\x80\xda", 6);
  } else {
    const uint32_t half = 511;  // w is the greatest one, z as great
    content += splat_bytes(uint32_t{3} << 30, uint32_t{3} << 30 | half);
  }
  constexpr std::array<size_t, 4> kRest = {0, 9, 24, 45};
  return content + std::string(2 * kRest[header.degree], '\x80');
}

// A frame of Zstandard with one block that is not compressed.
std::string zstd_frame(const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  return "\x28\xb5\x2f\xfd\xa0" + splat_bytes(size) + splat_bytes(1 | size << 3).substr(0, 3) + text;
}

// The same splats as version 4, with room for extensions before the table.
std::string framed_spz(uint8_t degree, uint32_t count = 2, uint64_t more = 0) {
  const std::string content = spz_content({.degree = degree}), room(7, 'x');
  std::string table, frames;
  size_t at = 16;
  for (const size_t bytes : {18u, 2u, 6u, 6u, 8u, 0u}) {
    const std::string values = content.substr(at, bytes == 0 ? std::string::npos : bytes);
    const std::string frame = zstd_frame(values);
    table += splat_bytes(uint64_t{frame.size()}, uint64_t{values.size()} + more);
    frames += frame;
    at += bytes;
  }
  const SpzHeader header = {.version = 4, .count = count, .degree = degree, .flags = 2, .reserved = 6};
  return splat_bytes(header, static_cast<uint32_t>(32 + room.size()), uint64_t{0}, uint32_t{0}) + room +
         table + frames;
}

TEST(SplatFiles, SpzFilesAreRead) {
  TestFolder folder;
  for (const uint32_t version : {1u, 2u, 3u, 4u})
    for (const uint8_t degree : std::array<uint8_t, 4>{0, 1, 2, 3}) {
      if (version == 4 && !zstd_size_or_none()) continue;
      const auto file =
          folder.write("a.spz", version == 4 ? framed_spz(degree)
                                             : gzipped(spz_content({.version = version, .degree = degree})));
      const CloudPiece found = all_splats(open_points(std::vector{file}));
      ASSERT_EQ(found.points.size(), 2u);
      expect_vector(found.points[0].place, {1.5, -2.25, 0});
      expect_vector(found.points[1].place, {-100, 0.5, 7});
      EXPECT_NEAR(found.shapes[0].opacity, 128 / 255.0, 1e-12);
      expect_vector(found.shapes[0].deviations, {1, std::exp(1), std::exp(-1)});
      // 255 · (0.5 + 0.28209 · (c - 127.5) / 255 / 0.15)
      EXPECT_EQ(found.points[0].rgb, 0x8000ffu);
      expect_vector(found.shapes[0].axes[0], {1, 0, 0}, 0.02);
      expect_vector(found.shapes[1].axes[0], {0, 1, 0}, 0.02);
      expect_vector(found.shapes[1].axes[1], {-1, 0, 0}, 0.02);
    }
}

// Returns the message of the Error that reading the file gives.
std::string problem_of(const std::filesystem::path& file) {
  try {
    const PointCloud cloud = open_points(std::vector{file});
    for (size_t piece = 0; piece < cloud.pieces; ++piece) cloud.read(piece);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SplatFiles, FilesThatLieAreErrorsThatNameTheFile) {
  TestFolder folder;
  const auto expect_problem = [&](const std::string& name, const std::string& content,
                                  const std::string& problem) {
    const std::string found = problem_of(folder.write(name, content));
    EXPECT_NE(found.find(problem), std::string::npos) << found;
    EXPECT_NE(found.find(name), std::string::npos) << found;
  };
  expect_problem("a.splat", splat_file().substr(1), "no whole number of splats");
  expect_problem("a.spz", "abc", "is not an .spz file");
  expect_problem("a.spz", gzipped("something else than splats"), "is not an .spz file");
  expect_problem("a.spz", gzipped(spz_content({.version = 5})), "version 5");
  expect_problem("a.spz", spz_content({.version = 0}), "version 0");
  expect_problem("a.spz", framed_spz(1, 2, 1), "has 19 bytes of a kind of values, expected 18");
  expect_problem("a.spz", framed_spz(1, 3), "has 18 bytes of a kind of values, expected 27");
  expect_problem("a.spz", framed_spz(1, 0xffffffff), "cannot hold as many");
  if (zstd_size_or_none()) {
    std::string damaged = framed_spz(0);
    damaged[32 + 7 + 6 * 16] ^= 1;  // the magic of the first frame
    expect_problem("a.spz", damaged, "Zstandard data is damaged");
    for (size_t bytes = 16; bytes + 12 < framed_spz(0).size(); ++bytes)
      expect_problem("a.spz", framed_spz(0).substr(0, bytes), "a.spz");
  } else {
    expect_problem("a.spz", framed_spz(0), "no libzstd");
  }
  expect_problem("a.spz", gzipped(spz_content({.bits = 25})), "25 fractional bits");
  std::string content = spz_content({});
  content[12] = 5;
  expect_problem("a.spz", gzipped(content), "degree 5");
  expect_problem("a.spz", gzipped(spz_content({.count = 3})), "expected 76 bytes");
  expect_problem("a.spz", gzipped(spz_content({.count = 1})), "found more");
  expect_problem("a.spz", gzipped(spz_content({.count = 0xffffffff})), "cannot hold as many");
  // A small file of many bytes, of which the header admits few.
  expect_problem("a.spz", gzipped(spz_content({}) + std::string(1 << 24, '\0')), "found more");
  expect_problem("a.ply", splat_ply(kTwoSplats).substr(0, 400), "cannot fit into the file");
}

TEST(SplatFiles, DamageIsHarmless) {
  QuietLog quiet;
  TestFolder folder;
  Random random(5);
  uint32_t tried = 0;
  const auto try_out = [&](const std::string& name, const std::string& content) {
    const auto file = folder.write(name, content);
    try {
      const PointCloud cloud = open_points(std::vector{file});
      if (!cloud.has_shapes) return;  // a header without some of the properties
      const CloudSurvey found = survey_splats(cloud, 0.5);
      if (found.points == 0 || ++tried % 16 != 0) return;
      const voxelize::Grid grid = voxelize::fit_box(found.box, {.resolution = 32});
      dag::verify(scene_of_voxels(splat_voxels(cloud, grid, {}), {}, file).scene.dag);
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find(name) != std::string::npos || text.find("bounding box") != std::string::npos)
          << text;
    }
  };
  const std::array<std::pair<std::string, std::string>, 3> files = {
      {{"a.ply", splat_ply(kTwoSplats)}, {"a.splat", splat_file()}, {"a.spz", spz_content({})}}};
  for (const auto& [name, content] : files) {
    const auto packed = [&, spz = name == "a.spz"](const std::string& text) {
      return spz ? gzipped(text) : text;
    };
    const std::string whole = packed(content);
    for (size_t size = 1; size < whole.size(); ++size) try_out(name, whole.substr(0, size));
    for (uint32_t i = 0; i < 50 * kThoroughness; ++i) {
      std::string damaged = content;
      for (uint32_t flips = 1 + random.below(3); flips > 0; --flips)
        damaged[random.below(static_cast<uint32_t>(damaged.size()))] = static_cast<char>(random.below(256));
      try_out(name, packed(damaged));
    }
  }
}

}  // namespace
}  // namespace vox
