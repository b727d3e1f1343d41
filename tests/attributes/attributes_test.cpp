// Compares values of voxels that are stored beside the DAG with those that they stand for: packed values, and
// directions of 16 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "libvox/attributes/octahedral.h"
#include "libvox/attributes/pack.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/error.h"
#include "libvox/device/cpu_device.h"
#include "tests/common/random.h"

namespace vox {
namespace {

// Compares packed values with the list from which they were made, and with a packing by the description in
// docs/formats.md that knows nothing of the library's.

using attributes::PackedValues;

// Runs of a few values from a palette, with now and then a part in which most values differ.
std::vector<uint32_t> random_values(Random& random, size_t count, uint32_t most) {
  std::vector<uint32_t> values;
  while (values.size() < count) {
    const uint32_t kinds = 1 + random.below(random.below(4) == 0 ? 100 : 5), runs = 1 + random.below(300);
    const uint32_t longest = 1 + random.below(random.below(3) == 0 ? 400 : 10);
    std::vector<uint32_t> palette(kinds);
    for (uint32_t& value : palette) value = random.below(most);
    for (uint32_t i = 0; i < runs; ++i)
      values.insert(values.end(), 1 + random.below(longest), palette[random.below(kinds)]);
  }
  values.resize(count);
  return values;
}

// The bytes of blocks and the heads of groups, as docs/formats.md describes them.
struct PlainPacking {
  std::vector<uint8_t> bytes;
  std::vector<attributes::ValueGroup> groups;

  PlainPacking(std::vector<uint32_t> values, uint32_t value_bits) {
    const size_t count = values.size();
    if (!values.empty()) values.resize((count + 63) / 64 * 64, values.back());
    std::vector<uint32_t> before;
    for (size_t block = 0; block < values.size() / 64; ++block) {
      if (block % 12 == 0) {
        groups.emplace_back().first_byte = bytes.size();
        before.clear();
      }
      const std::vector<uint32_t> here(values.begin() + static_cast<ptrdiff_t>(64 * block),
                                       values.begin() + static_cast<ptrdiff_t>(64 * block + 64));
      uint16_t& entry = groups.back().blocks[block % 12];
      std::vector<uint32_t> palette;
      for (const uint32_t value : here)
        if (std::ranges::find(palette, value) == palette.end()) palette.push_back(value);
      size_t at = bytes.size() - groups.back().first_byte;
      uint32_t width = 0;
      while (size_t{1} << width < palette.size()) ++width;
      if (8 * width + (palette.size() * value_bits + 7) / 8 >= 8 * value_bits && palette.size() > 1) {
        width = 15;
        append(here, value_bits);
      } else if (palette.size() == 1 && before == here) {
        at -= (value_bits + 7) / 8;
      } else {
        std::vector<uint32_t> indices;
        for (const uint32_t value : here)
          indices.push_back(static_cast<uint32_t>(std::ranges::find(palette, value) - palette.begin()));
        append(indices, width);
        append(palette, value_bits);
      }
      entry = static_cast<uint16_t>(at << 4 | width);
      before = here;
    }
  }

