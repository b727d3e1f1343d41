// Files, folders and children: reading, writing, and what child processes may not do.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/child_process.h"
#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "tests/common/random.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

FileFormat format_of(const char* path, FileRole role) {
  const FileType* type = file_type(path, role);
  return type ? type->format : FileFormat::Foreign;
}

std::vector<std::string> extensions(const FileType& type) {
  std::istringstream words{std::string(type.endings)};
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(FileTypes, AreToldByTheExtensionInSmallOrCapitalLetters) {
  EXPECT_EQ(format_of("a/house.obj", FileRole::Mesh), FileFormat::Obj);
  EXPECT_EQ(format_of("HOUSE.GLB", FileRole::Mesh), FileFormat::Gltf);
  EXPECT_EQ(format_of("ct.raw.gz", FileRole::Volume), FileFormat::Raw);
  EXPECT_EQ(format_of("head.nii.gz", FileRole::Volume), FileFormat::Nifti);
  EXPECT_FALSE(has_role("ct.gz", FileRole::Volume));
  EXPECT_FALSE(has_role("obj", FileRole::Mesh));
  EXPECT_FALSE(has_role(".obj", FileRole::Mesh));
  EXPECT_FALSE(has_role("folder.obj/house", FileRole::Mesh));
}

TEST(FileTypes, OneExtensionMayHaveSeveralRoles) {
  EXPECT_EQ(format_of("a.nrrd", FileRole::Volume), FileFormat::Nrrd);
  EXPECT_EQ(format_of("a.nrrd", FileRole::Export), FileFormat::Nrrd);
  EXPECT_EQ(format_of("a.npy", FileRole::Volume), FileFormat::Npy);
  EXPECT_EQ(format_of("a.npy", FileRole::Export), FileFormat::Npy);
  EXPECT_EQ(format_of("a.vox", FileRole::Export), FileFormat::MagicaVoxel);
  EXPECT_EQ(format_of("a.vox", FileRole::Voxels), FileFormat::MagicaVoxel);
  EXPECT_FALSE(has_role("a.vox", FileRole::Volume));
}

TEST(FileTypes, NoExtensionStandsTwiceInARole) {
  for (const FileType& type : file_types())
    for (const std::string& extension : extensions(type)) {
      EXPECT_EQ(extension[0], '.') << extension;
      EXPECT_EQ(file_type("a" + extension, type.role), &type) << extension;
    }
}

TEST(FileTypes, AreListedAsMessagesNeedThem) {
  EXPECT_EQ(listed_extensions(FileRole::Export, FileUse::Written, FileList::Or),
            ".nrrd, .npy, .raw, .npz, .gprmax.h5, .vox, .binvox, .schem, .basic_dag.dag.bin, .svdag, "
            ".ussvdag, .vl32, .obj, .glb, .ply, .vtkhdf, .nvdb, .vdb, .png, .voxel.json or .json");
  EXPECT_EQ(listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or), ".obj or .glb");
  EXPECT_EQ(listed_extensions(FileRole::Palette, FileUse::Written, FileList::Or), ".gpl, .pal, .hex or .png");
  EXPECT_EQ(listed_extensions(FileRole::Scene, FileUse::Read, FileList::And), ".h5");
  EXPECT_EQ(listed_names(FileRole::Mesh, FileUse::Read, FileList::Commas),
            "OBJ, glTF, GLB, PLY, STL, FBX, COLLADA (dae), 3DS, OFF");
}

TEST(FileTypes, TheDocumentationNamesEveryExtension) {
  const char* datasets = std::getenv("VOX_DATASETS");
  if (!datasets) GTEST_SKIP() << "no folder of the sources";
  std::ifstream file(std::filesystem::path(datasets) / "../docs/formats.md");
  if (!file) GTEST_SKIP() << "no docs/formats.md";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const FileType& type : file_types()) {
    if (type.role == FileRole::Foreign) continue;
    for (const std::string& extension : extensions(type))
      EXPECT_NE(text.find(extension), std::string::npos) << "docs/formats.md does not name " << extension;
  }
}

TEST(FileNames, AreMadeOfThoseOfTheInput) {
  EXPECT_EQ(scene_file_name("meshes/house.obj"), "house.h5");
  EXPECT_EQ(picture_file_name("scenes/house.h5"), "scenes/house-view.png");
  EXPECT_EQ(numbered_file_name("a/view.png", 7, 36), "a/view-07.png");
  EXPECT_EQ(numbered_file_name("view.png", 0, 1), "view-0.png");
}

using namespace std::string_literals;

std::string text_of(const std::string& bytes) {
  TestFolder folder;
  return std::string(TextFile(folder.write("a.txt", bytes)).text());
}

