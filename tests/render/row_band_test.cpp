// Tests pictures that are made band by band: together the bands are the whole picture.
#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/common/test_engine.h"
#include "tests/dag/grids.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

using render::RowBand;

constexpr render::ImageSize kPicture = {83, 141};
constexpr RowBand kBands[] = {{0, 32}, {32, 96}, {96, 128}, {128, 141}};

render::RenderOptions view_of(const dag::FrozenDag& dag) {
  render::RenderOptions options;
  options.size = kPicture;
  options.pose = render::framing(render::outline(dag), "iso", 0, 40, kPicture);
  return options;
}

void expect_bands_are_the_whole(render::Renderer& renderer, render::RenderOptions options) {
  const render::Picture whole = renderer.render(options);
  std::vector<scene::Rgba8> pixels;
  uint64_t rays = 0, refined = 0;
  for (const RowBand& band : kBands) {
    options.band = band;
    const render::Picture part = renderer.render(options);
    EXPECT_EQ(part.image.width, kPicture.width);
    EXPECT_EQ(part.image.height, band.end - band.begin);
    EXPECT_EQ(part.low, whole.low);
    EXPECT_EQ(part.high, whole.high);
    pixels.insert(pixels.end(), part.image.pixels.begin(), part.image.pixels.end());
    rays += part.rays;
    refined += part.refined;
  }
  EXPECT_EQ(pixels, whole.image.pixels);
  EXPECT_EQ(rays, whole.rays);
  EXPECT_EQ(refined, whole.refined);
}

TEST(RowBand, BandsAreTheWholePictureInEveryMode) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const auto renderer = engine->renderer(dag, distinct_palette());
  for (const render::Shade shade : {render::Shade::Material, render::Shade::Depth, render::Shade::Normal,
                                    render::Shade::Level, render::Shade::Sharing}) {
    render::RenderOptions options = view_of(dag);
    options.shade = shade;
    expect_bands_are_the_whole(*renderer, options);
    options.samples = 3;
    expect_bands_are_the_whole(*renderer, options);
    options.sampling = render::Sampling::Edges;
    options.ao_rays = shade == render::Shade::Material ? 4 : 0;
    options.normals = render::Normals::Smooth;
    options.skies = render::Sky::Gradient;
    expect_bands_are_the_whole(*renderer, options);
  }
}

TEST(RowBand, OnlyBandsOfThePictureAreMade) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = dense_dag(16, true, shell);
  const auto renderer = engine->renderer(dag, distinct_palette());
  for (const RowBand wrong : {RowBand{0, 0}, {16, 64}, {0, 40}, {64, 32}, {128, 160}, {160, 170}}) {
    render::RenderOptions options = view_of(dag);
    options.band = wrong;
    EXPECT_THROW(renderer->render(options), Error) << wrong.begin << ' ' << wrong.end;
  }
}

}  // namespace
}  // namespace vox