 private:
  void append(const std::vector<uint32_t>& numbers, uint32_t bits) {
    const size_t first = bytes.size();
    bytes.resize(first + (numbers.size() * bits + 7) / 8);
    for (size_t i = 0; i < numbers.size() * bits; ++i)
      if ((numbers[i / bits] >> i % bits & 1) != 0) bytes[first + i / 8] |= static_cast<uint8_t>(1 << i % 8);
  }
};

void expect_values(const PackedValues& packed, const std::vector<uint32_t>& values) {
  ASSERT_EQ(packed.count, values.size());
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(packed[i], values[i]) << i;
}

TEST(PackedValues, GiveBackTheListInTheFormThatIsDescribed) {
  Random random(1);
  for (const size_t count : {0, 1, 63, 64, 65, 767, 768, 769, 5000, 40000}) {
    for (const uint32_t value_bits : {1u, 2u, 5u, 8u, 12u, 13u, 16u, 23u, 24u}) {
      const std::vector<uint32_t> values = random_values(random, count, 1u << value_bits);
      const PackedValues packed = attributes::packed_values(values, value_bits);
      expect_values(packed, values);
      const PlainPacking plain(values, value_bits);
      ASSERT_EQ(packed.byte_count, plain.bytes.size());
      EXPECT_TRUE(std::equal(plain.bytes.begin(), plain.bytes.end(), packed.ref().bytes));
      EXPECT_TRUE(std::ranges::equal(packed.groups, plain.groups));
      EXPECT_NO_THROW(attributes::check_structure(packed));
      EXPECT_NO_THROW(attributes::verify(packed));
    }
  }
}

TEST(PackedValues, OfOneValueTakeOneOfThemAGroupAndItsHead) {
  const PackedValues packed = attributes::packed_values(std::vector<uint32_t>(768 * 10, 0xabcdef));
  EXPECT_EQ(packed.byte_count, 10 * 3u);
  EXPECT_EQ(packed.bytes(), 10 * (32 + 3u));
}

TEST(PackedValues, AreTheSameInChunksOfAnySize) {
  Random random(2);
  device::CpuDevice device(UINT64_MAX, false);
  for (int round = 0; round < 20; ++round) {
    const std::vector<uint32_t> values = random_values(random, random.below(30000), 1 << 24);
    attributes::StreamPacker<device::CpuDevice> packer(device, 24);
    for (size_t begin = 0; begin < values.size();) {
      const size_t count = std::min<size_t>(values.size() - begin, random.below(3000));
      auto chunk = packer.chunk(count);
      std::copy_n(values.begin() + static_cast<ptrdiff_t>(begin), count, chunk.begin());
      auto ready = packer.packed(chunk);
      if (random.below(3) == 0) continue;  // a chunk that is tried again
      packer.add(std::move(ready));
      begin += count;
    }
    EXPECT_EQ(packer.finish(), attributes::packed_values(values));
  }
}

// There are more values than the writer packs at once.
TEST(PackedValues, AreTheSameWhetherTheyComeOneByOneOrInSpans) {
  Random random(9);
  const std::vector<uint32_t> values = random_values(random, 7'000'000, 1 << 24);
  attributes::ValueWriter one_by_one, in_spans;
  for (const uint32_t value : values) one_by_one.put(value);
  for (std::span<const uint32_t> left = values; !left.empty();) {
    const auto part = left.first(std::min<size_t>(left.size(), random.below(1'000'000)));
    in_spans.put(part);
    left = left.subspan(part.size());
  }
  EXPECT_EQ(one_by_one.finish(), in_spans.finish());
}

TEST(PackedValues, AreNumbersInATableIfFewAreDifferent) {
  Random random(4);
  const std::vector<uint32_t> values = random_values(random, 30000, 1 << 24);
  const PackedValues plain = attributes::packed_values(values), tabled = attributes::with_table(plain);
  expect_values(tabled, values);
  ASSERT_FALSE(tabled.table.empty());
  EXPECT_TRUE(std::ranges::is_sorted(tabled.table));
  EXPECT_EQ(tabled.value_bits, attributes::bits_for_table(tabled.table.size()));
  EXPECT_LT(tabled.bytes(), plain.bytes());
  EXPECT_NO_THROW(attributes::check_structure(tabled));
  EXPECT_NO_THROW(attributes::verify(tabled));
  std::vector<uint32_t> read(5000);
  attributes::read_values(tabled, 1234, read);
  EXPECT_TRUE(std::equal(read.begin(), read.end(), values.begin() + 1234));
  PackedValues cut = tabled;
  cut.table.pop_back();
  EXPECT_THROW(attributes::check_structure(cut), Error);
  std::vector<uint32_t> many(attributes::kMostTabled + 1);
  for (uint32_t i = 0; i < many.size(); ++i) many[i] = i * 7;
  EXPECT_TRUE(attributes::with_table(attributes::packed_values(many)).table.empty());
  many.pop_back();
  EXPECT_EQ(attributes::with_table(attributes::packed_values(many)).value_bits, 16u);
}

// Each of these is refused by the check that is meant for it, whatever the bytes happen to hold.
TEST(PackedValues, EachKindOfDamageIsNamed) {
  std::vector<uint32_t> values(1000);  // a group, and four blocks of another
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = i < 64 ? i % 5 : 3 * i;
  const PackedValues whole = attributes::packed_values(values);
  const auto refused = [&](const auto& change, std::string_view why, const auto& check) {
    PackedValues packed = whole;
    change(packed);
    try {
      check(packed);
      ADD_FAILURE() << "accepted: " << why;
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find(why), std::string_view::npos) << error.what();
    }
  };
  const auto check = [](const PackedValues& packed) { attributes::check_structure(packed); };
  const auto verify = [](const PackedValues& packed) { attributes::verify(packed); };
  ASSERT_EQ(whole.groups[0].blocks[0] & 15, 3);  // indices of three bits
  refused([](PackedValues& p) { p.groups[1].blocks[4] = 1 << 4; }, "behind the last value", check);
  refused([](PackedValues& p) { p.groups[0].blocks[0] |= 7; }, "indices of 7 bits", check);
  refused([](PackedValues& p) { p.groups[0].blocks[0] |= 4; }, "indices of 7 bits", check);
  refused([](PackedValues& p) { p.groups[1].first_byte = p.byte_count + 1; }, "beyond the last byte", check);
  refused([](PackedValues& p) { p.groups[1].first_byte = UINT64_MAX; }, "beyond the last byte", check);
  refused([](PackedValues& p) { p.words.push_back(0); }, "bytes are given in", check);
  refused([](PackedValues& p) { p.groups.pop_back(); }, "groups hold", check);
  refused([](PackedValues& p) { p.count += 768; }, "groups hold", check);
  refused([](PackedValues& p) { p.value_bits = 0; }, "values have 0 bits", check);
  refused([](PackedValues& p) { p.value_bits = 25; }, "values have 25 bits", check);
  refused([](PackedValues& p) { p.table.resize(attributes::kMostTabled + 1); }, "expected at most", check);
  // The values stay the same, but they are not packed like this.
  const auto longer = [](PackedValues& p) {
    p.byte_count += 4;
    p.words.push_back(0);
  };
  refused(longer, "bytes, ", verify);
  refused([](PackedValues& p) { p.groups[0].blocks[1] ^= 1 << 4; }, "packed as vox packs", verify);

