// Compares volumes from files with the values that were written.

#include <libdeflate.h>

#include <cmath>
#include <limits>

#include "formats/scene/any_scene.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/formats/volume/header_files.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using testing_export::ExportTest;

constexpr Int3 kSize = {7, 5, 3};

std::string random_bytes(uint64_t count) {
  Random random(count);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

std::string values_of(volume::ValueType type) {
  std::string bytes = random_bytes(105 * volume::value_bytes(type));
  if (type == volume::ValueType::F32)
    for (size_t i = 3; i < bytes.size(); i += 4) bytes[i] = 0x3f;  // finite
  return bytes;
}

std::string swapped(std::string bytes, uint32_t each) {
  for (size_t i = 0; i < bytes.size(); i += each) std::reverse(&bytes[i], &bytes[i] + each);
  return bytes;
}

std::string deflated(const std::string& bytes, decltype(&libdeflate_gzip_compress) compress) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string out(bytes.size() + 200, '\0');
  out.resize(compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}
std::string gzipped(const std::string& bytes) {
  return deflated(bytes, libdeflate_gzip_compress);
}

constexpr const char* kNrrd =
    "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 7 5 3\nendian: little\nencoding: raw\n";
constexpr const char* kMeta = "ObjectType = Image\nNDims = 3\nDimSize = 7 5 3\nElementType = MET_UCHAR\n";

class VolumeFile : public ExportTest {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static void expect_volume(const std::filesystem::path& file, volume::ValueType type,
                            const std::string& values, const RawOptions& options = {}) {
    const volume::Volume volume = open_volume(file, options);
    EXPECT_EQ(volume.info.size, kSize) << file;
    EXPECT_EQ(volume.info.type, type) << file;
    const std::vector<std::byte> read = all_values(volume);
    EXPECT_TRUE(std::string(reinterpret_cast<const char*>(read.data()), read.size()) == values) << file;
  }
  void expect_error(const std::string& name, const std::string& content, const std::string& text,
                    const RawOptions& options = {}) const {
    const std::filesystem::path file = write(name, content);
    try {
      open_volume(file, options);
      ADD_FAILURE() << name << " was read; expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path("").string()), std::string::npos) << error.what();
    }
  }
};

TEST_F(VolumeFile, RawTakesSizeAndTypeFromItsName) {
  for (const auto& [name, type] : std::vector<std::pair<std::string, volume::ValueType>>{
           {"a_7x5x3_uint8.raw", volume::ValueType::U8},
           {"b_c_7x5x3_uint16.raw", volume::ValueType::U16},
           {"7x5x3_int16.raw", volume::ValueType::I16},
           {"d.e_7x5x3_float32.raw", volume::ValueType::F32}})
    expect_volume(write(name, values_of(type)), type, values_of(type));
}

TEST_F(VolumeFile, RawTakesSizeTypeOrderAndOffsetFromOptions) {
  const std::string values = values_of(volume::ValueType::U16);
  const RawOptions options = {kSize, StoredType::U16, ByteOrder::Big, 13};
  expect_volume(write("a_9x9x9_uint8.bin", std::string(13, 'x') + swapped(values, 2)), volume::ValueType::U16,
                values, options);
}

TEST_F(VolumeFile, RawMayBeGzipped) {
  const std::string values = values_of(volume::ValueType::U8);
  const std::string two = gzipped(values.substr(0, 50)) + gzipped(values.substr(50));
  for (const size_t zeros : {0u, 1u, 10240u})  // the rest of a tape's block
    expect_volume(write("b_7x5x3_uint8.raw.gz", two + std::string(zeros, 0)), volume::ValueType::U8, values);
}

// Calls f(box) for every box inside the volume that is not empty.
template <class F>
void for_each_box(const F& f) {
  const auto ends = [](int32_t side, const auto& g) {
    for (int32_t low = 0; low < side; ++low)
      for (int32_t high = low + 1; high <= side; ++high) g(low, high);
  };
  ends(kSize.x, [&](int32_t x, int32_t end_x) {
    ends(kSize.y, [&](int32_t y, int32_t end_y) {
      ends(kSize.z, [&](int32_t z, int32_t end_z) { f(VoxelBox{{x, y, z}, {end_x, end_y, end_z}}); });
    });
  });
}

TEST_F(VolumeFile, ReadsEveryBoxOfTheVolume) {
  const std::string values = values_of(volume::ValueType::U16);
  for (const auto& [name, content] :
       {std::pair{"a_7x5x3_uint16.raw", values}, {"b_7x5x3_uint16.raw.gz", gzipped(values)}}) {
    const volume::Volume volume = open_volume(write(name, content), {});
    for_each_box([&](const VoxelBox& box) {
      std::string expected, read(2 * box.voxels(), '\0');
      for (int32_t z = box.min.z; z < box.max.z; ++z)
        for (int32_t y = box.min.y; y < box.max.y; ++y) {
          const int32_t first = (z * 5 + y) * 7 + box.min.x, count = box.size().x;
          expected += values.substr(2 * size_t(first), 2 * size_t(count));
        }
      volume.read(box, reinterpret_cast<std::byte*>(read.data()));
      ASSERT_TRUE(read == expected) << name << ' ' << box.min.x << ' ' << box.min.y << ' ' << box.min.z;
    });
  }
}

TEST_F(VolumeFile, AFileThatShrinksWhileItIsReadIsAnErrorThatNamesIt) {
  const std::filesystem::path file = write("a_7x5x3_uint8.raw", values_of(volume::ValueType::U8));
  const volume::Volume volume = open_volume(file, {});
  std::filesystem::resize_file(file, 50);
  std::vector<std::byte> values(volume.info.bytes());
  volume.read({{0, 0, 0}, {7, 5, 1}}, values.data());
  try {
    volume.read(volume.info.box(), values.data());
    ADD_FAILURE() << "values were read that are not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), file.string() + ": ends after 50 bytes, but had 105 when it was opened");
  }
}

TEST_F(VolumeFile, NrrdAttachedDetachedGzippedAndBigEndian) {
  const std::string values = values_of(volume::ValueType::U8), shorts = values_of(volume::ValueType::I16);
  expect_volume(write("a.nrrd", std::string(kNrrd) + "\n" + values), volume::ValueType::U8, values);
  write("values.bin", "xy" + values);
  expect_volume(write("b.nhdr", std::string(kNrrd) + "byte skip: 2\ndata file: values.bin\n"),
                volume::ValueType::U8, values);
  expect_volume(write("c.nhdr", std::string(kNrrd) + "byte skip: -1\ndatafile: values.bin\n\n"),
                volume::ValueType::U8, values);
  write("lines.bin", "one\ntwo\n" + values);
  expect_volume(write("d.nhdr", std::string(kNrrd) + "line skip: 2\ndata file: lines.bin\n"),
                volume::ValueType::U8, values);
  const std::string big =
      "NRRD0005\r\n# a comment\r\ntype: signed short\r\ndimension: 3\r\nsizes: 7 5 3\r\nmine:=yours\r\n"
      "Encoding: gzip\r\nendian: big\r\n\r\n";
  expect_volume(write("e.nrrd", big + gzipped(swapped(shorts, 2))), volume::ValueType::I16, shorts);
}

TEST_F(VolumeFile, NrrdSaysWhereTheVoxelsLie) {
  const std::string header = std::string(kNrrd) +
                             "space dimension: 3\nspace directions: (2,0,0) (0,0.5,0) (0,0,-1)\n"
                             "space origin: (10,20,30)\n\n";
  const volume::Volume volume = open_volume(write("a.nrrd", header + values_of(volume::ValueType::U8)), {});
  EXPECT_EQ(volume.info.spacing, (Vec3d{2, 0.5, -1}));
  EXPECT_EQ(volume.info.origin, (Vec3d{9, 19.75, 30.5}));
}

TEST_F(VolumeFile, MetaImageLocalElsewhereAndDeflated) {
  const std::string values = values_of(volume::ValueType::U8), floats = values_of(volume::ValueType::F32);
  expect_volume(write("a.mha", std::string(kMeta) + "ElementDataFile = LOCAL\n" + values),
                volume::ValueType::U8, values);
  write("values.raw", "123" + values);
  expect_volume(write("b.mhd", std::string(kMeta) + "HeaderSize = -1\nElementDataFile = values.raw\n"),
                volume::ValueType::U8, values);
  expect_volume(write("c.mhd", std::string(kMeta) + "HeaderSize = 3\nElementDataFile = values.raw\n"),
                volume::ValueType::U8, values);
  write("values.zraw", deflated(swapped(floats, 4), libdeflate_zlib_compress));
  expect_volume(
      write("d.mhd",
            "NDims = 3\nDimSize = 7 5 3\nElementType = MET_FLOAT\nCompressedData = True\n"
            "BinaryDataByteOrderMSB = True\nElementSpacing = 1 1 2\nElementDataFile = values.zraw\n"),
      volume::ValueType::F32, floats);
  EXPECT_EQ(open_volume(path("d.mhd"), {}).info.spacing, (Vec3d{1, 1, 2}));
}

TEST_F(VolumeFile, DatWithAHeaderOfThreeNumbersAndDatThatNamesAFile) {
  const std::string values = values_of(volume::ValueType::U16);
  expect_volume(write("beetle.dat", std::string("\x07\0\x05\0\x03\0", 6) + values), volume::ValueType::U16,
                values);
  write("values.raw", values);
  expect_volume(write("tree.dat",
                      "ObjectFileName: values.raw\nTaggedFileName: ---\nResolution: 7 5 3\n"
                      "SliceThickness: 1 1 1\nFormat: USHORT\n"),
                volume::ValueType::U16, values);
}

TEST_F(VolumeFile, WhatIsWrittenIsReadBack) {
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32}) {
    const std::string values = values_of(type);
    RawOptions options;
    options.size = kSize;
    options.type = parse_stored_type(volume::value_type_name(type));
    volume::Volume volume = open_volume(write("a.bin", values), options);
    volume.info.spacing = {0.25, 2, 3};
    volume.info.origin = {-4, 0.5, 7};
    write_dense_grid(volume, path("a.nrrd"));
    expect_volume(path("a.nrrd"), type, values);
    const volume::Volume again = open_volume(path("a.nrrd"), {});
    EXPECT_EQ(again.info.spacing, volume.info.spacing);
    EXPECT_EQ(again.info.origin, volume.info.origin);
    write_dense_grid(volume, path("a.npy"));
    expect_volume(path("a.npy"), type, values);
  }
}

