// Tests NRRD and MetaImage with values as text, in several files, with several channels and along rotated
// axes.

#include <map>
#include <sstream>

#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/formats/volume/header_files.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

class HeaderVolume : public HeaderFiles {
 protected:
  void expect_numbers(const std::string& name, const std::string& content,
                      const std::vector<double>& expected, std::optional<uint32_t> channel = {}) const {
    write(name, content);
    EXPECT_EQ(numbers_of(name, channel), expected) << name;
  }
};

constexpr const char* kTextNrrd = "NRRD0005\ntype: int\ndimension: 3\nsizes: 2 2 1\nencoding: ascii\n\n";
constexpr const char* kTextMeta =
    "NDims = 3\nDimSize = 2 2 1\nElementType = MET_DOUBLE\nBinaryData = False\n";
constexpr const char* kLayers = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 4\nencoding: raw\n";
constexpr const char* kMetaLayers = "NDims = 3\nDimSize = 2 1 4\nElementType = MET_UCHAR\n";

TEST_F(HeaderVolume, NumbersAsTextAreRead) {
  expect_numbers("a.nrrd", std::string(kTextNrrd) + "1 -2\n\t3\r\n2147483647", {1, -2, 3, 2147483647});
  expect_numbers("b.mha", std::string(kTextMeta) + "ElementDataFile = LOCAL\n0.5 -1e3 7 8\n",
                 {0.5, -1000, 7, 8});
}

TEST_F(HeaderVolume, TheFirstCharacterDecidesWhatIsTrueInAMetaImage) {
  const std::string head = "NDims = 3\nDimSize = 2 1 1\nElementType = MET_USHORT\n";
  const std::string values = std::string("ElementDataFile = LOCAL\n") + '\1' + '\2' + '\3' + '\4';
  for (const char* yes : {"True", "TRUE", "true", "1"})
    for (const char* name : {"BinaryDataByteOrderMSB", "ElementByteOrderMSB"})
      expect_numbers("a.mha", head + name + " = " + yes + "\nBinaryData = " + yes + "\n" + values,
                     {0x102, 0x304});
  for (const char* no : {"False", "FALSE", "0"}) {
    expect_numbers("a.mha", head + "BinaryDataByteOrderMSB = " + no + "\n" + values, {0x201, 0x403});
    expect_numbers("a.mha", head + "BinaryData = " + no + "\nElementDataFile = LOCAL\n5 600\n", {5, 600});
  }
}

TEST_F(HeaderVolume, TextThatIsNoNumberOfTheTypeIsNamedWithItsLine) {
  const std::string head = kTextNrrd;
  expect_error("a.nrrd", head + "1 2\n3 2147483648", "a.nrrd:8: '2147483648' is no value of type i32");
  expect_error("b.nrrd", head + "1 2\n3 x", "b.nrrd:8: 'x' is no value of type i32");
  expect_error("c.nrrd", head + "1 2 3   ", "expected 4 values, found 3");
  expect_error("d.nrrd", head + "1 2 3 4 5", "expected 4 values, found more");
  expect_error("e.nrrd", head + "1 2", "of text cannot hold");
}

TEST_F(HeaderVolume, ValuesAreJoinedFromNumberedAndListedFiles) {
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6, 7, 8};
  write("s01.raw", "h\1\2"), write("s03.raw", "h\3\4"), write("s05.raw", "h\5\6"), write("s07.raw", "h\7\10");
  const std::string skip = "byte skip: 1\n";
  expect_numbers("a.nhdr", kLayers + skip + "data file: s%02d.raw 1 7 2\n", expected);
  expect_numbers("b.nhdr", kLayers + skip + "data file: LIST\ns01.raw\ns03.raw\ns05.raw\ns07.raw\n",
                 expected);
  const std::string meta = std::string(kMetaLayers) + "HeaderSize = -1\n";
  expect_numbers("c.mhd", meta + "ElementDataFile = s%02d.raw 1 7 2\n", expected);
  expect_numbers("d.mhd", meta + "ElementDataFile = LIST\ns01.raw\ns03.raw\ns05.raw\ns07.raw", expected);
  expect_numbers("e.mhd", meta + "ElementDataFile = s%02d.raw 7 1 -2\n", {7, 8, 5, 6, 3, 4, 1, 2});
  write("low.raw", "\1\2\3\4"), write("high.raw", "\5\6\7\10");
  expect_numbers("f.nhdr", std::string(kLayers) + "data file: LIST 3\nlow.raw\nhigh.raw\n", expected);
}

