// NIfTI files, made field by field at the positions of nifti1.h and nifti2.h, and conversions to numbers of 16 bits.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "formats/io/scan.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/places.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/bits.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/formats/volume/header_files.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

// Builds a header of version 1 or 2.
class NiftiBytes {
 public:
  explicit NiftiBytes(int version, ByteOrder order = ByteOrder::Little)
      : version_(version), order_(order), bytes_(version == 1 ? 352 : 544, '\0') {
    put<int32_t>(0, version == 1 ? 348 : 540);
    bytes_.replace(version == 1 ? 344 : 4, 3, version == 1 ? "n+1" : "n+2");
    version == 1 ? put<float>(108, 352) : put<int64_t>(168, 544);
    for (size_t i = 0; i < 4; ++i) number(76, 104, i, 1);
  }

  template <class T>
  void put(size_t at, T value) {
    std::string raw(reinterpret_cast<const char*>(&value), sizeof(T));
    if (order_ == ByteOrder::Big) std::ranges::reverse(raw);
    bytes_.replace(at, sizeof(T), raw);
  }
  void sizes(const std::vector<int64_t>& sizes) {
    for (size_t i = 0; i < sizes.size(); ++i)
      version_ == 1 ? put(40 + 2 * i, static_cast<int16_t>(sizes[i])) : put(16 + 8 * i, sizes[i]);
  }
  void type(int16_t code) { put(version_ == 1 ? 70 : 12, code); }
  // Writes the i-th of a sequence of numbers that begins at these bytes in versions 1 and 2.
  void number(size_t at1, size_t at2, size_t i, double value) {
    version_ == 1 ? put(at1 + 4 * i, static_cast<float>(value)) : put(at2 + 8 * i, value);
  }
  void spacing(double x, double y, double z) {
    number(76, 104, 1, x), number(76, 104, 2, y), number(76, 104, 3, z);
  }
  void scale(double slope, double intercept) { number(112, 176, 0, slope), number(112, 176, 1, intercept); }
  void sform(const std::array<double, 12>& rows) {
    version_ == 1 ? put<int16_t>(254, 1) : put<int32_t>(348, 1);
    for (size_t i = 0; i < rows.size(); ++i) number(280, 400, i, rows[i]);
  }
  void qform(double qfac, const std::array<double, 6>& quaternion_and_offset) {
    version_ == 1 ? put<int16_t>(252, 1) : put<int32_t>(344, 1);
    number(76, 104, 0, qfac);
    for (size_t i = 0; i < 6; ++i) number(256, 352, i, quaternion_and_offset[i]);
  }
  std::string with(const std::string& values) const { return bytes_ + values; }
  std::string& bytes() { return bytes_; }

 private:
  int version_;
  ByteOrder order_;
  std::string bytes_;
};

std::string packed(const std::string& bytes) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(bytes.size() + 200, '\0');
  out.resize(libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

const std::vector<double> kSix = {1, 2, 3, 4, 5, 6};
const std::string kSixBytes = "\1\2\3\4\5\6";

NiftiBytes small(int version = 1, ByteOrder order = ByteOrder::Little) {
  NiftiBytes nifti(version, order);
  nifti.sizes({3, 3, 2, 1});
  nifti.type(2);
  return nifti;
}

class Nifti : public HeaderFiles {};

TEST_F(Nifti, BothVersionsAndByteOrdersPackedOrNotAreRead) {
  for (const int version : {1, 2})
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      NiftiBytes nifti = small(version, order);
      nifti.spacing(0.5, 2, 4);
      nifti.type(4);
      std::string values;
      for (const char value : kSixBytes)
        values += order == ByteOrder::Big ? std::string{'\1', value} : std::string{value, '\1'};
      write("a.nii", nifti.with(values));
      write("b.nii.gz", packed(nifti.with(values)));
      for (const char* name : {"a.nii", "b.nii.gz"}) {
        const StoredVolume volume = open_stored_volume(path(name), {});
        EXPECT_EQ(numbers(volume), (std::vector<double>{257, 258, 259, 260, 261, 262}));
        EXPECT_EQ(volume.info.size, (Int3{3, 2, 1}));
        EXPECT_EQ(volume.info.spacing, (Vec3d{0.5, 2, 4}));
        EXPECT_EQ(volume.info.up, dag::UpAxis::Z);
      }
    }
}