TEST(TextFile, IsUtf8WhateverTheFileIs) {
  const std::string umlaut = "x\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";  // ä, the euro sign and a smiling face
  EXPECT_EQ(text_of(umlaut), umlaut);
  EXPECT_EQ(text_of(kUtf8Mark + umlaut), umlaut);
  EXPECT_EQ(text_of("\xff\xfex\0\xe4\0\xac\x20\x3d\xd8\x00\xde"s), umlaut);
  EXPECT_EQ(text_of("\xfe\xff\0x\0\xe4\x20\xac\xd8\x3d\xde\x00"s), umlaut);
  EXPECT_EQ(text_of("x\0\xe4\0"s), "x\xc3\xa4");
  EXPECT_EQ(text_of("\0x\0\xe4"s), "x\xc3\xa4");
  EXPECT_EQ(text_of("caf\xe9"), "caf\xe9");  // text with one byte for each character stays unchanged
}

TEST(TextFile, WhatCannotBeConvertedIsNamed) {
  auto message = [](const std::string& bytes) { return error_of([&] { text_of(bytes); }); };
  EXPECT_NE(message("\xff\xfex\0y"s).find("a.txt: UTF-16 text with an odd number of bytes"),
            std::string::npos);
  EXPECT_NE(message("\xff\xfex\0\x3d\xd8"s).find("incomplete character at byte 2"), std::string::npos);
  EXPECT_NE(message("\xff\xfe\0\0x\0\0\0"s).find("UTF-32"), std::string::npos);
}

TEST(TextFile, MeshesAreReadInEveryEncoding) {
  const std::string mtl = "newmtl x\nKd 1 0 0\n";
  const std::string obj = "mtllib a.mtl\nusemtl x\nv 0 0 0\nv 1 0 0\nv 1 1 7\nf 1 2 3\n";
  auto expect_read = [&](const std::string& bytes, const std::string& mtl_bytes) {
    TestFolder folder;
    folder.write("a.mtl", mtl_bytes);
    const scene::Scene scene = read_obj(folder.write("a.obj", bytes));
    ASSERT_EQ(scene.triangles.size(), 1u);
    EXPECT_EQ(scene.positions.at(2), (Vec3d{1, 1, 7}));
    EXPECT_EQ(scene.materials.at(0).base_color, (std::array<float, 4>{1, 0, 0, 1}));
  };
  expect_read(obj, mtl);
  expect_read(kUtf8Mark + obj, kUtf8Mark + mtl);
  expect_read(kUtf16LittleMark + utf16(obj, false), kUtf16LittleMark + utf16(mtl, false));
  expect_read(kUtf16BigMark + utf16(obj, true), utf16(mtl, true));
  TestFolder folder;
  const std::string stl =
      "solid a\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 7\nendloop\nendsolid a\n";
  EXPECT_EQ(read_stl(folder.write("a.stl", kUtf16LittleMark + utf16(stl, false))).positions.at(2),
            (Vec3d{1, 1, 7}));
}

// Without the removal of the byte order mark, the line of the first vertex would be unknown and the numbers
// of all other vertices would shift.
TEST(TextFile, AMarkBeforeTheFirstVertexIsNoPartOfIt) {
  TestFolder folder;
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 5 5 5\nf 1 2 3\n";
  EXPECT_EQ(soup_of(read_obj(folder.write("a.obj", kUtf8Mark + obj))).at(0).at(0).x, 0);
}

void expect_like_strtod(const std::string& text) {
  Number number = scan_number(text.c_str());
  ASSERT_EQ(number.end, text.c_str() + text.size()) << text;
  double expected = std::strtod(text.c_str(), nullptr);
  ASSERT_EQ(std::bit_cast<uint64_t>(number.value), std::bit_cast<uint64_t>(expected)) << text;
}

TEST(Scan, NumbersAreRoundedAsStrtodRoundsThem) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) expect_like_strtod(fmt::format("{}", value));
    double small = static_cast<double>(static_cast<int64_t>(random())) / 0x1p60;
    expect_like_strtod(fmt::format("{:.{}f}", small, random() % 30));
    expect_like_strtod(fmt::format("{}.{}", random() >> random() % 64, random() >> random() % 64));
  }
  for (const char* text : {"0", "-0", "5.", ".5", "-.5e3", "1E5", "+3.25", "9007199254740993",
                           "0.30000000000000004", "18446744073709551617", "00000000000000000000001.5",
                           "1e999", "-1e999", "1e-999", "0.1e999", "-.5e999", "inf"})
    expect_like_strtod(text);
}

TEST(Scan, WhatOldProgramsPrintForNanIsNan) {
  for (const char* text : {"nan", "NaN", "-nan", "1.#IND", "-1.#QNAN", "-1.#IND00"})
    EXPECT_TRUE(std::isnan(scan_number(text).value) && scan_number(text).end) << text;
}

