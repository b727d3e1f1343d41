#include "tests/tools/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string_view>

#include "formats/io/h5.h"
#include "libvox/base/files.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

const std::vector<FaultyOutput> kOutputs = {
    {"Scene", "vox-convert", {"cube.obj", "--res", "R", "-o", "out/a.h5"}},
    {"SceneOfScene", "vox-convert", {"R.h5", "--res", "16", "-o", "out/a.h5", "--force"}},
    {"SceneOfVersion1", "vox-convert", {"cube.obj", "--res", "R", "--file-version", "1", "-o", "out/a.h5"}},
    {"StoredScene", "vox-convert", {"cube.obj", "--res", "R", "--compression", "none", "-o", "out/a.h5"}},
    {"Bricks", "vox-convert", {"volume_RxRxR_uint8.raw", "-o", "out/a.h5"}},
    {"SceneAndBricks", "vox-convert", {"R.h5", "--structure", "svdag,bricks", "-o", "out/a.h5"}},
    {"Hash", "vox-convert", {"R.h5", "--structure", "hash", "-o", "out/a.h5"}},
    {"Parts", "vox-convert", {"cube.obj", "--res", "R", "--parts", "-o", "out/a.h5"}},
    {"PaletteOut",
     "vox-convert",
     {"cube.obj", "--res", "R", "-o", "R-again.h5", "--force", "--palette", "R.hex", "--palette-out",
      "out/p.gpl"}},
    {"MagicaVoxel", "vox-convert", {"R.h5", "-o", "out/a.vox"}},
    {"Nrrd", "vox-convert", {"R.h5", "-o", "out/a.nrrd"}},
    {"Npy", "vox-convert", {"R.h5", "-o", "out/a.npy", "--force"}},
    {"Raw", "vox-convert", {"R.h5", "-o", "out/a.raw", "--force"}},
    {"Npz", "vox-convert", {"R.h5", "-o", "out/a.npz"}},
    {"GprMax", "vox-convert", {"R.h5", "-o", "out/a.gprmax.h5"}},
    {"Pieces", "vox-convert", {"R.h5", "-o", "out/cells/a.npz", "--pieces", "32"}},
    {"MaterialsOut",
     "vox-convert",
     {"cube.obj", "--res", "R", "-o", "R-again.h5", "--force", "--palette", "R.hex", "--materials-out",
      "out/m.json"}},
    {"Binvox", "vox-convert", {"R.h5", "-o", "out/a.binvox", "--force"}},
    {"Schem", "vox-convert", {"R.h5", "-o", "out/a.schem"}},
    {"Vdb", "vox-convert", {"R.h5", "-o", "out/a.vdb"}},
    {"VoxelOctree", "vox-convert", {"R.h5", "-o", "out/a.voxel.json"}},
    {"Chunks", "vox-convert", {"R.h5", "-o", "out/chunks/scene.json"}},
    {"Tiles", "vox-convert", {"R.h5", "-o", "out/tiles/tileset.json"}},
    {"Nvdb", "vox-convert", {"R.h5", "-o", "out/a.nvdb"}},
    {"VtkImage", "vox-convert", {"R.h5", "-o", "out/a.vtkhdf"}},
    {"VtkAmr", "vox-convert", {"R.h5", "-o", "out/a.vtkhdf", "--vtk", "amr"}},
    {"HolesOut",
     "vox-convert",
     {"openR.obj", "--res", "R", "--solid", "-o", "R-again.h5", "--force", "--holes-out", "out/holes.glb"}},
    {"Spilled",
     "vox-convert",
     {"cube.obj", "--res", "R", "--spill", "tmp", "--memory-limit", "256M", "-o", "out/a.h5"}},
    {"Resumed", "vox-convert", {"cube.obj", "--res", "R", "--resume", "-o", "out/a.h5"}},
    {"Points", "vox-convert", {"points.xyz", "--res", "R", "-o", "out/a.h5"}},
    {"LayersByMaterial",
     "vox-convert",
     {"R.h5", "-o", "out/layers/%03d.png", "--clip", "0,0,0,0.1,0.1,0.1", "--slices-by-material"}},
    {"Layers", "vox-convert", {"R.h5", "-o", "out/layers/%03d.png", "--clip", "0,0,0,0.1,0.1,0.1"}},
    {"HashDag", "vox-convert", {"R.h5", "-o", "out/a.basic_dag.dag.bin", "--force"}},
    {"SymVox", "vox-convert", {"R.h5", "-o", "out/a.svdag", "--force"}},
    {"SymVoxMirrored", "vox-convert", {"R.h5", "-o", "out/a.ussvdag", "--force"}},
    {"Vl32", "vox-convert", {"R.h5", "-o", "out/a.vl32", "--force"}},
    {"SurfaceObj", "vox-convert", {"R.h5", "-o", "out/a.obj"}},
    {"SurfaceGlb", "vox-convert", {"R.h5", "-o", "out/a.glb"}},
    {"SurfacePly", "vox-convert", {"R.h5", "-o", "out/a.ply"}},
    {"PointsPly", "vox-convert", {"R.h5", "-o", "out/a.ply", "--ply", "points"}},
    {"VolumeNrrd", "vox-convert", {"volumeR.h5", "-o", "out/a.nrrd"}},
    {"EditedScene", "vox-edit", {"R.h5", "--script", "edit.txt", "-o", "out/a.h5"}},
    {"SceneEditedInPlace", "vox-edit", {"out/s.h5", "--script", "R.txt", "-o", "out/s.h5"}},
    {"Checkpoints", "vox-edit", {"R.h5", "--script", "edit.txt", "--checkpoint", "1", "-o", "out/a.h5"}},
    {"EditedByRecording", "vox-edit", {"R.h5", "--script", "recording.csv", "-o", "out/a.h5"}},
    {"EditLog",
     "vox-edit",
     {"R.h5", "--script", "edit.txt", "-o", "R-e.h5", "--force", "--log", "out/log.h5"}},
    {"EditRows", "vox-edit", {"R.h5", "--script", "edit.txt", "--log", "out/log.csv"}},
    {"EditPage", "vox-edit", {"R.h5", "--script", "edit.txt", "--html", "out/log.html"}},
    {"StatsReport", "vox-stats", {"R.h5", "--only", "levels", "-o", "out/report.h5"}},
    {"StatsPage", "vox-stats", {"R.h5", "--only", "levels", "--html", "out/report.html"}},
    {"AgainstReport", "vox-stats", {"R.h5", "--against", "R.h5", "-o", "out/against.h5"}},
    {"Picture", "vox-render", {"R.h5", "--size", "64x48", "-o", "out/a.png"}},
    {"Slice", "vox-render", {"R.h5", "--slice", "z=9", "-o", "out/a.png"}},
    {"PictureOfVolume", "vox-render", {"volumeR.h5", "--size", "64x48", "-o", "out/a.png"}},
    {"Pictures", "vox-render", {"R.h5", "--size", "64x48", "--turntable", "3", "-o", "out/a.png"}},
    {"Film", "vox-render", {"R.h5", "--size", "64x48", "--turntable", "3", "-o", "out/a.mp4"}},
    {"ScenePage", "vox-render", {"R.h5", "--html", "out/a.html"}},
    {"SceneStream", "vox-render", {"R.h5", "--html", "out/a", "--stream"}},
    {"MadeObj", "vox-scene", {"bumpy-sphere", "--triangles", "R", "--texture-size", "16", "-o", "out/a.obj"}},
    {"MadeGlb", "vox-scene", {"bumpy-sphere", "--triangles", "R", "--texture-size", "16", "-o", "out/a.glb"}},
    {"BenchReport",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "-o", "out/b.h5"}},
    {"BenchPage",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "--html", "out/b.html"}},
    {"BenchRows",
     "vox-bench",
     {"convert", "cube.obj", "--res", "R", "--materials", "none", "--coverage", "thin", "--repetitions", "1",
      "--csv", "out/b.csv"}},
};

