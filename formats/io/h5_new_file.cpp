#include "formats/io/h5.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"

namespace vox::h5 {
namespace {

constexpr uint64_t kLargeBytes = 1 << 20;  // datasets above this size are not read back value by value

// Calls a function from HDF5's iteration and keeps its exception, which must not pass through C.
class Visit {
 public:
  explicit Visit(std::function<void(hid_t, const char*)> visit) : visit_(std::move(visit)) {}

  herr_t operator()(hid_t at, const char* name) noexcept {
    try {
      visit_(at, name);
      return 0;
    } catch (...) {
      thrown_ = std::current_exception();
      return -1;
    }
  }

  // Throws what the function threw, or an Error if the iteration itself failed.
  void check_done(herr_t result, const std::string& where) const {
    if (thrown_) std::rethrow_exception(thrown_);
    check(result, where, "cannot be read back");
  }

 private:
  std::function<void(hid_t, const char*)> visit_;
  std::exception_ptr thrown_;
};

void read_attributes(hid_t object, const std::string& where) {
  Visit visit([&](hid_t at, const char* name) {
    const std::string place = fmt::format("{}, attribute {}", where, name);
    const Handle attribute(check(H5Aopen(at, name, H5P_DEFAULT), place, "cannot be read back"), H5Aclose);
    const Handle type(check(H5Aget_type(attribute), place, "cannot be read back"), H5Tclose);
    const Handle space(check(H5Aget_space(attribute), place, "cannot be read back"), H5Sclose);
    const auto count =
        static_cast<size_t>(check(H5Sget_simple_extent_npoints(space), place, "cannot be read back"));
    std::vector<uint8_t> values(H5Tget_size(type) * count + 1);
    check(H5Aread(attribute, type, values.data()), place, "cannot be read back");
  });
  const auto call = [](hid_t at, const char* name, const H5A_info_t*, void* to) -> herr_t {
    return (*static_cast<Visit*>(to))(at, name);
  };
  visit.check_done(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, call, &visit), where);
}

// A dataset whose writer has set the fill value leaves out chunks on purpose.
bool may_lack_chunks(hid_t properties) {
  H5D_fill_value_t fill = H5D_FILL_VALUE_UNDEFINED;
  return H5Pfill_value_defined(properties, &fill) >= 0 && fill == H5D_FILL_VALUE_USER_DEFINED;
}

void check_chunks(const Object& dataset, hid_t properties) {
  const std::vector<hsize_t> dims = dimensions(dataset);
  std::vector<hsize_t> chunk(dims.size());
  check(H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()), dataset.where(),
        "cannot be read back");
  hsize_t expected = 1, found = 0;
  for (size_t i = 0; i < dims.size(); ++i) expected *= (dims[i] + chunk[i] - 1) / chunk[i];
  if (expected == 0) return;
  const Handle space(check(H5Dget_space(dataset.id), dataset.where(), "cannot be read back"), H5Sclose);
  check(H5Dget_num_chunks(dataset.id, space, &found), dataset.where(), "cannot be read back");
  if (found != expected)
    throw Error(fmt::format("cannot be written: {} of {} chunks are in the file", found, expected))
        .at(dataset.where());
}

void read_values(const Object& dataset) {
  const Handle type(check(H5Dget_type(dataset.id), dataset.where(), "cannot be read back"), H5Tclose);
  uint64_t bytes = H5Tget_size(type);
  for (const hsize_t n : dimensions(dataset)) bytes *= n;
  if (bytes == 0 || bytes > kLargeBytes) return;
  std::vector<uint8_t> values(bytes);
  check(H5Dread(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), dataset.where(),
        "cannot be read back");
}

void check_dataset(const Object& dataset) {
  const Handle properties(check(H5Dget_create_plist(dataset.id), dataset.where(), "cannot be read back"),
                          H5Pclose);
  if (H5Pget_layout(properties) == H5D_VIRTUAL)
    return;  // its values lie in other files, which are checked themselves
  if (!may_lack_chunks(properties)) {
    check_storage(dataset);
    if (H5Pget_layout(properties) == H5D_CHUNKED) check_chunks(dataset, properties);
  }
  read_values(dataset);
}

}  // namespace

void check_written(const std::filesystem::path& path, const std::string& name) {
  const Quiet quiet;
  const Object file = open_file(path, name);
  Visit visit([&](hid_t root, const char* child) {
    Object object = {
        .id = {}, .file = name, .path = std::string(child) == "." ? "" : fmt::format("/{}", child)};
    object.id =
        Handle(check(H5Oopen(root, child, H5P_DEFAULT), object.where(), "cannot be read back"), H5Oclose);
    read_attributes(object.id, object.where());
    if (H5Iget_type(object.id) == H5I_DATASET) check_dataset(object);
  });
  const auto call = [](hid_t root, const char* child, const H5O_info_t*, void* to) -> herr_t {
    return (*static_cast<Visit*>(to))(root, child);
  };
  visit.check_done(H5Ovisit2(file.id, H5_INDEX_NAME, H5_ITER_NATIVE, call, &visit, H5O_INFO_BASIC), name);
}

NewFile::NewFile(const std::filesystem::path& target, Writers writers)
    : target_(target, writers), file_(create_file(target_.path(), target.string())) {}

void NewFile::close_and_check() {
  const std::string name = file_.file;
  close_file(std::move(file_));
  const Stopwatch watch;
  check_written(target_.path(), name);
  log_debug("{}: read back in {:.4f} s", name, watch.seconds());
}

void NewFile::commit() {
  close_and_check();
  target_.commit();
}

void NewFile::commit_behind(AtomicFile& other) {
  close_and_check();
  AtomicFile* const both[] = {&other, &target_};
  commit_together(both);
}

}  // namespace vox::h5