TEST_F(HeaderVolume, AHundredFilesAreReadWithFewOpen) {
  std::vector<double> expected;
  for (int i = 0; i < 100; ++i) {
    write("s" + std::to_string(i), std::string(1, static_cast<char>(i)));
    expected.push_back(i);
  }
  expect_numbers(
      "a.nhdr", "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 1 1 100\nencoding: raw\ndata file: s%d 0 99 1\n",
      expected);
}

TEST_F(HeaderVolume, FilesThatAreMissingOrNotAsManyAreErrors) {
  write("s1", "ab"), write("s2", "cd"), write("s3", "ef"), write("s4", "gh"), write("s5", "ij");
  const std::string head = std::string(kLayers) + "data file: ";
  expect_error("a.nhdr", head + "s%d 1 9\n", "more than 4 files");
  expect_error("b.nhdr", head + "t%d 1 4\n", "t1: no such file");
  expect_error("c.nhdr", head + "s%d 1 3\n", "its 4 layers are spread over 3 files");
  expect_error("d.nhdr", head + "s%d 1 4 0\n", "in steps of 0");
  expect_error("e.nhdr", head + "s%d 4 1 1\n", "from 4 to 1 in steps of 1");
  expect_error("f.nhdr", head + "s%s 1 4\n", "expected one number such as %03d");
  expect_error("g.nhdr", head + "s%99999d 1 4\n", "expected one number such as %03d");
  expect_error("h.nhdr", head + "s%d%n 1 4\n", "expected one number such as %03d");
  expect_error("i.nhdr", head + "s%d -9223372036854775808 9223372036854775807 9223372036854775807\n",
               "s-9223372036854775808: no such file");
  expect_error("j.nhdr", head + "LIST\n", "list of files with values is empty");
  write("s2", "x");
  expect_error("k.nhdr", head + "s%d 1 4\n", "expected 2 bytes (2 x 1 x 1 values of u8), found 1");
}

TEST_F(HeaderVolume, WhatContradictsItselfIsAnError) {
  const std::string nrrd = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 1\n", raw = "encoding: raw\n\nab";
  expect_error("a.nrrd", nrrd + "line skip: -1\n" + raw, "its 'line skip' is -1, expected 0 or more");
  expect_error("b.nrrd", nrrd + "byte skip: 1\nencoding: gzip\n\nab", "it skips bytes");
  expect_error("c.nrrd", nrrd + "space directions: (1e308,0,0) (0,1e308,1e308) (0,0,1)\n" + raw,
               "a step from voxel to voxel is (");
  expect_error("d.nrrd",
               "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 1 1 2\nkinds: list domain domain list\n" + raw,
               "its dimension is 4");
  expect_error("e.nhdr", std::string(kLayers) + "data file: s%d 4 1 0\n", "from 4 to 1 in steps of 0");
  const std::string meta = "NDims = 4\nDimSize = 2 1 1 2\nElementType = MET_UCHAR\n",
                    local = "ElementDataFile = LOCAL\nabcdefgh";
  expect_error("f.mha", meta + "ElementNumberOfChannels = 2\n" + local,
               "2 values for each voxel and 2 channels");
  expect_error("g.mha", std::string(kMetaLayers) + "HeaderSize = -2\n" + local, "HeaderSize is -2");
  write("h.raw", "ab");
  expect_error("h.dat", "ObjectFileName: h.raw\nResolution: 2 1 1\nSliceThickness: 1 1 0\nFormat: USHORT\n",
               "SliceThickness has a zero");
}

