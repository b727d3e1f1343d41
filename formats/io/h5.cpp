#include "formats/io/h5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#include "formats/io/compression.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"

namespace vox::h5 {
namespace {

constexpr uint64_t kMaxTexts = 1u << 20;
constexpr hsize_t kMaxChunkRows = 1u << 16;
constexpr size_t kMaxAttributeBytes = 64u << 20;
constexpr uint64_t kMaxChunkBytes = 256u << 20;

template <class T>
hid_t type_of() {
  if (std::is_same_v<T, uint8_t>) return H5T_STD_U8LE;
  if (std::is_same_v<T, uint32_t>) return H5T_STD_U32LE;
  if (std::is_same_v<T, uint64_t>) return H5T_STD_U64LE;
  if (std::is_same_v<T, int64_t>) return H5T_STD_I64LE;
  static_assert(sizeof(T) == 8 || std::is_same_v<T, uint8_t> || std::is_same_v<T, uint32_t>);
  return H5T_IEEE_F64LE;
}

// Returns the reason from the innermost entry of the library's error stack.
std::string library_reason() {
  std::string reason;
  auto first = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    *static_cast<std::string*>(out) = entry->desc ? entry->desc : "";
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
  // "file write failed: time = …, errno = 28, error message = 'No space left on device', buf = 0x…"
  constexpr std::string_view kMessage = "error message = '";
  if (size_t start = reason.find(kMessage); start != std::string::npos) {
    start += kMessage.size();
    reason = reason.substr(start, reason.find('\'', start) - start);
  }
  // "truncated file: eof = 3000, sblock->base_addr = 0, stored_eof = 436892"
  if (const size_t end = reason.find("stored_eof = "); end != std::string::npos)
    reason = fmt::format("the file is cut off: whole, it has {} bytes", reason.substr(end + 13));
  return reason;
}

std::string with_reason(const std::string& problem) {
  const std::string reason = library_reason();
  return reason.empty() ? problem : fmt::format("{}: {}", problem, reason);
}

std::string attribute_place(const Object& object, const std::string& name) {
  return fmt::format("{}, attribute {}", object.where(), name);
}

Object unopened_child(const Object& parent, const std::string& name) {
  return {.id = {}, .file = parent.file, .path = parent.path + "/" + name};
}

// Throws Error if the child is a link to another place or file. A link to another file could name a pipe, which
// blocks, or a file that is not meant to be read. A link to another place may lead to such a link.
void check_hard_link(const Object& parent, const Object& child, const std::string& name) {
  H5L_info_t info = {};
  if (H5Lget_info(parent.id, name.c_str(), &info, H5P_DEFAULT) >= 0 && info.type != H5L_TYPE_HARD)
    throw Error("is a link to another place or file, which is not followed")
        .at(child.where())
        .hint("a file must hold its own groups and datasets: h5copy makes copies of them");
}

// Properties of this class with which HDF5 itself refuses links to other files, wherever it might meet one.
Handle without_external_links(hid_t property_class) {
  Handle access(H5Pcreate(property_class), H5Pclose);
  const H5L_elink_traverse_t refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                                         void*) -> herr_t { return -1; };
  H5Pset_elink_cb(access, refuse, nullptr);
  return access;
}

Object unchecked_dataset(const Object& parent, const std::string& name) {
  Object dataset = unopened_child(parent, name);
  check_hard_link(parent, dataset, name);
  const hid_t id = H5Dopen2(parent.id, name.c_str(), without_external_links(H5P_DATASET_ACCESS));
  dataset.id = Handle(check(id, dataset.where(), "cannot be read"), H5Dclose);
  return dataset;
}

// Throws if HDF5 would open the files that hold a virtual dataset's data to find out how large it is.
void check_sources(const Object& dataset, hid_t properties) {
  size_t count = 0;
  if (H5Pget_layout(properties) != H5D_VIRTUAL) return;
  check(H5Pget_virtual_count(properties, &count), dataset.where(), "cannot be read");
  for (size_t i = 0; i < count; ++i) {
    const Handle space(check(H5Pget_virtual_vspace(properties, i), dataset.where(), "cannot be read"),
                       H5Sclose);
    if (static_cast<hsize_t>(H5Sget_select_npoints(space)) == H5S_UNLIMITED)
      throw Error("its size is not fixed, but depends on other files").at(dataset.where());
  }
}

Handle text_type(size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<size_t>(length, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// Returns the length of a text type, or nothing if `type` is not one.
std::optional<size_t> text_length(hid_t type) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return std::nullopt;
  return H5Tget_size(type);
}

std::string without_padding(std::string text) {
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

Handle open_attribute(const Object& object, const std::string& name, size_t count) {
  std::string where = attribute_place(object, name);
  if (!has_attribute(object, name)) throw Error("is missing").at(where);
  Handle attribute(check(H5Aopen(object.id, name.c_str(), H5P_DEFAULT), where, "cannot be read"), H5Aclose);
  Handle space(check(H5Aget_space(attribute), where, "cannot be read"), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count))
    throw Error(fmt::format("has {} values, expected {}", H5Sget_simple_extent_npoints(space), count))
        .at(where);
  return attribute;
}

// Returns the properties of a dataset that is deflated and has a checksum.
Handle checked_properties(std::vector<hsize_t> dims) {
  dims[0] = std::clamp<hsize_t>(dims[0], 1, kMaxChunkRows);
  Handle properties = dataset_properties();
  H5Pset_chunk(properties, static_cast<int>(dims.size()), dims.data());
  H5Pset_deflate(properties, 6);
  H5Pset_fletcher32(properties);
  return properties;
}

std::string format_dims(const std::vector<hsize_t>& dims) {
  return fmt::format("{}", fmt::join(dims, " x "));
}

// If a file could not be closed because the disk was full, HDF5's clean-up at exit crashes. The clean-up is not
// needed, because every file is closed long before. It can be left out only before HDF5's first call.
[[maybe_unused]] const herr_t no_clean_up = H5dont_atexit();

// HDF5 crashes where it gets no memory for the cache of a file's metadata, so that it is asked for here first.
void check_cache_memory() {
  constexpr size_t kCacheBytes = 4 << 20;  // more than the cache of HDF5 1.8 to 1.14 takes at first
  void* volatile block = std::malloc(kCacheBytes);
  if (block == nullptr) throw std::bad_alloc();
  std::free(block);
}

}  // namespace

Handle::~Handle() {
  if (id_ >= 0 && close_(id_) < 0 && failure_ && failure_->empty())
    *failure_ = with_reason("cannot be written");
}

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

void throw_failure(const std::string& where, const std::string& problem) {
  throw Error(with_reason(problem)).at(where);
}

Object create_file(const std::filesystem::path& path, const std::string& name) {
  Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_cache_memory();
  H5Pset_obj_track_times(creation, false);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  // To close what is still open, HDF5 would look through its table of all open objects. After a failed write,
  // that table keeps objects of earlier files, which may have the addresses of this file's objects.
  H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
  H5Pset_file_locking(access, false, true);  // the file is not at its place yet, so nobody else reads it
  hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  return {.id = Handle(check(id, name, "cannot be written"), H5Fclose, std::make_shared<std::string>()),
          .file = name,
          .path = ""};
}

Object open_file(const std::filesystem::path& path, const std::string& name) {
  check_input(path);
  check_cache_memory();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  // File systems without locks are common on clusters.
  H5Pset_file_locking(access, true, true);
  hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  return {.id = Handle(check(id, name, "cannot be read"), H5Fclose), .file = name, .path = ""};
}

void close_file(Object file) {
  if (file.id.failure().use_count() != 1)  // the file's groups and datasets share it
    throw Error("cannot be written: an object of the file is still open").at(file.where());
  check(H5Fflush(file.id, H5F_SCOPE_GLOBAL), file.where(), "cannot be written");
  check(H5Fclose(file.id.release()), file.where(), "cannot be written");
  if (const CloseFailure& failure = file.id.failure(); failure && !failure->empty())
    throw Error(*failure).at(file.where());
}

Object create_group(const Object& parent, const std::string& name) {
  Object group = unopened_child(parent, name);
  Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  hid_t id = H5Gcreate2(parent.id, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT);
  group.id = Handle(check(id, group.where(), "cannot be written"), H5Gclose, parent.id.failure());
  return group;
}

Object open_group(const Object& parent, const std::string& name) {
  Object group = unopened_child(parent, name);
  check_hard_link(parent, group, name);
  hid_t id = H5Gopen2(parent.id, name.c_str(), without_external_links(H5P_GROUP_ACCESS));
  group.id = Handle(check(id, group.where(), "cannot be read"), H5Gclose, parent.id.failure());
  return group;
}

Object open_dataset(const Object& parent, const std::string& name) {
  Object dataset = unchecked_dataset(parent, name);
  check_storage(dataset);
  return dataset;
}

Object open_virtual_dataset(const Object& parent, const std::string& name) {
  Object dataset = unchecked_dataset(parent, name);
  const Handle properties(check(H5Dget_create_plist(dataset.id), dataset.where(), "cannot be read"),
                          H5Pclose);
  check_sources(dataset, properties);
  // An empty dataset has nothing that could lie in other files.
  if (H5Pget_layout(properties) != H5D_VIRTUAL && dimensions(dataset) != std::vector<hsize_t>{0})
    throw Error("its data should be in other files, but is not").at(dataset.where());
  return dataset;
}

bool has_child(const Object& parent, const std::string& name) {
  return H5Lexists(parent.id, name.c_str(), H5P_DEFAULT) > 0;
}

bool has_attribute(const Object& object, const std::string& name) {
  return H5Aexists(object.id, name.c_str()) > 0;
}

bool is_file_of_format(const std::filesystem::path& path, const std::string& format) {
  const Quiet quiet;
  try {
    return read_text(open_file(path), "format") == format;
  } catch (const Error&) {
    return false;
  }
}

void write_attribute_raw(const Object& object, const std::string& name, hid_t type, hid_t space,
                         const void* data) {
  std::string where = attribute_place(object, name);
  Handle attribute(check(H5Acreate2(object.id, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), where,
                         "cannot be written"),
                   H5Aclose, object.id.failure());
  check(H5Awrite(attribute, type, data), where, "cannot be written");
}

template <class T>
void write_attribute(const Object& object, const std::string& name, std::span<const T> values) {
  hsize_t count = values.size();
  Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  write_attribute_raw(object, name, type_of<T>(), space, values.data());
}

template <class T>
void read_attribute(const Object& object, const std::string& name, std::span<T> values) {
  std::string where = attribute_place(object, name);
  Handle attribute = open_attribute(object, name, values.size());
  Handle type(check(H5Aget_type(attribute), where, "cannot be read"), H5Tclose);
  if (H5Tequal(type, type_of<T>()) <= 0) throw Error("has another type than expected").at(where);
  check(H5Aread(attribute, type, values.data()), where, "cannot be read");
}

void write_text(const Object& object, const std::string& name, const std::string& text) {
  Handle type = text_type(text.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute_raw(object, name, type, space, text.c_str());
}

std::string read_text(const Object& object, const std::string& name) {
  std::string where = attribute_place(object, name);
  Handle attribute = open_attribute(object, name, 1);
  Handle type(check(H5Aget_type(attribute), where, "cannot be read"), H5Tclose);
  std::optional<size_t> length = text_length(type);
  if (!length || *length > kMaxAttributeBytes) throw Error("expected a text of fixed length").at(where);
  std::string text(*length, '\0');
  check(H5Aread(attribute, type, text.data()), where, "cannot be read");
  return without_padding(std::move(text));
}

Handle dataset_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  return properties;
}

Object create_dataset(const Object& parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& dims, hid_t properties) {
  Object dataset = unopened_child(parent, name);
  Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose);
  hid_t id = H5Dcreate2(parent.id, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  dataset.id = Handle(check(id, dataset.where(), "cannot be written"), H5Dclose, parent.id.failure());
  return dataset;
}

std::vector<hsize_t> dimensions(const Object& dataset) {
  Handle space(check(H5Dget_space(dataset.id), dataset.where(), "cannot be read"), H5Sclose);
  std::vector<hsize_t> dims(
      static_cast<size_t>(check(H5Sget_simple_extent_ndims(space), dataset.where(), "cannot be read")));
  check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), dataset.where(), "cannot be read");
  return dims;
}

