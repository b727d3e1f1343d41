// Compares painted strokes with a dense atlas, and with known results on simple surfaces.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/painting/find_shares.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/scene/oklab.h"
#include "tests/common/random.h"
#include "tests/painting/painted.h"
#include "tests/scene/scenes.h"

namespace vox {

// Paints strokes on a dense atlas. For each stroke it examines every triangle, and for each triangle every
// texel of the plane that its texture coordinates may reach. Strokes in the texture paint the square itself.

using PlanePoint = Vec2<double>;

// Returns the part of a polygon where sign · coordinate <= sign · limit.
inline std::vector<PlanePoint> cut_polygon(const std::vector<PlanePoint>& polygon, bool by_y, double sign,
                                           double limit) {
  std::vector<PlanePoint> kept;
  auto inside = [&](PlanePoint p) { return sign * (limit - (by_y ? p.y : p.x)); };
  for (size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    const double da = inside(a), db = inside(b);
    if (da >= 0) kept.push_back(a);
    if ((da >= 0) != (db >= 0)) {
      const double t = da / (da - db);
      kept.push_back({a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t});
    }
  }
  return kept;
}

// True if a triangle touches a texel, not counting the texel's outermost 128th.
inline bool touches_texel(const std::vector<PlanePoint>& triangle, double x, double y) {
  constexpr double kRim = 1.0 / 128;
  std::vector<PlanePoint> rest = cut_polygon(triangle, false, 1, x + 1 - kRim);
  rest = cut_polygon(rest, false, -1, x + kRim);
  rest = cut_polygon(rest, true, 1, y + 1 - kRim);
  return !cut_polygon(rest, true, -1, y + kRim).empty();
}

// Returns the barycentric weights of the triangle's point that is closest to p.
inline Vec3d closest_in_plane(const std::vector<PlanePoint>& t, PlanePoint p) {
  auto area = [](PlanePoint a, PlanePoint b, PlanePoint c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  const double all = area(t[0], t[1], t[2]);
  const Vec3d inside = {area(p, t[1], t[2]) / all, area(t[0], p, t[2]) / all, area(t[0], t[1], p) / all};
  if (inside.x >= 0 && inside.y >= 0 && inside.z >= 0) return inside;
  Vec3d best = {};
  double nearest = HUGE_VAL;
  for (uint32_t i = 0; i < 3; ++i) {
    const PlanePoint a = t[i], b = t[(i + 1) % 3];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double s = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
    const double squared = std::pow(a.x + dx * s - p.x, 2) + std::pow(a.y + dy * s - p.y, 2);
    if (squared >= nearest) continue;
    nearest = squared;
    best = {0, 0, 0};
    best[i] = 1 - s;
    best[(i + 1) % 3] = s;
  }
  return best;
}

inline double distance_to_line(const std::vector<Vec3d>& points, const Vec3d& p) {
  double nearest = HUGE_VAL;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3d a = points[i], along = points[std::min(i + 1, points.size() - 1)] - a;
    const double squared = dot(along, along);
    const double s = squared > 0 ? std::clamp(dot(p - a, along) / squared, 0.0, 1.0) : 0;
    const Vec3d apart = p - (a + along * s);
    nearest = std::min(nearest, std::sqrt(dot(apart, apart)));
  }
  return nearest;
}

inline uint32_t dense_share(const painting::Stroke& stroke, double distance) {
  const double full = stroke.radius * (1 - stroke.edge);
  if (distance <= full) return 65535;
  if (distance >= stroke.radius) return 0;
  return static_cast<uint32_t>(std::floor((stroke.radius - distance) / (stroke.radius - full) * 65535 + 0.5));
}

// Returns the position in the square of a texel of the plane, by walking there.
inline uint32_t dense_wrapped(int64_t texel, int64_t size, scene::Wrap wrap) {
  if (wrap == scene::Wrap::Clamp) return static_cast<uint32_t>(std::clamp<int64_t>(texel, 0, size - 1));
  bool mirrored = false;
  for (; texel < 0; texel += size) mirrored = !mirrored;
  for (; texel >= size; texel -= size) mirrored = !mirrored;
  return static_cast<uint32_t>(wrap == scene::Wrap::Mirror && mirrored ? size - 1 - texel : texel);
}

class DenseAtlas {
 public:
  DenseAtlas(const scene::Scene& scene, uint32_t size) : scene_(scene), size_(size) {}

