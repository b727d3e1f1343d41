// Builds a scene in several MPI processes. The scene is small enough for the address sanitizer.
#include "tests/common/test_engine.h"
#include "tests/dag/same_dag.h"
#include "tests/ranks/on_mpi_ranks.h"
#include "tests/voxelize/textured.h"

namespace vox::ranks {
namespace {

using MpiBuildTest = MpirunTest;

TEST_F(MpiBuildTest, TwoProcessesMakeWhatOneDeviceMakes) {
  with_mpirun(2, [](LaunchedRanks& ranks) {
    const Soup soup = textured_sphere(300, 6, 41);
    const auto engine = make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30});
    SceneShare share = engine->build_share(ranks, soup.scene, soup.indexed, unit_grid(300), {}, nullptr);
    EXPECT_GT(share.figures.items_kept, 0u);
    const voxelize::BuildResult together = joined(ranks, std::move(share));
    if (ranks.rank() == 0) expect_equal(build(*test_engine(), soup, 300).dag, together.dag);
    ranks.gather(0);  // no process ends before all are done
  });
}

}  // namespace
}  // namespace vox::ranks