int descriptor(const Object& object) {
  const Handle file(check(H5Iget_file_id(object.id), object.where(), "cannot be written"), H5Fclose);
  void* handle = nullptr;
  check(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), object.where(), "cannot be written");
  return *static_cast<int*>(handle);
}

void check_storage(const Object& dataset) {
  Handle properties(check(H5Dget_create_plist(dataset.id), dataset.where(), "cannot be read"), H5Pclose);
  Handle type(check(H5Dget_type(dataset.id), dataset.where(), "cannot be read"), H5Tclose);
  H5D_layout_t layout = H5Pget_layout(properties);
  if ((layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) ||
      H5Pget_external_count(properties) != 0)
    throw Error("its data is in other files or datasets, which is not supported").at(dataset.where());

  // A broken header may make the product very large, so it is computed in double precision.
  auto bytes = [&](const std::vector<hsize_t>& dims) {
    double product = static_cast<double>(H5Tget_size(type));
    for (hsize_t n : dims) product *= static_cast<double>(n);
    return product;
  };
  std::vector<hsize_t> dims = dimensions(dataset), chunk(dims.size());
  if (layout == H5D_CHUNKED && (H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()) < 0 ||
                                bytes(chunk) > static_cast<double>(kMaxChunkBytes)))
    throw Error("its chunks are too large").at(dataset.where());
  hsize_t stored = H5Dget_storage_size(dataset.id), file_size = 0;
  Handle file(check(H5Iget_file_id(dataset.id), dataset.where(), "cannot be read"), H5Fclose);
  check(H5Fget_filesize(file, &file_size), dataset.where(), "cannot be read");
  if (stored > file_size || bytes(dims) > static_cast<double>(stored) * kDeflateRatio)
    throw Error(fmt::format("{} values cannot be stored in {} bytes of a file of {} bytes", format_dims(dims),
                            stored, file_size))
        .at(dataset.where())
        .hint("is the file damaged?");
}

