// Tests vox-convert's files for programs that compute, with NumPy and h5py, and the names of materials.

#include "tests/tools/program.h"

namespace vox {
namespace {

class ArraysProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    write("boxes.mtl", "newmtl red\nKd 1 0 0\nnewmtl blue paint\nKd 0 0 1\n");
    std::string mesh = "mtllib boxes.mtl\n";
    const char* const materials[] = {"red", "blue paint", "red"};
    for (int i = 0; i < 3; ++i) {
      mesh += "o box " + std::to_string(i) + "\nusemtl " + materials[i] + "\n";
      for (int corner = 0; corner < 8; ++corner)
        mesh += "v " + std::to_string(3 * i + (corner & 1)) + " " + std::to_string(corner >> 1 & 1) + " " +
                std::to_string(corner >> 2) + "\n";
      for (const char* face :
           {"-8 -6 -5 -7", "-4 -3 -1 -2", "-8 -7 -3 -4", "-6 -2 -1 -5", "-8 -4 -2 -6", "-7 -5 -1 -3"})
        mesh += std::string("f ") + face + "\n";
    }
    write("boxes.obj", mesh);
  }
  bool has_numpy() const { return std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") == 0; }
};

TEST_F(ArraysProgram, AnNpzFileHoldsTheVoxelsOfTheDenseArray) {
  if (!has_numpy()) GTEST_SKIP() << "no numpy";
  converted({"boxes.obj", "--res", "64", "--materials", "mesh", "-q"});
  converted({"boxes.h5", "-o", "a.npy", "-q"});
  converted({"boxes.h5", "-o", "a.npz", "-q"});
  converted({"boxes.h5", "-o", "part.npz", "--clip", "0,0,0,4,0.4,1", "-q"});
  converted({"boxes.obj", "--res", "64", "--materials", "colors", "-o", "colors.h5", "-q"});
  converted({"colors.h5", "-o", "colors.npz", "-q"});
  converted({"boxes.obj", "--res", "64", "--materials", "none", "-o", "none.npz", "-q"});
  EXPECT_EQ(python(R"(import numpy, zipfile
dense = numpy.load('a.npy')
for name in ('a', 'part', 'colors', 'none'):
    assert zipfile.ZipFile(name + '.npz').testzip() is None
    a = numpy.load(name + '.npz')
    c = a['coords']
    assert c.dtype == numpy.int32 and c.shape[1] == 3
    grid = numpy.zeros(dense.shape, numpy.uint8)
    assert len(numpy.unique(c, axis=0)) == len(c)
    assert a['resolution'] == 64 and a['origin'].shape == (3,)
    assert numpy.allclose(a['voxel_size'], (7 / 64,) * 3)
    if name in ('a', 'part'):
        assert a['materials'].dtype == numpy.uint8 and a['materials'].shape == (len(c),)
        grid[tuple(c.T)] = a['materials'] + 1
        assert [n.decode() for n in a['names']] == ['red', 'blue paint'], a['names']
        assert a['palette'].tolist() == [[255, 0, 0], [0, 0, 255]], a['palette']
        assert (grid == dense).all() if name == 'a' else (grid[grid > 0] == dense[grid > 0]).all() and 0 < len(c) < (dense > 0).sum()
    else:
        grid[tuple(c.T)] = 1
        assert ((grid > 0) == (dense > 0)).all()
    if name == 'colors':
        assert (a['colors'] == numpy.where((dense[tuple(c.T)] == 1)[:, None], (255, 0, 0), (0, 0, 255))).all()
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, GeometryOfGprMaxHasTheNumberOfEachCellsMaterial) {
  converted({"boxes.obj", "--res", "100", "--materials", "mesh", "-q", "--solid"});
  converted({"boxes.h5", "-o", "a.npy", "-q"});
  converted({"boxes.h5", "-o", "a.gprmax.h5", "-q"});
  converted({"boxes.h5", "-o", "a.npy", "-q", "--clip", "0,0,0,4,0.4,1", "--force"});
  converted({"boxes.h5", "-o", "part.gprmax.h5", "-q", "--clip", "0,0,0,4,0.4,1"});
  converted({"boxes.h5", "-o", "whole.npy", "-q"});
  EXPECT_EQ(read_bytes(folder_ / "a-materials.txt"), read_bytes(folder_ / "part-materials.txt"));
  EXPECT_TRUE(has(read_bytes(folder_ / "a-materials.txt"),
                  "\n#material: 1 0 1 0 red\n#material: 1 0 1 0 blue_paint\n"));
  EXPECT_EQ(python(R"(import numpy, h5py
for name, dense in (('a', 'whole'), ('part', 'a')):
    f, d = h5py.File(name + '.gprmax.h5', 'r'), numpy.load(dense + '.npy')
    data = f['data'][:]
    assert data.dtype == numpy.int16 and data.shape == d.shape, (data.shape, d.shape)
    assert (data == d.astype(numpy.int16) - 1).all()
    assert numpy.allclose(f.attrs['dx_dy_dz'], (0.07, 0.07, 0.07)), f.attrs['dx_dy_dz']
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, VoxelsThatAreNoCubesKeepTheirSidesInAllArrays) {
  if (!has_numpy()) GTEST_SKIP() << "no numpy";
  write("box.obj",
        "v 1 2 3\nv 9 2 3\nv 9 6 3\nv 1 6 3\nv 1 2 5\nv 9 2 5\nv 9 6 5\nv 1 6 5\n"
        "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  converted({"box.obj", "--voxel-size", "0.1,0.2,0.05", "--solid", "-o", "box.h5", "-q"});
  for (const char* file : {"whole.npy", "a.npz", "a.gprmax.h5"}) converted({"box.h5", "-o", file, "-q"});
  for (const char* type : {"npz", "npy"})
    converted({"box.h5", "-o", std::string(type) + "/part." + type, "--pieces", "32", "-q"});
  EXPECT_EQ(python(R"(import h5py, json, numpy
sides = numpy.array([0.1, 0.2, 0.05])
a = numpy.load('a.npz')
assert numpy.allclose(a['voxel_size'], sides) and numpy.allclose(a['origin'], (1, 2, 3))
whole = numpy.load('whole.npy') > 0
size = whole.any((1, 2)).sum(), whole.any((0, 2)).sum(), whole.any((0, 1)).sum()
assert numpy.prod(size) == whole.sum() and abs(numpy.array(size) * sides - (8, 4, 2)).max() < 0.201, size
grid = numpy.zeros_like(whole)
grid[tuple(a['coords'].T)] = True
assert (grid == whole).all(), grid.sum()
f = h5py.File('a.gprmax.h5', 'r')
assert numpy.allclose(f.attrs['dx_dy_dz'], sides) and numpy.allclose(f.attrs['origin'], (1, 2, 3))
assert ((f['data'][:] >= 0) == whole).all()
for kind in ('npz', 'npy'):
    pieces = json.load(open(kind + '/pieces.json'))
    assert numpy.allclose(pieces['voxel_size'], sides), pieces['voxel_size']
    grid[:] = False
    for piece in pieces['pieces']:
        low, part = numpy.array(piece['first_voxel']), numpy.load(kind + '/' + piece['file'])
        assert numpy.allclose(piece['origin'], (1, 2, 3) + low * sides), piece
        if kind == 'npy':
            x, y, z = low
            grid[x:x + part.shape[0], y:y + part.shape[1], z:z + part.shape[2]] |= part > 0
        else:
            assert numpy.allclose(part['voxel_size'], sides)
            places = part['origin'] + part['voxel_size'] * (part['coords'] + 0.5)
            grid[tuple(((places - (1, 2, 3)) / sides).astype(int).T)] = True
    assert (grid == whole).all(), kind
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, ObjectsKeepTheirNamesAndRulesGiveThemNumbers) {
  converted({"boxes.obj", "--res", "64", "--materials", "object", "-o", "objects.h5", "--verify", "-q"});
  const std::string info = converted({"objects.h5", "--info"});
  for (const char* name : {"box 0", "box 1", "box 2"}) EXPECT_TRUE(has(info, name)) << info;
  write("rules.csv", "*,4,wood\nbox 1,2,glass\nlid,7\n");
  const Finished run = convert({"boxes.obj", "--res", "64", "--materials", "object", "--assign", "rules.csv",
                                "-o", "assigned.h5", "--materials-out", "list.json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "these match none of the objects: lid")) << run.err;
  const std::string list = read_bytes(folder_ / "list.json");
  converted({"assigned.h5", "-o", "a.npy", "--materials-out", "again.json", "-q"});
  EXPECT_EQ(read_bytes(folder_ / "again.json"), list);
  EXPECT_TRUE(has(converted({"assigned.h5", "--info"}), "box 0, box 2"));
  converted({"assigned.h5", "-o", "copy.h5", "-q"});
  EXPECT_TRUE(has(converted({"copy.h5", "--info"}), "box 0, box 2"));
  if (!has_numpy()) return;
  EXPECT_EQ(python(R"(import numpy, json
dense, facts = numpy.load('a.npy'), json.load(open('list.json'))
print(numpy.unique(dense).tolist(), numpy.unique(dense[:12]).tolist())
for m in facts['materials']:
    if m['stands_for']: print(m['number'], m['name'], m['color'], m['stands_for']))"),
            "[0, 3, 5] [0, 5]\n2 glass #0000ff ['box 1']\n4 wood #ff0000 ['box 0', 'box 2']\n");
}

TEST_F(ArraysProgram, NamesWithoutANumberOfTheirOwnAreTold) {
  std::string mesh;
  for (int i = 0; i < 20; ++i)
    mesh += "o part" + std::to_string(i) + "\nv " + std::to_string(i) + " 0 0\nv " + std::to_string(i) +
            " 1 0\nv " + std::to_string(i) + " 0 " + std::to_string(1 + i % 3) + "\nf -3 -2 -1\n";
  write("many.obj", mesh);
  const std::string err = convert({"many.obj", "--res", "32", "--materials", "object"}).err;
  EXPECT_TRUE(
      has(err,
          "the mesh has 20 objects: the 15 with the largest areas have a number each, and 5 share the "
          "number 15"))
      << err;
  EXPECT_TRUE(has(err, "--assign"));
  write("rules.csv", "part1?,1,tens\n");
  const std::string assigned =
      convert({"many.obj", "--res", "32", "--materials", "object", "--assign", "rules.csv", "--force"}).err;
  EXPECT_TRUE(has(assigned, "10 of the 20 objects match no line of rules.csv and share the number 0"))
      << assigned;
}

TEST_F(ArraysProgram, OptionsOfNamesAndArraysAreRefusedWhereTheyHaveNoEffect) {
  write("rules.csv", "a,1\n");
  expect_failure(kBadUsage, "--assign gives numbers to names",
                 {"boxes.obj", "--res", "16", "--assign", "rules.csv"});
  expect_failure(kBadUsage, "--materials-out",
                 {"boxes.obj", "--res", "16", "--materials", "none", "--materials-out", "a.json"});
  expect_failure(kBadUsage, "ends in .json", {"boxes.obj", "--res", "16", "--materials-out", "a.txt"});
  expect_failure(kBadUsage, "--order", {"boxes.obj", "--res", "16", "-o", "a.nrrd", "--order", "zyx"});
  expect_failure(kBadUsage, "--pieces", {"boxes.obj", "--res", "16", "-o", "a.vox", "--pieces", "64"});
  expect_failure(kBadUsage, "names no folder of its own",
                 {"boxes.obj", "--res", "16", "-o", "a.raw", "--pieces", "64"});
  write("bad.csv", "a,1\nb,77\n");
  expect_failure(kFailed, "bad.csv:2:3: the number is '77'",
                 {"boxes.obj", "--res", "16", "--materials", "mesh", "--assign", "bad.csv"});
  converted({"boxes.obj", "--res", "3000", "-o", "cells/a.raw", "--pieces", "1024", "--bits", "1", "-q",
             "--materials", "none"});
  EXPECT_TRUE(exists("cells/a_2_0_0.raw"));
  EXPECT_FALSE(exists("cells/a_0_2_0.raw"));
}

}  // namespace
}  // namespace vox