TEST_F(HeaderVolume, FilesAreNumberedFromBelowZeroAndEachPlaneOfAChannelMayHaveItsOwn) {
  write("s-01", "ab"), write("s000", "cd"), write("s001", "ef"), write("s002", "gh");
  const std::vector<double> first = {'a', 'b', 'c', 'd'}, second = {'e', 'f', 'g', 'h'};
  const std::string planes =
      "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 1 2 2\nkinds: domain domain domain list\n"
      "encoding: raw\ndata file: s%03d -1 2 1\n";
  expect_numbers("a.nhdr", planes, first, 0);
  expect_numbers("a.nhdr", planes, second, 1);
}

TEST_F(HeaderVolume, OnlyAKnownOrientationSaysWhichAxisIsUp) {
  for (const auto& [orientation, up] : {std::pair("RAI", dag::UpAxis::Z), {"???", StoredInfo().up}}) {
    write("a.mha", std::string(kMetaLayers) + "AnatomicalOrientation = " + orientation +
                       "\nElementDataFile = LOCAL\nabcdefgh");
    EXPECT_EQ(open_stored_volume(path("a.mha"), {}).info.up, up) << orientation;
  }
}

TEST_F(HeaderVolume, OneChannelOfSeveralIsRead) {
  const std::string rgb = "\1\2\3\4\5\6\7\10\11\12\13\14";
  const std::string nrrd =
      "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 3 2 2 1\nkinds: RGB-color domain domain domain\n"
      "space directions: none (1,0,0) (0,2,0) (0,0,3)\nencoding: raw\n\n";
  expect_numbers("a.nrrd", nrrd + rgb, {1, 4, 7, 10}, 0);
  expect_numbers("a.nrrd", nrrd + rgb, {3, 6, 9, 12}, 2);
  EXPECT_EQ(open_stored_volume(path("a.nrrd"), {}, 1).info.spacing, (Vec3d{1, 2, 3}));
  const std::string planes =
      "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 2 1 3\nspacings: 1 2 1 nan\n"
      "kinds: domain domain domain list\nencoding: raw\n\n";
  expect_numbers("b.nrrd", planes + rgb, {5, 6, 7, 8}, 1);
  const std::string meta =
      "NDims = 3\nDimSize = 2 2 1\nElementType = MET_UCHAR\nElementNumberOfChannels = 3\n"
      "ElementDataFile = LOCAL\n";
  expect_numbers("c.mha", meta + rgb, {2, 5, 8, 11}, 1);
  expect_numbers("d.mha",
                 "NDims = 4\nDimSize = 2 2 1 3\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n" + rgb,
                 {9, 10, 11, 12}, 2);
  expect_error("a.nrrd", nrrd + rgb,
               "its voxels have 3 values each, expected one (choose a channel, 0 to 2)");
  expect_error("a.nrrd", nrrd + rgb, "channel 3 is chosen, but there are 0 to 2", 3);
  expect_error("e.mha", std::string(kMetaLayers) + "ElementDataFile = LOCAL\n12345678",
               "its voxels have one value each", 0);
  expect_error("f.nrrd",
               "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 2 9223372036854775807 1 1\n"
               "kinds: domain list domain domain\nencoding: raw\n\n",
               "its dimension is 4");
  expect_error("g.nrrd",
               "NRRD0005\ntype: uint8\ndimension: 4\nsizes: 9223372036854775807 2 2 1\n"
               "kinds: vector domain domain domain\nencoding: raw\n\n" +
                   rgb,
               "expected at most", 0);
}

// Values are looked at and converted in pieces, on several threads.
TEST_F(HeaderVolume, EveryValueOfALargeVolumeIsConvertedAndTheFirstThatIsNotExactNamed) {
  const std::string head =
      "NRRD0005\ntype: int32\ndimension: 3\nsizes: 1024 600 1\nendian: little\nencoding: raw\n\n";
  std::vector<int32_t> values(1024 * 600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i * 7 % 65521);
  const volume::Volume volume = open_volume(write("a.nrrd", head + bytes_of(values)), {});
  ASSERT_EQ(volume.info.type, volume::ValueType::U16);
  const std::vector<std::byte> read = all_values(volume);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(volume::bits_at(volume.info.type, read.data(), i), static_cast<uint32_t>(values[i])) << i;
  values[70000] = values[500000] = (1 << 24) + 1;
  try {
    open_volume(write("b.nrrd", head + bytes_of(values)), {});
    ADD_FAILURE() << "16777217 was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("voxel (368, 68, 0) is 16777217"), std::string::npos)
        << error.what();
  }
}

