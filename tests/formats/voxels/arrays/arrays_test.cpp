// Arrays for programs that compute: raw values, and VTKHDF files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "formats/voxels/export.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/oklab.h"
#include "tests/common/random.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

std::string dense_text(const dag::FrozenDag& dag, const VoxelBox& box) {
  std::string bytes(box.voxels(), '\0');
  dag::write_dense(dag, box, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

class VtkHdf : public ExportTest {
 protected:
  static bool has_python(const std::string& module) {
    return std::system(("/usr/bin/python3 -c 'import " + module + "' > /dev/null 2>&1").c_str()) == 0;
  }
  // Runs a Python program in the folder and returns its output.
  std::string python(const std::string& text) const {
    std::ofstream(path("read.py")) << text;
    const std::string folder = path("").string();
    EXPECT_EQ(std::system(("cd '" + folder + "' && /usr/bin/python3 read.py > out.txt 2> err.txt").c_str()),
              0)
        << read_bytes(path("err.txt"));
    return read_bytes(path("out.txt")) + read_bytes(path("err.txt"));
  }

  static KnownScene placed(KnownScene known) {
    known.scene.origin = {-3.5, 7, 0.25};
    known.scene.voxel_size = 0.5;
    return known;
  }
};

TEST_F(VtkHdf, VtkReadsAnImageWithItsPlaceInTheWorld) {
  if (!has_python("vtkmodules.vtkIOHDF")) GTEST_SKIP() << "no python3-vtk9";
  const KnownScene known = placed(known_scene(70, Materials::Sixteen, noise_grid(3)));
  write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Image);
  EXPECT_EQ(python(R"(
from vtkmodules.vtkIOHDF import vtkHDFReader
reader = vtkHDFReader()
reader.SetFileName('a.vtkhdf')
assert reader.CanReadFile('a.vtkhdf')
reader.Update()
image = reader.GetOutput()
print(image.GetClassName(), image.GetDimensions(), image.GetOrigin(), image.GetSpacing())
values = image.GetPointData().GetArray('material')
open('values', 'wb').write(bytes(memoryview(values)))
)"),
            "vtkImageData (70, 70, 70) (-3.25, 7.25, 0.5) (0.5, 0.5, 0.5)\n");
  EXPECT_EQ(read_bytes(path("values")), dense_text(known.scene.dag, cube_at({0, 0, 0}, 70)));
}

TEST_F(VtkHdf, AnImageOfAClipBoxHoldsItsVoxelsAndTheNamesOfMaterials) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  const KnownScene known = placed(known_scene(80, Materials::Sixteen, noise_grid(3)));
  const VoxelBox clip = {{10, 3, 61}, {80, 70, 75}};
  write_vtkhdf(known.scene, path("a.vtkhdf"), clip, VtkKind::Image);
  EXPECT_EQ(python(R"(
import h5py
f = h5py.File('a.vtkhdf')
v = f['VTKHDF']
print(v.attrs['Version'].tolist(), v.attrs['Type'].decode(), v.attrs['WholeExtent'].tolist(), v.attrs['Origin'].tolist())
print(v.attrs['Direction'].tolist())
d = v['PointData/material']
print(d.shape, d.chunks, d.dtype)
print([n.decode() for n in f['materials/names'][:3]], f['materials/colors'][2].tolist(), len(f['materials/names']))
open('values', 'wb').write(d[:].tobytes())
)"),
            "[1, 0] ImageData [0, 69, 0, 66, 0, 13] [1.75, 8.75, 31.0]\n"
            "[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]\n"
            "(14, 67, 70) (14, 64, 64) uint8\n"
            "['empty', 'color 0', 'color 1'] [10, 11, 190] 17\n");
  EXPECT_EQ(read_bytes(path("values")), dense_text(known.scene.dag, clip));
}

TEST_F(VtkHdf, EmptySpaceTakesNoRoom) {
  // The filled part is a corner of 64³ in a cube of 2048³.
  KnownScene known = known_scene(64, Materials::None, noise_grid(3));
  known = repeated(known, 1, 5);
  write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Image);
  EXPECT_LT(std::filesystem::file_size(path("a.vtkhdf")), 1'000'000u);
}