  void paint(const painting::Stroke& stroke) {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> shares;
    for (const scene::Triangle& triangle : scene_.triangles)
      for (uint32_t i = 0; stroke.space == painting::StrokeSpace::Texture && i < size_ * size_; ++i) {
        const uint32_t column = i % size_, row = i / size_;
        const Vec3d place = {(column + 0.5) / size_, (row + 0.5) / size_, 0};
        shares[{triangle.material, row, column}] =
            dense_share(stroke, distance_to_line(stroke.points, place));
      }
    for (const scene::Triangle& triangle : scene_.triangles)
      for (const auto& [texel, share] : shares_of(stroke, triangle))
        shares[texel] = std::max(shares[texel], share);
    for (const auto& [texel, share] : shares)
      if (share > 0) paint_over(texels_[texel], stroke.color, share);
  }

  const PaintedTexels& texels() const { return texels_; }

 private:
  using Share = std::pair<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t>;

  std::vector<Share> shares_of(const painting::Stroke& stroke, const scene::Triangle& triangle) const {
    if (stroke.space == painting::StrokeSpace::Texture) return {};
    const scene::Material& material = scene_.materials[triangle.material];
    std::vector<PlanePoint> shape;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (uint32_t index : triangle.texcoord) {
      const Vec2f uv = scene_.texcoords[index];
      shape.push_back({static_cast<double>(uv.x) * size_, static_cast<double>(uv.y) * size_});
      low = std::min({low, shape.back().x, shape.back().y});
      high = std::max({high, shape.back().x, shape.back().y});
    }
    std::vector<Share> shares;
    for (auto y = static_cast<int64_t>(low) - 2; y <= static_cast<int64_t>(high) + 2; ++y)
      for (auto x = static_cast<int64_t>(low) - 2; x <= static_cast<int64_t>(high) + 2; ++x) {
        if (!touches_texel(shape, static_cast<double>(x), static_cast<double>(y))) continue;
        const uint32_t column = dense_wrapped(x, size_, material.wrap_u),
                       row = dense_wrapped(y, size_, material.wrap_v);
        const PlanePoint middle = {static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
        const Vec3d place = place_of(triangle, closest_in_plane(shape, middle));
        const uint32_t share = dense_share(stroke, distance_to_line(stroke.points, place));
        shares.push_back({{triangle.material, row, column}, share});
      }
    return shares;
  }

  Vec3d place_of(const scene::Triangle& triangle, const Vec3d& weights) const {
    auto corner = [&](size_t i) { return scene_.positions[triangle.position[i]]; };
    return corner(0) * weights.x + corner(1) * weights.y + corner(2) * weights.z;
  }

  static void paint_over(painting::Paint& texel, scene::Rgb8 color, uint32_t share) {
    const Vec3d light = scene::srgb_to_linear(color) * 65535;
    auto mix = [&](double above, double below) {
      const double rounded = std::floor(above + 0.5);
      return static_cast<uint16_t>(std::llround((rounded * share + below * (65535 - share)) / 65535));
    };
    texel = {mix(light.x, texel.r), mix(light.y, texel.g), mix(light.z, texel.b), mix(65535, texel.share)};
  }

  const scene::Scene& scene_;
  uint32_t size_;
  PaintedTexels texels_;
};

namespace {

constexpr scene::Rgb8 kRed = {192, 48, 32}, kBlue = {20, 60, 220};

// Triangles in the unit cube with all pairs of wrap modes and texture coordinates that leave the unit square.
scene::Scene random_soup(Random& random, uint32_t triangles) {
  scene::Scene scene;
  for (scene::Wrap u : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror})
    for (scene::Wrap v : {scene::Wrap::Repeat, scene::Wrap::Clamp, scene::Wrap::Mirror}) {
      scene.materials.push_back(test::white_material());
      scene.materials.back().wrap_u = u;
      scene.materials.back().wrap_v = v;
    }
  for (uint32_t i = 0; i < triangles; ++i) {
    scene::Triangle triangle = {.position = {}, .texcoord = {}, .material = i % 9};
    for (uint32_t k = 0; k < 3; ++k) {
      triangle.position[k] = static_cast<uint32_t>(scene.positions.size());
      triangle.texcoord[k] = static_cast<uint32_t>(scene.texcoords.size());
      scene.positions.push_back(random.in_cube(0, 1));
      scene.texcoords.push_back(
          {static_cast<float>(random.uniform(-1.2, 1.8)), static_cast<float>(random.uniform(-0.7, 2.1))});
    }
    scene.triangles.push_back(triangle);
  }
  return scene;
}

painting::Strokes random_strokes(Random& random, uint32_t count) {
  painting::Strokes strokes;
  for (uint32_t i = 0; i < count; ++i) {
    const scene::Rgb8 color = {static_cast<uint8_t>(random.below(256)),
                               static_cast<uint8_t>(random.below(256)),
                               static_cast<uint8_t>(random.below(256))};
    const double edge = i % 4 == 0 ? 0 : random.uniform(0, 1);
    if (i % 3 == 2) {
      strokes.push_back(
          uv_stroke(color, random.uniform(0.02, 0.4), random.uniform(0, 1), random.uniform(0, 1), edge));
    } else {
      std::vector<Vec3d> points;
      for (uint32_t p = random.below(4) + 1; p > 0; --p) points.push_back(random.in_cube(0, 1));
      strokes.push_back(line_stroke(color, random.uniform(0.02, 0.2), points, edge));
    }
    strokes.back().line = i + 1;
  }
  return strokes;
}

bool nearly_equal(painting::Paint a, painting::Paint b) {
  auto near = [](int x, int y) { return std::abs(x - y) <= 2; };
  return near(a.r, b.r) && near(a.g, b.g) && near(a.b, b.b) && near(a.share, b.share);
}

TEST(PaintScene, PaintsTheTexelsThatASearchThroughAllTrianglesFinds) {
  Random random(5);
  uint64_t texels = 0;
  for (const uint32_t size : {1u, 7u, 37u, 64u}) {
    const scene::Scene scene = random_soup(random, 12);
    const painting::Strokes strokes = random_strokes(random, 8);
    DenseAtlas expected(scene, size);
    for (const painting::Stroke& stroke : strokes) expected.paint(stroke);
    const painting::Painting painting = painted(scene, strokes, {.size = size});
    const PaintedTexels actual = painted_texels(painting.atlas);
    EXPECT_EQ(actual.size(), expected.texels().size()) << size;
    EXPECT_EQ(painting.atlas.texels, actual.size());
    for (const auto& [place, paint] : expected.texels()) {
      const auto found = actual.find(place);
      const auto [layer, row, column] = place;
      ASSERT_NE(found, actual.end()) << size << ": " << layer << ' ' << column << ' ' << row << ", share "
                                     << paint.share;
      ASSERT_TRUE(nearly_equal(found->second, paint))
          << size << ": " << layer << ' ' << column << ' ' << row << ", " << found->second.r << ' '
          << found->second.share << ", expected " << paint.r << ' ' << paint.share;
    }
    texels += actual.size();
  }
  EXPECT_GT(texels, 5000u);
}

TEST(PaintScene, CountsTexelsOfSquaresThatArePaintedAsAWholeAlone) {
  Random random(11);
  const scene::Scene scene = random_soup(random, 40);
  const uint32_t size = 32;
  const painting::Canvas canvas = painting::prepare_canvas(scene, {.size = size});
  const painting::PaintedMeshRef mesh = {scene.triangles.data(), scene.positions.data(),
                                         canvas.texcoords.data(), canvas.layers.data()};
  std::vector<scene::Triangle> triangles = scene.triangles;
  triangles.insert(triangles.end(), canvas.squares.begin(), canvas.squares.end());
  uint64_t whole = 0, told = 0;
  for (const painting::Stroke& stroke : random_strokes(random, 30)) {
    painting::Stroke wide = stroke;
    wide.radius *= 3;
    const painting::StrokeArrays arrays = painting::stroke_arrays({wide}, 0, 1);
    for (const scene::Triangle& triangle : triangles)
      for (const painting::Segment& segment : arrays.segments)
        for (uint32_t side : {1u, 2u, 4u})
          for (uint32_t place = 0; place < 64; ++place) {
            const bool in_scene = &triangle < triangles.data() + scene.triangles.size();
            if (in_scene != (wide.space == painting::StrokeSpace::Scene)) continue;
            const painting::Touch touch = {painting::AtlasTriangle(mesh, triangle, size), segment,
                                           arrays.strokes[0], canvas.layers[triangle.material], size};
            const painting::TexelSquare square = {place % 8 * side, place / 8 * side, side};
            bool all = true;
            for (uint32_t i = 0; i < side * side; ++i)
              all = all && touch.share(square.x + i % side, square.y + i / side) > 0;
            whole += all ? 1 : 0;
            if (!touch.paints_all(square)) continue;
            ++told;
            ASSERT_TRUE(all) << square.x << ' ' << square.y << ' ' << side;
          }
  }
  EXPECT_GT(told, whole / 3);
}

TEST(PaintScene, SharesFallFromFullToNothingAtTheRadius) {
  const painting::StrokeRef soft =
      painting::stroke_arrays({line_stroke(kRed, 1, {{0, 0, 0}}, 1)}, 0, 1).strokes[0];
  EXPECT_EQ(soft.share(0), 65535u);
  EXPECT_EQ(soft.share(0.5), 32768u);  // 32767.5, rounded
  EXPECT_EQ(soft.share(0.25), 49151u);
  EXPECT_EQ(soft.share(1), 0u);
  const painting::StrokeRef hard =
      painting::stroke_arrays({line_stroke(kRed, 1, {{0, 0, 0}}, 0)}, 0, 1).strokes[0];
  EXPECT_EQ(hard.share(1), 65535u);
  EXPECT_EQ(hard.share(std::nextafter(1.0, 2.0)), 0u);
}

TEST(PaintScene, FullPaintIsTheNearestLight) {
  for (uint32_t code = 0; code < 256; ++code) {
    const auto c = static_cast<uint8_t>(code);
    const painting::Paint paint = painting::full_paint({c, 0, 255});
    EXPECT_LE(std::abs(scene::srgb_to_linear(c) * 65535 - paint.r), 0.5) << code;
    EXPECT_EQ(paint.g, 0);
    EXPECT_EQ(paint.b, 65535);
    EXPECT_EQ(painting::color_of(paint), (scene::Rgb8{c, 0, 255}));
  }
}

TEST(PaintScene, AStrokeThatPaintsMoreThanThereIsMemoryForIsNamedWithItsLine) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  painting::Stroke all = line_stroke(kRed, 3, {{0.5, 0.5, 0}});
  all.line = 7;
  try {
    painted(scene, {all}, {.size = painting::kMostSize}, {.memory_limit = 1 << 30});
    FAIL() << "4,294,967,296 texels were painted";
  } catch (const painting::StrokeError& error) {
    EXPECT_EQ(error.line(), 7u);
    EXPECT_TRUE(std::string(error.what()).starts_with("the stroke paints at least ")) << error.what();
  }
}

TEST(PaintScene, AStrokeWhoseEdgeRoundsAwayIsRefused) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const auto wall = [&](double far) { return line_stroke(kRed, far, {{0.5, 0.5, far}}); };
  for (const double far : {2147483648.0, 1e15, 1e100})
    EXPECT_THROW(painted(scene, {wall(far)}, {.size = painting::kMostSize}), painting::StrokeError) << far;
  EXPECT_NO_THROW(painted(scene, {wall(1e6)}, {.size = 64}));
  // A line to a place that is far away is measured with the same errors.
  for (const double far : {1e16, -1e16})
    EXPECT_THROW(painted(scene, {line_stroke(kRed, 0.1, {{0.5, 0.5, 0}, {0.5, far, 0}})}, {.size = 64}),
                 painting::StrokeError);
  // In the texture, lengths are not compared with the scene's.
  EXPECT_EQ(painted(scene, {uv_stroke(kRed, 1e16, 0.5, 0.5)}, {.size = 8}).atlas.texels, 64u);
  // Strokes that are far from everything paint nothing, and are no error.
  EXPECT_EQ(painted(scene, {line_stroke(kRed, 1, {{1e15, 0, 0}})}, {.size = 64}).missed.size(), 1u);
}