// Returns a file of numpy.save() with this dictionary before its elements.
std::string npy(const std::string& dictionary, const std::string& elements, char version = 1) {
  std::string header = "\x93NUMPY";
  const auto byte = [&](int i) { return static_cast<char>(dictionary.size() >> 8 * i); };
  header += {version, '\0', byte(0), byte(1)};
  if (version > 1) header += {byte(2), byte(3)};
  return header + dictionary + elements;
}

TEST_F(VolumeFile, NumpysArraysAreReadInBothOrders) {
  const std::string values = values_of(volume::ValueType::U16);  // x fastest, as in Fortran's order
  std::string last_fastest;
  for (size_t x = 0; x < 7; ++x)
    for (size_t y = 0; y < 5; ++y)
      for (size_t z = 0; z < 3; ++z) last_fastest += values.substr(2 * (x + 7 * (y + 5 * z)), 2);
  const std::string shape = "'shape': (7, 5, 3), }\n", fortran = "'fortran_order': True, " + shape,
                    c = "'fortran_order': False, " + shape;
  constexpr auto kType = volume::ValueType::U16;
  expect_volume(write("a.npy", npy("{'descr': '<u2', " + fortran, values)), kType, values);
  expect_volume(write("b.npy", npy("{'descr': '<u2', " + c, last_fastest)), kType, values);
  expect_volume(write("c.npy", npy("{'descr': '>u2', " + c, swapped(last_fastest, 2))), kType, values);
  expect_volume(write("d.npy", npy("{\"descr\":\"=u2\",\"fortran_order\":False,\"shape\":(7,5,3)}" +
                                       std::string(70000, ' '),
                                   last_fastest, 2)),
                kType, values);
  expect_volume(write("e.npy", npy("{'shape': (7, 5, 3), 'fortran_order': True, 'descr': '|b1'}",
                                   values_of(volume::ValueType::U8))),
                volume::ValueType::U8, values_of(volume::ValueType::U8));
}