TEST_F(HeaderVolume, ATypeIsOneName) {
  EXPECT_EQ(parse_stored_type("Unsigned Char"), StoredType::U8);
  for (const char* name : {"", ",", "u8,uint8", "int8,int8_t", "u", "unsigned"})
    EXPECT_FALSE(parse_stored_type(name)) << name;
}

TEST_F(HeaderVolume, AxesThatAreExchangedBecomeThoseOfTheWorld) {
  // x of the file runs along the world's z, y backwards along x, and z along y.
  const std::string turned =
      "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 3 1\nspace: left-posterior-superior\n"
      "space directions: (0,0,5) (-2,0,0) (0,1,0)\nspace origin: (10,20,30)\n"
      "encoding: raw\n\n\1\2\3\4\5\6";
  expect_numbers("a.nrrd", turned, {1, 3, 5, 2, 4, 6});
  const StoredInfo info = open_stored_volume(path("a.nrrd"), {}).info;
  EXPECT_EQ(info.size, (Int3{3, 1, 2}));
  EXPECT_EQ(info.spacing, (Vec3d{-2, 1, 5}));
  EXPECT_EQ(info.origin, (Vec3d{11, 19.5, 27.5}));
  EXPECT_EQ(info.up, dag::UpAxis::Z);
  expect_numbers("b.mha",
                 "NDims = 3\nDimSize = 2 3 1\nElementType = MET_UCHAR\nTransformMatrix = 0 0 1 -1 0 0 0 1 0\n"
                 "ElementSpacing = 5 2 1\nOffset = 10 20 30\nElementDataFile = LOCAL\n\1\2\3\4\5\6",
                 {1, 3, 5, 2, 4, 6});
  EXPECT_EQ(open_stored_volume(path("b.mha"), {}).info.origin, info.origin);
}

TEST_F(HeaderVolume, PartsOfAFlippedVolumeAreThoseOfTheWhole) {
  std::string values(12, '\0');
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i);
  write("a.nrrd",
        "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 3 2 2\nspace dimension: 3\n"
        "space directions: (2,0,0) (0,-0.5,0) (0,0,-1)\nspace origin: (0,0,0)\nencoding: raw\n\n" +
            values);
  const StoredVolume volume = forwards(open_stored_volume(path("a.nrrd"), {}));
  EXPECT_EQ(volume.info.spacing, (Vec3d{2, 0.5, 1}));
  EXPECT_EQ(volume.info.origin, (Vec3d{-1, -0.75, -1.5}));
  const std::vector<double> whole = {9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2};
  EXPECT_EQ(numbers(volume), whole);
  for (uint64_t i = 0; i < whole.size(); ++i) {
    const Int3 at = volume::voxel_at(volume.info.box(), i);
    std::byte value = {};
    volume.read({at, at + Int3{1, 1, 1}}, &value);
    EXPECT_EQ(static_cast<double>(value), whole[i]) << i;
  }
}

TEST_F(HeaderVolume, AxesThatAreTurnedABitAreTakenAsTheNearestWithAWarning) {
  const KeptLog log;
  write("a.nrrd",
        "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 3 1\nspace directions: (0.8,0.6,0) (-0.6,0.8,0) "
        "(0,0,1)\n"
        "space origin: (0,0,0)\nencoding: raw\n\n\1\2\3\4\5\6");
  const StoredInfo info = open_stored_volume(path("a.nrrd"), {}).info;
  EXPECT_NE(log.text().find("rotated by 36.9°"), std::string::npos) << log.text();
  EXPECT_NEAR(info.spacing.x, 1, 1e-12);
  EXPECT_NEAR(info.origin.x + 1, 0.4 - 0.6, 1e-12);  // the center is unchanged
  EXPECT_NEAR(info.origin.y + 1.5, 0.3 + 0.8, 1e-12);
}

