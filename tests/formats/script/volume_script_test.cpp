#include <gtest/gtest.h>

#include "formats/script/scripts.h"
#include "libvox/edit/volume_edit.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

using edit::VolumeEdit;
using edit::VolumeOp;

constexpr SceneFrame kVolume = {.materials = false, .edits = EditsOf::Volume};

std::vector<VolumeEdit> edits(const std::string& text, const SceneFrame& frame = kVolume) {
  const edit::Script script = parse_edit_script(text, "scripts/v.txt", frame);
  std::vector<VolumeEdit> edits;
  for (edit::ScriptCursor cursor(script); const auto command = cursor.next();)
    if (const auto* edit = std::get_if<VolumeEdit>(&command->action)) edits.push_back(*edit);
  return edits;
}

edit::Shape ball(int64_t x) {
  return {.kind = edit::ShapeKind::Sphere, .a = {x * 256, 512, 768}, .radius = 1024};
}

TEST(VolumeScript, EveryCommandTakesItsNumberAShapeAndAMask) {
  EXPECT_EQ(edits("set -3.5"), std::vector{(VolumeEdit{.op = VolumeOp::Set, .amount = -3.5})});
  EXPECT_EQ(edits("add 1e3 in sphere center 1,2,3 radius 4"),
            std::vector{(VolumeEdit{.op = VolumeOp::Add, .shape = ball(1), .amount = 1000})});
  EXPECT_EQ(edits("scale 0.25 mask a.nrrd"),
            std::vector{(VolumeEdit{.op = VolumeOp::Scale, .amount = 0.25, .mask = 1})});
  EXPECT_EQ(
      edits("threshold 7 mask a.nrrd at 1,-2,3 in sphere center 1,2,3 radius 4"),
      std::vector{(VolumeEdit{
          .op = VolumeOp::Threshold, .shape = ball(1), .amount = 7, .mask = 1, .mask_at = {1, -2, 3}})});
  EXPECT_EQ(edits("smooth"), std::vector{VolumeEdit{.op = VolumeOp::Smooth}});
  EXPECT_EQ(edits("smooth reach 8"), std::vector{(VolumeEdit{.op = VolumeOp::Smooth, .reach = 8})});
}

TEST(VolumeScript, AMaskHasTheNumberOfItsFile) {
  const edit::Script script =
      parse_edit_script("set 1 mask b.h5\nset 1 mask a.h5\nset 1 mask b.h5\n", "scripts/v.txt", kVolume);
  EXPECT_EQ(script.files, (std::vector<std::filesystem::path>{"scripts/b.h5", "scripts/a.h5"}));
  std::vector<uint32_t> masks;
  for (const edit::Command& command : script.commands)
    masks.push_back(std::get<VolumeEdit>(command.action).mask);
  EXPECT_EQ(masks, (std::vector<uint32_t>{1, 2, 1}));
}

TEST(VolumeScript, APlaceWithoutAMaskIsAnError) {
  try {
    edits("set 1 at 1,2,3");
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'at' has no effect without 'mask FILE'"), std::string::npos)
        << error.what();
  }
}

TEST(VolumeScript, RepetitionsMoveShapesAndMasks) {
  const std::vector<VolumeEdit> found =
      edits("repeat 2 step 10,0,0\nset 1 in sphere center 1,2,3 radius 4 mask a.h5 at 5,5,5\nend\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].shape, ball(11));
  EXPECT_EQ(found[1].mask_at, (Int3{15, 5, 5}));
}

TEST(VolumeScript, UnitsAreThoseOfTheFile) {
  volume::VolumeInfo info;
  info.spacing = {0.5, 0.5, 0.5};
  info.origin = {10, 20, 30};
  EXPECT_EQ(edits("units scene\nset 1 in sphere center 10.5,21,31.5 radius 2", frame_of(info)),
            std::vector{(VolumeEdit{.op = VolumeOp::Set, .shape = ball(1), .amount = 1})});
  info.spacing.z = 0.7;
  EXPECT_THROW(edits("units scene", frame_of(info)), Error);
}

TEST(VolumeScript, PlacesStayInRange) {
  EXPECT_THROW(edits("repeat 3 step 2000000,0,0\nset 1 mask a.h5 at 0,0,0\nend\n"), Error);
  EXPECT_THROW(edits("repeat 3 step 2000000,0,0\nset 1 in sphere center 1,2,3 radius 4\nend\n"), Error);
}

}  // namespace
}  // namespace vox