  // A block that borrows the bytes of another one, which is not the one before it, has the same values.
  std::vector<uint32_t> twice(192, 7);
  for (uint32_t i = 64; i < 128; ++i) twice[i] = i;
  PackedValues borrowed = attributes::packed_values(twice);
  borrowed.groups[0].blocks[2] = 0;
  ASSERT_EQ(borrowed[150], 7u);
  EXPECT_NO_THROW(attributes::check_structure(borrowed));
  refused([&](PackedValues& p) { p = borrowed; }, "block 0: is not packed as vox packs", verify);

  // The last palette ends with the bytes, and one of its indices lies beyond it.
  const PackedValues few = attributes::packed_values(std::vector<uint32_t>{1, 2, 3});
  ASSERT_EQ(few.byte_count, 2 * 8 + 3 * 3u);
  EXPECT_NO_THROW(attributes::check_structure(few));
  PackedValues beyond = few;
  beyond.words[0] |= 3;
  refused([&](PackedValues& p) { p = beyond; }, "index beyond its palette", check);
  PackedValues rest = few;
  rest.words.back() |= 1u << 31;
  refused([&](PackedValues& p) { p = rest; }, "the rest of the last word is not 0", verify);
}

// Damaged values are refused by check_structure(), or all of them can be read: the address sanitizer looks on.
TEST(PackedValues, ThatAreDamagedAreRefusedOrReadable) {
  Random random(3);
  const PackedValues whole = attributes::packed_values(random_values(random, 20000, 1 << 24));
  uint32_t refused = 0;
  for (int round = 0; round < static_cast<int>(200 * kThoroughness); ++round) {
    PackedValues packed = whole;
    switch (random.below(5)) {
      case 0:
        packed.groups[random.below(static_cast<uint32_t>(packed.groups.size()))].blocks[random.below(12)] ^=
            static_cast<uint16_t>(1u << random.below(16));
        break;
      case 1:
        packed.groups[random.below(static_cast<uint32_t>(packed.groups.size()))].first_byte ^=
            uint64_t{1} << random.below(64);
        break;
      case 2:
        packed.words[random.below(static_cast<uint32_t>(packed.words.size()))] ^= 1u << random.below(32);
        break;
      case 3:
        packed.byte_count -= 4 * random.below(1000);
        packed.words.resize((packed.byte_count + 3) / 4);
        break;
      case 4:
        packed.count += random.below(2) == 0 ? 1 : 768;
        break;
    }
    if (packed == whole) continue;
    try {
      attributes::check_structure(packed);
    } catch (const Error&) {
      ++refused;
      continue;
    }
    bool differs = packed.count != whole.count;
    for (uint64_t i = 0; i < packed.count; ++i) differs |= packed[i] != whole[std::min(i, whole.count - 1)];
    try {
      attributes::verify(packed);
      EXPECT_TRUE(differs) << round;  // other values, which only their digest tells from the right ones
    } catch (const Error&) {
    }
  }
  EXPECT_GT(refused, 5 * kThoroughness);
}

// Directions of 16 bits, compared with the vectors that they stand for.

double degrees_between(Vec3d a, const Vec3<float>& b) {
  const Vec3d c = {b.x, b.y, b.z};
  return std::acos(std::min(1.0, dot(a, c) / square_root(dot(a, a) * dot(c, c)))) * 180 /
         3.14159265358979323846;
}

TEST(Directions, ChangeByLessThanADegree) {
  Random random(1);
  double most = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Vec3d v = random.in_cube(-1, 1) * std::exp2(random.uniform(-60, 60));
    const uint32_t code = attributes::direction_code(v);
    ASSERT_LT(code, 1u << attributes::kDirectionBits);
    const Vec3<float> read = attributes::unit_direction(code);
    ASSERT_NEAR(read.x * read.x + read.y * read.y + read.z * read.z, 1, 1e-6);
    most = std::max(most, degrees_between(v, read));
  }
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.5);
}

TEST(Directions, AlongAxesAreExact) {
  for (const double sign : {-1., 1.})
    for (uint32_t axis = 0; axis < 3; ++axis) {
      Vec3d v = {0, 0, 0};
      v[axis] = 7 * sign;
      const Vec3<float> read = attributes::unit_direction(attributes::direction_code(v));
      for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(read[i], i == axis ? static_cast<float>(sign) : 0.f);
    }
  EXPECT_EQ(attributes::direction_code({0, 0, 0}), attributes::kNoDirection);
}

// A point of the octahedron has the sum 127, and is the nearest one to itself.
TEST(Directions, OfAllNumbersAreFoundAgain) {
  for (int32_t x = -127; x <= 127; ++x)
    for (int32_t y = -127; y <= 127; ++y) {
      const auto code = static_cast<uint32_t>(x + 128) | static_cast<uint32_t>(y + 128) << 8;
      const Int3 v = attributes::direction_of(code);
      ASSERT_EQ(std::abs(v.x) + std::abs(v.y) + std::abs(v.z), attributes::kOctahedron);
      const uint32_t again = attributes::direction_code(
          {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)});
      ASSERT_EQ(attributes::direction_of(again), v);
    }
}

}  // namespace
}  // namespace vox