TEST_F(Nifti, PackedZerosBehindTheHeaderAreRead) {
  NiftiBytes nifti(1);
  nifti.sizes({3, 100, 100, 1});
  nifti.type(2);
  write("a.nii.gz", packed(nifti.with(std::string(10000, '\0'))));
  EXPECT_EQ(numbers_of("a.nii.gz"), std::vector<double>(10000));
}

TEST_F(Nifti, AHeaderAndItsValuesMayBeTwoFiles) {
  NiftiBytes nifti = small();
  nifti.bytes().replace(344, 3, "ni1");
  nifti.put<float>(108, 0);
  write("a.hdr", nifti.with("")), write("a.img", kSixBytes);
  EXPECT_EQ(numbers_of("a.hdr"), kSix);
  write("b.hdr.gz", packed(nifti.with(""))), write("b.img.gz", packed(kSixBytes));
  EXPECT_EQ(numbers_of("b.hdr.gz"), kSix);
  expect_error("c.hdr", nifti.with(""), "c.img: no such file");
}

TEST_F(Nifti, EveryTypeOfNumbersIsRead) {
  const auto expect_type = [&](int16_t code, StoredType type) {
    with_stored_type(type, [&]<class T>() {
      NiftiBytes nifti = small();
      nifti.type(code);
      write("a.nii", nifti.with(bytes_of<T>({1, 2, 3, 4, 5, 6})));
      EXPECT_EQ(numbers_of("a.nii"), kSix) << code;
      EXPECT_EQ(open_stored_volume(path("a.nii"), {}).info.type, type);
    });
  };
  expect_type(2, StoredType::U8), expect_type(256, StoredType::I8), expect_type(512, StoredType::U16);
  expect_type(4, StoredType::I16), expect_type(768, StoredType::U32), expect_type(8, StoredType::I32);
  expect_type(1280, StoredType::U64), expect_type(1024, StoredType::I64), expect_type(16, StoredType::F32);
  expect_type(64, StoredType::F64);
  NiftiBytes complex = small();
  complex.type(32);
  expect_error("b.nii", complex.with(std::string(48, 'x')), "complex numbers");
}

