// Tests spatial hashes in scene files: reading gives back what was written, and damaged hashes are refused.
#include <hdf5.h>

#include <algorithm>
#include <functional>

#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/common/test_engine.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using testing_export::ExportTest;
using testing_export::Materials;

using Change = std::function<void(hid_t)>;

dag::VoxelScene noise_scene(Materials materials) {
  dag::VoxelScene scene = testing_export::known_scene(37, materials, testing_export::noise_grid(1)).scene;
  scene.source = "noise.obj";
  scene.voxel_size = 0.5;
  return scene;
}

spatial::FrozenHash hash_of(const dag::VoxelScene& scene, spatial::CellKeyLayout layout) {
  return spatial::build_hash(test_engine()->handle(), scene.dag, {.load_factor = 0.9, .layout = layout}).hash;
}

void expect_equal(const spatial::FrozenHash& a, const spatial::FrozenHash& b) {
  EXPECT_EQ(a.keys.layout, b.keys.layout);
  EXPECT_EQ(a.resolution(), b.resolution());
  EXPECT_EQ(a.materials, b.materials);
  EXPECT_EQ(a.load_factor, b.load_factor);
  EXPECT_EQ(a.voxels, b.voxels);
  EXPECT_EQ(a.lines, b.lines);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.probes, b.probes);
  EXPECT_EQ(a.apart, b.apart);
  EXPECT_TRUE(a.cells == b.cells);
}