TEST(Scan, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "-", "+", ".", "e5", "1x", "1,5", "0x10", "--1", "+-1", "1/2", "1e", "abc"})
    EXPECT_EQ(scan_number(text).end, nullptr) << text;
}

TEST(Scan, FilesThatFillTheirLastPageEndWithAZeroByteToo) {
  TestFolder folder;
  for (size_t size : {4095u, 4096u, 8192u, 65536u}) {
    MappedFile file(folder.write("page", std::string(size, '7')));
    EXPECT_EQ(file.text().size(), size);
    EXPECT_EQ(file.text().data()[size], '\0');
  }
}

TEST(Scan, AnAddressTellsTheMappedFileThatHoldsIt) {
  TestFolder folder;
  const auto holder = [](const char* address) {
    const char* name = mapped_file_at(address);
    return std::string(name == nullptr ? "none" : name);
  };
  const char* address = nullptr;
  {
    const MappedFile first(folder.write("first", std::string(5000, '7'))), second(folder.write("a\x1b", "8"));
    address = first.text().data();
    EXPECT_EQ(holder(address), (folder.path() / "first").string());
    EXPECT_EQ(holder(address + 4999), (folder.path() / "first").string());
    EXPECT_EQ(holder(second.text().data()), (folder.path() / "a\\x1b").string());
  }
  EXPECT_EQ(holder(address), "none");
  EXPECT_EQ(holder(nullptr), "none");
}