TEST_F(HeaderVolume, DamagedHeadersAreErrorsOrVolumes) {
  const KeptLog log;
  write("s1", "\1\2"), write("s2", "\3\4"), write("s3", "\5\6"), write("s4", "\7\10");
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.nrrd", std::string(kTextNrrd) + "1 -2\n3 4"},
      {"b.nhdr", std::string(kLayers) +
                     "kinds: domain domain domain\nspace directions: (1,0,0) (0,0,2) (0,1,0)\n"
                     "space origin: (0,0,0)\ndata file: s%d 1 4 1\n"},
      {"c.mha",
       "NDims = 3\nDimSize = 2 2 1\nElementType = MET_UCHAR\nTransformMatrix = 0 0 1 -1 0 0 0 1 0\n"
       "ElementDataFile = LOCAL\nabcd"},
      {"d.mhd", std::string(kMetaLayers) + "ElementDataFile = LIST\ns1\ns2\ns3\ns4\n"}};
  Random random(19);
  for (const auto& [name, content] : files) {
    for (size_t length = 0; length < content.size(); length += 7)
      read_whatever(write(name, content.substr(0, length)));
    for (int i = 0; i < 30; ++i) read_whatever(write(name, damaged(content, random)));
  }
}

using namespace testing_export;

struct NrrdFile {
  std::map<std::string, std::string> fields;
  Int3 size = {};
  std::string data;

  int value(Int3 v) const {
    size_t at = (size_t(v.z) * size_t(size.y) + size_t(v.y)) * size_t(size.x) + size_t(v.x);
    return static_cast<uint8_t>(data[at]);
  }
};

NrrdFile read_nrrd(const std::filesystem::path& path) {
  std::istringstream file(read_bytes(path));
  NrrdFile nrrd;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "NRRD0005");
  while (std::getline(file, line) && !line.empty()) {
    if (line[0] == '#') continue;
    size_t colon = line.find(": ");
    nrrd.fields[line.substr(0, colon)] = line.substr(colon + 2);
  }
  std::istringstream(nrrd.fields["sizes"]) >> nrrd.size.x >> nrrd.size.y >> nrrd.size.z;
  nrrd.data.assign(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(nrrd.data.size(), VoxelBox({0, 0, 0}, nrrd.size).voxels());
  return nrrd;
}

void expect_region(const NrrdFile& nrrd, const KnownScene& known, const VoxelBox& region) {
  ASSERT_EQ(nrrd.size, region.size());
  for (int32_t z = 0; z < nrrd.size.z; ++z)
    for (int32_t y = 0; y < nrrd.size.y; ++y)
      for (int32_t x = 0; x < nrrd.size.x; ++x)
        ASSERT_EQ(nrrd.value({x, y, z}), known.value(region.min + Int3{x, y, z}))
            << x << ' ' << y << ' ' << z;
}

class Nrrd : public ExportTest {};

TEST_F(Nrrd, HoldsEveryVoxelOfTheScene) {
  for (uint32_t resolution : {4u, 37u, 64u})
    for (Materials materials : {Materials::None, Materials::Sixteen})
      for (const DenseGrid& grid : {noise_grid(resolution), DenseGrid(empty_grid), DenseGrid(full_grid)}) {
        KnownScene known = known_scene(resolution, materials, grid);
        write_dense_grid(known.scene, path("a.nrrd"), std::nullopt);
        expect_region(read_nrrd(path("a.nrrd")), known, cube_at({0, 0, 0}, resolution));
      }
}

TEST_F(Nrrd, AnArrayOfNumpyHoldsTheSameBytes) {
  const KnownScene known = known_scene(37, Materials::Sixteen, noise_grid(2));
  for (const std::optional<VoxelBox>& clip :
       {std::optional<VoxelBox>(), std::optional(VoxelBox{{3, 5, 7}, {30, 21, 9}})}) {
    write_dense_grid(known.scene, path("a.nrrd"), clip);
    write_dense_grid(known.scene, path("a.npy"), clip);
    const std::string nrrd = read_bytes(path("a.nrrd")), array = read_bytes(path("a.npy"));
    const NpyHeader header = read_npy_header(array);
    EXPECT_EQ(header.bytes % 64, 0u);
    EXPECT_TRUE(header.first_axis_fastest);
    const Int3 size = clip.value_or(cube_at({0, 0, 0}, 37)).size();
    EXPECT_EQ(header.shape, (std::vector<int64_t>{size.x, size.y, size.z}));
    EXPECT_TRUE(array.substr(header.bytes) == nrrd.substr(nrrd.find("\n\n") + 2));
  }
}

