// Scene files and reports as bytes and object by object; the rounds that --resume keeps.
#include <cstring>
#include <memory>

#include "formats/io/compression.h"
#include "formats/results/files.h"
#include "formats/scene/kept_rounds.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/fuzz/sample.h"
#include "tests/fuzz/targets.h"

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

}  // namespace vox::fuzz