template <class T>
Object write_table(const Object& parent, const std::string& name, std::span<const T> values,
                   std::vector<hsize_t> dims) {
  Object dataset = create_dataset(parent, name, type_of<T>(), dims, checked_properties(dims));
  check(H5Dwrite(dataset.id, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), dataset.where(),
        "cannot be written");
  return dataset;
}

template <class T>
std::vector<T> read_table(const Object& parent, const std::string& name, std::vector<hsize_t> dims) {
  Object dataset = open_dataset(parent, name);
  Handle type(check(H5Dget_type(dataset.id), dataset.where(), "cannot be read"), H5Tclose);
  if (H5Tequal(type, type_of<T>()) <= 0) throw Error("has another type than expected").at(dataset.where());
  std::vector<hsize_t> found = dimensions(dataset);
  auto fits = [](hsize_t n, hsize_t expected) { return n == expected || expected == kAnyLength; };
  if (!std::equal(found.begin(), found.end(), dims.begin(), dims.end(), fits))
    throw Error(fmt::format("has another shape than expected: {}", format_dims(found))).at(dataset.where());
  hsize_t count = 1;
  for (hsize_t n : found) count *= n;
  std::vector<T> values(count);
  check(H5Dread(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), dataset.where(),
        "cannot be read");
  return values;
}