// Combines the levels, finer ones over coarser ones.
constexpr const char* kReadAmr = R"(
import h5py, numpy
f = h5py.File('a.vtkhdf')
v = f['VTKHDF']
print(v.attrs['Type'].decode(), v.attrs['Origin'].tolist(), v.attrs['GridDescription'].decode())
levels = [v['Level%d' % i] for i in range(10) if 'Level%d' % i in v]
finest = levels[-1].attrs['Spacing'][0]
dense = numpy.zeros((SIZE, SIZE, SIZE), 'u1')
before = None
for level in levels:
    step = round(level.attrs['Spacing'][0] / finest)
    boxes, cells = level['AMRBox'][:], level['CellData/material'][:]
    at, covered = 0, numpy.zeros_like(dense, bool)
    for i0, i1, j0, j1, k0, k1 in boxes:
        n = (i1 - i0 + 1) * (j1 - j0 + 1) * (k1 - k0 + 1)
        box = cells[at:at + n].reshape(k1 - k0 + 1, j1 - j0 + 1, i1 - i0 + 1)
        at += n
        box = box.repeat(step, 0).repeat(step, 1).repeat(step, 2)
        z, y, x = k0 * step, j0 * step, i0 * step
        place = numpy.s_[z:z + box.shape[0], y:y + box.shape[1], x:x + box.shape[2]]
        inside = dense[place].shape
        dense[place] = box[:inside[0], :inside[1], :inside[2]]
        covered[place] = True
    assert at == len(cells)
    if before is not None:
        assert (covered == (before != 0)).all(), 'boxes are where the coarser cells are filled'
    before = dense.copy()
    print(step, len(boxes))
open('values', 'wb').write(dense.tobytes())
)";

TEST_F(VtkHdf, BoxesOfAnAmrLieWhereSomethingIsFilledAndHoldTheVoxels) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  const KnownScene known = placed(repeated(known_scene(32, Materials::Sixteen, noise_grid(3)), 0x81, 2));
  write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Amr);
  std::string program = kReadAmr;
  for (size_t at; (at = program.find("SIZE")) != std::string::npos;) program.replace(at, 4, "128");
  EXPECT_EQ(python(program), "OverlappingAMR [-3.5, 7.0, 0.25] XYZ\n32 1\n1 4\n");
  EXPECT_EQ(read_bytes(path("values")), dense_text(known.scene.dag, cube_at({0, 0, 0}, 128)));
}

TEST_F(VtkHdf, ACoarseCellOfAnAmrHasTheMaterialOfMostVoxels) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  const KnownScene known = known_scene(64, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    if (x >= 32 || y >= 32 || z >= 32) return dag::kEmptyVoxel;
    return z < 2 ? 3 : z < 5 ? 9 : z < 7 ? 4 : dag::kEmptyVoxel;
  });
  write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Amr);
  EXPECT_EQ(
      python("import h5py\nprint(h5py.File('a.vtkhdf')['VTKHDF/Level0/CellData/material'][:].tolist())\n"),
      "[10, 0, 0, 0, 0, 0, 0, 0]\n");
}

TEST_F(VtkHdf, AnAmrOfAClipBoxHoldsNothingElse) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  const KnownScene known = placed(repeated(known_scene(32, Materials::Sixteen, noise_grid(4)), 0xa1, 1));
  const VoxelBox clip = {{40, 0, 33}, {41, 64, 60}};
  write_vtkhdf(known.scene, path("a.vtkhdf"), clip, VtkKind::Amr);
  std::string program = kReadAmr;
  for (size_t at; (at = program.find("SIZE")) != std::string::npos;) program.replace(at, 4, "64");
  EXPECT_EQ(python(program), "OverlappingAMR [-3.5, 7.0, 0.25] XYZ\n32 1\n1 2\n");
  const std::string found = read_bytes(path("values")),
                    whole = dense_text(known.scene.dag, cube_at({0, 0, 0}, 64));
  ASSERT_EQ(found.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    const Int3 at = {int32_t(i % 64), int32_t(i / 64 % 64), int32_t(i / 64 / 64)};
    const bool is_inside = !intersection(clip, cube_at(at, 1)).empty();
    ASSERT_EQ(found[i], is_inside ? whole[i] : '\0') << i;
  }
}

