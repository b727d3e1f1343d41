#include <gtest/gtest.h>

#include <cmath>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

const std::string kVertices = "0 0 0\n2 0 0\n2 2 0\n0 2 0\n1 1 1\n";
const std::string kFaces = "4 0 1 2 3\n3 0 1 4\n";
const std::string kBody = "5 2 0\n" + kVertices + kFaces;

class Off : public testing::Test {
 protected:
  scene::Scene read(const std::string& text) { return read_off(folder.write("a.off", text)); }

  void expect_refused(const std::string& text, const std::string& reason) {
    const std::string error = error_of([&] { read(text); });
    EXPECT_NE(error.find(reason), std::string::npos) << "'" << error << "' instead of '" << reason << "'";
  }

  TestFolder folder;
};

TEST_F(Off, FilesAreThoseThatAssimpReads) {
  const std::filesystem::path file = folder.write("a.off", "OFF\n" + kBody);
  expect_same_soup(soup_of(read_off(file)), assimp_soup(file), 0);
  EXPECT_TRUE(is_sound(read_off(file)));
}

TEST_F(Off, TheFirstWordMayBeWrittenInManyWays) {
  const auto expected = soup_of(read("OFF\n" + kBody));
  ASSERT_EQ(expected.size(), 3u);
  for (const std::string& text :
       {kBody, "OFF " + kBody, "OFF" + kBody, "# by hand\n\nOFF # here\n# counts\n" + kBody,
        "\xef\xbb\xbfOFF\r" + kBody, "OFF\n5 2\n" + kVertices + kFaces,
        "OFF\n5 2 0 # counts\n" + kVertices + "# faces\n\n" + kFaces})
    expect_same_soup(soup_of(read(text)), expected, 0);
}

TEST_F(Off, LinesMayEndAsOnAnySystem) {
  const auto expected = soup_of(read("OFF\n" + kBody));
  for (std::string end : {"\r\n", "\r"}) {
    std::string text;
    for (char c : "OFF\n" + kBody) c == '\n' ? text += end : text += c;
    expect_same_soup(soup_of(read(text)), expected, 0);
  }
}