TEST_F(VolumeFile, NumpysArraysMayBeImagesAndHaveChannels) {
  const std::string image = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }", "abcdef");
  const volume::Volume flat = open_volume(write("a.npy", image), {});
  EXPECT_EQ(flat.info.size, (Int3{3, 2, 1}));
  const std::vector<std::byte> values = all_values(flat);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(values.data()), values.size()), "acebdf");
  const std::string first = values_of(volume::ValueType::U8), second = std::string(105, 's');
  std::string side_by_side;
  for (size_t x = 0; x < 7; ++x)
    for (size_t y = 0; y < 5; ++y)
      for (size_t z = 0; z < 3; ++z) side_by_side += {first[x + 7 * (y + 5 * z)], 's'};
  for (const auto& [order, elements] :
       {std::pair("True", first + second), std::pair("False", side_by_side)}) {
    const std::filesystem::path file = write(
        "b.npy", npy(std::string("{'descr': '|u1', 'fortran_order': ") + order + ", 'shape': (7, 5, 3, 2), }",
                     elements));
    const std::vector<std::byte> read = all_values(open_volume(file, {}, 0));
    EXPECT_TRUE(std::string(reinterpret_cast<const char*>(read.data()), read.size()) == first) << order;
    EXPECT_THROW(open_volume(file, {}), Error);
    EXPECT_THROW(open_volume(file, {}, 2), Error);
  }
}

