// Files that exist: what they are read as, and which may be replaced.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/mesh/mesh.h"
#include "formats/pages/html_page.h"
#include "formats/pages/scene_page.h"
#include "formats/results/files.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

struct Writer {
  std::string file;
  OutputKind kind;
  std::function<void(const std::filesystem::path&)> write;
};

scene::Image picture() {
  return {.name = "picture", .width = 16, .height = 16, .pixels = std::vector<scene::Rgba8>(256)};
}

scene::Scene small_mesh() {
  return scene::make_bumpy_sphere({.triangles = 12, .texture_size = 16});
}

scene::Palette palette() {
  scene::Palette palette;
  palette.count = 1;
  return palette;
}

ResultTable rows() {
  ResultTable table;
  table.column("a", "", std::vector<uint64_t>{1});
  return table;
}

void write_film(const std::filesystem::path& path) {
  FilmFile film(path, {.width = 16, .height = 16, .fps = 1, .comment = "a test"});
  film.add(picture());
  film.close();
}

// Writes an export of a scene with materials.
Writer exported(const std::string& file, OutputKind kind, const ExportOptions& options = {}) {
  return {file, kind, [options](const std::filesystem::path& path) {
            export_scene(known_scene(16, Materials::Sixteen, diagonal_grid).scene, path, std::nullopt,
                         options);
          }};
}

std::vector<Writer> marked_writers() {
  using Path = std::filesystem::path;
  const auto scene = [] { return known_scene(16, Materials::Sixteen, diagonal_grid).scene; };
  std::vector<Writer> writers = {
      {"a.h5", OutputKind::Scene, [=](const Path& path) { write_scene(scene(), path); }},
      {"report.h5", OutputKind::Report, [](const Path& path) { write_report({}, path); }},
      {"a.csv", OutputKind::Rows, [](const Path& path) { write_csv(rows(), path); }},
      {"a.html", OutputKind::Page, [](const Path& path) { write_html(HtmlPage("title", "about"), path); }},
      {"scene.html", OutputKind::Page,
       [=](const Path& path) { write_scene_page(make_scene_page(scene(), {.title = "a"}), path); }},
      {"a.png", OutputKind::Picture,
       [](const Path& path) {
         write_png(picture(), {{"Title", "a"}, {kSoftwareKey, "vox 1.2"}}, path);
       }},
      {"a.gpl", OutputKind::Palette, [](const Path& path) { write_palette(path, palette()); }},
      {"palette.png", OutputKind::Palette, [](const Path& path) { write_palette(path, palette()); }},
      {"mesh.obj", OutputKind::ObjMesh, [](const Path& path) { write_obj(small_mesh(), path); }},
      {"mesh.glb", OutputKind::GlbMesh, [](const Path& path) { write_glb(small_mesh(), path); }},
      {"materials.mtl", OutputKind::ObjMaterials,
       [](Path path) { write_obj(small_mesh(), path.replace_extension(".obj")); }},
      exported("a.nrrd", OutputKind::Nrrd),
      exported("a.vox", OutputKind::MagicaVoxel),
      exported("a.nvdb", OutputKind::Nvdb),
      exported("index.nvdb", OutputKind::Nvdb, {.nvdb = NvdbGrid::OnIndex}),
      exported("a.obj", OutputKind::ObjMesh),
      exported("a.glb", OutputKind::GlbMesh),
      exported("a.ply", OutputKind::PlyMesh),
      exported("points.ply", OutputKind::PlyMesh, {.ply = PlyContent::Points}),
      exported("a.vtkhdf", OutputKind::VtkHdf),
      exported("amr.vtkhdf", OutputKind::VtkHdf, {.vtk = VtkKind::Amr}),
      exported("a.npz", OutputKind::Npz),
      exported("a.schem", OutputKind::Schem),
      exported("a.vdb", OutputKind::Vdb),
      exported("a.voxel.json", OutputKind::VoxelOctree),
      exported("a.gprmax.h5", OutputKind::GprMax),
      {"b-materials.txt", OutputKind::GprMaxMaterials,
       [=](const Path& path) { write_gprmax(scene(), path.parent_path() / "b.gprmax.h5", std::nullopt); }},
      {"list.json", OutputKind::MaterialList, [=](const Path& path) { write_material_list(path, scene()); }},
  };
  if (can_write_films()) writers.push_back({"a.mp4", OutputKind::Film, write_film});
  return writers;
}