// Returns a change of a file that sets an attribute of /hash.
template <class T>
Change attribute(const char* name, hid_t type, T value) {
  return [=](hid_t file) {
    H5Adelete_by_name(file, "/hash", name, H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(file, "/hash", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, &value);
    H5Aclose(attribute);
    H5Sclose(space);
  };
}
Change u32(const char* name, uint32_t value) {
  return attribute(name, H5T_NATIVE_UINT32, value);
}
Change u64(const char* name, uint64_t value) {
  return attribute(name, H5T_NATIVE_UINT64, value);
}
Change text(const char* name, const char* value) {
  return [=](hid_t file) {
    H5Adelete_by_name(file, "/hash", name, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, std::char_traits<char>::length(value));
    const hid_t attribute =
        H5Acreate_by_name(file, "/hash", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  };
}
Change missing(const char* attribute) {
  return [=](hid_t file) { H5Adelete_by_name(file, "/hash", attribute, H5P_DEFAULT); };
}
// Returns a change of a file that replaces a dataset by this number of zeros.
Change zeros(const char* name, hid_t type, hsize_t count) {
  return [=](hid_t file) {
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<uint64_t> values(count, 0);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Sclose(space);
  };
}

class HashFile : public ExportTest {
 protected:
  std::string problem() const {
    try {
      spatial::verify(read_hash(path("a.h5")));
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }
  // Writes a file and then changes something in it through the HDF5 library.
  void write_changed(const spatial::FrozenHash& hash, const Change& change) const {
    write_scene(scene_, path("a.h5"), {.hash = &hash});
    const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
  }
  std::string problem_after(const Change& change) const {
    write_changed(hash_of(scene_, spatial::CellKeyLayout::Morton), change);
    return problem();
  }

  dag::VoxelScene scene_ = noise_scene(Materials::Sixteen);
};

TEST_F(HashFile, GivesBackWhatWasWrittenInEqualBytes) {
  for (const Materials materials : {Materials::Sixteen, Materials::None})
    for (const auto layout : {spatial::CellKeyLayout::Morton, spatial::CellKeyLayout::Linear}) {
      const dag::VoxelScene scene = noise_scene(materials);
      const spatial::FrozenHash hash = hash_of(scene, layout);
      write_scene(scene, path("a.h5"), {.hash = &hash});
      expect_equal(read_hash(path("a.h5")), hash);
      EXPECT_EQ(read_scene(path("a.h5")).dag.digest, scene.dag.digest);
      const std::string bytes = read_bytes(path("a.h5"));
      write_scene(scene, path("a.h5"), {.hash = &hash});
      EXPECT_TRUE(read_bytes(path("a.h5")) == bytes);
    }
}

TEST_F(HashFile, IsASceneWithoutAnSvdagToo) {
  for (const Materials materials : {Materials::Sixteen, Materials::None}) {
    const dag::VoxelScene scene = noise_scene(materials);
    const spatial::FrozenHash hash = hash_of(scene, spatial::CellKeyLayout::Linear);
    write_scene_without_dag(scene, path("a.h5"), {.hash = &hash});
    const SceneFileParts parts = scene_file_parts(path("a.h5"));
    EXPECT_TRUE(parts.hash && !parts.dag && !parts.bricks);
    const dag::VoxelScene again =
        read_any_scene(path("a.h5"), {.device = test_device()}, SceneForm::Any, Damage::Ignored);
    EXPECT_EQ(again.dag.digest, scene.dag.digest);
    EXPECT_NO_THROW(dag::verify(again.dag));
    EXPECT_EQ(again.palette.colors, scene.palette.colors);
    EXPECT_EQ(again.source, "noise.obj");
    EXPECT_EQ(again.voxel_size, 0.5);
    try {
      read_scene(path("a.h5"));
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("holds a spatial hash without an SVDAG"), std::string::npos);
    }
  }
}

TEST_F(HashFile, OfOtherVoxelsThanItsDigestSaysIsRefused) {
  const spatial::FrozenHash hash = hash_of(noise_scene(Materials::None), spatial::CellKeyLayout::Morton);
  write_scene_without_dag(scene_, path("a.h5"), {.hash = &hash});
  EXPECT_THROW(read_any_scene(path("a.h5"), {.device = test_device()}, SceneForm::Any, Damage::Ignored),
               Error);
}

TEST_F(HashFile, WithoutAHashSaysSo) {
  write_scene(scene_, path("a.h5"));
  EXPECT_NE(problem().find("holds no spatial hash"), std::string::npos) << problem();
}

TEST_F(HashFile, RefusesAttributesThatCannotBe) {
  ASSERT_EQ(problem_after([](hid_t) {}), "none");
  for (const auto& [change, expected] : std::vector<std::pair<Change, std::string>>{
           {u32("version", 3), "version is 3, expected 2"},
           {text("table", "other"), "has the table 'other'"},
           {text("layout", "spiral"), "layout 'spiral'"},
           {u32("resolution", 0), "the resolution is 0"},
           {u32("resolution", UINT32_MAX), "the resolution is 4294967295"},
           {u32("resolution", 4), "which is not a voxel of 4³"},
           {u32("material_bits", 8), "8 bits for each material"},
           {u32("material_bits", 0), "but the scene has no materials"},
           {u32("key_bits", 64), "key_bits is 64, expected 60"},
           {u32("value_bits", 0), "value_bits is 0, expected 4"},
           {u32("line_cells", 8), "line_cells is 8, expected 16"},
           {u32("bucket_cells", 4), "bucket_cells is 4, expected 8"},
           {u64("voxels", 5), "the number of voxels is 5"},
           {u64("lines", 0), "in 0 lines"},
           {u64("lines", 1), "in 1 lines"},
           {u64("lines", uint64_t{1} << 60), "lines, expected 16 for each line"},
           {u64("seed", 0), "a search for voxel"},
           {u32("probes", 65), "the number of probes is 65"},
           {u32("probes", 0), "does not find it"},
           {u32("apart", 1), "has key"},
           {u32("apart", 2), "apart is 2"},
           {attribute("load_factor", H5T_NATIVE_DOUBLE, 0.0), "the load factor is 0"},
           {attribute("load_factor", H5T_NATIVE_DOUBLE, 2.0), "the load factor is 2"},
           {zeros("/hash/cells", H5T_STD_U64LE, 5), "5 cells in"},
           {zeros("/hash/cells", H5T_STD_U32LE, 5), "64-bit unsigned words"}})
    EXPECT_NE(problem_after(change).find(expected), std::string::npos) << expected << ": " << problem();
  for (const char* name :
       {"version", "table", "layout", "resolution", "material_bits", "key_bits", "value_bits", "line_cells",
        "bucket_cells", "voxels", "lines", "seed", "probes", "apart", "load_factor"})
    EXPECT_NE(problem_after(missing(name)), "none") << name;
}

// In such a file the cells are in the order of their precedence, which does not tell a search anything.
TEST_F(HashFile, OfVersion1IsReadAsItWouldBeWrittenToday) {
  const spatial::FrozenHash hash = hash_of(scene_, spatial::CellKeyLayout::Morton);
  spatial::FrozenHash untold = hash;
  const hash::LinesRef<uint64_t> lines = spatial::ref(untold).table.ref;
  for (uint32_t at = 0; at < 2 * hash.lines; ++at) {
    auto& cells = lines.bucket(at).cell;
    if (std::ranges::count(cells, hash::kEmptyCell<uint64_t>) > 0) continue;
    std::ranges::sort(cells,
                      [&](uint64_t a, uint64_t b) { return lines.rank(a, at).before(lines.rank(b, at)); });
  }
  ASSERT_FALSE(untold.cells == hash.cells);
  write_changed(untold, u32("version", 1));
  expect_equal(read_hash(path("a.h5")), hash);
  EXPECT_EQ(problem(), "none");
}

TEST_F(HashFile, ThatIsCutOffIsAnError) {
  const spatial::FrozenHash hash = hash_of(scene_, spatial::CellKeyLayout::Morton);
  write_scene(scene_, path("a.h5"), {.hash = &hash});
  const std::string bytes = read_bytes(path("a.h5"));
  for (size_t size = 0; size < bytes.size(); size += bytes.size() / 40 + 1) {
    std::ofstream(path("a.h5"), std::ios::binary) << bytes.substr(0, size);
    EXPECT_NE(problem(), "none") << size;
  }
}

// Every flipped bit must be found, unless it lies outside the hash's data.
TEST_F(HashFile, WithAFlippedBitIsAnErrorOrAsBefore) {
  const spatial::FrozenHash hash = hash_of(scene_, spatial::CellKeyLayout::Morton);
  write_scene_without_dag(scene_, path("a.h5"), {.hash = &hash});
  const std::string bytes = read_bytes(path("a.h5"));
  for (size_t at = 0; at < bytes.size(); at += 61) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    std::ofstream(path("a.h5"), std::ios::binary) << damaged;
    if (problem() == "none") expect_equal(read_hash(path("a.h5")), hash);
  }
}

}  // namespace
}  // namespace vox