TEST_F(VolumeFile, NumpysArraysThatCannotBeReadAreRefused) {
  const std::string rest = ", 'fortran_order': False, 'shape': (7, 5, 3), }", values(105, 'v');
  expect_error("a.npy", npy("{'descr': '|u1'" + rest, values + "v"), "expected 105 bytes");
  expect_error("b.npy", npy("{'descr': '<f2'" + rest, values), "of NumPy's type '<f2'");
  expect_error("c.npy", npy("{'descr': '<c8'" + rest, values), "of NumPy's type '<c8'");
  expect_error("d.npy", npy("{'descr': [('x', '<f4')]" + rest, values), "records of several values");
  expect_error("e.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (105,), }", values),
               "one axis");
  expect_error("f.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 7, 5, 3), }", values),
               "5 axes");
  expect_error("g.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (7, -5, 3), }", values),
               "size");
  expect_error("k.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (7, 5, 3, 0), }", values),
               "0 channels");
  expect_error("h.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (7, 5, }", values), "no list");
  expect_error("i.npy", npy("{'descr': '|u1', 'shape': (7, 5, 3), }", values), "no 'fortran_order'");
  expect_error("j.npy", npy("{'descr': '|u1'" + rest, values, 4), "version 4");
  expect_error("k.npy", npy("{'descr': '|u1'" + rest, "").substr(0, 40), "ends within its header");
  expect_error("l.npy", std::string("\x93NUMPY"), "version 0");
  expect_error("m.npy", "dear reader", "no file of numpy.save");
  expect_error("n.npy", npy("{'descr': '|u1" + rest, values), "");
  RawOptions options;
  options.size = kSize;
  expect_error("o.npy", npy("{'descr': '|u1'" + rest, values), "are for raw files", options);
}

// Any bytes and any change of a header are read or refused.
TEST_F(VolumeFile, DamagedNumpyHeadersAreReadOrRefused) {
  const std::string good = npy("{'descr': '<u2', 'fortran_order': False, 'shape': (7, 5, 3), }", "");
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (uint32_t changes = 1 + random.below(3); changes > 0; --changes)
      bad[random.below(static_cast<uint32_t>(bad.size()))] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bad.resize(random.below(static_cast<uint32_t>(bad.size())));
    try {
      const NpyHeader header = read_npy_header(bad);
      EXPECT_LE(header.bytes, bad.size());
      EXPECT_GE(header.shape.size(), 2u);
      EXPECT_LE(header.shape.size(), 4u);
    } catch (const Error&) {
    }
  }
}

