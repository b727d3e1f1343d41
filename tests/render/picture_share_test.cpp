// Tests pictures that several ranks render together: they equal those that one rank renders.
#include "libvox/render/picture_share.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/test_engine.h"
#include "tests/common/volumes.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

render::RenderOptions view_of(const dag::FrozenDag& dag, render::ImageSize size) {
  render::RenderOptions options;
  options.size = size;
  options.samples = 4;
  options.sampling = render::Sampling::Edges;
  options.pose = render::framing(render::outline(dag), "iso", 0, 40, size);
  return options;
}

void expect_same(const render::Picture& together, const render::Picture& one) {
  EXPECT_EQ(together.image.width, one.image.width);
  EXPECT_EQ(together.image.height, one.image.height);
  EXPECT_EQ(together.image.pixels, one.image.pixels);
  EXPECT_EQ(together.low, one.low);
  EXPECT_EQ(together.high, one.high);
  EXPECT_EQ(together.rays, one.rays);
  EXPECT_EQ(together.refined, one.refined);
}

TEST(PictureShare, AGroupTakesThePicturesOfOne) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const auto engine = test_engine();
  const auto one = render::make_renderer(engine->handle(), dag, distinct_palette());
  for (const uint32_t ranks : {1, 2, 3, 5}) {
    const Engine group = rank_engines(ranks);
    const auto together = render::make_renderer(group.handles(), dag, distinct_palette());
    for (const render::ImageSize size : {render::ImageSize{70, 500}, {33, 97}, {200, 20}, {1, 1}})
      for (const render::Shade shade :
           {render::Shade::Material, render::Shade::Depth, render::Shade::Sharing}) {
        render::RenderOptions options = view_of(dag, size);
        options.shade = shade;
        expect_same(together->render(options), one->render(options));
      }
    EXPECT_EQ(together->slice({.axis = 1, .at = 5, .most = {64, 64}}).image.pixels,
              one->slice({.axis = 1, .at = 5, .most = {64, 64}}).image.pixels);
  }
}

// Bands of later pictures are rendered before earlier pictures are finished.
TEST(PictureShare, RanksTakePicturesOfAFilmOneAfterTheOther) {
  const dag::FrozenDag dag = dense_dag(32, true, shell);
  const auto engine = test_engine();
  const auto one = render::make_renderer(engine->handle(), dag, distinct_palette());
  constexpr render::ImageSize kSizes[] = {{40, 300}, {40, 30}, {40, 70}, {40, 900}, {40, 64}};
  std::vector<render::Picture> film;
  ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) {
    const auto own = make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30});
    const auto shared =
        render::shared_renderer(ranks, render::make_renderer(own->handle(), dag, distinct_palette()));
    for (const render::ImageSize size : kSizes) {
      render::Picture picture = shared->render(view_of(dag, size));
      if (ranks.rank() == 0)
        film.push_back(std::move(picture));
      else
        EXPECT_TRUE(picture.image.pixels.empty());
    }
  });
  ASSERT_EQ(film.size(), std::size(kSizes));
  for (size_t i = 0; i < film.size(); ++i) expect_same(film[i], one->render(view_of(dag, kSizes[i])));
}

TEST(PictureShare, APictureThatOneCannotTakeFailsOnAll) {
  const dag::FrozenDag dag = dense_dag(16, true, shell);
  const Engine group = rank_engines(3);
  const auto together = render::make_renderer(group.handles(), dag, distinct_palette());
  render::RenderOptions options = view_of(dag, {64, 640});
  options.to_sun = {0, 0, 0};
  EXPECT_THROW(together->render(options), Error);
  options = view_of(dag, {64, 640});
  options.size = {0, 10};
  EXPECT_THROW(together->render(options), Error);
}

TEST(PictureShare, PicturesOfVolumesAreTheSame) {
  const volume::Volume volume = memory_volume({40, 30, 50}, volume::ValueType::U8, [](Int3 v) {
    return v.x + v.y < 20 ? 0u : static_cast<uint32_t>(v.x * v.y + v.z) & 0xff;
  });
  const auto engine = test_engine();
  const bricks::FrozenBricks bricks =
      bricks::build_bricks(engine->handle(), volume,
                           {.log2_side = 3, .types = bricks::kAllBrickTypes, .threshold = {}})
          .bricks;
  const VoxelBox box = render::VolumeSpace(bricks.info).around(bricks.info.box());
  constexpr render::ImageSize kSize = {120, 213};
  render::VolumeRenderOptions options = {.pose = render::framing({&box, 1}, "iso", 20, 40, kSize),
                                         .size = kSize};
  const auto one = render::make_volume_renderer(engine->handle(), bricks);
  for (const uint32_t ranks : {1, 2, 3}) {
    const Engine group = rank_engines(ranks);
    const auto together = render::make_volume_renderer(group.handles(), bricks);
    EXPECT_EQ(together->range().low, one->range().low);
    EXPECT_EQ(together->range().high, one->range().high);
    for (const std::optional<double> iso : {std::optional<double>(), std::optional(0.4)}) {
      options.iso = iso;
      expect_same(together->render(options), one->render(options));
    }
  }
}

}  // namespace
}  // namespace vox
