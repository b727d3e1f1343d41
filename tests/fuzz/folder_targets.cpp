// Scenes in parts, folders of chunks, and compiled images.
#include <libdeflate.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "formats/pages/scene_stream.h"
#include "formats/scene/scene_file.h"
#include "libvox/bricks/jit/compile.h"
#include "libvox/dag/frozen_dag.h"
#include "tests/common/read_bytes.h"
#include "tests/formats/scene/stored_forms.h"
#include "tests/fuzz/sample.h"
#include "tests/fuzz/targets.h"
#include "tools/c/vox_chunks.h"

namespace vox::fuzz {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;  // by their paths below folder()

Files files_below(const char* below) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder() / below))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder()).string()] = read_bytes(entry.path());
  return files;
}

// A scene's head and its two parts.
const Files& parts() {
  static const Files files = [] {
    write_in_parts(sample_scene(), folder() / "parts.h5", 2);
    Files all = files_below("parts.parts");
    all["parts.h5"] = taken("parts.h5");
    return all;
  }();
  return files;
}

// The first byte of the input is the number of a file, the others are the recipe by which it is changed.
bool read_parts(std::string_view input) {
  const Files& files = parts();
  for (const auto& [path, bytes] : files) put(path, bytes);
  if (input.size() > 1) {
    const size_t number = static_cast<uint8_t>(input.front()) % files.size();
    change_objects(folder() / std::next(files.begin(), static_cast<std::ptrdiff_t>(number))->first,
                   input.substr(1));
  }
  return accepts([] { dag::verify(read_scene(folder() / "parts.h5").dag); });
}

extern "C" size_t inflate_for_fuzzer(void* to, size_t room, const void* from, size_t size) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  size_t length = 0;
  return libdeflate_zlib_decompress(decompressor.get(), from, size, to, room, &length) == LIBDEFLATE_SUCCESS
             ? length
             : 0;
}

std::string deflated(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

std::string path_of_chunk(const std::string& name) {
  return "chunks/chunks/" + name.substr(0, 2) + "/" + name + ".voxc";
}

// The scene's facts and the words of the chunk of its root, which names others.
struct Chunks {
  std::string facts, top, words;
};

const Chunks& chunks() {
  static const Chunks chunks = [] {
    write_scene_stream(sample_scene(), folder() / "chunks",
                       {.limits = {.most_words = 200, .most_levels = 1}, .index = StreamPage::LeftOut});
    Chunks made = {.facts = taken("chunks/scene.json"), .top = {}, .words = std::string(1 << 20, '\0')};
    made.top = made.facts.substr(made.facts.find("\"top\": \"") + 8, 32);
    const std::string packed = taken(path_of_chunk(made.top));
    made.words.resize(inflate_for_fuzzer(made.words.data(), made.words.size(), packed.data(), packed.size()));
    return made;
  }();
  return chunks;
}

bool visits_folder() {
  const std::unique_ptr<vox_chunks, decltype(&vox_chunks_close)> scene(
      vox_chunks_open((folder() / "chunks").c_str(), 1 << 16, inflate_for_fuzzer, nullptr), vox_chunks_close);
  if (!scene) return false;
  const uint32_t levels = vox_chunks_about(scene.get())->log2_side;
  require(levels <= 20, "the side of the scene");
  const auto count = [](const vox_cell* cell, void* cells) {
    require(cell->materials != 0 && cell->side != 0, "a filled cell");
    return ++*static_cast<uint32_t*>(cells) == 4096 ? 1 : 0;
  };
  constexpr int32_t kLow[3] = {0, 0, 0}, kHigh[3] = {1 << 20, 1 << 20, 1 << 20};
  bool sound = true;
  for (const uint32_t level : {0u, std::min(levels, 3u), levels}) {
    uint32_t cells = 0;
    sound &= vox_chunks_visit(scene.get(), kLow, kHigh, level, count, &cells) >= 0;
    sound &= vox_chunks_at(scene.get(), 5, 6, 7, level, nullptr) >= 0;
  }
  return sound;
}

// Behind the first byte are the facts as text, or the words of the chunk of the root, which get the name that they must have.
bool read_chunks(std::string_view input) {
  const Chunks& sound = chunks();
  std::string facts = sound.facts;
  std::optional<std::string> added;
  if (input.starts_with('f')) {
    facts = input.substr(1);
  } else {
    const std::string_view words = input.substr(std::min<size_t>(1, input.size()), input.size() / 4 * 4);
    dag::Digest digest = dag::start_digest(4);
    for (size_t at = 0; at + 4 <= words.size(); at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, words.data() + at, 4);
      dag::combine(digest, word);
    }
    const std::string name = dag::to_string(digest);
    facts.replace(facts.find(sound.top), sound.top.size(), name);
    if (name != sound.top) added = path_of_chunk(name);
    if (added) {
      fs::create_directories((folder() / *added).parent_path());
      put(*added, deflated(words));
    }
  }
  put("chunks/scene.json", facts);
  const bool read = visits_folder();
  if (added) fs::remove(folder() / *added);
  return read;
}

// The name of the image's file depends on these texts alone.
constexpr std::string_view kSource = "a source", kCompiler = "a compiler";

bricks::JitImage kept_image() {
  setenv("XDG_CACHE_HOME", folder().c_str(), 1);
  return bricks::cached_image(kSource, kCompiler, [] { return bricks::JitImage(40, std::byte{7}); });
}

fs::path image_file() {
  kept_image();
  return fs::directory_iterator(folder() / "vox")->path();
}

// A kept image is what was compiled, or it is compiled again.
bool read_image_file(std::string_view bytes) {
  static const fs::path file = image_file();
  put(fs::relative(file, folder()).string(), bytes);
  require(kept_image() == bricks::JitImage(40, std::byte{7}), "an image that was not compiled");
  return true;
}

}  // namespace

std::vector<Target> folder_targets() {
  const Files& files = parts();
  std::vector<std::string> recipes;
  for (size_t i = 0; i < files.size(); ++i) recipes.emplace_back(1, static_cast<char>(i));
  return {{"scene_parts", recipes, read_parts},
          {"chunk_folder", {"f" + chunks().facts, "w" + chunks().words}, read_chunks},
          {"kept_image", {read_bytes(image_file())}, read_image_file}};
}

}  // namespace vox::fuzz
