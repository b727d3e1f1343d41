// The reader of STL, binary and text. Each triangle has corners of its own, because STL does not say which
// corners are shared.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <span>
#include <string_view>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/io/values.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

constexpr size_t kHeaderBytes = 84;    // 80 bytes of any text, then the number of triangles
constexpr size_t kTriangleBytes = 50;  // normal, three corners (floats), 16 bits of attributes
constexpr size_t kNormalBytes = 12;

bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

bool starts_with_solid(std::string_view text) {
  size_t start = text.find_first_not_of(" \t\r\n");
  return start != text.npos && text.substr(start).starts_with("solid");
}

// Adds triangles for all positions: triangle i has the corners 3i, 3i + 1 and 3i + 2.
void add_triangles(scene::Scene& scene) {
  size_t count = scene.positions.size() / 3;
  scene.triangles.resize(count);
  tbb::parallel_for(size_t{0}, count, [&](size_t i) {
    uint32_t first = static_cast<uint32_t>(3 * i);
    scene.triangles[i] = {{first, first + 1, first + 2}, {scene::kNone, scene::kNone, scene::kNone}, 0};
  });
  scene.materials.emplace_back().name = "default";
}

scene::Scene read_binary(std::span<const std::byte> file, uint64_t count) {
  scene::Scene scene;
  scene.positions.resize(3 * count);
  tbb::parallel_for(uint64_t{0}, count, [&](uint64_t i) {
    const std::byte* corner = file.data() + kHeaderBytes + i * kTriangleBytes + kNormalBytes;
    for (uint64_t k = 0; k < 3; ++k, corner += 12)
      scene.positions[3 * i + k] = {value_at<float>(corner), value_at<float>(corner + 4),
                                    value_at<float>(corner + 8)};
  });
  add_triangles(scene);
  return scene;
}

// Reads STL as text. Only `vertex` with its numbers and `endloop` are used; all other words are skipped.
class TextReader {
 public:
  TextReader(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

  scene::Scene read() {
    const char* end = text_.data() + text_.size();
    for (const char* line = text_.data(); line < end; ++line_number_) {
      const char* word = skip_blanks(line);
      std::string_view keyword(word, word_end(word));
      if (keyword == "vertex") {
        read_corner(keyword.end());
      } else if (keyword == "endloop") {
        close_loop();
      }
      line = next_line(word);
    }
    if (!loop_.empty()) fail("the file ends inside a loop");
    if (scene_.positions.empty())
      throw Error("not an STL mesh: starts with 'solid', but has no 'vertex'").at(path_.string());
    add_triangles(scene_);
    return std::move(scene_);
  }

 private:
  void read_corner(const char* p) {
    double xyz[3];
    for (double& value : xyz) {
      Number number = scan_number(skip_blanks(p));
      if (!number.end) fail("'vertex' needs three numbers");
      value = number.value;
      p = number.end;
    }
    loop_.push_back({xyz[0], xyz[1], xyz[2]});
  }

  void close_loop() {
    if (loop_.size() != 3) fail(fmt::format("a loop of {} corners, expected 3", loop_.size()));
    if (scene_.positions.size() + 3 >= scene::kNone) fail("more triangles than 32-bit indices can address");
    scene_.positions.insert(scene_.positions.end(), loop_.begin(), loop_.end());
    loop_.clear();
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem).at(fmt::format("{}:{}", path_.string(), line_number_));
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  uint64_t line_number_ = 1;
  std::vector<Vec3d> loop_;
  scene::Scene scene_;
};

}  // namespace

// The size decides if a file is binary, because binary files may start with "solid", too.
scene::Scene read_stl(const std::filesystem::path& path, const MeshOptions&) {
  MappedFile file(path);
  uint64_t size = file.bytes().size(), count = 0;
  if (size >= kHeaderBytes) count = value_at<uint32_t>(file.bytes().data() + kHeaderBytes - 4);
  uint64_t expected = kHeaderBytes + count * kTriangleBytes;
  if (size != expected && is_utf16(file.text())) return TextReader(TextFile(path).text(), path).read();
  bool text = size != expected && starts_with_solid(file.text());
  if (text) return TextReader(file.text(), path).read();
  if (size < expected || size < kHeaderBytes)
    throw Error(
        fmt::format("a binary STL of {} triangles has {} bytes, this file has {}", count, expected, size))
        .at(path.string())
        .hint("is the file truncated?");
  if (size > expected)
    log_warning("{}: {} bytes after the last triangle are ignored", path.string(), size - expected);
  if (3 * count >= scene::kNone)
    throw Error("more triangles than 32-bit indices can address").at(path.string());
  return read_binary(file.bytes(), count);
}

}  // namespace vox
