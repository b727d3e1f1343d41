// Edits volumes as bricks and as plain arrays of numbers, and compares both.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/jit/source.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/shape.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;
using edit::VolumeEdit;
using edit::VolumeOp;
using volume::ValueType;

// A volume as numbers, x fastest.
struct Numbers {
  Int3 size;
  ValueType type;
  std::vector<double> values;

  explicit Numbers(const volume::Volume& volume) : size(volume.info.size), type(volume.info.type) {
    const std::vector<std::byte> bytes = all_values(volume);
    for (uint64_t i = 0; i < volume.info.box().voxels(); ++i)
      values.push_back(volume::value_number(type, volume::bits_at(type, bytes.data(), i)));
  }

  size_t index(Int3 v) const {
    const auto x = static_cast<size_t>(v.x), y = static_cast<size_t>(v.y), z = static_cast<size_t>(v.z);
    return (z * static_cast<size_t>(size.y) + y) * static_cast<size_t>(size.x) + x;
  }

  // The number as the type holds it.
  double stored(double number) const {
    if (type == ValueType::F32) {
      const double most = std::numeric_limits<float>::max();
      return static_cast<double>(static_cast<float>(std::clamp(number, -most, most)));
    }
    const double low = type == ValueType::I16 ? -32768 : 0;
    const double high = type == ValueType::I16 ? 32767 : type == ValueType::U16 ? 65535 : 255;
    return std::clamp(std::round(number), low, high);
  }

  template <class F>
  void each_voxel(const F& f) const {
    for (Int3 v = {0, 0, 0}; v.z < size.z; ++v.z)
      for (v.y = 0; v.y < size.y; ++v.y)
        for (v.x = 0; v.x < size.x; ++v.x) f(v);
  }

  double mean_around(Int3 at, int32_t reach) const {
    double sum = 0, count = 0;
    for (int32_t z = std::max(0, at.z - reach); z <= std::min(size.z - 1, at.z + reach); ++z)
      for (int32_t y = std::max(0, at.y - reach); y <= std::min(size.y - 1, at.y + reach); ++y)
        for (int32_t x = std::max(0, at.x - reach); x <= std::min(size.x - 1, at.x + reach); ++x) {
          sum += values[index({x, y, z})];
          ++count;
        }
    return sum / count;
  }

  // Applies the edit to all voxels. Returns how many of them have changed.
  uint64_t apply(const VolumeEdit& edit, double background, const Numbers* mask) {
    std::vector<double> after = values;
    each_voxel([&](Int3 v) {
      if (!edit::contains(edit.shape, v)) return;
      if (mask != nullptr) {
        const Int3 m = v - edit.mask_at;
        if (m.x < 0 || m.y < 0 || m.z < 0 || m.x >= mask->size.x || m.y >= mask->size.y ||
            m.z >= mask->size.z)
          return;
        if (mask->values[mask->index(m)] == 0) return;
      }
      const double value = values[index(v)];
      double& to = after[index(v)];
      if (edit.op == VolumeOp::Set) to = stored(edit.amount);
      if (edit.op == VolumeOp::Add) to = stored(value + edit.amount);
      if (edit.op == VolumeOp::Scale) to = stored(value * edit.amount);
      if (edit.op == VolumeOp::Smooth) to = stored(mean_around(v, static_cast<int32_t>(edit.reach)));
      if (edit.op == VolumeOp::Threshold && value < edit.amount) to = background;
    });
    uint64_t changed = 0;
    for (size_t i = 0; i < values.size(); ++i) changed += after[i] != values[i] ? 1 : 0;
    values = after;
    return changed;
  }

  volume::Volume as_volume() const {
    return memory_volume(size, type, [copy = *this](Int3 v) {
      const double number = copy.values[copy.index(v)];
      return copy.type == ValueType::F32 ? std::bit_cast<uint32_t>(static_cast<float>(number) + 0.0f)
                                         : static_cast<uint32_t>(static_cast<int32_t>(number)) &
                                               (copy.type == ValueType::U8 ? 0xff : 0xffff);
    });
  }
};