TEST_F(Off, VerticesMayHaveNormalsColoursAndTextureCoordinates) {
  const std::string faces = "3 0 1 2\n";
  const scene::Scene bytes = read("COFF\n3 1 0\n0 0 0 255 0 1 128\n1 0 0 1 1 1 255\n0 1 0 0 0 0 0\n" + faces);
  EXPECT_EQ(bytes.colors, (std::vector<scene::Rgba8>{{255, 0, 1, 128}, {1, 1, 1, 255}, {0, 0, 0, 0}}));
  EXPECT_EQ(bytes.materials.at(0).base_color, (std::array<float, 4>{1, 1, 1, 1}));
  const scene::Scene shares = read("COFF\n3 1 0\n0 0 0 1 0 0.5\n1 0 0 1 1 1\n0 1 0 0 0 0\n" + faces);
  EXPECT_EQ(shares.colors,
            (std::vector<scene::Rgba8>{{255, 0, 128, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}}));
  const scene::Scene all = read(
      "STCNOFF\n3 1 0\n0 0 0 0 0 1 9 8 7 0.5 0.5\n1 0 0 0 0 1 6 5 4 0 0\n0 1 0 0 0 1 3 2 1 1 1\n" + faces);
  EXPECT_EQ(all.positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(all.colors, (std::vector<scene::Rgba8>{{9, 8, 7, 255}, {6, 5, 4, 255}, {3, 2, 1, 255}}));
  EXPECT_EQ(read("NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n" + faces).positions, all.positions);
  EXPECT_EQ(read("STOFF\n3 1 0\n0 0 0 0 0.5\n1 0 0 0 1\n0 1 0 0 0\n" + faces).positions, all.positions);
}

TEST_F(Off, ColoursOfFacesBecomeMaterials) {
  const scene::Scene scene =
      read("OFF\n5 6 0\n" + kVertices +
           "3 0 1 2 255 0 0\n3 0 1 3 0 255 0 100\n3 0 1 4\n3 1 2 3 255 0 0 # again\n3 1 2 4 7\n2 0 1\n");
  ASSERT_EQ(scene.triangles.size(), 5u);
  ASSERT_EQ(scene.materials.size(), 3u);
  EXPECT_TRUE(scene.colors.empty());
  const scene::Material& red = scene.materials[scene.triangles[0].material];
  EXPECT_EQ(red.name, "#ff0000");
  EXPECT_EQ(red.base_color, (std::array<float, 4>{1, 0, 0, 1}));
  EXPECT_EQ(scene.triangles[3].material, scene.triangles[0].material);
  EXPECT_EQ(scene.materials[scene.triangles[1].material].alpha_cutoff, 0.5f);
  EXPECT_EQ(scene.materials[scene.triangles[2].material].name, "default");
  EXPECT_EQ(scene.triangles[4].material, scene.triangles[2].material);  // its colour map is unknown
}

TEST_F(Off, ConcaveFacesAreCoveredOnce) {
  const scene::Scene scene = read("OFF\n5 1 0\n0 0 0\n4 0 0\n4 4 0\n3 1 0\n0 4 0\n5 0 1 2 3 4\n");
  double area = 0;
  for (const SoupTriangle& t : soup_of(scene))
    area += std::abs((t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y)) / 2;
  EXPECT_EQ(area, 10);
  EXPECT_EQ(scene.triangles.size(), 3u);
}

TEST_F(Off, WhatIsWrongIsNamedWithItsLine) {
  expect_refused("solid\n", "a.off:1: not an OFF mesh");
  expect_refused("OFF BINARY\n" + kBody, "a.off:1: this is a binary OFF");
  expect_refused("4OFF\n" + kBody, "a.off:1: 4OFF is not supported");
  expect_refused("STnOFF\n3\n" + kBody, "a.off:1: STnOFF is not supported");
  expect_refused("OFF\nfive 2 0\n", "a.off:2: expected the number of vertices instead of 'five'");
  expect_refused("OFF\n-5 2 0\n" + kVertices, "expected the number of vertices instead of '-5'");
  expect_refused("OFF\n5 2 0 7\n" + kVertices, "a.off:2: expected the end of the line");
  expect_refused("OFF\n5 2 0\n0 0\n" + kVertices, "a.off:3: expected a number instead of ''");
  expect_refused("OFF\n5 2 0\n0 0 3.1+e2\n" + kVertices + kFaces,
                 "a.off:3: expected a number instead of '3.1+e2'");
  expect_refused("OFF\n5 2 0\n0 0 0 1 2 3\n" + kVertices + kFaces, "a.off:3: a vertex has 3 numbers beyond");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 5\n3 0 1 2\n",
                 "a.off:8: the face refers to vertex 5, but 5 are");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 -1\n3 0 1 2\n",
                 "a.off:8: expected a corner instead of '-1'");
  expect_refused("OFF\n5 2 0\n" + kVertices + "4 0 1 2\n3 0 1 2\n",
                 "a.off:8: expected a corner instead of ''");
  expect_refused("OFF\n5 2 0\n" + kVertices + "3 0 1 2\n", "a.off: the file ends after 1 of 2 faces");
  expect_refused("OFF\n3 4\n0.1 0.2 0.3\n0.2 0.3 0.4\n0.3 0.4 0.5\n0\n220\n4\n", "expected a corner");
}

TEST_F(Off, CountsThatCannotFitIntoTheFileTakeNoMemory) {
  for (const char* counts :
       {"350000000000 12 0", "5 18446744073709551615 0", "9223372036854775808 1 0", "20 40 0"})
    expect_refused(fmt::format("OFF\n{}\n", counts) + kVertices + kFaces, "cannot fit into the file");
  expect_refused("OFF\n5 1 0\n" + kVertices + "4000000000 0 1 2\n", "expected a corner");
}

TEST_F(Off, FlippedBytesGiveAnErrorOrASoundScene) {
  expect_flips_to_be_harmless(
      "COFF\n3 1 0\n0 0 0 255 0 1 128\n1 0 0 1 1 1 255\n0 1 0 0 0 0 0\n3 0 1 2 1 0 0\n",
      folder.path() / "a.off", read_off);
}

}  // namespace
}  // namespace vox
