// A thin layer over the HDF5 C library: handles that close themselves, and errors that name the file and the
// object in it. Equal content gives equal bytes, and flipped bytes are found. For that, files use the format
// of HDF5 1.10, which has checksums for all metadata, including attributes. Texts have fixed lengths,
// because the heap for texts of variable length has no checksum. Raw data is deflated or has a fletcher32
// checksum.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/files.h"

namespace vox::h5 {

inline constexpr std::string_view kMagic = "\x89HDF\r\n\x1a\n";  // every file begins with it

// The first failure to close an object of a file that is written. HDF5 writes much of a file when its objects are
// closed, but a destructor cannot throw, so close_file() throws instead. All objects of a new file share this object.
using CloseFailure = std::shared_ptr<std::string>;

// Owns one identifier of the library.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, CloseFailure failure = nullptr)
      : id_(id), close_(close), failure_(std::move(failure)) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~Handle();
  operator hid_t() const { return id_; }
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }
  const CloseFailure& failure() const { return failure_; }  // null for objects that are only read

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
  CloseFailure failure_;
};

// While an object of this class lives, the library prints no errors on this thread. It must be made before
// any other call of the library.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

[[noreturn]] void throw_failure(const std::string& where, const std::string& problem);

// Throws an Error at `where` with the library's own reason if `result` says that a call failed.
template <std::signed_integral Result>
Result check(Result result, const std::string& where, const std::string& problem) {
  if (result < 0) throw_failure(where, problem);
  return result;
}

// A file (through its root group), a group or a dataset.
struct Object {
  Handle id;
  std::string file, path;  // e.g. "scene.h5", "/svdag/level_00"; the path is empty for the file itself

  std::string where() const { return path.empty() ? file : file + ": " + path; }
};

// `name` is the file's name in errors. It differs from `path` if the file is written under a temporary name.
Object create_file(const std::filesystem::path& path, const std::string& name);
Object open_file(const std::filesystem::path& path, const std::string& name);
inline Object open_file(const std::filesystem::path& path) {
  return open_file(path, path.string());
}
// Writes all data that the library still holds. Throws if this, or closing any object of the file, has failed. All
// objects in the file must be closed before.
void close_file(Object file);

Object create_group(const Object& parent, const std::string& name);
Object open_group(const Object& parent, const std::string& name);
Object open_dataset(const Object& parent, const std::string& name);
// Opens a dataset whose data lies in other files, to read its size and attributes.
Object open_virtual_dataset(const Object& parent, const std::string& name);
bool has_child(const Object& parent, const std::string& name);

// Attributes hold uint8_t, uint32_t, uint64_t, int64_t or double, either one value or as many as the span has. Reading
// throws if the type or the number differs.
template <class T>
void write_attribute(const Object& object, const std::string& name, std::span<const T> values);
template <class T>
void read_attribute(const Object& object, const std::string& name, std::span<T> values);
// Writes an attribute of any type, with this dataspace.
void write_attribute_raw(const Object& object, const std::string& name, hid_t type, hid_t space,
                         const void* data);

template <class T>
void write_attribute(const Object& object, const std::string& name, T value) {
  write_attribute(object, name, std::span<const T>(&value, 1));
}
template <class T>
T read_attribute(const Object& object, const std::string& name) {
  T value = {};
  read_attribute(object, name, std::span<T>(&value, 1));
  return value;
}

void write_text(const Object& object, const std::string& name, const std::string& text);
std::string read_text(const Object& object, const std::string& name);
bool has_attribute(const Object& object, const std::string& name);
// True if this is an HDF5 file whose attribute `format`, the mark of vox, has this value.
bool is_file_of_format(const std::filesystem::path& path, const std::string& format);

// Datasets hold uint8_t, uint64_t or double, and are in memory as a whole. Writing returns the dataset, so
// that attributes can be added. Reading throws if the type or the dimensions differ; a dimension of
// kAnyLength may have any length.
inline constexpr hsize_t kAnyLength = UINT64_MAX;
template <class T>
Object write_table(const Object& parent, const std::string& name, std::span<const T> values,
                   std::vector<hsize_t> dims);
template <class T>
std::vector<T> read_table(const Object& parent, const std::string& name, std::vector<hsize_t> dims);

// Writes short texts, one in each row, all padded to the length of the longest.
Object write_texts(const Object& parent, const std::string& name, const std::vector<std::string>& texts);
std::vector<std::string> read_texts(const Object& parent, const std::string& name);

// The remaining functions are for formats that read and write a dataset in their own way.

Object create_dataset(const Object& parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& dims, hid_t properties);
Handle dataset_properties();  // for a new dataset: without times, so that equal content gives equal bytes
std::vector<hsize_t> dimensions(const Object& dataset);
int descriptor(const Object& object);  // the descriptor of the object's open file

// Throws if the stored bytes cannot inflate to the size that the dimensions give: a few bytes of a broken
// header must not make readers allocate memory.
void check_storage(const Object& dataset);

// An HDF5 file that appears complete or not at all. HDF5 writes much of a file only when its objects are closed. So
// every close is checked, and the finished file is read back before it replaces anything.

class NewFile {
 public:
  // Throws Error that names the target if it cannot be written.
  explicit NewFile(const std::filesystem::path& target, Writers writers = Writers::Several);

  const Object& root() const { return file_; }

  // Closes the file, reads it back with check_written() and moves it to its target. All objects in it must be closed
  // before. Throws Error if anything could not be written; the target is then unchanged.
  void commit();
  // Commits this file together with another one, to which it refers. Both must have Writers::One.
  void commit_behind(AtomicFile& other);

  // True if the file is at its target. It may be there even if commit() throws: a power failure might undo that.
  bool is_in_place() const { return target_.is_in_place(); }

 private:
  void close_and_check();

  Quiet quiet_;
  AtomicFile target_;
  Object file_;
};

// Reads all attributes and all small datasets of a file. For large datasets, checks that as many bytes and chunks are
// stored as their dimensions require. Throws Error, with `name` for the file, if anything is missing.
void check_written(const std::filesystem::path& path, const std::string& name);

}  // namespace vox::h5