TEST_F(VolumeFile, SaysHowManyBytesItExpectedAndFound) {
  const std::string values = values_of(volume::ValueType::U8);
  expect_error("a_7x5x3_uint8.raw", values + "x", "expected 105 bytes (7 x 5 x 3 values of u8), found 106");
  expect_error("b_7x5x3_uint16.raw", values, "expected 210 bytes (7 x 5 x 3 values of u16), found 105");
  expect_error("a.nrrd",
               "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 256 256 256\nencoding: raw\n\n" + values,
               "expected 16777216 bytes (256 x 256 x 256 values of u8), found 105");
  expect_error("a.dat", std::string("\x07\0\x05\0\x03\0", 6) + values, "expected 210 bytes");
  expect_error("b.dat", "abc", "too short");
  expect_error("c_7x5x3_uint8.raw.gz", gzipped(values + "x"), "expected 105 bytes of values, found more");
  expect_error("d_7x5x3_uint8.raw.gz", gzipped(values.substr(1)), "expected 105 bytes of values, found 104");
  expect_error("e_7x5x3_uint8.raw.gz", gzipped(values).substr(0, 60), "damaged or truncated");
  expect_error("a_7x5x3_uint8.raw.gz", gzipped(values) + std::string(3, 0) + "x", "damaged or truncated");
  expect_error("f_9000x9000x9000_uint8.raw.gz", gzipped(values), "cannot hold as many");
}

TEST_F(VolumeFile, RefusesSizesThatAreNone) {
  expect_error("a_0x5x3_uint8.raw", "x", "the size is 0 x 5 x 3 voxels, expected 1 to 1048576 a side");
  expect_error("a.nrrd", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 7 -5 3\nencoding: raw\n\nx",
               "7 x -5 x 3");
  expect_error("b.nrrd",
               "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4294967296 4294967296 4\nencoding: raw\n\nx",
               "4294967296 x 4294967296 x 4");
  expect_error("c.nrrd",
               "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 99999999999999999999 1 1\nencoding: raw\n\nx",
               "too large");
  expect_error("d_99999999999999999999x1x1_uint8.raw", "x", "too large");
  expect_error("e_1048576x1048576x1048576_float32.raw", "x", "expected 4611686018427387904 bytes");
  expect_error("f.mha", "NDims = 3\nDimSize = 1 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n",
               "expected 3 numbers");
  expect_error("g.raw", "x", "state its size");
}

TEST_F(VolumeFile, RefusesWhatItDoesNotKnow) {
  const std::string u8 = "expected one of: u8, i8, u16, i16, u32, i32, u64, i64, f32, f64";
  expect_error("a_7x5x3_float16.raw", "x", "of type 'float16', " + u8);
  expect_error("a.nrrd", "NRRD0004\ntype: block\ndimension: 3\nsizes: 7 5 3\nencoding: raw\n\nx", u8);
  expect_error("b.nrrd", "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 7 5 3\nencoding: hex\n\nx",
               "encoding is 'hex', expected raw, gzip or ascii");
  expect_error("c.nrrd", "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 1 7 5 3\nencoding: raw\n\nx",
               "dimension is 4");
  expect_error("d.nrrd", "dear reader", "no NRRD file");
  expect_error("e.nrrd", "NRRD0004\nno field\n\n", "expected 'field: value'");
  expect_error("f.nrrd", "NRRD0004\ntype: int16\ndimension: 3\nsizes: 7 5 3\nencoding: raw\n\nx", "'endian'");
  expect_error("g.nrrd", std::string(kNrrd) + "data file: missing.raw\n", "missing.raw");
  expect_error("h.mhd", "NDims = 3\nDimSize = 7 5 3\nElementType = MET_HALF\nElementDataFile = LOCAL\n", u8);
  expect_error("i.mhd", "dear reader\n", "no MetaImage header");
  expect_error("j.mhd", std::string(kMeta), "no ElementDataFile");
  expect_error("k.mhd", std::string(kMeta) + "ElementDataFile = LIST\na.raw\n", "a.raw: no such file");
  RawOptions options;
  options.size = kSize;
  expect_error("l.nrrd", std::string(kNrrd) + "\n" + values_of(volume::ValueType::U8), "are for raw files",
               options);
}