edit::Shape random_shape(Random& random, Int3 size) {
  const auto place = [&] {
    const auto along = [&](int32_t side) {
      return static_cast<int64_t>(random.uniform(-4.0, side + 4.0) * edit::kEditUnits);
    };
    const int64_t x = along(size.x), y = along(size.y);
    return edit::EditPlace{x, y, along(size.z)};
  };
  edit::Shape shape;
  shape.kind = static_cast<edit::ShapeKind>(random.below(6));
  shape.a = place();
  shape.b = place();
  shape.radius = static_cast<int64_t>(random.uniform(0.2, 14) * edit::kEditUnits);
  if (shape.kind == edit::ShapeKind::Box) {
    const edit::EditPlace a = shape.a, b = shape.b;
    shape.a = {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
    shape.b = {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
  }
  if (shape.kind == edit::ShapeKind::Ellipsoid)
    shape.b = {1 + std::abs(shape.b.x), 1 + std::abs(shape.b.y), 1 + std::abs(shape.b.z)};
  if (shape.kind == edit::ShapeKind::Sphere && random.below(2) == 0) {
    shape.roughness = 2 * edit::kEditUnits;
    shape.grain = 5;
    shape.seed = random.below(100);
  }
  return shape;
}

VolumeEdit random_edit(Random& random, Int3 size, ValueType type) {
  VolumeEdit edit{.op = static_cast<VolumeOp>(random.below(5)), .shape = random_shape(random, size)};
  const bool whole = type != ValueType::F32;
  switch (edit.op) {
    case VolumeOp::Set:
      edit.amount = random.below(4) == 0 ? 0 : random.uniform(-300, 300);
      break;
    case VolumeOp::Add:
      edit.amount = whole && random.below(2) == 0 ? random.below(100) - 50.0 : random.uniform(-90, 90);
      break;
    case VolumeOp::Scale:
      edit.amount = random.uniform(-0.5, 2.5);
      break;
    default:
      edit.amount = random.uniform(-200, 200);
  }
  edit.reach = 1 + random.below(2);
  return edit;
}

// Expects that the bricks hold these numbers. If bricks made of the numbers have the same background, they must be the same
// in all their words; returns true then.
bool expect_numbers(const bricks::FrozenBricks& bricks, const Numbers& numbers, const std::string& what) {
  EXPECT_NO_THROW(bricks::verify(bricks)) << what;
  const Numbers found(bricks::bricks_volume(bricks));
  EXPECT_EQ(found.values, numbers.values) << what;
  const auto engine = test_engine();
  const bricks::FrozenBricks fresh =
      bricks::build_bricks(engine->handle(), numbers.as_volume(),
                           {.log2_side = bricks.log2_side, .types = bricks.allowed_types, .threshold = {}})
          .bricks;
  if (fresh.background != bricks.background) return false;
  EXPECT_EQ(bricks.filled, fresh.filled) << what;
  EXPECT_EQ(bricks.counts, fresh.counts) << what;
  EXPECT_EQ(bricks.entry_words, fresh.entry_words) << what;
  EXPECT_EQ(bricks.root, fresh.root) << what;
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    EXPECT_EQ(bricks.data[type], fresh.data[type]) << what << ", " << bricks::BrickTypes::kNames[type];
  return true;
}

constexpr Int3 kSize = {37, 21, 30};  // not divisible by any brick size

bricks::FrozenBricks bricks_of(const volume::Volume& volume, uint32_t log2_side,
                               uint32_t types = bricks::kAllBrickTypes) {
  const auto engine = test_engine();
  return bricks::build_bricks(engine->handle(), volume,
                              {.log2_side = log2_side, .types = types, .threshold = {}})
      .bricks;
}

constexpr ValueType kTypes[] = {ValueType::U8, ValueType::U16, ValueType::I16, ValueType::F32};

TEST(VolumeSession, ManyEditsGiveWhatTheyGiveANumbersArrayAndTheBricksOfAFreshBuild) {
  uint32_t same = 0, runs = 0;
  for (const ValueType type : kTypes)
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side) {
      Random random(100 * static_cast<uint32_t>(type) + log2_side);
      const volume::Volume volume = signed_volume(kSize, type, log2_side);
      const bricks::FrozenBricks first = bricks_of(volume, log2_side);
      const double background = volume::value_number(type, first.background);
      const auto engine = test_engine();
      const auto session = edit::make_volume_session(engine->handle(), first, edit::KeepStates::No,
                                                     random.below(2) == 0 ? 0 : 3000);
      Numbers numbers(volume);
      for (int i = 0; i < 12; ++i) {
        const VolumeEdit edit = random_edit(random, kSize, type);
        const edit::VolumeWork work = session->apply(edit, nullptr);
        const std::string what = std::string(volume::value_type_name(type)) + ", side " +
                                 std::to_string(1 << log2_side) + ", edit " + std::to_string(i) + ", " +
                                 edit::tool_name(edit);
        ASSERT_EQ(work.voxels, numbers.apply(edit, background, nullptr)) << what;
        EXPECT_LE(work.bricks, work.visited) << what;
        if (i % 4 == 3) {
          ++runs;
          same += expect_numbers(session->freeze(), numbers, what) ? 1 : 0;
        }
        ASSERT_FALSE(HasFailure()) << what;
      }
    }
  EXPECT_GE(same,
            runs / 2);  // the others have a lower value than the background, which a fresh build would take
}

TEST(VolumeSession, BricksWithASparseRootKeepIt) {
  const volume::Volume volume = mixed_volume(kSize, ValueType::U16, 4);
  const auto engine = test_engine();
  const bricks::FrozenBricks dense = bricks_of(volume, 2);
  const auto session = edit::make_volume_session(engine->handle(), dense, edit::KeepStates::No);
  const auto other =
      edit::make_volume_session(engine->handle(), bricks::with_sparse_root(dense), edit::KeepStates::No);
  Random random(6);
  for (int i = 0; i < 6; ++i) {
    const VolumeEdit edit = random_edit(random, kSize, ValueType::U16);
    EXPECT_EQ(session->apply(edit, nullptr).voxels, other->apply(edit, nullptr).voxels);
    const bricks::FrozenBricks expected = bricks::with_sparse_root(session->freeze()), is = other->freeze();
    EXPECT_EQ(is.root, expected.root);
    EXPECT_EQ(is.groups.blocks, expected.groups.blocks);
    EXPECT_EQ(is.data, expected.data);
    EXPECT_NO_THROW(bricks::verify(is));
  }
}

TEST(VolumeSession, AMaskLimitsAnEdit) {
  const volume::Volume mask = mixed_volume({20, 11, 40}, ValueType::U16, 5);
  const Numbers mask_numbers(mask);
  for (const Int3 at : {Int3{0, 0, 0}, Int3{-7, 3, -11}, Int3{25, 15, 20}, Int3{40, 0, 0}}) {
    const volume::Volume volume = ball_volume(kSize, ValueType::U8);
    const auto engine = test_engine();
    const auto session =
        edit::make_volume_session(engine->handle(), bricks_of(volume, 3), edit::KeepStates::No, 2000);
    Numbers numbers(volume);
    const VolumeEdit edit{.op = VolumeOp::Set, .amount = 99, .mask = 1, .mask_at = at};
    EXPECT_EQ(session->apply(edit, &mask).voxels, numbers.apply(edit, 0, &mask_numbers));
    EXPECT_TRUE(expect_numbers(session->freeze(), numbers, "mask"));
  }
}

TEST(VolumeSession, UndoAndRedoGoThroughAllStates) {
  Random random(7);
  const volume::Volume volume = mixed_volume(kSize, ValueType::U8, 3);
  const auto engine = test_engine();
  const auto session =
      edit::make_volume_session(engine->handle(), bricks_of(volume, 3), edit::KeepStates::Yes);
  std::vector<Numbers> states = {Numbers(volume)};
  while (states.size() < 6) {
    Numbers next = states.back();
    const VolumeEdit edit = random_edit(random, kSize, ValueType::U8);
    if (next.apply(edit, 0, nullptr) == 0) continue;  // nothing to undo
    session->apply(edit, nullptr);
    states.push_back(next);
  }
  for (size_t i = states.size() - 1; i-- > 0;) {
    EXPECT_TRUE(session->undo());
    EXPECT_TRUE(expect_numbers(session->freeze(), states[i], "undo " + std::to_string(i)));
  }
  EXPECT_FALSE(session->undo());
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(session->redo());
    EXPECT_TRUE(expect_numbers(session->freeze(), states[i], "redo " + std::to_string(i)));
  }
  Numbers other = states[3];
  const VolumeEdit edit{.op = VolumeOp::Add, .amount = 5};
  session->apply(edit, nullptr);
  other.apply(edit, 0, nullptr);
  EXPECT_FALSE(session->redo());
  EXPECT_TRUE(expect_numbers(session->freeze(), other, "after another edit"));
}