std::string color_text(const KnownScene& known, const VoxelBox& box) {
  std::string bytes;
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y)
      for (int32_t x = box.min.x; x < box.max.x; ++x) {
        const uint32_t packed = known.value({x, y, z}) != 0 ? known.color({x, y, z}) : 0;
        const scene::Rgb8 color = scene::unpacked_color(packed);
        for (const uint8_t channel : {color.r, color.g, color.b}) bytes.push_back(static_cast<char>(channel));
      }
  return bytes;
}

TEST_F(VtkHdf, AnImageHoldsTheColorsOfVoxels) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  const KnownScene known = placed(known_scene(80, Materials::Colors, noise_grid(3)));
  const VoxelBox clip = {{10, 3, 61}, {80, 70, 75}};
  write_vtkhdf(known.scene, path("a.vtkhdf"), clip, VtkKind::Image);
  EXPECT_EQ(python(R"(
import h5py
d = h5py.File('a.vtkhdf')['VTKHDF/PointData/color']
print(d.shape, d.chunks, d.dtype)
open('values', 'wb').write(d[:].tobytes())
)"),
            "(14, 67, 70, 3) (14, 64, 64, 3) uint8\n");
  EXPECT_EQ(read_bytes(path("values")), color_text(known, clip));
  if (!has_python("vtkmodules.vtkIOHDF")) GTEST_SKIP() << "no python3-vtk9";
  EXPECT_EQ(python(R"(
from vtkmodules.vtkIOHDF import vtkHDFReader
reader = vtkHDFReader()
reader.SetFileName('a.vtkhdf')
reader.Update()
values = reader.GetOutput().GetPointData().GetArray('color')
print(values.GetNumberOfComponents())
open('values', 'wb').write(bytes(memoryview(values)))
)"),
            "3\n");
  EXPECT_EQ(read_bytes(path("values")), color_text(known, clip));
}

// A coarse cell has the mean of the colors, in linear light.
TEST_F(VtkHdf, AnAmrHoldsTheColorsOfVoxels) {
  if (!has_python("h5py")) GTEST_SKIP() << "no h5py";
  KnownScene known = known_scene(64, Materials::Colors, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 32 && y < 32 && z < 32 ? 0 : dag::kEmptyVoxel;
  });
  const VoxelBox clip = {{0, 0, 0}, {64, 64, 30}};
  write_vtkhdf(known.scene, path("a.vtkhdf"), clip, VtkKind::Amr);
  python(R"(
import h5py
v = h5py.File('a.vtkhdf')['VTKHDF']
open('values', 'wb').write(v['Level1/CellData/color'][:].tobytes())
open('mean', 'wb').write(v['Level0/CellData/color'][:].tobytes())
)");
  const VoxelBox box = cube_at({0, 0, 0}, 32);
  std::string expected = color_text(known, box);
  Vec3d light = {0, 0, 0};
  const size_t cut = expected.size() / 32 * 30;
  for (size_t i = 0; i < cut; i += 3) {
    const auto code = [&](size_t at) { return static_cast<uint8_t>(expected[at]); };
    light = light + scene::srgb_to_linear(scene::Rgb8{code(i), code(i + 1), code(i + 2)});
  }
  std::fill(expected.begin() + static_cast<ptrdiff_t>(cut), expected.end(), '\0');
  EXPECT_EQ(read_bytes(path("values")), expected);
  const scene::Rgb8 mean = scene::linear_to_srgb(light * (3. / static_cast<double>(cut)));
  const std::string coarse = read_bytes(path("mean"));
  ASSERT_EQ(coarse.size(), 4 * 3u);  // without the upper cells, which the clip box cuts off
  EXPECT_EQ(coarse.substr(0, 3), (std::string{char(mean.r), char(mean.g), char(mean.b)}));
  EXPECT_EQ(coarse.substr(3), std::string(9, '\0'));
}