TEST(PaintScene, IsTheSameForEveryBatchAndNumberOfThreads) {
  Random random(6);
  const scene::Scene scene = random_soup(random, 30);
  const painting::Strokes strokes = random_strokes(random, 12);
  const painting::Painting expected = painted(scene, strokes, {.size = 64});
  EXPECT_EQ(expected.rebuilds, 1u);
  for (const uint32_t batch : {1u, 2u, 5u})
    for (const uint32_t threads : {1u, 3u}) {
      const painting::Painting actual =
          painted(scene, strokes, {.size = 64, .batch = batch}, {.threads = threads});
      EXPECT_EQ(actual.atlas.cells, expected.atlas.cells) << batch;
      EXPECT_EQ(actual.atlas.paints, expected.atlas.paints) << batch;
      EXPECT_EQ(actual.rebuilds + actual.updates, (12 + batch - 1) / batch);
    }
}

TEST(PaintScene, ChangesColorsInPlaceWhereNoNewTexelIsTouched) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const painting::Stroke wide = line_stroke(kRed, 0.3, {{0.5, 0.5, 0}}),
                         narrow = line_stroke(kBlue, 0.1, {{0.5, 0.5, 0}});
  const painting::Painting apart = painted(scene, {wide, narrow, narrow}, {.size = 256, .batch = 1});
  EXPECT_EQ(apart.rebuilds, 1u);
  EXPECT_EQ(apart.updates, 2u);
  const painting::Painting together = painted(scene, {wide, narrow, narrow}, {.size = 256});
  EXPECT_EQ(apart.atlas.cells, together.atlas.cells);
  EXPECT_EQ(apart.atlas.paints, together.atlas.paints);
  const painting::Painting larger = painted(scene, {narrow, wide}, {.size = 256, .batch = 1});
  EXPECT_EQ(larger.rebuilds, 2u);
  EXPECT_EQ(larger.atlas.texels, apart.atlas.texels);
}