TEST(VolumeSession, AnEditThatChangesNothingIsUndoneAndRedoneLikeOthers) {
  const volume::Volume volume = mixed_volume(kSize, ValueType::U8, 3);
  const auto engine = test_engine();
  const auto session =
      edit::make_volume_session(engine->handle(), bricks_of(volume, 3), edit::KeepStates::Yes);
  const auto values = [&] {
    const bricks::FrozenBricks now = session->freeze();
    return Numbers(bricks::bricks_volume(now)).values;
  };
  const VolumeEdit change{.op = VolumeOp::Add, .amount = 5}, same{.op = VolumeOp::Add, .amount = 0};
  VolumeEdit outside = change;
  outside.shape = {.kind = edit::ShapeKind::Sphere, .a = {-100 * 256, 0, 0}, .radius = 256};
  const std::vector<double> before = values();
  EXPECT_GT(session->apply(change, nullptr).voxels, 0u);
  const std::vector<double> after = values();
  EXPECT_EQ(session->apply(same, nullptr).voxels, 0u);
  EXPECT_EQ(session->apply(outside, nullptr).voxels, 0u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(session->undo());
    EXPECT_EQ(values(), after);
  }
  EXPECT_TRUE(session->undo());
  EXPECT_EQ(values(), before);
  EXPECT_FALSE(session->undo());
  EXPECT_TRUE(session->redo());
  EXPECT_EQ(values(), after);
  session->apply(outside, nullptr);
  EXPECT_FALSE(session->redo());
}