TEST_F(Nrrd, HoldsTheVoxelsInsideAClipBox) {
  KnownScene known = known_scene(50, Materials::Sixteen, noise_grid(1));
  for (VoxelBox clip : {VoxelBox{{3, 5, 7}, {42, 21, 30}}, VoxelBox{{9, 13, 2}, {10, 14, 50}},
                        VoxelBox{{49, 49, 49}, {50, 50, 50}}}) {
    write_dense_grid(known.scene, path("a.nrrd"), clip);
    expect_region(read_nrrd(path("a.nrrd")), known, clip);
  }
}

TEST_F(Nrrd, CutsAClipBoxToTheScene) {
  KnownScene known = known_scene(37, Materials::Sixteen, noise_grid(2));
  write_dense_grid(known.scene, path("a.nrrd"), VoxelBox{{-5, 30, 20}, {100, 1 << 30, 22}});
  expect_region(read_nrrd(path("a.nrrd")), known, {{0, 30, 20}, {37, 37, 22}});
  EXPECT_THROW(write_dense_grid(known.scene, path("b.nrrd"), VoxelBox{{37, 0, 0}, {40, 9, 9}}), Error);
}

TEST_F(Nrrd, SaysWhereTheSamplesLie) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(3));
  known.scene.origin = {-1, 2, 0.25};
  known.scene.voxel_size = 0.5;
  write_dense_grid(known.scene, path("a.nrrd"), VoxelBox{{2, 0, 4}, {5, 1, 8}});
  std::map<std::string, std::string> fields = read_nrrd(path("a.nrrd")).fields;
  EXPECT_EQ(fields["type"], "uint8");
  EXPECT_EQ(fields["dimension"], "3");
  EXPECT_EQ(fields["encoding"], "raw");
  EXPECT_EQ(fields["space origin"], "(0.25,2.25,2.5)");  // center of voxel (2, 0, 4)
  EXPECT_EQ(fields["space directions"], "(0.5,0,0) (0,0.5,0) (0,0,0.5)");
}

TEST_F(Nrrd, LayersLargerThanAPieceAreWrittenInRows) {
  // The volume is 2^20 voxels long: rows have 1 MiB, layers 21 MiB.
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(4)), 0b11, 14);
  VoxelBox clip = {{1, 6, 15}, {(1 << 20) - 2, 27, 17}};
  write_dense_grid(known.scene, path("a.nrrd"), clip);
  NrrdFile nrrd = read_nrrd(path("a.nrrd"));
  ASSERT_EQ(nrrd.size, clip.size());
  KnownScene tile = known_scene(64, Materials::Sixteen, noise_grid(4));
  for (int32_t z = 0; z < nrrd.size.z; ++z)
    for (int32_t y = 0; y < nrrd.size.y; ++y)
      for (int32_t x = z % 7; x < nrrd.size.x; x += kThoroughness == 10 ? 101 : 10001)
        ASSERT_EQ(nrrd.value({x, y, z}), tile.value({(x + 1) % 64, y + 6, z + 15}));
}

TEST_F(Nrrd, ALargeSceneNeedsAClipBox) {
  KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(5)), 0x81, 8);
  try {
    write_dense_grid(known.scene, path("a.nrrd"), std::nullopt);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a clip box"), std::string::npos);
  }
  EXPECT_TRUE(folder_is_empty());
  VoxelBox clip = {{8101, 8100, 8130}, {8240, 8220, 8250}};
  write_dense_grid(known.scene, path("a.nrrd"), clip);
  expect_region(read_nrrd(path("a.nrrd")), known, clip);
}

TEST_F(Nrrd, ADiskThatIsTooSmallIsRefusedBeforeWriting) {
  KnownScene known = repeated(known_scene(64, Materials::None, noise_grid(6)), 1, 14);
  EXPECT_THROW(write_dense_grid(known.scene, path("a.nrrd"), cube_at({0, 0, 0}, 1 << 20)), Error);
  EXPECT_TRUE(folder_is_empty());
}

}  // namespace
}  // namespace vox
