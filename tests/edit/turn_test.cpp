#include "libvox/edit/turn.h"

#include <gtest/gtest.h>

#include "tests/common/random.h"

namespace vox {
namespace {

Int3 turned(const edit::Turn& turn, Int3 offset) {
  const int32_t from[3] = {offset.x, offset.y, offset.z};
  int32_t to[3];
  for (size_t k = 0; k < 3; ++k) to[k] = turn.flip[k] ? -from[turn.axis[k]] : from[turn.axis[k]];
  return {to[0], to[1], to[2]};
}

TEST(Turn, AQuarterTurnIsRightHanded) {
  Int3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  EXPECT_EQ(turned(edit::quarter_turn(2), x), y);
  EXPECT_EQ(turned(edit::quarter_turn(2), y), (Int3{-1, 0, 0}));
  EXPECT_EQ(turned(edit::quarter_turn(2), z), z);
  EXPECT_EQ(turned(edit::quarter_turn(0), y), z);
  EXPECT_EQ(turned(edit::quarter_turn(0), z), (Int3{0, -1, 0}));
  EXPECT_EQ(turned(edit::quarter_turn(1), z), x);
  EXPECT_EQ(turned(edit::quarter_turn(1), x), (Int3{0, 0, -1}));
}

TEST(Turn, FourQuarterTurnsAndTwoMirrorImagesAreNone) {
  for (uint8_t axis = 0; axis < 3; ++axis) {
    edit::Turn half = edit::followed_by(edit::quarter_turn(axis), edit::quarter_turn(axis));
    EXPECT_NE(half, edit::Turn());
    EXPECT_EQ(edit::followed_by(half, half), edit::Turn());
    EXPECT_EQ(edit::followed_by(edit::mirror_image(axis), edit::mirror_image(axis)), edit::Turn());
  }
}

TEST(Turn, OneAfterTheOtherIsBothInThisOrder) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    edit::Turn all;
    Int3 place = {3, 5, 7}, size = {3, 5, 7};
    for (int i = 0; i < 6; ++i) {
      auto axis = static_cast<uint8_t>(random.below(3));
      edit::Turn one = random.below(2) == 0 ? edit::quarter_turn(axis) : edit::mirror_image(axis);
      all = edit::followed_by(all, one);
      place = turned(one, place);
    }
    EXPECT_EQ(turned(all, {3, 5, 7}), place);
    Int3 expected = {std::abs(place.x), std::abs(place.y), std::abs(place.z)};
    EXPECT_EQ(edit::turned_size(all, size), expected);
  }
}

}  // namespace
}  // namespace vox