std::vector<Writer> writers_without_marks() {
  const auto write = [](const std::filesystem::path& path) { write_palette(path, palette()); };
  return {{"a.pal", OutputKind::Palette, write},    {"a.hex", OutputKind::Palette, write},
          exported("a.binvox", OutputKind::Binvox), exported("a.basic_dag.dag.bin", OutputKind::HashDag),
          exported("a.svdag", OutputKind::SymVox),  exported("a.ussvdag", OutputKind::SymVox),
          exported("a.vl32", OutputKind::Vl32),     exported("a.npy", OutputKind::Npy),
          exported("a.raw", OutputKind::Raw)};
}

class Overwriting : public ExportTest {
 protected:
  // Returns why the file may not be replaced, or nothing if it may.
  std::string refusal(const std::string& file, OutputKind kind) const {
    try {
      check_writable(path(file), kind, Overwrite::OwnFiles);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(Overwriting, AFileWithItsWritersMarkMayBeReplacedByAnotherOfItsKindAlone) {
  const std::vector<Writer> writers = marked_writers();
  for (const Writer& writer : writers) {
    writer.write(path(writer.file));
    EXPECT_EQ(refusal(writer.file, writer.kind), "") << writer.file;
    const OutputKind other = writer.kind == OutputKind::Film ? OutputKind::Nrrd : OutputKind::Film;
    EXPECT_NE(refusal(writer.file, other), "") << writer.file;
  }
}

// Inflates a gzip file, or deflates its content.
std::string inflated(const std::string& file) {
  const auto bytes = inflated_start(std::as_bytes(std::span(file)), size_t{1} << 20);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string deflated(const std::string& content) {
  GzipPieces gzip(kFastestDeflate);
  Bytes bytes = gzip.piece(std::as_bytes(std::span(content)));
  const Bytes end = gzip.end();
  bytes.insert(bytes.end(), end.begin(), end.end());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The same bytes without the name of vox, and without the quotes that mark a table, are another program's file of the
// same format.
TEST_F(Overwriting, AFileOfTheSameFormatWithoutTheMarkIsKept) {
  for (const Writer& writer : marked_writers()) {
    writer.write(path(writer.file));
    std::string bytes = read_bytes(path(writer.file));
    const bool is_gzip = writer.kind == OutputKind::Schem;
    if (is_gzip) bytes = inflated(bytes);
    for (size_t at = bytes.find("vox"); at != std::string::npos; at = bytes.find("vox", at))
      bytes.replace(at, 3, "abc");
    if (is_gzip) bytes = deflated(bytes);
    if (writer.kind == OutputKind::Rows) std::erase(bytes, '"');
    write_bytes(path(writer.file), bytes);
    EXPECT_NE(refusal(writer.file, writer.kind).find("that vox wrote"), std::string::npos) << writer.file;
    for (const size_t length : {bytes.size() / 2, size_t{30}, size_t{3}}) {
      write_bytes(path(writer.file), bytes.substr(0, length));
      EXPECT_NE(refusal(writer.file, writer.kind), "") << writer.file << " of " << length << " bytes";
    }
  }
}

TEST_F(Overwriting, AFormatWithoutRoomForAMarkIsNeverReplaced) {
  for (const Writer& writer : writers_without_marks()) {
    writer.write(path(writer.file));
    EXPECT_NE(refusal(writer.file, writer.kind).find("does not tell if vox wrote it"), std::string::npos)
        << writer.file;
  }
}

TEST_F(Overwriting, TheKindOfAnExportFollowsFromItsExtension) {
  for (const auto& writers : {marked_writers(), writers_without_marks()})
    for (const Writer& writer : writers)
      if (is_export_path(writer.file) && !is_slices_path(writer.file) &&
          writer.kind != OutputKind::MaterialList) {  // as .json, an option of its own names it
        EXPECT_EQ(kind_of_output(writer.file), writer.kind) << writer.file;
      }
  EXPECT_EQ(kind_of_output("a.h5"), OutputKind::Scene);
  EXPECT_EQ(kind_of_output("a/%d.png"), OutputKind::Slices);
}

// Makes a file that nobody can remove, or one that can be removed. Returns false if the system does not allow that.
bool set_immutable(const std::filesystem::path& path, bool is_immutable) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int flags = 0;
  bool done = file >= 0 && ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
  flags = is_immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
  done = done && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
  if (file >= 0) close(file);
  return done;
}

TEST_F(Overwriting, RemainsOfAKilledRunNeverBecomeFilesOfAFolder) {
  const auto is_own = [](const std::filesystem::path&, const std::filesystem::path&) { return true; };
  std::filesystem::create_directories(path("out.0-0.tmp"));
  write_bytes(path("out.0-0.tmp/a.txt"), "old");
  if (!set_immutable(path("out.0-0.tmp/a.txt"), true))
    GTEST_SKIP() << "no file can be kept from being removed";
  EXPECT_THROW(OutputFolder(path("out"), is_own, Overwrite::OwnFiles), Error);
  set_immutable(path("out.0-0.tmp/a.txt"), false);
  OutputFolder folder(path("out"), is_own, Overwrite::OwnFiles);
  folder.write("a.txt", "new");
  folder.commit();
  EXPECT_EQ(read_bytes(path("out/a.txt")), "new");
}

// Tests the decision what a file is read as.

constexpr const char* kHdf5 = "\x89HDF\r\n\x1a\n, and so on";

std::string ply_of_points(const std::string& properties) {
  return "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n" +
         properties + "end_header\n0 0 0 0 0\n";
}

TEST(InputKinds, AreToldByTheNameOfAFileWhateverItHolds) {
  TestFolder folder;
  const std::vector<std::pair<std::string, InputKind>> kinds = {
      {"a.obj", InputKind::Mesh},      {"a.ply", InputKind::Mesh},         {"a.unknown", InputKind::Mesh},
      {"a.las", InputKind::Points},    {"a.xyz", InputKind::Points},       {"a.nrrd", InputKind::Volume},
      {"A.NII.GZ", InputKind::Volume}, {"a.raw.gz", InputKind::RawVolume}, {"a.raw", InputKind::RawVolume},
      {"a.vox", InputKind::Voxels},    {"a.nvdb", InputKind::Voxels},      {"a.h5", InputKind::Scene},
      {"a.vdb", InputKind::Voxels}};
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(kind_of_input(folder.path() / name), kind) << name << " is missing";
    EXPECT_EQ(kind_of_input(folder.write(name, "something else")), kind) << name;
  }
}

TEST(InputKinds, APlyFileIsAMeshACloudOrSplatsByItsHeader) {
  TestFolder folder;
  EXPECT_EQ(kind_of_input(folder.write("a.ply", ply_of_points(""))), InputKind::Points);
  EXPECT_EQ(
      kind_of_input(folder.write("b.ply", ply_of_points("property float f_dc_0\nproperty float opacity\n"))),
      InputKind::Splats);
  EXPECT_EQ(kind_of_input(folder.write("c.ply", ply_of_points("element face 1\n"
                                                              "property list uchar int vertex_indices\n"))),
            InputKind::Mesh);
}

TEST(InputKinds, AnHdf5FileIsASceneUnlessItsNameIsThatOfAVolumeOrOfVoxels) {
  TestFolder folder;
  for (const char* name : {"a.scene", "a.obj", "a.ply", "a"})
    EXPECT_EQ(kind_of_input(folder.write(name, kHdf5)), InputKind::Scene) << name;
  EXPECT_EQ(kind_of_input(folder.write("a.nrrd", kHdf5)), InputKind::Volume);
  EXPECT_EQ(kind_of_input(folder.write("a.vox", kHdf5)), InputKind::Voxels);
}

TEST(InputKinds, DescribedValuesAreARawVolumeUnlessTheNameSaysOtherwise) {
  TestFolder folder;
  const RawOptions raw = {.size = Int3{1, 1, 1}};
  for (const char* name : {"a.bin", "a.img", "a"})
    EXPECT_EQ(kind_of_input(folder.write(name, "v"), raw), InputKind::RawVolume) << name;
  const std::vector<std::filesystem::path> named = {"a.obj", "a.las", "a.vox", "a.h5", "a.nrrd"};
  EXPECT_EQ(kinds_of_inputs(named, raw), (std::vector{InputKind::Mesh, InputKind::Points, InputKind::Voxels,
                                                      InputKind::Scene, InputKind::Volume}));
}

}  // namespace
}  // namespace vox
