// The list of all targets, the files that they read, and changes of HDF5 files object by object.
#include <hdf5.h>
#include <libdeflate.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "formats/io/h5.h"
#include "tests/common/test_process.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

namespace fs = std::filesystem;

class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code none;
    const fs::path memory = "/dev/shm";
    const fs::path above = access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
    path_ = above / ("vox_fuzz_" + std::to_string(getpid()));
    fs::remove_all(path_, none);
    fs::create_directories(path_);
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto part : {mesh_targets, point_targets, volume_targets, voxel_targets, scene_targets,
                          text_targets, folder_targets, tool_targets})
    for (Target& target : part()) all.push_back(std::move(target));
  return all;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = all_targets();
  return all;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "what was read is wrong: %s\n", what);
  std::abort();
}

const fs::path& folder() {
  static const PrivateFolder folder;
  return folder.path();
}

fs::path put(const std::string& name, std::string_view bytes) {
  fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string taken(const std::string& name) {
  return read_bytes(folder() / name);
}

std::string gzipped(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(
      libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

namespace {

// Changes of HDF5 files object by object.

using h5::Handle;

constexpr uint64_t kMostChanged = 1 << 20;  // of a dataset or an attribute that is changed
constexpr std::array<uint64_t, 16> kAwkward = {
    0,         1,         2, 3, 4, 7, 8, 255, 256, 65535, 1 << 20, 0x7fffffff, 0xffffffff, uint64_t{1} << 32,
    INT64_MAX, UINT64_MAX};

// The bytes of a recipe, and zeros behind its end.
class Recipe {
 public:
  explicit Recipe(std::string_view bytes) : left_(bytes) {}
  bool done() const { return left_.empty(); }
  uint32_t byte() {
    if (left_.empty()) return 0;
    const auto value = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  uint32_t below(size_t count) {
    return count == 0 ? 0 : (byte() << 8 | byte()) % static_cast<uint32_t>(count);
  }
  // An awkward number, or one near it or near `before`.
  uint64_t number(uint64_t before) {
    const uint32_t kind = byte();
    if (kind < 128) return kAwkward[kind % kAwkward.size()];
    return before + static_cast<uint64_t>(static_cast<int64_t>(kind) - 192);
  }

 private:
  std::string_view left_;
};

struct Found {
  std::string object, attribute;  // no attribute: the dataset itself
};

std::vector<Found> all_values(hid_t file, std::vector<std::string>& objects) {
  H5Ovisit2(
      file, H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t, const char* name, const H5O_info_t*, void* to) -> herr_t {
        static_cast<std::vector<std::string>*>(to)->emplace_back(name);
        return 0;
      },
      &objects, H5O_INFO_BASIC);
  std::vector<Found> all;
  for (const std::string& object : objects) {
    const Handle id(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose);
    if (H5Iget_type(id) == H5I_DATASET) all.push_back({object, ""});
    std::pair<std::vector<Found>*, const std::string*> to = {&all, &object};
    H5Aiterate2(
        id, H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
          const auto& [found, in] = *static_cast<decltype(to)*>(data);
          found->push_back({*in, name});
          return 0;
        },
        &to);
  }
  return all;
}

// Changes some of `count` values of `size` bytes.
void change_values(std::string& bytes, size_t size, Recipe& recipe) {
  if (bytes.empty() || size == 0) return;
  for (uint32_t times = 1 + recipe.byte() % 4; times > 0; --times) {
    const size_t at = recipe.below(bytes.size() / size) * size, width = std::min<size_t>(size, 8);
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, width);
    value = recipe.number(value);
    std::memcpy(bytes.data() + at, &value, width);
  }
}

// Texts are changed byte by byte.
size_t unit_of(hid_t type) {
  return H5Tget_class(type) == H5T_STRING ? 1 : H5Tget_size(type);
}

void change_attribute(hid_t object, const std::string& name, Recipe& recipe) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const auto points = static_cast<uint64_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  if (attribute < 0 || H5Tis_variable_str(type) != 0 || points * H5Tget_size(type) > kMostChanged) return;
  std::string bytes(points * H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, bytes.data()) < 0) return;
  change_values(bytes, unit_of(type), recipe);
  H5Awrite(attribute, type, bytes.data());
}