std::vector<std::string> with_resolution(std::vector<std::string> arguments, const std::string& resolution) {
  for (std::string& argument : arguments)
    for (size_t at = 0; (at = argument.find('R', at)) != std::string::npos; at += resolution.size())
      argument.replace(at, 1, resolution);
  return arguments;
}

// A tetrahedron without one of its faces.
constexpr const char* kOpenTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";

// True for temporary files and for what lies in temporary folders.
bool is_temporary(const fs::path& path) {
  return std::ranges::any_of(
      path, [](const fs::path& name) { return target_of_temporary(name.string()).has_value(); });
}

}  // namespace

const std::vector<FaultyOutput>& faulty_outputs() {
  return kOutputs;
}

void PrintTo(const FaultyOutput& output, std::ostream* out) {
  *out << output.name;
}

bool FaultyOutput::holds_times() const {
  for (const char* kind : {"Report", "Page", "Rows", "Log"})
    if (has(name, kind) && name != "ScenePage") return true;
  return false;
}

bool FaultyOutput::comes_early() const {
  return name == "Checkpoints" || name == "HolesOut";
}

std::vector<uint64_t> fault_numbers(uint64_t count, uint64_t most, const std::string& output) {
  const bool are_all = std::getenv("VOX_TEST_ALL_FAULTS") != nullptr;
  const uint64_t stride = are_all ? 1 : std::max<uint64_t>((count + most - 1) / most, 1);
  std::vector<uint64_t> numbers = {1};
  for (uint64_t number = 2 + std::hash<std::string>()(output) % stride; number < count; number += stride)
    numbers.push_back(number);
  numbers.push_back(count);
  return numbers;
}

