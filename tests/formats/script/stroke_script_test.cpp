#include "formats/script/stroke_script.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/common/random.h"

namespace vox {
namespace {

using painting::StrokeSpace;

TEST(StrokeScript, ReadsLinesPointsAndPlacesInTheTexture) {
  const painting::Strokes strokes = parse_stroke_script(
      "# three strokes\n"
      "stroke color #c03020 radius 0.2 from 1,2,3 through 4,5,6 through -1e2,+.5,0 to 7,8,9  # a comment\n"
      "\n"
      "stroke edge 0 at 0,0,1 radius 1e-3 color #00FF7f\r\n"
      "stroke color #ffffff uv 0.25,0.5 radius 0.125 edge 1",
      "s.txt");
  ASSERT_EQ(strokes.size(), 3u);
  EXPECT_EQ(strokes[0].color, (scene::Rgb8{0xc0, 0x30, 0x20}));
  EXPECT_EQ(strokes[0].radius, 0.2);
  EXPECT_EQ(strokes[0].edge, painting::kUsualEdge);
  EXPECT_EQ(strokes[0].points, (std::vector<Vec3d>{{1, 2, 3}, {4, 5, 6}, {-100, 0.5, 0}, {7, 8, 9}}));
  EXPECT_EQ(strokes[0].line, 2u);
  EXPECT_EQ(strokes[1].color, (scene::Rgb8{0, 255, 127}));
  EXPECT_EQ(strokes[1].edge, 0);
  EXPECT_EQ(strokes[1].points, (std::vector<Vec3d>{{0, 0, 1}}));
  EXPECT_EQ(strokes[1].line, 4u);
  EXPECT_EQ(strokes[2].space, StrokeSpace::Texture);
  EXPECT_EQ(strokes[2].points, (std::vector<Vec3d>{{0.25, 0.5, 0}}));
}

std::string problem_of_strokes(const std::string& text) {
  try {
    parse_stroke_script(text, "s.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(StrokeScript, SaysWhereWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "s.txt: has no strokes"},
      {"# nothing\n", "s.txt: has no strokes"},
      {"\n  strike", "s.txt:2:3: 'strike' is no command"},
      {"stroke", "s.txt:1:7: the stroke lacks color #rrggbb"},
      {"stroke color #102030 at 0,0,0", "s.txt:1:30: the stroke lacks radius LENGTH"},
      {"stroke color #102030 radius 1", "s.txt:1:30: the stroke lacks a place"},
      {"stroke color #102030 radius 1 from 0,0,0", "s.txt:1:41: the stroke lacks to x,y,z"},
      {"stroke color #102030 radius 1 to 0,0,0", "s.txt:1:31: expected 'from' before 'to'"},
      {"stroke color #102030 radius 1 through 0,0,0", "s.txt:1:31: expected 'from' before 'through'"},
      {"stroke radius 1 from 0,0,0 to 1,1,1 to 2,2,2", "s.txt:1:37: the stroke has ended already"},
      {"stroke radius 1 from 0,0,0 to 1,1,1 from 2,2,2", "s.txt:1:37: the stroke has begun already"},
      {"stroke at 0,0,0 uv 0,0", "s.txt:1:17: the stroke has begun already"},
      {"stroke uv 0,0 at 0,0,0", "s.txt:1:15: the stroke has begun already"},
      {"stroke at 0,0,0 through 1,1,1", "s.txt:1:17: expected 'from' before 'through'"},
      {"stroke color", "s.txt:1:13: expected a colour #rrggbb"},
      {"stroke color red", "s.txt:1:14: 'red' is no colour, expected #rrggbb"},
      {"stroke color 102030", "s.txt:1:14: '102030' is no colour"},
      {"stroke color #10203", "s.txt:1:14: '#10203' is no colour"},
      {"stroke color #10203g", "s.txt:1:14: '#10203g' is no colour"},
      {"stroke color #-10203", "s.txt:1:14: '#-10203' is no colour"},
      {"stroke color #102030 color #102030", "s.txt:1:22: 'color' is given twice"},
      {"stroke radius 0", "s.txt:1:15: the radius is '0', expected more than 0"},
      {"stroke radius -1", "s.txt:1:15: the radius is '-1', expected more than 0"},
      {"stroke radius 1e-400", "s.txt:1:15: the radius is '1e-400', expected more than 0"},
      {"stroke radius nan", "s.txt:1:15: 'nan' is no number"},
      {"stroke radius 1e101", "s.txt:1:15: '1e101' is too large"},
      {"stroke radius 1e400", "s.txt:1:15: '1e400' is too large"},
      {"stroke radius", "s.txt:1:14: expected the radius"},
      {"stroke edge 1.01", "s.txt:1:13: the edge is '1.01', expected a share"},
      {"stroke edge -0.1", "s.txt:1:13: the edge is '-0.1'"},
      {"stroke at 0,0", "s.txt:1:11: '0,0' is no x,y,z: expected 3 numbers"},
      {"stroke at 0,0,0,0", "s.txt:1:11: '0,0,0,0' is no x,y,z"},
      {"stroke at 0,x,0", "s.txt:1:13: 'x' is no number"},
      {"stroke at 0,,0", "s.txt:1:13: '' is no number"},
      {"stroke at 0,0,inf", "s.txt:1:15: 'inf' is no number"},
      {"stroke uv 0,0,0", "s.txt:1:11: '0,0,0' is no u,v: expected 2 numbers"},
      {"stroke colour #102030", "s.txt:1:8: 'colour' is no argument of a stroke (did you mean 'color'?)"},
      {"stroke \"color", "s.txt:1:8: the quotes are not closed"},
      {"stroke \x01", "s.txt: is no text file"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string problem = problem_of_strokes(text);
    EXPECT_EQ(problem.substr(0, std::string(expected).size()), expected) << text;
  }
}

TEST(StrokeScript, RandomTextIsAScriptOrAnError) {
  Random random(3);
  const std::string_view words[] = {"stroke", "color", "#c03020", "radius", "0.5", "edge", "from",
                                    "1,2,3",  "to",    "through", "at",     "uv",  "1,2",  "\n",
                                    "#",      "\"",    "1e999",   ",",      "-",   "\t",   "\xc3\xa4"};
  uint32_t scripts = 0;
  for (uint32_t round = 0; round < 3000; ++round) {
    std::string text = round % 2 ? "stroke color #c03020 radius 1 at 0,0,0\n" : "";
    for (uint32_t n = random.below(30); n > 0; --n) {
      text += words[random.below(std::size(words))];
      if (random.below(4) > 0) text += ' ';
      if (random.below(20) == 0) text += static_cast<char>(random.below(256));
    }
    try {
      for (const painting::Stroke& stroke : parse_stroke_script(text, "s.txt")) {
        EXPECT_GT(stroke.radius, 0);
        EXPECT_FALSE(stroke.points.empty());
      }
      ++scripts;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("s.txt"), std::string::npos);
    }
  }
  EXPECT_GT(scripts, 10u);
}

}  // namespace
}  // namespace vox