// Compares values of types that kernels do not support with the numbers that were written.

using volume::ValueType;

class KnownVolume : public HeaderFiles {
 protected:
  template <class T>
  volume::Volume volume_of(StoredType type, const std::vector<T>& values) const {
    const RawOptions raw = {.size = Int3{static_cast<int32_t>(values.size()), 1, 1}, .type = type};
    return open_volume(write("a.raw", bytes_of(values)), raw);
  }

  template <class T>
  void expect_kept(StoredType stored, const std::vector<T>& values, ValueType type) const {
    const volume::Volume volume = volume_of(stored, values);
    EXPECT_EQ(volume.info.type, type) << stored_type_name(stored);
    const std::vector<std::byte> bytes = all_values(volume);
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * volume::value_bytes(type), volume::value_bytes(type));
      EXPECT_EQ(volume::value_number(type, bits), static_cast<double>(values[i])) << i;
    }
  }

  template <class T>
  void expect_refused(StoredType stored, const std::vector<T>& values, const std::string& text) const {
    try {
      volume_of(stored, values);
      ADD_FAILURE() << "was read; expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
};

TEST_F(KnownVolume, IntegersBecomeTheFirstTypeThatHoldsThemAll) {
  expect_kept<int8_t>(StoredType::I8, {-128, 0, 127}, ValueType::I16);
  expect_kept<int8_t>(StoredType::I8, {0, 1}, ValueType::I16);  // known without a look at the values
  expect_kept<uint32_t>(StoredType::U32, {0, 255}, ValueType::U8);
  expect_kept<uint32_t>(StoredType::U32, {0, 256, 65535}, ValueType::U16);
  expect_kept<uint32_t>(StoredType::U32, {1, 65536, 4294967040u}, ValueType::F32);
  expect_kept<int32_t>(StoredType::I32, {-32768, 32767}, ValueType::I16);
  expect_kept<int32_t>(StoredType::I32, {-1, 32768}, ValueType::F32);
  expect_kept<int32_t>(StoredType::I32, {std::numeric_limits<int32_t>::min(), 1 << 24}, ValueType::F32);
  expect_kept<int64_t>(StoredType::I64, {0, 7, 255}, ValueType::U8);
  expect_kept<int64_t>(StoredType::I64, {std::numeric_limits<int64_t>::min(), 3}, ValueType::F32);
  expect_kept<uint64_t>(StoredType::U64, {0, uint64_t{1} << 63}, ValueType::F32);
}

TEST_F(KnownVolume, TheFirstIntegerThatIsNotExactIsNamed) {
  expect_refused<uint32_t>(StoredType::U32, {1, 2, 16777217, 16777219}, "voxel (2, 0, 0) is 16777217, ");
  expect_refused<int32_t>(StoredType::I32, {-16777217}, "voxel (0, 0, 0) is -16777217, ");
  expect_refused<int64_t>(StoredType::I64, {0, std::numeric_limits<int64_t>::max()},
                          "voxel (1, 0, 0) is 9223372036854775807, ");
}

TEST_F(KnownVolume, DoublesAreRoundedWithAWarningThatSaysHowFar) {
  const KeptLog log;
  expect_kept<double>(StoredType::F64, {0.5, -1e30f, 3}, ValueType::F32);
  EXPECT_TRUE(log.text().empty()) << log.text();
  const volume::Volume rounded = volume_of<double>(StoredType::F64, {1, 16777217});
  EXPECT_NE(log.text().find("are rounded to f32, by 1 at most"), std::string::npos) << log.text();
  EXPECT_EQ(rounded.info.type, ValueType::F32);
  expect_refused<double>(StoredType::F64, {0, 1e39},
                         "voxel (1, 0, 0) is 1e+39, which is outside of the range");
}

}  // namespace
}  // namespace vox
