#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "libvox/base/error.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

scene::Palette three_colors() {
  return {.count = 3,
          .colors = {scene::Rgb8{255, 0, 7}, scene::Rgb8{0, 0, 0}, scene::Rgb8{18, 52, 86}},
          .names = {"wall, red", "soot", "#123456"}};
}

void expect_colors(const scene::Palette& palette, const scene::Palette& expected) {
  EXPECT_EQ(palette.count, expected.count);
  EXPECT_EQ(palette.colors, expected.colors);
}

std::string error_of(const std::filesystem::path& path) {
  try {
    read_palette(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PaletteFile, EveryTypeReturnsWhatWasWritten) {
  TestFolder folder;
  for (const char* name : {"p.gpl", "p.pal", "p.hex", "p.png", "P.GPL"}) {
    write_palette(folder.path() / name, three_colors());
    scene::Palette palette = read_palette(folder.path() / name);
    expect_colors(palette, three_colors());
    EXPECT_EQ(palette.names[2], "#123456");
  }
  EXPECT_EQ(read_palette(folder.path() / "p.gpl").names, three_colors().names);
  EXPECT_EQ(read_palette(folder.path() / "p.hex").names[0], "#ff0007");
}

TEST(PaletteFile, SixteenColorsFitInEveryType) {
  TestFolder folder;
  scene::Palette palette = {.count = 16};
  for (uint8_t i = 0; i < 16; ++i) palette.colors[i] = {i, static_cast<uint8_t>(255 - i), 3};
  for (const char* name : {"p.gpl", "p.pal", "p.hex", "p.png"}) {
    write_palette(folder.path() / name, palette);
    expect_colors(read_palette(folder.path() / name), palette);
  }
}

TEST(PaletteFile, GimpPalettesAreReadAsPeopleKeepThem) {
  TestFolder folder;
  auto path = folder.write("p.gpl",
                           "\xef\xbb\xbfGIMP Palette\r\nName: Name of it\r\nColumns: 4\r\n# a comment\r\n\r\n"
                           "255   0   7\twall, red\r\n#\r\n  0\t0 0  soot\r\n18 52 86");
  scene::Palette palette = read_palette(path);
  expect_colors(palette, three_colors());
  EXPECT_EQ(palette.names, three_colors().names);
}

TEST(PaletteFile, JascPalettesAndHexLinesAreReadAsPeopleKeepThem) {
  TestFolder folder;
  expect_colors(read_palette(folder.write("a.pal", "JASC-PAL\n0100\n3\n255 0 7\n0 0 0\n18 52 86\n\n")),
                three_colors());
  expect_colors(read_palette(folder.write("a.hex", "#FF0007\r\n\r\n000000\n  123456  ")), three_colors());
}

TEST(PaletteFile, ListsOfMaterialsMayHaveMeasuredColors) {
  TestFolder folder;
  dag::VoxelScene scene;
  scene.palette = three_colors();
  write_material_list(folder.path() / "m.json", scene);
  const scene::Palette again = read_palette(folder.path() / "m.json");
  expect_colors(again, three_colors());
  EXPECT_EQ(again.names, three_colors().names);
  // The corners of sRGB under D50.
  const auto read = [&](const std::string& materials) {
    return read_palette(folder.write("a.json", "{\"materials\": [" + materials + "]}"));
  };
  const scene::Palette measured = read(R"({"name": "red", "lab": [54.29, 80.80, 69.89]},
                                          {"lab": [87.82, -79.27, 80.99]}, {"lab": [29.57, 68.30, -112.03]},
                                          {"lab": [100, 0, 0]}, {"lab": [0, 0, 0]}, {"lab": [53.39, 0, 0]},
                                          {"number": 6, "color": "#12AB00"})");
  const std::vector<scene::Rgb8> corners = {{255, 0, 0}, {0, 255, 0},     {0, 0, 255}, {255, 255, 255},
                                            {0, 0, 0},   {127, 127, 127}, {18, 171, 0}};
  ASSERT_EQ(measured.count, corners.size());
  for (size_t i = 0; i < corners.size(); ++i) {
    EXPECT_NEAR(measured.colors[i].r, corners[i].r, 1) << i;
    EXPECT_NEAR(measured.colors[i].g, corners[i].g, 1) << i;
    EXPECT_NEAR(measured.colors[i].b, corners[i].b, 1) << i;
  }
  EXPECT_EQ(measured.names[0], "red");
  EXPECT_EQ(measured.names[6], "#12ab00");
  const auto expect_problem = [&](const std::string& materials, const char* problem) {
    try {
      read(materials);
      ADD_FAILURE() << problem;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
  };
  expect_problem("", "holds no color");
  expect_problem("{}", "materials[0]: expected one of 'color' and 'lab'");
  expect_problem(R"({"color": "#102030", "lab": [1, 2, 3]})", "expected one of 'color' and 'lab'");
  expect_problem(R"({"color": "red"})", "'red' is not a color");
  expect_problem(R"({"color": 5})", "'color' is not a text");
  expect_problem(R"({"lab": [1, 2]})", "'lab'");
  expect_problem(R"({"lab": [101, 2, 3]})", "L from 0 to 100");
  expect_problem(R"({"color": "#102030", "number": 1})", "'number' is not 0");
  std::string many = R"({"color": "#102030"})";
  for (int i = 0; i < 16; ++i) many += R"(, {"color": "#102030"})";
  expect_problem(many, "at most 16");
  expect_problem("{", "is not a JSON object");
  EXPECT_NE(error_of(folder.write("b.json", "[]")).find("is not a JSON object"), std::string::npos);
  EXPECT_NE(error_of(folder.write("c.json", "")), "");
}

TEST(PaletteFile, ControlCharactersInNamesDoNotBreakTheFile) {
  TestFolder folder;
  scene::Palette palette = three_colors();
  palette.names[0] = "two\nlines\tand a tab";
  palette.names[1] = "";
  write_palette(folder.path() / "p.gpl", palette);
  scene::Palette read = read_palette(folder.path() / "p.gpl");
  expect_colors(read, palette);
  EXPECT_EQ(read.names[0], "two lines and a tab");
  EXPECT_EQ(read.names[1], "#000000");
}

TEST(PaletteFile, ColorsOfAnImageCountInOrderOfAppearance) {
  TestFolder folder;
  scene::Rgba8 a = {255, 0, 7, 255}, b = {0, 0, 0, 255}, c = {18, 52, 86, 255}, invisible = {9, 9, 9, 0};
  expect_colors(read_palette(folder.write("p.png", png(4, 2, {a, a, invisible, b, a, c, b, invisible}))),
                three_colors());
}

TEST(PaletteFile, AnImageOfTooManyColorsSaysHowMany) {
  TestFolder folder;
  std::vector<scene::Rgba8> pixels;
  for (uint8_t i = 0; i < 20; ++i) pixels.push_back({i, 0, 0, 255});
  std::string error = error_of(folder.write("p.png", png(20, 1, pixels)));
  EXPECT_NE(error.find("p.png"), std::string::npos);
  EXPECT_NE(error.find("has 20 different colors"), std::string::npos) << error;
  EXPECT_NE(error_of(folder.write("q.png", png(1, 1, {{1, 2, 3, 0}}))).find("no color"), std::string::npos);
}

TEST(PaletteFile, MalformedFilesAreRefusedAtTheirLine) {
  TestFolder folder;
  std::string many;
  for (int i = 0; i < 17; ++i) many += "102030\n";
  struct Case {
    std::string name, content, expected;
  } cases[] = {
      {"a.gpl", "GIMP\n1 2 3\n", "a.gpl: is not a GIMP palette"},
      {"b.gpl", "GIMP Palette\n# c\n1 2 256\n", "b.gpl:3: '1 2 256' is not a color"},
      {"c.gpl", "GIMP Palette\n1 2\n", "c.gpl:2: "},
      {"d.gpl", "GIMP Palette\n1 2 3\nName: late\n", "d.gpl:3: "},
      {"e.gpl", "GIMP Palette\n-1 2 3\n", "e.gpl:2: "},
      {"f.gpl", "GIMP Palette\n1 2 3x\n", "f.gpl:2: "},
      {"g.gpl", "GIMP Palette\nName: x\n", "g.gpl: holds no color"},
      {"a.pal", std::string("RIFF\x10\0\0\0PAL data", 16), "a.pal: is a RIFF palette"},
      {"b.pal", "JASC-PAL\n0100\n", "b.pal: is not a JASC palette"},
      {"c.pal", "JASC-PAL\n0100\n2\n1 2 3\n", "c.pal:3: '2' colors are announced, but there are 1"},
      {"d.pal", "JASC-PAL\n0100\n1\n1 2 3 4\n", "d.pal:4: '4' follows the color"},
      {"e.pal", "JASC-PAL\n0100\n0\n", "e.pal: holds no color"},
      {"a.hex", "112233\n12345\n", "a.hex:2: '12345' is not a color"},
      {"b.hex", "11223g\n", "b.hex:1: "},
      {"c.hex", "-12345\n", "c.hex:1: "},
      {"d.hex", "", "d.hex: holds no color"},
      {"e.hex", many, "e.hex:17: more than 16 colors"},
      {"f.hex", std::string(2 << 20, '1'), "f.hex: is too large for a palette"},
      {"a.png", "no image", "a.png"},
  };
  for (const Case& c : cases) {
    std::string error = error_of(folder.write(c.name, c.content));
    EXPECT_NE(error.find(c.expected), std::string::npos) << c.name << ": " << error;
  }
  EXPECT_NE(error_of(folder.path() / "missing.gpl").find("no such file"), std::string::npos);
  std::filesystem::create_directory(folder.path() / "folder.hex");
  EXPECT_NE(error_of(folder.path() / "folder.hex").find("is not a file"), std::string::npos);
}

TEST(PaletteFile, NothingIsLeftWhereWritingFails) {
  TestFolder folder;
  EXPECT_THROW(write_palette(folder.path() / "p.txt", three_colors()), Error);
  EXPECT_THROW(write_palette(folder.path() / "p.gpl", scene::Palette()), Error);
  EXPECT_THROW(write_palette(folder.path() / "no" / "folder.gpl", three_colors()), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace vox