TEST(PaintScene, NamesStrokesThatTouchNothing) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  painting::Strokes strokes = {line_stroke(kRed, 0.1, {{0.5, 0.5, 5}}),
                               line_stroke(kRed, 0.1, {{0.5, 0.5, 0}}), uv_stroke(kRed, 0.1, 3, 3)};
  for (uint32_t i = 0; i < 3; ++i) strokes[i].line = 10 + i;
  EXPECT_EQ(painted(scene, strokes, {.size = 256}).missed, (std::vector<uint32_t>{10, 12}));
  const painting::Painting nothing = painted(scene, {strokes[0]}, {.size = 256});
  EXPECT_EQ(nothing.atlas.texels, 0u);
  EXPECT_EQ(nothing.rebuilds, 0u);
}

TEST(PaintScene, DoesNotReachTheOtherBorderOfTheSquare) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const painting::Painting painting =
      painted(scene, {line_stroke(kRed, 0.05, {{0, 0, 0}, {0, 1, 0}}, 0)}, {.size = 100});
  for (const auto& [place, paint] : painted_texels(painting.atlas)) ASSERT_LT(std::get<2>(place), 5u);
  EXPECT_EQ(painting.atlas.texels, 500u);
}

TEST(PaintScene, ATriangleThatIsAPointInTheTextureHasATexel) {
  for (const float u : {0.5f, 0.37f, 0.0f}) {
    scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
    for (Vec2f& uv : scene.texcoords) uv = {u, 0.25f};
    const painting::Painting painting =
        painted(scene, {line_stroke(kRed, 0.5, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}})}, {.size = 1 << 16});
    const PaintedTexels texels = painted_texels(painting.atlas);
    ASSERT_EQ(texels.size(), 1u);
    EXPECT_EQ(std::get<1>(texels.begin()->first), 1u << 14);
    EXPECT_EQ(std::get<2>(texels.begin()->first), static_cast<uint32_t>(u * (1 << 16)));
  }
}