void change_dataset(hid_t dataset, Recipe& recipe) {
  const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  const auto points = static_cast<uint64_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  if (H5Tis_variable_str(type) != 0 || points * H5Tget_size(type) > kMostChanged) return;
  std::string bytes(points * H5Tget_size(type), '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return;
  change_values(bytes, unit_of(type), recipe);
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
}

// Puts another attribute in the place of one: of another type, of another length, or none.
void replace_attribute(hid_t object, const std::string& name, Recipe& recipe) {
  H5Adelete(object, name.c_str());
  const uint32_t kind = recipe.byte() % 6;
  if (kind == 0) return;
  const std::array<hid_t, 5> types = {H5T_NATIVE_UINT64, H5T_NATIVE_UINT8, H5T_NATIVE_DOUBLE,
                                      H5T_NATIVE_INT32, H5T_C_S1};
  const hsize_t count = recipe.byte() % 8;
  const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), types[kind - 1], space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  std::string values(8 * std::max<hsize_t>(count, 1), '\0');
  change_values(values, 8, recipe);
  if (attribute >= 0) H5Awrite(attribute, types[kind - 1], values.data());
}

// Puts a dataset of another length or type in the place of one. It has no attributes, chunks or filters.
void replace_dataset(hid_t file, const std::string& name, Recipe& recipe) {
  const Handle old(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(old), H5Tclose), space(H5Dget_space(old), H5Sclose);
  const auto points = static_cast<uint64_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
  std::string bytes(std::min(points * H5Tget_size(type), kMostChanged) + 4096, '\0');
  if (points * H5Tget_size(type) <= kMostChanged)
    H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  const uint32_t how = recipe.byte();
  const std::array<hid_t, 4> types = {type, type, H5T_NATIVE_UINT8, H5T_NATIVE_UINT32};
  const hid_t to = types[how % 4];
  const hsize_t most = bytes.size() / H5Tget_size(to);
  const std::array<hsize_t, 2> sizes = {std::min<hsize_t>(recipe.number(points), most), 3};
  const Handle grid(H5Screate_simple(how & 64 ? 2 : 1, sizes.data(), nullptr), H5Sclose);
  H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  const Handle made(H5Dcreate2(file, name.c_str(), to, grid, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (made >= 0 && sizes[0] * 3 <= most) H5Dwrite(made, to, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
}

void copy_object(hid_t file, const std::string& from, const std::string& to) {
  if (from == "." || to == "." || to.starts_with(from) || from.starts_with(to)) return;
  H5Ldelete(file, to.c_str(), H5P_DEFAULT);
  H5Ocopy(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

}  // namespace

void change_objects(const std::filesystem::path& path, std::string_view text) {
  const h5::Quiet quiet;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  Recipe recipe(text);
  for (int steps = 0; steps < 8 && !recipe.done(); ++steps) {
    std::vector<std::string> objects;
    const std::vector<Found> values = all_values(file, objects);
    if (values.empty()) return;
    const uint32_t kind = recipe.byte() % 16;
    const Found& value = values[recipe.below(values.size())];
    if (kind == 15) {
      copy_object(file, objects[recipe.below(objects.size())], value.object);
    } else if (kind == 14) {
      if (value.object != ".") H5Ldelete(file, value.object.c_str(), H5P_DEFAULT);
    } else {
      const Handle object(H5Oopen(file, value.object.c_str(), H5P_DEFAULT), H5Oclose);
      if (value.attribute.empty()) {
        if (kind < 10) {
          change_dataset(object, recipe);
        } else {
          replace_dataset(file, value.object, recipe);
        }
      } else if (kind < 10) {
        change_attribute(object, value.attribute, recipe);
      } else {
        replace_attribute(object, value.attribute, recipe);
      }
    }
  }
}

}  // namespace vox::fuzz