TEST_F(Nifti, ScaledValuesBecomeFloats) {
  NiftiBytes nifti = small();
  nifti.scale(0.5, -1);
  write("a.nii", nifti.with(kSixBytes));
  EXPECT_EQ(numbers_of("a.nii"), (std::vector<double>{-0.5, 0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(open_stored_volume(path("a.nii"), {}).info.type, StoredType::F32);
  nifti.scale(3e38, 0);
  write("large.nii", nifti.with(kSixBytes));
  EXPECT_EQ(numbers_of("large.nii").back(), HUGE_VAL);
  nifti.scale(-3e38, 0);
  write("low.nii", nifti.with(kSixBytes));
  EXPECT_EQ(numbers_of("low.nii").back(), -HUGE_VAL);
  // A slope that is no number means the same as none.
  for (const auto& [slope, intercept] :
       {std::pair{1.0, 0.0}, {0.0, 5.0}, {std::nan(""), 0.0}, {HUGE_VAL, std::nan("")}}) {
    nifti.scale(slope, intercept);
    write("b.nii", nifti.with(kSixBytes));
    EXPECT_EQ(open_stored_volume(path("b.nii"), {}).info.type, StoredType::U8);
  }
  nifti.scale(2, std::nan(""));
  expect_error("c.nii", nifti.with(kSixBytes), "scl_inter is no number");
}

TEST_F(Nifti, TheAffineMapPlacesTheVoxels) {
  NiftiBytes nifti = small();
  // x of the file runs along the world's y, y along z, and z backwards along x.
  nifti.sform({0, 0, -4, 10, 0.5, 0, 0, 20, 0, 2, 0, 30});
  nifti.qform(1, {0, 0, 0, 7, 7, 7});
  write("a.nii", nifti.with(kSixBytes));
  const StoredInfo info = open_stored_volume(path("a.nii"), {}).info;
  EXPECT_EQ(info.size, (Int3{1, 3, 2}));
  EXPECT_EQ(info.spacing, (Vec3d{-4, 0.5, 2}));
  EXPECT_EQ(info.origin, (Vec3d{12, 19.75, 29}));
  EXPECT_EQ(numbers_of("a.nii"), kSix);  // the world's y and z are the file's x and y, in the same order
}

TEST_F(Nifti, TheQuaternionDoesWhereThereIsNoAffineMap) {
  NiftiBytes nifti = small();
  nifti.spacing(0.5, 2, 4);
  // A half turn around z reverses x and y, and qfac reverses z.
  nifti.qform(-1, {0, 0, 1, 10, 20, 30});
  write("a.nii", nifti.with(kSixBytes));
  const StoredInfo info = open_stored_volume(path("a.nii"), {}).info;
  EXPECT_EQ(info.spacing, (Vec3d{-0.5, -2, -4}));
  EXPECT_EQ(info.origin, (Vec3d{10.25, 21, 32}));
  // A third of a turn around the diagonal: x becomes y, y becomes z, z becomes x.
  nifti.qform(1, {0.5, 0.5, 0.5, 0, 0, 0});
  write("b.nii", nifti.with(kSixBytes));
  const StoredInfo turned = open_stored_volume(path("b.nii"), {}).info;
  EXPECT_EQ(turned.size, (Int3{1, 3, 2}));
  EXPECT_NEAR(turned.spacing.y, 0.5, 1e-6);
  // A quaternion that is a bit too long is shortened, and a spacing that is not stated is 1.
  nifti.qform(1, {1.001, 0, 0, 0, 0, 0});
  nifti.spacing(0.5, 0, -4);
  write("c.nii", nifti.with(kSixBytes));
  EXPECT_EQ(open_stored_volume(path("c.nii"), {}).info.spacing, (Vec3d{0.5, -1, -4}));
}

TEST_F(Nifti, OneOfSeveralVolumesOrColorsIsChosen) {
  NiftiBytes nifti(1);
  nifti.sizes({5, 3, 1, 1, 2, 1});
  nifti.type(2);
  write("a.nii", nifti.with(kSixBytes));
  EXPECT_EQ(numbers_of("a.nii", 1), (std::vector<double>{4, 5, 6}));
  expect_error("a.nii", nifti.with(kSixBytes), "its voxels have 2 values each");
  NiftiBytes rgb(2);
  rgb.sizes({3, 2, 1, 1});
  rgb.type(128);
  write("b.nii", rgb.with(kSixBytes));
  EXPECT_EQ(numbers_of("b.nii", 2), (std::vector<double>{3, 6}));
}

TEST_F(Nifti, WhatIsNoNiftiOrHasAnotherSizeIsAnError) {
  NiftiBytes nifti = small();
  expect_error("a.nii", nifti.with(kSixBytes + "x"), "expected 6 bytes (3 x 2 x 1 values of u8), found 7");
  expect_error("b.nii.gz", packed(nifti.with("12345")), "found 357 in its deflated data");
  expect_error("c.nii", "dear reader", "is no NIfTI file");
  nifti.scale(1, std::nan(""));
  expect_error("d.nii", nifti.with(kSixBytes), "its scl_inter is no number");
  NiftiBytes analyze = small();
  analyze.bytes().replace(344, 3, std::string(3, '\0'));
  expect_error("e.hdr", analyze.with(""), "Analyze 7.5");
  NiftiBytes flat = small();
  flat.sform({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  expect_error("f.nii", flat.with(kSixBytes), "a step from voxel to voxel is (0, 0, 0)");
  NiftiBytes many = small();
  many.sizes({5, 1, 1, 1, 2000, 2000});
  expect_error("g.nii", many.with(""), "its axis 5 has the size 2000", 0);
  NiftiBytes several(1);
  several.sizes({4, 1, 1, 1, 2});
  several.type(128);
  expect_error("h.nii", several.with(kSixBytes), "2 volumes with 3 values for each voxel", 0);
  for (const float offset : {-1.0f, 1e16f}) {
    NiftiBytes far = small();
    far.put<float>(108, offset);
    expect_error("i.nii", far.with(kSixBytes), "its values begin at byte ");
  }
  NiftiBytes other = small();
  other.bytes().replace(344, 3, "n+2");
  expect_error("j.nii", other.with(kSixBytes), "seems to be Analyze");
}

TEST_F(Nifti, DamagedFilesAreErrorsOrVolumes) {
  const KeptLog log;
  NiftiBytes one = small(), two = small(2, ByteOrder::Big);
  one.sform({0, 0, -4, 10, 0.5, 0, 0, 20, 0, 2, 0, 30});
  two.qform(1, {0.5, 0.5, 0.5, 0, 0, 0});
  Random random(7);
  for (const auto& [name, content] :
       std::vector<std::pair<std::string, std::string>>{{"a.nii", one.with(kSixBytes)},
                                                        {"b.nii", two.with(kSixBytes)},
                                                        {"c.nii.gz", packed(one.with(kSixBytes))}}) {
    for (size_t length = 0; length < content.size(); length += 13)
      read_whatever(write(name, content.substr(0, length)));
    for (int i = 0; i < 60; ++i) read_whatever(write(name, damaged(content, random)));
  }
}

// Compares conversions to 16 bits with a search among all numbers of 16 bits.

double value_of_half(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = (half & 1023) / 1024.0;
  return exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
}

// The values of 0, 1, … 0x7bff ascend; 65536 stands for infinity.
uint32_t nearest_half(double value) {
  static const std::vector<double> values = [] {
    std::vector<double> all;
    for (uint32_t half = 0; half < 0x7c00; ++half) all.push_back(value_of_half(half));
    all.push_back(65536);
    return all;
  }();
  const auto above = static_cast<uint32_t>(std::ranges::lower_bound(values, value) - values.begin());
  if (above == values.size()) return 0x7c00;
  if (above == 0) return 0;
  const double up = values[above] - value, down = value - values[above - 1];
  return up < down || (up == down && above % 2 == 0) ? above : above - 1;
}

void expect_nearest(float value) {
  ASSERT_EQ(half_of(value), nearest_half(value)) << value;
  ASSERT_EQ(half_of(-value), nearest_half(value) | 0x8000) << value;
}

TEST(HalfFloats, AreTheNearestOnes) {
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const auto exact = static_cast<float>(value_of_half(half));
    const auto middle =
        static_cast<float>((value_of_half(half) + (half == 0x7bff ? 65536 : value_of_half(half + 1))) / 2);
    for (const float value : {exact, middle, std::nextafter(middle, 0.f), std::nextafter(middle, 1e6f)})
      expect_nearest(value);
  }
  Random random(3);
  for (uint32_t i = 0; i < 20'000 * kThoroughness; ++i)
    expect_nearest(
        std::ldexp(static_cast<float>(random.uniform(1, 2)), static_cast<int>(random.below(46)) - 28));
  EXPECT_EQ(half_of(1e30f), 0x7c00);
  EXPECT_EQ(half_of(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(half_of(std::numeric_limits<float>::quiet_NaN()) & 0x7e00, 0x7e00);
}

}  // namespace

// Compares volumes whose axes are exchanged with the values that were written.

namespace {

using TurnedVolume = testing_export::ExportTest;

// Values of numpy.save() stand with z fastest. The file is larger than what is read of it at a time.
TEST_F(TurnedVolume, IsReadInBoxesOfEveryForm) {
  static constexpr Int3 kLarge = {203, 207, 111};
  const auto value_at = [](const Int3& at) {
    return static_cast<double>(mix64(index_in(kLarge, at)) % 1000) / 8;
  };
  std::string values;
  for (int32_t x = 0; x < kLarge.x; ++x)
    for (int32_t y = 0; y < kLarge.y; ++y)
      for (int32_t z = 0; z < kLarge.z; ++z) {
        const double value = value_at({x, y, z});
        values.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (203, 207, 111), }";
  header.resize(118, ' ');
  std::ofstream(path("a.npy"), std::ios::binary)
      << std::string("\x93NUMPY\1\0\x76\0", 10) << header << values;
  const volume::Volume volume = open_volume(path("a.npy"), {});
  ASSERT_EQ(volume.info.size, kLarge);
  ASSERT_EQ(volume.info.type, volume::ValueType::F32);
  for (const VoxelBox& box : {VoxelBox{{0, 0, 0}, kLarge}, VoxelBox{{0, 0, 7}, {203, 207, 8}},
                              VoxelBox{{0, 0, 95}, {203, 207, 111}}, VoxelBox{{0, 0, 3}, {203, 207, 5}},
                              VoxelBox{{5, 9, 90}, {6, 200, 111}}, VoxelBox{{17, 3, 0}, {80, 20, 111}}}) {
    std::vector<float> read(box.voxels());
    volume.read(box, reinterpret_cast<std::byte*>(read.data()));
    uint64_t i = 0, differing = 0;
    for_each_place_in(box, [&](const Int3& at) { differing += read[i++] != value_at(at); });
    EXPECT_EQ(differing, 0) << box.min.z;
  }
}

}  // namespace
}  // namespace vox
