// Writes bytes into a file, in order. The file appears at its target when it is committed, or not at all. A failure,
// such as a full disk, becomes an Error that names the target.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "libvox/base/files.h"

namespace vox {

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& target, Writers writers = Writers::Several)
      : file_(target, writers) {}

  void write(std::string_view bytes);
  template <class T>
  void write(std::span<const T> items) {
    write(std::string_view(reinterpret_cast<const char*>(items.data()), items.size_bytes()));
  }
  void release();  // flushes everything to the disk (AtomicFile::release()); only commit() may follow
  void commit();

  // Commits files that belong together, all of them or none. They must be opened with Writers::One, and the last one
  // must be the file that names the others.
  static void commit_together(std::list<OutputFile>& files);

 private:
  void flush();

  AtomicFile file_;
  std::vector<char> buffer_;
};

// Returns the size of a committed file. If the system does not tell it, throws Error that says the file is written.
uint64_t size_of_written(const std::filesystem::path& file);

// Writes bytes at an offset of an open file. Throws Error that names the target.
void write_at(int descriptor, uint64_t offset, std::string_view bytes, const std::filesystem::path& target);

// Makes the system write a file's data to the disk while more data is produced. By default the system starts
// late, so the producer would wait at the end or, if the page cache is full, in between.
class WriteBehind {
 public:
  // The descriptor must stay open longer than this object. Errors are ignored here, because they occur again
  // when the file is synced, and are reported then.
  explicit WriteBehind(int file);
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  // Must be called when `bytes` more bytes are in the file.
  void wrote(uint64_t bytes);

 private:
  void run();

  const int file_;
  uint64_t begun_ = 0;  // bytes that the system has been asked to write
  uint64_t waiting_ = 0;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

// A lock file that one process at a time holds, using flock(2). The lock ends with the process, even if
// that crashes.
class LockFile {
 public:
  // Makes the file if there is none, and tries to lock it without waiting. Throws an Error that names the
  // file if it cannot be made.
  explicit LockFile(std::filesystem::path path);
  ~LockFile();  // removes the file if this process holds the lock
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // True if this process holds the lock. If the file system has no locks, this is always true.
  bool is_held() const { return is_held_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool is_held_ = false;
};

// A file without a name in the folder for temporary files, mapped into memory. It can hold data larger than
// memory.
class NamelessFile {
 public:
  // Reserves `size` bytes, at least 1, on the disk, so that writing to the mapping cannot fail. Throws an
  // Error that names `source` if there is not enough space.
  NamelessFile(uint64_t size, const std::filesystem::path& source);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

// Protects existing files. A file that vox wrote itself may be replaced by another of its kind; every other
// file is kept unless the user says --force. For example, a picture must not replace the texture beside it,
// nor a report a scene.

// The kind of file that is written.
enum class OutputKind {
  Scene,    // a scene or bricks: .h5
  Report,   // .h5
  Rows,     // rows of a report: .csv
  Page,     // .html
  Picture,  // .png
  Film,     // .mp4
  Palette,  // .gpl and .png tell who wrote them, .pal and .hex do not
  Nrrd,
  Npy,  // does not tell who wrote it
  Raw,  // does not tell who wrote it
  Npz,
  GprMax,           // .gprmax.h5, with a text of materials beside it
  GprMaxMaterials,  // .txt
  MagicaVoxel,
  Binvox,  // does not tell who wrote it: existing readers accept no extra line in its header
  Schem,
  HashDag,  // does not tell it either, nor do SymVox and Vl32; colors are in a file beside it
  SymVox,
  Vl32,
  Nvdb,
  Vdb,
  ObjMesh,
  ObjMaterials,  // .mtl
  GlbMesh,
  PlyMesh,  // a mesh or points
  VtkHdf,
  Slices,        // a folder of .png
  Chunks,        // a folder of .voxc with scene.json
  Tiles,         // a folder of .glb with tileset.json
  MaterialList,  // .json
  VoxelOctree    // .voxel.json, with .voxel.bin beside it
};

// Returns the kind of a file that vox-convert writes: an export if the extension is one, otherwise a scene
// file.
OutputKind kind_of_output(const std::filesystem::path& path);
// Returns the kind of a file that belongs to a mesh, by extension: .obj, its .mtl and .png; or .glb.
OutputKind kind_of_mesh(const std::filesystem::path& path);

enum class Overwrite { OwnFiles, AllFiles };

// Throws an Error that names the target if nothing can be written there, or if a file that vox did not write
// would be lost. It must be called before the work. An empty file may be replaced, because mktemp makes such
// files. For an OBJ mesh the .mtl file beside it is checked, too.
void check_writable(const std::filesystem::path& target, OutputKind kind, Overwrite overwrite);

// Writes a folder of files that appears complete or not at all. It is written under a temporary name beside its target
// and renamed when it is complete.

// A function that returns true if vox wrote the file at this path for this kind of folder.
using IsOwnFile =
    std::function<bool(const std::filesystem::path& folder, const std::filesystem::path& relative)>;

class OutputFolder {
 public:
  // Makes the temporary folder, so that a target that cannot be written fails before the work. Removes the temporary
  // folder that a killed process left for the same target. Throws Error that names the target if another run writes
  // the same folder, or if the target holds foreign files. With Overwrite::AllFiles, foreign files stay unless a new
  // file has their name.
  OutputFolder(const std::filesystem::path& target, IsOwnFile is_own, Overwrite overwrite);
  ~OutputFolder();  // removes the temporary folder unless it was committed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Writes a file. If a file of this name exists already, it stays, because equal names mean equal content. Several
  // threads may write at the same time.
  void write(const std::filesystem::path& relative, std::string_view bytes);

  // Calls make() with the path of a new file, which make() writes. Errors name the target.
  void write_by(const std::filesystem::path& relative,
                const std::function<void(const std::filesystem::path&)>& make);

  // Flushes everything to the disk and replaces the target.
  void commit();

  uint64_t files() const { return files_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void check_target(Overwrite overwrite) const;
  void lock();
  void replace();
  void keep_foreign() const;

  std::filesystem::path target_, temporary_;
  IsOwnFile is_own_;
  int descriptor_ = -1;  // locks the temporary folder
  std::atomic<uint64_t> files_ = 0, bytes_ = 0;
};

}  // namespace vox