void FaultsTest::SetUp() {
  if (!fs::exists(preloaded("failing_calls"))) GTEST_SKIP() << kNothingToPreload;
  if (GetParam().name == "Film" && std::system("ffmpeg -version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "ffmpeg is not installed";
  ProgramTest::SetUp();
  if (folder_.empty()) return;
  make_once("faulty", [&] { make_inputs(); });
}

void FaultsTest::make_inputs() const {
  fs::create_directories(folder_ / "out");
  fs::create_directories(folder_ / "tmp");
  write("cube.obj", cube_obj());
  write("open32.obj", kOpenTetrahedron);
  write("open64.obj",
        std::string(kOpenTetrahedron) + "v 0 0 2\nv 1 0 2\nv 0 1 2\nv 0 0 3\nf 5 7 6\nf 5 6 8\nf 6 7 8\n");
  std::string points;
  for (int i = 0; i < 500; ++i) points += fmt::format("{} {} {}\n", i % 7, i % 11, i % 13);
  write("points.xyz", points);
  write("edit.txt", "sphere add center 8,8,8 radius 4 material 1\nbox remove min 1,1,1 max 5,5,5\n");
  write("recording.csv", "EditSphere,8,8,8,4,TRUE\n");
  write("32.hex", "ff0000\n00ff00\n");
  write("64.hex", "0000ff\n00ff00\n");
  write("32.txt", "sphere add center 8,8,8 radius 4 material 1\n");
  write("64.txt", "sphere remove center 8,8,8 radius 6\n");
  for (const char* resolution : {"16", "32", "64"})
    converted({"cube.obj", "--res", resolution, "-o", std::string(resolution) + ".h5", "-q"});
  for (const uint32_t side : {32u, 64u}) {
    std::string values(size_t{side} * side * side, '\0');
    for (size_t i = 0; i < values.size(); i += 7) values[i] = static_cast<char>(i % 251);
    const std::string raw = fmt::format("volume_{0}x{0}x{0}_uint8.raw", side);
    write(raw, values);
    converted({raw, "-o", fmt::format("volume{}.h5", side), "-q"});
  }
  fs::copy(folder_ / "32.h5", folder_ / "out/s.h5");
}

Finished FaultsTest::run(const std::string& resolution,
                         const std::map<std::string, std::string>& environment) const {
  RunOptions options;
  options.folder = folder_;
  options.environment = {{"TMPDIR", (folder_ / "tmp").string()},
                         {"VOX_FAULT_FOLDER", folder_.string()},
                         {"VOX_FAULT_PROGRAM", "vox-"},
                         {"VOX_FAULT_CLOCK", "1"},
                         {"VOX_FAULT_COUNT", (folder_ / "count").string()}};
  options.environment.insert(environment.begin(), environment.end());
  options.environment.insert({"LD_PRELOAD", preloaded("failing_calls")});
  return run_program(GetParam().program, with_resolution(GetParam().arguments, resolution), options);
}

uint64_t FaultsTest::calls_of_last_run() const {
  uint64_t calls = 0;
  std::ifstream(folder_ / "count") >> calls;
  return calls;
}

std::map<std::string, std::string> FaultsTest::outputs() const {
  std::map<std::string, std::string> files = listing(folder_ / "out");
  const bool keeps_rounds = GetParam().name == "Resumed";  // for the next run, if this one fails
  std::erase_if(files, [&](const auto& file) {
    return is_temporary(file.first) || (keeps_rounds && has(file.first, ".parts"));
  });
  return files;
}

std::vector<std::string> FaultsTest::leftovers() const {
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (is_temporary(entry.path()) || entry.path().parent_path() == folder_ / "tmp")
      left.push_back(entry.path().string());
  return left;
}

void FaultsTest::restore(const std::map<std::string, std::string>& files) const {
  for (const std::string& left : leftovers()) fs::remove_all(left);
  if (listing(folder_ / "out") == files) return;
  fs::remove_all(folder_ / "out");
  fs::create_directories(folder_ / "out");
  for (const auto& [path, bytes] : files) {
    fs::create_directories(fs::path(path).parent_path());
    if (fs::path(path).has_extension() && !path.ends_with(".parts")) write_bytes(path, bytes);
  }
}

bool FaultsTest::names_a_file(const Finished& failed) const {
  for (const auto& entry : fs::directory_iterator(folder_))
    if (has(failed.err, entry.path().filename().string())) return true;
  return has(failed.err, GetParam().program + ": error: out");
}

void FaultsTest::expect_whole_file(const std::string& path, const std::string& bytes,
                                   const std::map<std::string, std::string>& expected,
                                   const std::string& what) const {
  ASSERT_TRUE(expected.contains(path)) << what << " left " << path;
  const std::string& whole = expected.at(path);
  if (fs::path(path).extension() == ".h5") {
    EXPECT_NO_THROW(h5::check_written(path, path)) << what;
  }
  if (GetParam().name == "Checkpoints") return;  // may be the state after the first edit
  if (GetParam().holds_times())
    EXPECT_NEAR(double(bytes.size()), double(whole.size()), double(whole.size()) / 8 + 200) << what << path;
  else
    EXPECT_TRUE(bytes == whole || hold_the_same(path, bytes, whole)) << what << ", " << path;
}

// ISA-L rarely deflates equal values to other bytes, which depends on the addresses of its memory.
bool FaultsTest::hold_the_same(const std::string& path, const std::string& bytes,
                               const std::string& whole) const {
  if (fs::path(path).extension() != ".h5") return false;
  const fs::path folder = folder_ / "compared";
  fs::create_directories(folder);
  write_bytes(folder / "found.h5", bytes);
  write_bytes(folder / "whole.h5", whole);
  const std::string same = python(R"(import h5py
def content(name):
    content, file = {}, h5py.File(name, 'r')
    def visit(path, item):
        content[path] = ({key: repr(value) for key, value in item.attrs.items()},
                         item[()].tolist() if isinstance(item, h5py.Dataset) else None)
    visit('', file)
    file.visititems(visit)
    return content
print(content('compared/found.h5') == content('compared/whole.h5')))");
  fs::remove_all(folder);
  return same == "True\n";
}

void FaultsTest::expect_whole(const std::map<std::string, std::string>& expected,
                              const std::map<std::string, std::string>& old, const std::string& what) const {
  const std::map<std::string, std::string> found = outputs();
  for (const auto& [path, bytes] : found) {
    // Parts of the scene before stay if it is not certain that no other scene names them.
    if (path.find(".parts/") != std::string::npos && old.contains(path)) continue;
    expect_whole_file(path, bytes, expected, what);
  }
  for (const auto& [path, bytes] : expected) EXPECT_TRUE(found.contains(path)) << what << " lacks " << path;
}

}  // namespace vox
