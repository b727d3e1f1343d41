// Scene files that are truncated, damaged or of an older version, and disks that are full.
#include "formats/scene/scene_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "formats/io/h5.h"
#include "formats/scene/groups.h"
#include "libvox/base/error.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/dag/dense_dag.h"
#include "tests/formats/scene/scene_file_fixture.h"

namespace vox {
namespace {

TEST_F(SceneFile, TruncatedFilesAreRefused) {
  for (const uint32_t version : {1u, 2u}) {
    write_scene(sample_scene(), path, {}, {}, version);
    std::string bytes = read_bytes(path);
    for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 100) {
      write_bytes(path, bytes.substr(0, length));
      EXPECT_NE(problem(), "none") << length;
    }
    EXPECT_NE(problem().find(fmt::format("whole, it has {} bytes", bytes.size())), std::string::npos)
        << problem();
  }
}

TEST_F(SceneFile, OfVersion1GivesBackTheSameScene) {
  for (const uint32_t resolution : {4u, 37u, 64u})
    for (const bool materials : {false, true}) {
      const dag::VoxelScene scene = sample_scene(resolution, materials);
      write_scene(scene, path, {}, {}, 1);
      expect_equal_scenes(read_scene(path), scene);
      EXPECT_EQ(problem(), "none");
      EXPECT_EQ(read_scene_info(path).version, 1u);
      write_scene(scene, path);
      expect_equal_scenes(read_scene(path), scene);
      EXPECT_EQ(read_scene_info(path).version, 2u);
    }
}

// Adds a link of each kind, so that something in the file is elsewhere. A reader that followed the one to the pipe would wait
// for ever.
TEST_F(SceneFile, LinksToOtherFilesAndPlacesAreNotFollowed) {
  const fs::path other = folder / "other.h5", pipe = folder / "pipe";
  write_scene(sample_scene(), other);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string name : {"/svdag", "/palette", "/history", "/svdag/level_01", "/svdag/level_01/words",
                                 "/svdag/level_01/starts", "/palette/names"}) {
    const auto put = [&](const std::function<void(hid_t)>& link) {
      const std::string found = problem_after([&](hid_t file) {
        H5Ldelete(file, name.c_str(), H5P_DEFAULT);
        link(file);
      });
      EXPECT_EQ(found.find(path.string() + ": " + name + ": is a link to another place or file"), 0u)
          << found;
    };
    for (const fs::path& target : {other, pipe})
      put([&](hid_t file) {
        H5Lcreate_external(target.c_str(), name.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      });
    put([&](hid_t file) {
      H5Lcreate_external(pipe.c_str(), "/a", file, "/a", H5P_DEFAULT, H5P_DEFAULT);
      H5Lcreate_soft("/a", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    });
  }
}

// HDF5 would open the other file to find out how many words it has.
TEST_F(SceneFile, AVirtualDatasetWhoseSizeDependsOnOtherFilesIsRefused) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const hsize_t none = 0, one = 1, most = H5S_UNLIMITED;
  const std::string found = problem_after([&](hid_t file) {
    const h5::Object parts = {
        h5::Handle(H5Gcreate2(file, "/svdag/parts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose),
        path.string(), "/svdag/parts"};
    h5::write_texts(parts, "file", {});
    h5::write_table(parts, "check", std::span<const uint64_t>(), {0});
    const h5::Handle space(H5Screate_simple(1, &one, &most), H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &none, nullptr, &most, nullptr);
    const h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    ASSERT_GE(H5Pset_virtual(properties, space, pipe.c_str(), "/words", space), 0);
    H5Ldelete(file, "/svdag/level_00/words", H5P_DEFAULT);
    const h5::Handle words(
        H5Dcreate2(file, "/svdag/level_00/words", H5T_STD_U32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(words, 0);
  });
  EXPECT_NE(found.find("its size is not fixed, but depends on other files"), std::string::npos) << found;
}

// Level 2 of the sample begins with a node, and its second word is not the start of a node.
TEST_F(SceneFile, OfVersion1WithAPointerIntoANodeIsRefused) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path, {}, {}, 1);
  Words words = dag::words_with_offsets(scene.dag, 1);
  words[1] = 1;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  replace_words(file, "/svdag/level_01/words", H5T_STD_U32LE, {words.size()}, H5P_DEFAULT, words);
  H5Fclose(file);
  EXPECT_EQ(problem(),
            path.string() + ": /svdag: level 1, word 1: points to word 1 of level 2, where no node starts");
}

TEST_F(SceneFile, StartsAndChildBytesThatAreWrongAreRefused) {
  const auto with_starts = [&](const std::vector<uint64_t>& starts) {
    return problem_after([&](hid_t file) {
      H5Ldelete(file, "/svdag/level_03/starts", H5P_DEFAULT);
      const hsize_t count = starts.size();
      const hid_t space = H5Screate_simple(1, &count, nullptr);
      const hid_t dataset = H5Dcreate2(file, "/svdag/level_03/starts", H5T_STD_U64LE, space, H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(dataset, H5T_STD_U64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, starts.data());
      H5Dclose(dataset);
      H5Sclose(space);
    });
  };
  EXPECT_EQ(with_starts({0}), "none");
  const std::string level = path.string() + ": /svdag: level 3: ";
  EXPECT_EQ(with_starts({1}), level + "its first node starts at word 1, expected 0");
  EXPECT_EQ(with_starts({0, 3}).find(level + "has 2 starts, expected 1 for"), 0u);
  EXPECT_EQ(with_starts({}).find(level + "has 0 starts, expected 1 for"), 0u);
  EXPECT_EQ(problem_after([](hid_t file) {
              H5Ldelete(file, "/svdag/level_03/starts", H5P_DEFAULT);
            }).find(path.string() + ": /svdag/level_03/starts: cannot be read"),
            0u);
  const auto with_child_bytes = [&](uint64_t bytes) {
    return problem_after(
        [&](hid_t file) { replace_attribute(file, kLevel3, "child_bytes", H5T_STD_U32LE, bytes); });
  };
  const std::string words = path.string() + ": " + kLevel3 + ": ";
  EXPECT_EQ(with_child_bytes(4), "none");
  EXPECT_EQ(with_child_bytes(5), words + "child_bytes is 5, expected 4 or 8");
  EXPECT_NE(with_child_bytes(8).find("cannot"), std::string::npos);
  EXPECT_EQ(problem_after([](hid_t file) {
              replace_attribute(file, kLevel3, "nodes", H5T_STD_U64LE, uint64_t{1} << 32);
            }),
            words +
                "has 4294967296 nodes, but this program reads levels of at most 4294967295 (a newer vox "
                "may read it)");
}

// Returns the places in the file at which the raw data of a dataset lies.
std::vector<std::pair<haddr_t, hsize_t>> chunks_of(const fs::path& path, const std::string& name) {
  std::vector<std::pair<haddr_t, hsize_t>> chunks;
  hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  hsize_t count = 0, offset[2], size = 0;
  H5Dget_num_chunks(dataset, space, &count);
  for (hsize_t i = 0; i < count; ++i) {
    haddr_t address = 0;
    unsigned mask = 0;
    H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size);
    chunks.emplace_back(address, size);
  }
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return chunks;
}

// Reads and verifies: returns true for an error, and false if the result is `scene`.
bool is_found_damaged(const fs::path& path, const dag::VoxelScene& scene) {
  try {
    dag::VoxelScene read = read_scene(path);
    dag::verify(read.dag);
    expect_equal_scenes(scene, read);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// VOX_TEST_FLIPS can set a larger number than 200 flips.
TEST_F(SceneFile, FlippedBytesGiveAnErrorOrTheSameContent) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  const std::string bytes = read_bytes(path);
  const char* more = std::getenv("VOX_TEST_FLIPS");
  size_t found = 0, flips = more ? std::stoul(more) : 200;
  std::mt19937 random(7);
  for (size_t i = 0; i < flips; ++i) {
    std::string damaged = bytes;
    size_t at = random() % bytes.size();
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    write_bytes(path, damaged);
    found += is_found_damaged(path, scene);
    ASSERT_FALSE(HasFailure()) << "byte " << at;
  }
  EXPECT_GT(found, flips / 4);  // the other flips fell on unused bytes
}

TEST_F(SceneFile, FlippedBytesOfRawDataAreFound) {
  const dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  const std::string bytes = read_bytes(path);
  std::vector<std::string> datasets = {"/palette/colors",    "/palette/names",  "/palette/share",
                                       "/history/script",    "/history/digest", "/history/time",
                                       "/history/script_end"};
  for (int level = 0; level < 5; ++level)
    for (const char* name : {"/words", "/starts"})
      datasets.push_back("/svdag/level_0" + std::to_string(level) + name);
  for (const std::string& name : datasets) {
    write_bytes(path, bytes);
    auto [address, size] = chunks_of(path, name).back();
    hsize_t flips = 0, found = 0;
    for (hsize_t i = 0; i < size; i += 1 + size / 20, ++flips) {
      std::string damaged = bytes;
      damaged[address + i] ^= 0x10;
      write_bytes(path, damaged);
      found += is_found_damaged(path, scene);
      ASSERT_FALSE(HasFailure()) << name << ", byte " << i << " of " << size;
    }
    EXPECT_GE(found + 2, flips) << name;  // a deflated stream has a few unused bits
  }
}

TEST_F(SceneFile, ATargetThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_scene(sample_scene(), folder / "missing" / "scene.h5"), Error);
  EXPECT_THROW(write_scene(sample_scene(), folder), Error);
  EXPECT_EQ(files_in_folder(), 0u);
}

// Returns the error of write_scene() in a child process whose files may not exceed `limit` bytes.
std::string problem_on_small_disk(const dag::VoxelScene& scene, const fs::path& path, rlim_t limit) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = {limit, limit};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message = "none";
    try {
      write_scene(scene, path);
    } catch (const Error& error) {
      message = error.what();
    }
    [[maybe_unused]] ssize_t written = write(ends[1], message.data(), message.size());
    _exit(0);  // static objects of CUDA must not be destroyed in a fork; tests of tools see how programs end
  }
  close(ends[1]);
  std::string message(4096, '\0');
  ssize_t length = read(ends[0], message.data(), message.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "crashed";
  return message.substr(0, static_cast<size_t>(std::max<ssize_t>(length, 0)));
}

TEST_F(SceneFile, AFullDiskLeavesTheOldFile) {
  dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  uint64_t size = fs::file_size(path);
  write_bytes(path, "old");
  for (uint64_t limit : {uint64_t{0}, uint64_t{100}, size / 4, size / 2, size - 1000, size - 1}) {
    std::string message = problem_on_small_disk(scene, path, limit);
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << limit << ": " << message;
    EXPECT_EQ(read_bytes(path), "old");
    EXPECT_EQ(files_in_folder(), 1u) << limit;
  }
  EXPECT_EQ(problem_on_small_disk(scene, path, size + 65536), "none");
}

TEST_F(SceneFile, PlainH5pyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  dag::VoxelScene scene = sample_scene();
  write_scene(scene, path);
  write_bytes(folder / "read.py", R"(
import sys, h5py
f = h5py.File(sys.argv[1])
s = f['scene'].attrs
print(f.attrs['format'].decode(), f.attrs['version'], f.attrs['digest'].decode(), f.attrs['created'].decode())
print(s['resolution'], s['depth'], list(s['origin']), s['voxel_size'], s['up'].decode(),
      s['coverage'].decode(), s['solid'], s['material_bits'], s['voxels'], s['source'].decode())
p = f['palette']
print(p.attrs['count'], p['colors'].shape, p['colors'][2].tolist(), p['names'][2].decode(), p['share'][1])
for name in sorted(f['svdag']):
    w = f['svdag'][name]['words']
    print(name, f['svdag'][name]['starts'][:].tolist(), w.attrs['child_bytes'], w.dtype, w.shape[0], w.attrs['nodes'], w.attrs['svo_nodes'], int(w[:].astype('u8').sum()))
h = f['history']
print(len(h['time']), h['script'][:h['script_end'][0]].tobytes().decode(), h['digest'][1].decode())
)");
  std::string out = (folder / "out").string();
  ASSERT_EQ(
      std::system(
          ("/usr/bin/python3 " + (folder / "read.py").string() + " " + path.string() + " > " + out).c_str()),
      0);
  std::string expected = "vox-scene 2 " + dag::to_string(scene.dag.digest) + " 2024-05-06T07:08:09Z\n" +
                         "64 4 [-1.5, 0.1, 1000000000.0] 0.1 z thin 1 4 " + std::to_string(scene.dag.voxels) +
                         " village.obj\n3 (16, 3) [2, 4, 253] Dächer 2 0.3333333333333333\n";
  for (size_t i = 0; i < 5; ++i) {
    const dag::DagLevel& level = scene.dag.levels[i];
    uint64_t sum = 0;
    for (uint32_t word : level.words) sum += word;
    expected += "level_0" + std::to_string(i) + " [0] 4 uint32 " + std::to_string(level.words.size()) + " " +
                std::to_string(level.nodes) + " " + std::to_string(level.svo_nodes) + " " +
                std::to_string(sum) + "\n";
  }
  expected += "2 fill sphere 1 2 3 0000000000000003ffffffffffffffff\n";
  EXPECT_EQ(read_bytes(out), expected);
}

}  // namespace
}  // namespace vox