TEST(PaintScene, TakesMemoryForWhatIsPaintedAlone) {
  const scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const double radius = 0.002;
  const painting::Painting painting =
      painted(scene, {line_stroke(kRed, radius, {{0.5, 0.5, 0}}, 0)}, {.size = 1 << 16});
  const double expected = 3.14159265 * radius * radius * 0x1p32;
  EXPECT_NEAR(static_cast<double>(painting.atlas.texels), expected, expected * 0.01);
  EXPECT_LT(painting.atlas.bytes(), painting.atlas.texels * 22);
}

TEST(PaintScene, LeavesOutWhatCannotBePainted) {
  scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const painting::Strokes strokes = {line_stroke(kRed, 0.1, {{0.5, 0.5, 0}})};
  scene.texcoords[1] = {1e9f, 0};
  EXPECT_EQ(painted(scene, strokes, {.size = 16}).far_triangles, 1u);
  scene.materials[0].alpha_cutoff = 0.5f;
  scene.materials[0].base_color[3] = 0.1f;
  scene.materials[0].image = scene::kNone;
  EXPECT_EQ(painted(scene, strokes, {.size = 16}).atlas.texels, 0u);  // the material is invisible
}

TEST(PaintScene, RefusesWhatMakesNoSense) {
  scene::Scene scene = test::textured_rectangle(test::noise_image(4, 4, 1));
  const painting::Strokes strokes = {line_stroke(kRed, 0.1, {{0.5, 0.5, 0}})};
  EXPECT_THROW(painted(scene, strokes, {.size = 0}), UsageError);
  EXPECT_THROW(painted(scene, strokes, {.size = (1 << 16) + 1}), UsageError);
  for (scene::Triangle& triangle : scene.triangles) triangle.texcoord.fill(scene::kNone);
  EXPECT_THROW(painted(scene, strokes), Error);
}

}  // namespace
}  // namespace vox
