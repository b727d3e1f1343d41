#include "formats/io/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "formats/io/scan.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"

namespace vox {
namespace {

// True if this error of open() says that there is no file, or none for this user.
bool is_absence(int error) {
  constexpr std::array kAbsences = {ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO, ENODEV};
  return std::ranges::find(kAbsences, error) != kAbsences.end();
}

std::string problem_of(int file, struct stat& status) {
  if (file < 0) return fmt::format("cannot be opened: {}", std::strerror(errno));
  if (fstat(file, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a folder, expected a file";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  return status.st_size == 0 ? "the file is empty" : "";
}

}  // namespace

// Opens without blocking: a named pipe is refused instead of waited for.
ReadFile::ReadFile(const std::filesystem::path& path)
    : ReadFile(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path) {}

ReadFile::ReadFile(int descriptor, const std::filesystem::path& path) : path_(path), descriptor_(descriptor) {
  struct stat status = {};
  if (descriptor_ < 0 && !is_absence(errno))
    throw UnreadableFile(fmt::format("cannot be opened: {}", std::strerror(errno)), path);
  if (const std::string problem = problem_of(descriptor_, status); !problem.empty()) {
    if (descriptor_ >= 0) close(descriptor_);
    Error error(problem);
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode))
      error.hint("pipes and devices are not read: save what they give as a file first");
    throw error.at(path.string());
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

ReadFile::~ReadFile() {
  close(descriptor_);
}

void ReadFile::read(uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw UnreadableFile(fmt::format("cannot be read: {}", std::strerror(errno)), path_);
    if (count == 0)
      throw UnreadableFile(fmt::format("ends after {} bytes, but had {} when it was opened", offset, size_),
                           path_);
    offset += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

void check_input(const std::filesystem::path& path) {
  const ReadFile file(path);
}

std::string read_first_bytes(const std::filesystem::path& path, size_t most) {
  const ReadFile file(path);
  std::string bytes(std::min<uint64_t>(most, file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string first_bytes(const std::filesystem::path& path, size_t most) {
  try {
    return read_first_bytes(path, most);
  } catch (const Error&) {
    return "";
  }
}

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  throw UnreadableFile(fmt::format("cannot be mapped: {}", std::strerror(reason)), path);
}

// The mapped files, for mapped_file_at(). A file that finds no free place is not known there.
struct Mapping {
  std::atomic<const char*> begin = nullptr, end = nullptr, name = nullptr;
};
std::array<Mapping, 256> mappings;

void remember_mapping(const char* begin, const char* end, const char* name) {
  for (Mapping& mapping : mappings) {
    const char* free = nullptr;
    if (!mapping.begin.compare_exchange_strong(free, begin)) continue;
    mapping.name = name;
    mapping.end = end;
    return;
  }
}

void forget_mapping(const char* begin) {
  for (Mapping& mapping : mappings)
    if (mapping.begin == begin) {
      mapping.end = nullptr;
      mapping.begin = nullptr;
      return;
    }
}

}  // namespace

const char* mapped_file_at(const void* address) {
  for (const Mapping& mapping : mappings)
    if (mapping.begin <= address && address < mapping.end) return mapping.name;
  return nullptr;
}

MappedFile::MappedFile(const std::filesystem::path& path) : name_(escape_line(path.string())) {
  const ReadFile file(path);
  // Zero pages are mapped first and the file over them, so that the byte behind the file reads as zero even
  // if the file fills its last page.
  size_ = file.size();
  mapped_size_ = size_ + 1;
  void* zeros = mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) fail(path, errno);
  if (mmap(zeros, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor(), 0) == MAP_FAILED) {
    int reason = errno;
    munmap(zeros, mapped_size_);
    fail(path, reason);
  }
  data_ = static_cast<const char*>(zeros);
  remember_mapping(data_, data_ + mapped_size_, name_.c_str());
}

MappedFile::~MappedFile() {
  forget_mapping(data_);
  munmap(const_cast<char*>(data_), mapped_size_);
}

namespace {

using namespace std::string_view_literals;

enum class Utf16Order { Little, Big };

uint32_t unit_at(std::string_view bytes, size_t i, Utf16Order order) {
  const auto byte = [&](size_t at) { return uint32_t{static_cast<uint8_t>(bytes[at])}; };
  const uint32_t first = byte(i), second = byte(i + 1);
  return order == Utf16Order::Little ? first | second << 8 : first << 8 | second;
}

void append_utf8(std::string& text, uint32_t c) {
  auto byte = [&](uint32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      byte(0xe0 | c >> 12);
    } else {
      byte(0xf0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3f));
    }
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// Converts UTF-16 (RFC 2781).
std::string utf8_of(std::string_view bytes, Utf16Order order) {
  if (bytes.size() % 2 != 0)
    throw Error("UTF-16 text with an odd number of bytes").hint("is the file truncated?");
  std::string text;
  text.reserve(bytes.size() / 2);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint32_t c = unit_at(bytes, i, order);
    if (c >= 0xd800 && c < 0xe000) {  // the first half of a pair
      const uint32_t next = i + 2 < bytes.size() ? unit_at(bytes, i + 2, order) : 0;
      if (c >= 0xdc00 || next < 0xdc00 || next >= 0xe000)
        throw Error(fmt::format("UTF-16 text with an incomplete character at byte {}", i));
      c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
      i += 2;
    }
    append_utf8(text, c);
  }
  return text;
}

}  // namespace

TextFile::TextFile(const std::filesystem::path& path) : file_(path), text_(file_.text()) {
  auto convert = [&](std::string_view bytes, Utf16Order order) {
    converted_ = utf8_of(bytes, order);
    text_ = converted_;
  };
  try {
    if (text_.starts_with("\xff\xfe\0\0"sv) || text_.starts_with("\0\0\xfe\xff"sv))
      throw Error("UTF-32 text is not supported").hint("save it as UTF-8");
    if (text_.starts_with("\xef\xbb\xbf")) {
      text_.remove_prefix(3);
    } else if (text_.starts_with("\xff\xfe")) {
      convert(text_.substr(2), Utf16Order::Little);
    } else if (text_.starts_with("\xfe\xff")) {
      convert(text_.substr(2), Utf16Order::Big);
    } else if (text_.size() >= 2 && text_[0] != '\0' && text_[1] == '\0') {
      convert(text_, Utf16Order::Little);
    } else if (text_.size() >= 2 && text_[0] == '\0' && text_[1] != '\0') {
      convert(text_, Utf16Order::Big);
    }
  } catch (Error& error) {
    throw error.at(path.string());
  }
}

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameLength = 4096;  // PATH_MAX; also bounds the recursion below

// Decodes percent signs: "wood%20floor.png" → "wood floor.png"
std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    const char* digits = text.data() + i + 1;
    bool escape = text[i] == '%' && i + 2 < text.size() &&
                  std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    decoded += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return decoded;
}

// Returns the entries of a folder whose names differ from `name` only in letter case, in order.
std::vector<fs::path> other_case(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  std::vector<fs::path> found;
  std::string wanted = lower_case(name);
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (std::string there = entry->path().filename().string(); there != name && lower_case(there) == wanted)
      found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

fs::path real_path(const fs::path& path) {
  std::error_code failed;
  fs::path found = fs::canonical(path.empty() ? fs::path(".") : path, failed);
  return failed ? path : found;
}

std::optional<fs::path> resolve(const fs::path& folder, std::span<const std::string> parts) {
  std::error_code failed;
  if (parts.empty()) return fs::is_regular_file(folder, failed) ? std::optional(folder) : std::nullopt;
  if (parts[0] == "..") return resolve(folder / "..", parts.subspan(1));
  if (auto exact = folder / parts[0]; fs::exists(exact, failed))
    if (auto path = resolve(exact, parts.subspan(1))) return path;
  for (const fs::path& match : other_case(folder, parts[0]))
    if (auto path = resolve(match, parts.subspan(1))) return path;
  return std::nullopt;
}

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < name.size();) {
    size_t end = std::min(name.find('/', begin), name.size());
    std::string part = name.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

// Looks for the names of one file, and remembers whether there was one that is not open.
class Search {
 public:
  Search(fs::path folder, const OpenFolders& open) : folder_(std::move(folder)), open_(open) {}

  // Looks for the whole name first, then for ever shorter ends of it: textures/wood.png, wood.png.
  std::optional<fs::path> find(const std::string& name) {
    std::vector<std::string> all = split(name);
    std::span<const std::string> parts = all;
    if (name.starts_with('/'))
      if (auto path = found("/", parts)) return path;
    for (; !parts.empty(); parts = parts.subspan(1))
      if (auto path = found(folder_, parts)) return path;
    return std::nullopt;
  }
  bool has_found_outside() const { return outside_; }

 private:
  std::optional<fs::path> found(const fs::path& from, std::span<const std::string> parts) {
    auto path = resolve(from, parts);
    if (!path || open_.hold(*path)) return path;
    outside_ = true;
    return std::nullopt;
  }

  fs::path folder_;
  const OpenFolders& open_;
  bool outside_ = false;
};

}  // namespace

OpenFolders::OpenFolders(std::span<const fs::path> folders) : all_(false) {
  for (const fs::path& folder : folders) folders_.push_back(real_path(folder));
}

bool OpenFolders::hold(const fs::path& file) const {
  if (all_) return true;
  const fs::path real = real_path(file);
  return std::ranges::any_of(folders_, [&](const fs::path& folder) {
    return std::ranges::mismatch(folder, real).in1 == folder.end();
  });
}

OutsideFile::OutsideFile(const std::string& name)
    : Error("'" + name + "' lies outside of the folder of the file that names it") {
  hint("files outside of it can be allowed").about("outside");
}

std::optional<fs::path> find_file(const fs::path& folder, std::string name, const OpenFolders& open) {
  if (name.size() > kMaxNameLength) return std::nullopt;
  std::replace(name.begin(), name.end(), '\\', '/');
  if (name.starts_with("file://")) name.erase(0, 7);
  Search search(folder.empty() ? fs::path(".") : folder, open);
  if (auto path = search.find(name)) return path;
  if (auto path = search.find(percent_decoded(name))) return path;
  if (search.has_found_outside()) throw OutsideFile(name);
  return std::nullopt;
}

void refuse_foreign(const std::filesystem::path& path) {
  std::error_code failed;
  const FileType* type = file_type(path, FileRole::Foreign);
  if (type == nullptr || !std::filesystem::is_regular_file(path, failed)) return;
  throw Error(fmt::format("is {}, which vox does not read", type->name))
      .at(path.string())
      .hint(std::string(type->hint));
}

}  // namespace vox