TEST_F(VtkHdf, GridsThatAreTooLargeAreRefused) {
  const KnownScene known = repeated(known_scene(64, Materials::None, full_grid), 0xff, 6);
  EXPECT_THROW(write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Image), Error);
  EXPECT_THROW(write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, VtkKind::Amr), Error);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(VtkHdf, EqualScenesGiveEqualBytes) {
  const KnownScene known = placed(known_scene(70, Materials::Sixteen, noise_grid(3)));
  for (const VtkKind kind : {VtkKind::Image, VtkKind::Amr}) {
    write_vtkhdf(known.scene, path("a.vtkhdf"), std::nullopt, kind);
    write_vtkhdf(known.scene, path("b.vtkhdf"), std::nullopt, kind);
    EXPECT_EQ(read_bytes(path("a.vtkhdf")), read_bytes(path("b.vtkhdf")));
  }
}

// Raw values in both orders and all sizes, and scenes in pieces, compared voxel by voxel.

class RawValues : public ExportTest {};

// Returns the value of a voxel, at a place in the region, from the bytes of a file.
int raw_value(const std::string& bytes, const Int3& size, const Int3& at, const RawLayout& layout) {
  const bool z_fastest = layout.fastest == RawLayout::Fastest::Z;
  const auto row = static_cast<size_t>(z_fastest ? size.z : size.x);
  const auto fast = static_cast<size_t>(z_fastest ? at.z : at.x),
             slow = static_cast<size_t>(z_fastest ? at.x : at.z);
  const size_t rows = slow * static_cast<size_t>(size.y) + static_cast<size_t>(at.y);
  const auto byte = [&](size_t i) { return static_cast<int>(static_cast<uint8_t>(bytes.at(i))); };
  if (layout.bits == 1) return byte(rows * ((row + 7) / 8) + fast / 8) >> fast % 8 & 1;
  const size_t value = rows * row + fast;
  return layout.bits == 8 ? byte(value) : byte(2 * value) | byte(2 * value + 1) << 8;
}

void expect_raw(const std::string& bytes, const KnownScene& known, const VoxelBox& region,
                const RawLayout& layout) {
  const Int3 size = region.size();
  Int3 at;
  for (at.z = 0; at.z < size.z; ++at.z)
    for (at.y = 0; at.y < size.y; ++at.y)
      for (at.x = 0; at.x < size.x; ++at.x) {
        const int value = known.value(region.min + at);
        ASSERT_EQ(raw_value(bytes, size, at, layout), layout.bits == 1 ? value != 0 : value)
            << at.x << ' ' << at.y << ' ' << at.z << ", " << layout.bits << " bits";
      }
}

TEST_F(RawValues, HoldEveryVoxelInEachOrderAndSize) {
  using enum RawLayout::Fastest;
  for (const Materials materials : {Materials::None, Materials::Sixteen}) {
    const KnownScene known = known_scene(45, materials, noise_grid(1));
    for (const RawLayout layout : {RawLayout{X, 8}, {Z, 8}, {X, 16}, {Z, 16}, {X, 1}, {Z, 1}})
      for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{3, 8, 11}, {44, 20, 30}}}}) {
        export_scene(known.scene, path("a.raw"), clip, {.raw = layout});
        const VoxelBox region = clip.value_or(cube_at({0, 0, 0}, 45));
        const std::string bytes = read_bytes(path("a.raw"));
        const auto row = static_cast<uint64_t>(layout.fastest == Z ? region.size().z : region.size().x);
        EXPECT_EQ(bytes.size(), region.voxels() / row * ((row * layout.bits + 7) / 8));
        expect_raw(bytes, known, region, layout);
      }
  }
}

// Rows of 1 M voxels: a piece of the file is a part of a layer.
TEST_F(RawValues, OfLongRowsAreWhole) {
  const KnownScene known = repeated(known_scene(64, Materials::Sixteen, noise_grid(4)), 0b11, 14);
  const VoxelBox region = {{5, 8, 3}, {(1 << 20) - 3, 28, 4}};
  const RawLayout layout = {RawLayout::Fastest::X, 1};
  export_scene(known.scene, path("a.raw"), region, {.raw = layout});
  const std::string bytes = read_bytes(path("a.raw"));
  Random random(6);
  for (int i = 0; i < 20'000; ++i) {
    const Int3 at = {static_cast<int32_t>(random.below(uint32_t(region.size().x))),
                     static_cast<int32_t>(random.below(20)), 0};
    ASSERT_EQ(raw_value(bytes, region.size(), at, layout), known.value(region.min + at) != 0)
        << at.x << ' ' << at.y;
  }
}

