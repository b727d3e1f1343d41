// Scene files and reports as bytes and object by object, the rounds that --resume keeps, scenes in parts, folders of
// chunks, and compiled images.
#include <libdeflate.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "formats/io/compression.h"
#include "formats/pages/scene_page.h"
#include "formats/results/files.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/scene_parts.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/bricks/jit/source.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/common/test_process.h"
#include "tests/formats/scene/scene_file_fixture.h"
#include "tests/fuzz/targets.h"
#include "tools/c/vox_chunks.h"

namespace vox::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostVoxels = 1 << 21;  // bricks of larger volumes are read, but not verified

Engine& engine() {
  static const std::unique_ptr<Engine> engine = make_engine({.device = "cpu", .threads = 1});
  return *engine;
}

bricks::FrozenBricks sample_bricks() {
  return bricks::make_bricks(engine().handle(), sample_scene(),
                             bricks::recipe_for(bricks::Optimize::Memory, {}, 1))
      .bricks;
}

std::vector<std::string> scene_seeds() {
  std::vector<std::string> files;
  const auto keep = [&](const auto& write) {
    write(folder() / "seed.h5");
    files.push_back(taken("seed.h5"));
  };
  const bricks::FrozenBricks bricks = sample_bricks();
  const spatial::HashResult hash = spatial::build_hash(engine().handle(), sample_scene().dag, {});
  keep([](const fs::path& file) { write_scene(sample_scene(), file); });
  keep([](const fs::path& file) { write_scene(sample_scene(), file, {}, {}, kOldestSceneVersion); });
  keep([](const fs::path& file) { write_scene(colored_sample(), file); });
  keep([&](const fs::path& file) {
    write_scene(sample_scene(), file, {.bricks = &bricks, .hash = &hash.hash});
  });
  keep([&](const fs::path& file) { write_scene_without_dag(sample_scene(), file, {.hash = &hash.hash}); });
  keep([&](const fs::path& file) { write_bricks(bricks, {}, file, &sample_scene()); });
  return files;
}

void read_forms(const fs::path& file) {
  const SceneFileParts parts = scene_file_parts(file);
  const auto palette = scene_palette(file);
  require(!palette || palette->count <= scene::kPaletteSize, "a palette's size");
  if (parts.dag) {
    read_scene_info(file);
    dag::verify(read_scene(file).dag);
  }
  if (parts.hash) {
    read_scene_without_dag(file);
    spatial::verify(read_hash(file));
  }
  if (parts.bricks) {
    const uint64_t levels = brick_level_bytes(file).size();
    for (uint32_t level = 0; level < std::min<uint64_t>(levels, 3); ++level) {
      const bricks::FrozenBricks bricks = read_bricks(file, level);
      if (bricks.info.box().voxels() <= kMostVoxels) bricks::verify(bricks);
    }
  }
}

// Recipes that leave a scene as it is, one for each of the files.
std::vector<std::string> empty_recipes(size_t files) {
  std::vector<std::string> recipes;
  for (size_t i = 0; i < files; ++i) recipes.emplace_back(1, static_cast<char>(i));
  return recipes;
}

// The first byte of the input is the number of a file, the others are the recipe by which it is changed.
fs::path changed_file(const char* name, const std::vector<std::string>& files, std::string_view input) {
  const size_t number = input.empty() ? 0 : static_cast<uint8_t>(input.front()) % files.size();
  fs::path file = put(name, files[number]);
  if (input.size() > 1) change_objects(file, input.substr(1));
  return file;
}

std::string report_seed() {
  ResultGroup results;
  results.set("command", "vox-bench hash").set("device", "cpu").set("device_text", "CPU, 2 threads");
  results.group("machine").set("cpu", "a processor");
  results.group("hash")
      .table("rows")
      .column("table", "", std::vector<std::string>{"sector", "robin"})
      .column("items", "", std::vector<uint64_t>{1000, 2000})
      .column("seconds", "s", std::vector<double>{0.5, 1.5});
  write_report(results, folder() / "seed.h5");
  return taken("seed.h5");
}

bool read_report(const fs::path& file) {
  return accepts([&] {
    const ReadResults results = read_results(file);
    for (const ResultColumn& column : results.rows.columns())
      require(column.size() == results.rows.rows(), "columns of one length");
  });
}

constexpr uint64_t kBuild = 7;
constexpr build::RoundForm kForm = {.dag_levels = 3, .materials = true};

template <class T>
SpilledArray<T> array_of_values(const std::vector<T>& values) {
  SpilledArray<T> array(SpillPlace(), values.size());
  std::copy(values.begin(), values.end(), array.append(values.size()).begin());
  return array;
}

