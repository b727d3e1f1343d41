// Names of a mesh's materials and objects: numbers, lists and files.
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/program.h"

namespace vox {
namespace {

class NamesProgram : public ProgramTest {
 protected:
  // Writes 300 squares of side 2 that lie apart, each an object. Every third one has a material of the same color.
  void write_squares() const {
    std::string materials, mesh = "mtllib squares.mtl\n";
    for (int k = 0; k < 40; ++k)
      materials += "newmtl m" + std::to_string(k) + "\nKd " +
                   (k % 3 == 0 ? "0.5" : std::to_string(k / 40.0)) + " 0.5 0.5\n";
    for (int i = 0; i < 300; ++i) {
      const std::string z = std::to_string(i / 20 * 3), beyond = std::to_string(i / 20 * 3 + 2);
      const std::string x = std::to_string(i % 20 * 3), right = std::to_string(i % 20 * 3 + 2);
      mesh += "o part " + std::to_string(i) + "\nusemtl m" + std::to_string(i % 40);
      mesh += "\nv " + x + " 0 " + z + "\nv " + x + " 0 " + beyond + "\nv " + right + " 0 " + beyond;
      mesh += "\nv " + right + " 0 " + z + "\nf -4 -3 -2 -1\n";
    }
    write("squares.mtl", materials);
    write("squares.obj", mesh);
  }
};

TEST_F(NamesProgram, ObjectsKeepTheirNamesAndRulesGiveThemNumbers) {
  write_boxes();
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

TEST_F(NamesProgram, NamesWithoutANumberOfTheirOwnAreTold) {
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
  EXPECT_TRUE(has(err, "--palette-size"));
  write("rules.csv", "part1?,1,tens\n");
  const std::string assigned =
      convert({"many.obj", "--res", "32", "--materials", "object", "--assign", "rules.csv", "--force"}).err;
  EXPECT_TRUE(has(assigned, "10 of the 20 objects match no line of rules.csv and share the number 0"))
      << assigned;
}

TEST_F(NamesProgram, ManyOfThemAreKeptByColors) {
  if (!has_numpy()) GTEST_SKIP() << "no numpy";
  write_squares();
  const std::vector<std::string> named = {"squares.obj", "--res",          "240", "--materials",
                                          "object",      "--palette-size", "300"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), named.begin(), named.end());
    return more;
  };
  const Finished run = convert(with({"-o", "fine.h5", "--materials-out", "list.json", "--verify"}));
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(has(run.err, "warning")) << run.err;
  converted({"squares.obj", "--res", "240", "--materials", "none", "-o", "none.h5", "-q"});
  EXPECT_EQ(digest("fine.h5"), digest("none.h5"));
  converted(with({"-o", "spilled.h5", "--spill", "host", "-q"}));
  converted({"fine.h5", "--res", "120", "-o", "coarse.h5", "-q"});
  converted({"fine.h5", "--clip", "0,-1,0,29.5,1,29.5", "-o", "part.h5", "-q"});
  write("script.txt", "box remove min 0,0,0 max 22,240,22\n");
  EXPECT_EQ(run_program("vox-edit", {"fine.h5", "--script", "script.txt", "-o", "edited.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  for (const std::string name : {"fine", "spilled", "coarse", "part", "edited"}) {
    converted({name + ".h5", "-o", name + ".npz", "--materials-out", name + ".json", "-q"});
    EXPECT_TRUE(read_bytes(folder_ / (name + ".json")) == read_bytes(folder_ / "list.json")) << name;
  }
  EXPECT_TRUE(read_bytes(folder_ / "spilled.npz") == read_bytes(folder_ / "fine.npz"));
  for (const std::string file : {"fine.gprmax.h5", "fine.npy", "fine.nrrd"})
    converted({"fine.h5", "-o", file, "-q"});
  converted({"fine.h5", "-o", "cells/a.npy", "--pieces", "100", "-q"});
  converted({"fine.h5", "-o", "fine.raw", "--bits", "16", "--order", "zyx", "-q"});
  converted({"fine.h5", "-o", "bit.raw", "--bits", "1", "-q"});
  expect_failure(kFailed, "300 materials, and values of 8 bits hold 255", {"fine.h5", "-o", "a.raw"});
  const std::string info = converted({"fine.h5", "--info"});
  EXPECT_TRUE(has(info, "part 31") && !has(info, "part 32") && has(info, "and 268 more")) << info;
  EXPECT_TRUE(has(converted({"fine.h5", "--info", "--json"}), "\"part 299\""));
  EXPECT_EQ(python(R"(import collections, h5py, json, numpy
facts = json.load(open('list.json'))['materials']
assert [m['number'] for m in facts] == list(range(300))
assert [m['name'] for m in facts] == ['part %d' % i for i in range(300)] and facts[7]['stands_for'] == ['part 7']
assert len({m['color'] for m in facts}) == 300
fine = {}
for name in 'fine', 'part', 'edited', 'coarse':
    a = numpy.load(name + '.npz')
    names = [n.decode() for n in a['names']]
    assert a['materials'].dtype == numpy.uint16 and (a['palette'][a['materials']] == a['colors']).all()
    if name == 'coarse': break
    x, y, z = (a['origin'] + a['voxel_size'] * (a['coords'] + 0.5) + 0.5).T // 3
    part = (x + 20 * z).astype(int)
    assert all(names[m] == 'part %d' % p for m, p in zip(a['materials'], part)), name
    print(name, len(numpy.unique(part)))
    if name == 'fine': fine = dict(zip(map(tuple, a['coords'].tolist()), a['colors'].tolist()))
below = collections.defaultdict(list)
for (x, y, z), (r, g, b) in fine.items(): below[x // 2, y // 2, z // 2].append(r | g << 8 | b << 16)
assert len(below) == len(a['coords'])
for at, (r, g, b) in zip(map(tuple, a['coords'].tolist()), a['colors'].tolist()):
    assert r | g << 8 | b << 16 == min(below[at], key=lambda c: (-below[at].count(c), c))
data = h5py.File('fine.gprmax.h5', 'r')['data'][:]
lines = [l.split()[-1] for l in open('fine-materials.txt') if l.startswith('#material')]
assert lines == ['part_%d' % i for i in range(300)] and data.dtype == numpy.int16
a = numpy.load('fine.npz')
assert (data[tuple(a['coords'].T)] == a['materials']).all() and (data >= 0).sum() == len(a['coords'])
dense = numpy.load('fine.npy')
assert dense.dtype == numpy.uint16 and (dense == data + 1).all()
assert (numpy.fromfile('fine.raw', '<u2').reshape(dense.shape) == dense).all()
assert (numpy.unpackbits(numpy.fromfile('bit.raw', 'u1'), bitorder='little').reshape(dense.T.shape).T == (dense > 0)).all()
head, values = open('fine.nrrd', 'rb').read().split(b'\n\n', 1)
assert b'type: uint16' in head and (numpy.frombuffer(values, '<u2').reshape(dense.T.shape).T == dense).all()
pieces = json.load(open('cells/pieces.json'))
assert len(pieces['materials']) == 300 and pieces['values'] == 'material + 1, 0 is empty'
for piece in pieces['pieces']:
    x, y, z = piece['first_voxel']
    part = numpy.load('cells/' + piece['file'])
    assert (part == dense[x:x + part.shape[0], y:y + part.shape[1], z:z + part.shape[2]]).all())"),
            "fine 300\npart 100\nedited 296\n");
}

TEST_F(NamesProgram, ColorsOfTheInteriorAndOfEditsJoinTheList) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "32", "--materials", "object", "--palette-size", "40", "--solid",
             "--interior", "#ff0000", "-o", "a.h5", "-q"});
  write("script.txt", "sphere add center 16,16,16 radius 4 material #123456\n");
  EXPECT_EQ(run_program("vox-edit", {"a.h5", "--script", "script.txt", "-o", "b.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  for (const std::string file : {"b.npy", "b.gprmax.h5", "b.npz"}) converted({"b.h5", "-o", file, "-q"});
  const std::string info = converted({"b.h5", "--info"});
  EXPECT_TRUE(has(info, "interior") && has(info, "#123456")) << info;
  expect_failure(kBadUsage, "--materials-out", {"b.h5", "-o", "b.binvox", "--materials-out", "b.json"});
  // Up to 16 names are those of a palette.
  converted({"b.h5", "--structure", "svdag,bricks", "-o", "c.h5", "-q"});
  EXPECT_TRUE(has(converted({"c.h5", "--info"}), "interior"));
  converted({"a.h5", "--palette-size", "20", "-o", "d.h5", "-q"});
  EXPECT_TRUE(has(converted({"d.h5", "--info"}), "interior"));
}

TEST_F(NamesProgram, RulesMayGiveLargeNumbers) {
  write_squares();
  write("rules.csv", "m1?,200,teens\nm2*,17\n");
  const std::string err = convert({"squares.obj", "--res", "120", "--materials", "mesh", "--palette-size",
                                   "256", "--assign", "rules.csv", "-o", "a.h5", "--materials-out", "a.json"})
                              .err;
  EXPECT_TRUE(has(err, "19 of the 40 materials match no line of rules.csv and share the number 0")) << err;
  const std::string list = read_bytes(folder_ / "a.json");
  EXPECT_TRUE(has(list, "\"number\": 200,\n      \"name\": \"teens\"")) << list;
  EXPECT_FALSE(has(list, "\"number\": 201"));
  converted({"a.h5", "--materials", "palette", "-o", "b.h5", "-q"});
  EXPECT_FALSE(has(converted({"b.h5", "--info", "--json"}), "teens"));
  converted({"a.h5", "--palette-size", "17", "-o", "same.h5", "-q"});
  EXPECT_TRUE(has(converted({"same.h5", "--info", "--json"}), "teens"));
  const Finished fewer = convert({"a.h5", "--color-error", "5", "-o", "c.h5"});
  EXPECT_TRUE(has(fewer.err, "materials are left out, because their colors change")) << fewer.err;
  EXPECT_FALSE(has(converted({"c.h5", "--info", "--json"}), "teens"));
}

TEST_F(NamesProgram, BeyondTheSizeOfThePaletteTheyShareANumber) {
  write_squares();
  const std::string err =
      convert({"squares.obj", "--res", "120", "--materials", "object", "--palette-size", "100", "-o", "a.h5"})
          .err;
  EXPECT_TRUE(
      has(err,
          "the mesh has 300 objects: the 99 with the largest areas have a number each, and 201 share the "
          "number 99"))
      << err;
  const std::string info = converted({"a.h5", "--info", "--json"});
  EXPECT_TRUE(has(info, "\"rest\"")) << info;
  expect_failure(kBadUsage, "--palette-out",
                 {"squares.obj", "--res", "16", "--materials", "mesh", "--palette-size", "99",
                  "--palette-out", "a.gpl"});
  expect_failure(kBadUsage, "--paint",
                 {"squares.obj", "--res", "16", "--materials", "mesh", "--palette-size", "99", "--paint",
                  "squares.mtl"});
  write("bad.csv", "a,1\nb,256\n");
  expect_failure(
      kFailed, "expected 1 to 255",
      {"squares.obj", "--res", "16", "--materials", "mesh", "--palette-size", "256", "--assign", "bad.csv"});
}

}  // namespace
}  // namespace vox