Object write_texts(const Object& parent, const std::string& name, const std::vector<std::string>& texts) {
  size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  std::string padded;
  for (const std::string& text : texts) padded += text + std::string(length - text.size(), '\0');
  Handle type = text_type(length);
  std::vector<hsize_t> dims = {texts.size()};
  Object dataset = create_dataset(parent, name, type, dims, checked_properties(dims));
  check(H5Dwrite(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), dataset.where(),
        "cannot be written");
  return dataset;
}

std::vector<std::string> read_texts(const Object& parent, const std::string& name) {
  Object dataset = open_dataset(parent, name);
  Handle type(check(H5Dget_type(dataset.id), dataset.where(), "cannot be read"), H5Tclose);
  std::optional<size_t> length = text_length(type);
  std::vector<hsize_t> dims = dimensions(dataset);
  if (!length || dims.size() != 1 || dims[0] > kMaxTexts)
    throw Error(fmt::format("expected at most {} texts of fixed length", kMaxTexts)).at(dataset.where());
  std::string padded(*length * dims[0], '\0');
  check(H5Dread(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), dataset.where(),
        "cannot be read");
  std::vector<std::string> texts(dims[0]);
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = without_padding(padded.substr(i * *length, *length));
  return texts;
}

template void write_attribute(const Object&, const std::string&, std::span<const uint8_t>);
template void write_attribute(const Object&, const std::string&, std::span<const uint32_t>);
template void write_attribute(const Object&, const std::string&, std::span<const uint64_t>);
template void write_attribute(const Object&, const std::string&, std::span<const int64_t>);
template void write_attribute(const Object&, const std::string&, std::span<const double>);
template void read_attribute(const Object&, const std::string&, std::span<uint8_t>);
template void read_attribute(const Object&, const std::string&, std::span<uint32_t>);
template void read_attribute(const Object&, const std::string&, std::span<uint64_t>);
template void read_attribute(const Object&, const std::string&, std::span<double>);
template Object write_table(const Object&, const std::string&, std::span<const uint8_t>,
                            std::vector<hsize_t>);
template Object write_table(const Object&, const std::string&, std::span<const uint32_t>,
                            std::vector<hsize_t>);
template Object write_table(const Object&, const std::string&, std::span<const uint64_t>,
                            std::vector<hsize_t>);
template Object write_table(const Object&, const std::string&, std::span<const double>, std::vector<hsize_t>);
template std::vector<uint8_t> read_table(const Object&, const std::string&, std::vector<hsize_t>);
template std::vector<uint32_t> read_table(const Object&, const std::string&, std::vector<hsize_t>);
template std::vector<uint64_t> read_table(const Object&, const std::string&, std::vector<hsize_t>);
template std::vector<double> read_table(const Object&, const std::string&, std::vector<hsize_t>);

}  // namespace vox::h5