std::string round_seed() {
  build::Round round;
  round.level = 1;
  round.roots = {{.code = 0, .number = 0, .digest = {}}, {.code = 5, .number = 0, .digest = {}}};
  round.levels.resize(2);
  round.levels[0] = {array_of_values<uint32_t>({3, 0, 1}), array_of_values<uint8_t>({3})};
  round.levels[1] = {array_of_values<uint32_t>({0xff, 0, 0x11111111, 0, 1, 3}),
                     array_of_values<uint8_t>({3, 3})};
  round.states.resize(1);
  round.result.dag.levels.resize(3);
  write_round(round, {3, 4}, kBuild, folder() / "seed.bin");
  return taken("seed.bin");
}

bool read_round_file(std::string_view bytes) {
  std::string file(bytes.substr(0, bytes.size() / 8 * 8));
  if (file.size() >= 16) {
    const size_t end = file.size() - 8;
    const uint64_t sum = CheckSum().add(std::as_bytes(std::span(file)).first(end)).value();
    std::memcpy(file.data() + end, &sum, sizeof(sum));
  }
  const fs::path path = put("round.bin", file);
  accepts([&] { read_round_pieces(path, kBuild); });
  return accepts([&] { read_round(path, kBuild, kForm); });
}

const BuildFacts& facts() {
  static const BuildFacts facts = {{"resolution", "600"}, {"mesh", "a sphere"}};
  return facts;
}

std::string list_seed() {
  KeptRounds(folder() / "list.h5", facts(), 0).begin(12);
  std::string list = taken("list.parts/rounds.txt");
  fs::remove_all(folder() / "list.parts");
  return list;
}

// A round without pieces lies beside the list, or it would not be read. It does not belong there, so no list is accepted:
// what is thrown must be an Error.
bool read_list_of_rounds(std::string_view bytes) {
  fs::create_directories(folder() / "list.parts");
  put("list.parts/rounds.txt", bytes);
  put("list.parts/round-00003.bin", "a round");
  return !accepts([] { KeptRounds(folder() / "list.h5", facts(), 0).begin(12); });
}

}  // namespace

std::string sample_vl32() {
  std::string file;
  const auto big = [&](uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(word >> shift);
  };
  for (uint32_t i = 0; i < 40; ++i) {
    big(i % 9);
    big(i * i % 7);
    big(i / 4);
    big(0xff000000 | (i % 5) * 0x203010);
  }
  return file;
}

const dag::VoxelScene& sample_scene() {
  static const dag::VoxelScene scene = [] {
    dag::VoxelScene made = read_voxels(put("sample.vl32", sample_vl32())).scene;
    made.history = {{"fill sphere 1 2 3", "2024-05-06T07:08:10Z", {1, 2}}};
    return made;
  }();
  return scene;
}

const dag::VoxelScene& colored_sample() {
  static const dag::VoxelScene scene = read_voxels(put("sample.vl32", sample_vl32()), {.colors = true}).scene;
  return scene;
}

std::vector<Target> scene_targets() {
  const std::vector<std::string> scenes = scene_seeds();
  const std::vector<std::string> reports = {report_seed()};
  return {
      {"scene", scenes,
       [](std::string_view bytes) {
         const fs::path file = put("bytes.h5", bytes);
         return accepts([&] { read_forms(file); });
       }},
      {"scene_objects", empty_recipes(scenes.size()),
       [scenes](std::string_view input) {
         const fs::path file = changed_file("objects.h5", scenes, input);
         return accepts([&] { read_forms(file); });
       }},
      {"report", reports, [](std::string_view bytes) { return read_report(put("report.h5", bytes)); }},
      {"report_objects", empty_recipes(reports.size()),
       [reports](std::string_view input) { return read_report(changed_file("report.h5", reports, input)); }},
      {"round", {round_seed()}, read_round_file},
      {"rounds_list", {list_seed()}, read_list_of_rounds}};
}

namespace {

// Scenes in parts, folders of chunks, and compiled images.

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

// A damaged image is compiled again. An input says how long the file becomes, and what is changed: a place and a
// value for each of at most seven bytes. With more, libFuzzer writes a file whose 16 bytes of checks are right,
// because it sees what they are compared with.
bool read_image_file(std::string_view input) {
  static const fs::path file = image_file();
  static const std::string sound = read_bytes(file);
  std::string damaged = sound;
  if (!input.empty()) damaged.resize(static_cast<uint8_t>(input[0]), '\7');
  for (size_t at = 1; at + 1 < std::min<size_t>(input.size(), 15) && !damaged.empty(); at += 2)
    damaged[static_cast<uint8_t>(input[at]) % damaged.size()] ^= input[at + 1];
  put(fs::relative(file, folder()).string(), damaged);
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
          {"kept_image", {"", "\x38", "\x38\x30\x01"}, read_image_file}};
}

}  // namespace vox::fuzz