class InPieces : public ExportTest {
 protected:
  static ExportOptions options(uint32_t side) { return {.pieces = {.side = side}}; }
};

TEST_F(InPieces, EveryVoxelIsInOnePieceAndEmptyOnesAreLeftOut) {
  KnownScene known = known_scene(70, Materials::Sixteen, [](uint32_t x, uint32_t y, uint32_t z) {
    return x < 32 && y >= 32 && z < 60 ? noise_grid(2)(x, y, z) : dag::kEmptyVoxel;
  });
  known.scene.voxel_size = 0.5;
  for (const std::optional<VoxelBox>& clip : {std::optional<VoxelBox>(), {{{3, 8, 11}, {70, 60, 70}}}}) {
    const VoxelBox region = clip.value_or(cube_at({0, 0, 0}, 70));
    export_scene(known.scene, path("cells/part.raw"), clip, options(32));
    const std::string list = read_bytes(path("cells/pieces.json"));
    uint64_t found = 0, empty = 0;
    for (int32_t z = 0; region.min.z + 32 * z < region.max.z; ++z)
      for (int32_t y = 0; region.min.y + 32 * y < region.max.y; ++y)
        for (int32_t x = 0; region.min.x + 32 * x < region.max.x; ++x) {
          const VoxelBox box = intersection(cube_at(region.min + Int3{32 * x, 32 * y, 32 * z}, 32), region);
          const std::string file = fmt::format("part_{}_{}_{}.raw", x, y, z);
          const bool exists = std::filesystem::exists(path("cells/" + file));
          EXPECT_EQ(exists, known.count(box) > 0) << file;
          EXPECT_EQ(list.find('"' + file + '"') != std::string::npos, exists) << file;
          if (exists) expect_raw(read_bytes(path("cells/" + file)), known, box, {});
          exists ? ++found : ++empty;
        }
    EXPECT_GT(found, 2u);
    EXPECT_NE(list.find(fmt::format("\"empty_pieces\": {},", empty)), std::string::npos) << list;
    EXPECT_NE(list.find("\"name\": \"color 3\""), std::string::npos);
    EXPECT_EQ(written_bytes(path("cells/part.raw"), options(32)) > list.size(), true);
  }
}

TEST_F(InPieces, AreFilesOfAllTheseFormats) {
  const KnownScene known = known_scene(40, Materials::Sixteen, noise_grid(3));
  for (const char* ending : {".nrrd", ".npy", ".npz", ".schem", ".nvdb", ".vdb", ".vtkhdf"}) {
    const std::string file = std::string("cells/a") + ending;
    EXPECT_TRUE(is_format_of_pieces(file));
    export_scene(known.scene, path(file), std::nullopt, options(32));
    EXPECT_TRUE(std::filesystem::exists(path(std::string("cells/a_1_0_1") + ending))) << ending;
    EXPECT_FALSE(std::filesystem::exists(path(std::string("cells/a_2_0_0") + ending))) << ending;
  }
  for (const char* other : {"a.vox", "a.gprmax.h5", "a.h5", "a/%d.png"})
    EXPECT_FALSE(is_format_of_pieces(other));
}

TEST_F(InPieces, AppearTogetherAndReplaceOnlyWhatVoxWrote) {
  const KnownScene known = known_scene(40, Materials::None, noise_grid(3));
  export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(16));
  export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(32));
  EXPECT_FALSE(std::filesystem::exists(path("cells/a_2_2_2.raw")));
  write_bytes(path("cells/notes.txt"), "mine");
  EXPECT_THROW(export_scene(known.scene, path("cells/a.raw"), std::nullopt, options(16)), Error);
  EXPECT_THROW(check_pieces_writable(path("cells/a.raw"), Overwrite::OwnFiles), Error);
  EXPECT_TRUE(std::filesystem::exists(path("cells/a_1_1_1.raw")));
  EXPECT_THROW(check_pieces_writable("a.raw", Overwrite::OwnFiles), UsageError);
  {
    const FileSizeLimit limit(1000);
    EXPECT_THROW(export_scene(known.scene, path("more/a.raw"), std::nullopt, options(16)), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(path("more")));
}

}  // namespace
}  // namespace vox