TEST(VolumeSession, TakesTheValuesOfAnotherVolume) {
  for (const uint32_t log2_side : {2u, 3u, 5u}) {
    const volume::Volume before = mixed_volume(kSize, ValueType::U8, 3),
                         after = mixed_volume(kSize, ValueType::U8, 4);
    const auto engine = test_engine();
    const auto session =
        edit::make_volume_session(engine->handle(), bricks_of(before, log2_side), edit::KeepStates::No, 4000);
    // One voxel of a brick is enough for the whole brick.
    const std::vector<VoxelBox> boxes = {
        {{0, 0, 0}, {1, 1, 1}}, {{30, 15, 25}, {99, 99, 99}}, {{0, 20, 0}, {9, 21, 1}}};
    session->take(after, boxes);
    Numbers expected(before);
    const Numbers taken(after);
    const int32_t side = 1 << log2_side;
    expected.each_voxel([&](Int3 v) {
      const Int3 corner = {v.x & -side, v.y & -side, v.z & -side};
      const VoxelBox brick = {corner, corner + Int3{side, side, side}};
      for (const VoxelBox& box : boxes)
        if (!intersection(brick, box).empty())
          expected.values[expected.index(v)] = taken.values[taken.index(v)];
    });
    EXPECT_TRUE(expect_numbers(session->freeze(), expected, std::to_string(side)));
    session->take(after, std::vector<VoxelBox>{after.info.box()});
    EXPECT_TRUE(expect_numbers(session->freeze(), taken, "all"));
  }
}

TEST(VolumeSession, KeepsToTheAllowedTypesAndToBricksWithoutAChange) {
  const volume::Volume volume = mixed_volume(kSize, ValueType::U8, 3);
  const bricks::FrozenBricks first = bricks_of(volume, 3, bricks::kFastBrickTypes);
  const auto engine = test_engine();
  const auto session = edit::make_volume_session(engine->handle(), first, edit::KeepStates::No);
  edit::Shape ball{.kind = edit::ShapeKind::Sphere, .a = {10 * 256, 10 * 256, 10 * 256}, .radius = 5 * 256};
  Numbers numbers(volume);
  const VolumeEdit edit{.op = VolumeOp::Set, .shape = ball, .amount = 250};
  const edit::VolumeWork work = session->apply(edit, nullptr);
  EXPECT_EQ(work.voxels, numbers.apply(edit, 0, nullptr));
  EXPECT_LE(work.visited, 8u);
  EXPECT_TRUE(expect_numbers(session->freeze(), numbers, "fast"));
  EXPECT_EQ(session->freeze().allowed_types, bricks::kFastBrickTypes);
  EXPECT_EQ(session->apply(edit, nullptr).bricks, 0u);  // all voxels have the value already
}

TEST(VolumeSession, CompiledAccessFollowsTheTypesThatAnEditLeaves) {
  const bricks::FrozenBricks before = bricks_of(one_voxel_volume(kSize, ValueType::U8, {3, 3, 3}), 3);
  const auto engine = test_engine();
  const auto session = edit::make_volume_session(engine->handle(), before, edit::KeepStates::No);
  session->apply({.op = VolumeOp::Set, .amount = 5}, nullptr);
  const bricks::FrozenBricks after = session->freeze();
  const auto text = [](const bricks::FrozenBricks& bricks) {
    return bricks::jit_tree_text(bricks, bricks::build_kd_tree(bricks, 1));
  };
  EXPECT_NE(text(before), text(after));
}

TEST(VolumeSession, RefusesBricksWhoseWordsDoNotFollowOneAnother) {
  bricks::FrozenBricks bricks =
      bricks_of(mixed_volume({32, 8, 8}, ValueType::U8, 3), 3, bricks::kFastBrickTypes);
  ASSERT_GE(bricks.counts[bricks::BrickTypes::kNumber<bricks::DenseBrick>], 2u);
  std::swap(bricks.root[0], bricks.root[1]);
  ASSERT_NO_THROW(bricks::check_structure(bricks));
  const auto engine = test_engine();
  EXPECT_THROW(edit::make_volume_session(engine->handle(), bricks, edit::KeepStates::No), Error);
}

}  // namespace
}  // namespace vox