TEST(Scan, FilesThatCannotBeMappedAreNamed) {
  TestFolder folder;
  auto open = [](const std::filesystem::path& path) { return error_of([&] { MappedFile file(path); }); };
  EXPECT_NE(open(folder.path() / "none.obj").find("none.obj: cannot be opened: No such file"),
            std::string::npos);
  EXPECT_NE(open(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(open(folder.write("void.obj", "")).find("is empty"), std::string::npos);
  EXPECT_NE(open("/dev/null").find("not a regular file"), std::string::npos);
}

std::string message_of(uint64_t seconds, const std::function<void()>& body) {
  try {
    run_in_child_process({.seconds = seconds, .bytes = uint64_t{64} << 20}, [&](ChildMemory&) { body(); });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChildProcess, LeavesItsResultInAMemoryFile) {
  MemoryFile file;
  int here = 1;
  EXPECT_EQ(message_of(10,
                       [&] {
                         here = 2;
                         file.write(std::as_bytes(std::span("result", 6)));
                       }),
            "");
  EXPECT_EQ(here, 1);
  file.rewind();
  EXPECT_EQ(file.rest(), 6u);
  std::array<char, 6> result = {};
  file.read(std::as_writable_bytes(std::span(result)));
  EXPECT_EQ(std::string(result.data(), 6), "result");
  EXPECT_THROW(file.read(std::as_writable_bytes(std::span(result))), Error);
}

TEST(ChildProcess, ItsDeathIsAnError) {
  EXPECT_EQ(message_of(10, [] { std::abort(); }), "crashed: Aborted");
  EXPECT_EQ(message_of(10, [] { throw 1; }), "crashed");
}

TEST(ChildProcess, EndlessWorkIsEnded) {
  volatile bool forever = true;
  EXPECT_EQ(message_of(1,
                       [&] {
                         while (forever) continue;
                       }),
            "took more than 1 s");
}

// Allocates memory and touches it, because untouched memory costs nothing.
void take(size_t bytes) {
  std::vector<char> memory(bytes, 1);
  volatile char last = memory.back();
  static_cast<void>(last);
}

TEST(ChildProcess, TakesNoMoreMemoryThanItMayUntilThatIsLifted) {
  constexpr size_t kMore = size_t{100} << 20;
  const std::string too_much = kAddressSanitizer ? "crashed" : "took more than 64.00 MiB of memory";
  EXPECT_EQ(message_of(10, [] { take(size_t{32} << 20); }), "");
  EXPECT_EQ(message_of(10, [] { take(kMore); }), too_much);
  EXPECT_NO_THROW(run_in_child_process({.seconds = 10, .bytes = 1 << 20}, [](ChildMemory& memory) {
    memory.lift();
    take(kMore);
  }));
}

// Child processes try what they may not.

namespace fs = std::filesystem;

bool has_landlock() {
  return syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

// True if a process may refuse itself system calls: the kernel tells apart a missing filter and a missing mode.
bool has_call_filters() {
  return prctl(PR_SET_SECCOMP, 2, nullptr, 0, 0) < 0 && errno == EFAULT;
}

// Returns what `attempt` returns in a child process that may read these files.
int in_child(std::vector<fs::path> readable, const std::function<int()>& attempt) {
  MemoryFile file;
  run_in_child_process({.seconds = 10, .bytes = uint64_t{64} << 20, .readable = std::move(readable)},
                       [&](ChildMemory&) {
                         const int result = attempt();
                         file.write(std::as_bytes(std::span(&result, 1)));
                       });
  file.rewind();
  int result = -1;
  file.read(std::as_writable_bytes(std::span(&result, 1)));
  return result;
}

// Returns 0, or the number of the error.
int opened(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

int error_of_call(long result) {
  return result < 0 ? errno : 0;
}

TEST(ChildRights, OnlyTheFilesThatItIsGivenAreRead) {
  if (!has_landlock()) GTEST_SKIP() << "this kernel has no landlock";
  TestFolder folder;
  const fs::path mesh = folder.write("in/a.fbx", "mesh"), below = folder.write("in/maps/a.png", "image");
  const fs::path beside = folder.write("secret.txt", "secret"), alone = folder.write("other/b.fbx", "mesh");
  fs::create_symlink(beside, folder.path() / "in/link.png");
  const std::vector<fs::path> readable = {alone, folder.path() / "in", folder.path() / "missing"};
  const auto read = [&](const fs::path& path) {
    return in_child(readable, [&] { return opened(path, O_RDONLY); });
  };
  EXPECT_EQ(read(mesh), 0);
  EXPECT_EQ(read(below), 0);
  EXPECT_EQ(read(alone), 0);
  EXPECT_EQ(read(beside), EACCES);
  EXPECT_EQ(read(folder.path() / "in/link.png"), EACCES);
  EXPECT_EQ(read(folder.path() / "in/../secret.txt"), EACCES);
  EXPECT_EQ(read("/etc/passwd"), EACCES);
  EXPECT_EQ(in_child({"/"}, [] { return opened("/etc/passwd", O_RDONLY); }), 0);
  EXPECT_EQ(in_child({}, [] { return available_bytes() > 0 ? 0 : 1; }), 0);
}

TEST(ChildRights, NothingIsWritten) {
  if (!has_landlock() && !has_call_filters())
    GTEST_SKIP() << "this kernel has neither landlock nor filters of calls";
  TestFolder folder;
  const fs::path file = folder.write("in/a.fbx", "mesh"), made = folder.path() / "in/new.txt";
  const auto refused = [&](const std::function<int()>& attempt) {
    const int error = in_child({folder.path(), "/"}, attempt);
    return error == EACCES || error == EPERM;
  };
  EXPECT_TRUE(refused([&] { return opened(made, O_WRONLY | O_CREAT); }));
  EXPECT_TRUE(refused([&] { return opened(file, O_WRONLY); }));
  EXPECT_TRUE(refused([&] { return opened(file, O_RDWR | O_TRUNC); }));
  EXPECT_TRUE(refused([&] { return error_of_call(unlink(file.c_str())); }));
  EXPECT_TRUE(refused([&] { return error_of_call(rename(file.c_str(), made.c_str())); }));
  EXPECT_TRUE(refused([&] { return error_of_call(mkdir(made.c_str(), 0700)); }));
  EXPECT_TRUE(refused([&] { return error_of_call(symlink("/etc/passwd", made.c_str())); }));
  EXPECT_FALSE(fs::exists(made));
  EXPECT_EQ(read_bytes(file), "mesh");
}

TEST(ChildRights, NoConnectionIsMadeAndNoProgramStarted) {
  if (!has_call_filters()) GTEST_SKIP() << "this kernel has no filters of system calls";
  const auto error = [](const std::function<long()>& call) {
    return in_child({"/"}, [&] { return error_of_call(call()); });
  };
  EXPECT_EQ(error([] { return socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(error([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(error([] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(error([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_NE(error([] {
              const pid_t child = fork();
              if (child == 0) _exit(0);
              return child;
            }),
            0);
}

TEST(ChildRights, ResourcesAreLimitedOnEveryKernel) {
  const auto limit = [](__rlimit_resource resource) {
    return in_child({}, [&] {
      rlimit limit = {};
      getrlimit(resource, &limit);
      return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 30));
    });
  };
  EXPECT_EQ(limit(RLIMIT_CORE), 0);
  EXPECT_EQ(limit(RLIMIT_FSIZE), 0);
  EXPECT_EQ(limit(RLIMIT_CPU), 10);
  const int opened_at_once = in_child({"/"}, [] {
    int count = 0;
    while (open("/etc/passwd", O_RDONLY) >= 0 && count < 1000) ++count;
    return count;
  });
  EXPECT_GE(opened_at_once, 32);
  EXPECT_LE(opened_at_once, 128);
}

}  // namespace
}  // namespace vox
