#include "formats/scene/scene_parts.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "formats/scene/groups.h"
#include "libvox/base/bits.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartFormat = "vox-scene-part";

constexpr size_t kNumberDigits = 3, kCheckDigits = 16;

std::string part_file_name(uint32_t number, uint64_t check) {
  return fmt::format("{:0{}}-{:0{}x}.h5", number, kNumberDigits, check, kCheckDigits);
}

// Returns the part's path relative to the scene's folder.
fs::path part_name(const fs::path& scene, uint32_t number, uint64_t check) {
  return parts_folder(scene).filename() / part_file_name(number, check);
}

uint64_t check_sum(const dag::DagPart& part) {
  uint64_t sum = part.levels.size();
  for (const dag::LevelPart& level : part.levels) sum = sum_with_level(sum, level.words, level.first);
  return sum;
}

OpenPart open_part(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    throw Error("this part of the scene is missing")
        .at(path.string())
        .hint("the head and its parts must stay side by side");
  h5::Object file = h5::open_file(path);
  if (!h5::has_attribute(file, "format") || h5::read_text(file, "format") != kPartFormat)
    throw Error("is no part of a vox scene").at(path.string());
  if (const uint32_t version = h5::read_attribute<uint32_t>(file, "version"); version != kSceneVersion)
    throw Error(fmt::format("is a part of version {}, expected {}", version, kSceneVersion))
        .at(path.string());
  const uint64_t check = h5::read_attribute<uint64_t>(file, "check");
  return {std::move(file), check};
}

h5::Object open_part_group(const h5::Object& file, uint32_t level) {
  return h5::open_group(h5::open_group(file, "svdag"), level_group_name(level));
}

// Returns where nodes start among the words of all parts.
std::vector<uint64_t> starts_of_parts(const std::vector<OpenPart>& parts, uint32_t level,
                                      const LevelOfParts& words) {
  std::vector<uint64_t> starts;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const uint64_t start :
         h5::read_long_words(h5::open_dataset(open_part_group(parts[i].file, level), "starts")))
      starts.push_back(words.word_begins[i] + start);
  return starts;
}

// Makes the words of all parts appear as one array. The names of the files are relative to the head's folder.
h5::Object create_virtual_words(const h5::Object& group, const std::vector<std::string>& names,
                                uint32_t level, const LevelOfParts& parts) {
  const h5::Handle properties = h5::dataset_properties();
  const hsize_t all_words = parts.word_begins.back();
  const h5::Handle all(H5Screate_simple(1, &all_words, nullptr), H5Sclose);
  const std::string dataset = "/svdag/" + level_group_name(level) + "/words";
  for (size_t i = 0; i < names.size(); ++i) {
    const hsize_t begin = parts.word_begins[i], count = parts.word_begins[i + 1] - begin;
    if (count == 0) continue;
    const h5::Handle part(H5Screate_simple(1, &count, nullptr), H5Sclose);
    h5::check(H5Sselect_hyperslab(all, H5S_SELECT_SET, &begin, nullptr, &count, nullptr), group.where(),
              "cannot be written");
    h5::check(H5Pset_virtual(properties, all, names[i].c_str(), dataset.c_str(), part), group.where(),
              "cannot be written");
  }
  if (all_words == 0) return h5::write_words(group, "words", std::span<const uint32_t>(), {});
  return h5::create_dataset(group, "words", H5T_STD_U32LE, {all_words}, properties);
}

void write_parts_group(const h5::Object& svdag, const std::vector<std::string>& names,
                       const std::vector<OpenPart>& parts) {
  const h5::Object group = h5::create_group(svdag, "parts");
  std::vector<uint64_t> checks;
  for (const OpenPart& part : parts) checks.push_back(part.check);
  h5::write_texts(group, "file", names);
  h5::write_table(group, "check", std::span<const uint64_t>(checks), {checks.size()});
}

void write_level_part(const h5::Object& svdag, const dag::LevelPart& part, const dag::LevelForm& form,
                      const Compression& compression) {
  const h5::Object group = h5::create_group(svdag, level_group_name(form.level));
  const h5::Object words = h5::write_words(group, "words", part.words, compression);
  h5::write_attribute(words, "first", part.first);
  h5::write_attribute(words, "nodes", part.nodes);
  const dag::NodeStarts found = dag::find_starts(part.words, form, part.first);
  if (found.nodes != part.nodes)
    throw Error(fmt::format("the part has {} nodes, expected {}", found.nodes, part.nodes)).at(words.where());
  h5::write_words(group, "starts", found.starts, compression);
}

constexpr const char* kLockName = "rounds.lock";

void remove_part(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
  fs::remove(part.parent_path(), ignored);  // fails if something is in it
}

// Throws Error if the folder or the type of something in it cannot be read.
std::vector<fs::path> regular_files(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& found : fs::directory_iterator(folder.empty() ? "." : folder))
      if (found.exists() && found.is_regular_file()) files.push_back(folder / found.path().filename());
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot be read: " + error.code().message()).at(folder.string());
  }
  return files;
}

// True if a file has the name of a part, complete or still being written.
bool is_part(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_part_name(target_of_temporary(name).value_or(name));
}

std::set<fs::path> parts_in(const fs::path& folder) {
  std::set<fs::path> parts;
  std::error_code failed;
  if (!fs::exists(folder, failed)) return parts;
  for (const fs::path& file : regular_files(folder))
    if (is_part(file)) parts.insert(file);
  return parts;
}

}  // namespace

fs::path parts_folder(const fs::path& scene) {
  const fs::path place = followed(scene);
  return place.parent_path() / (place.stem().string() + ".parts");
}

void check_parts_folder(const fs::path& scene) {
  const fs::path folder = parts_folder(scene);
  std::error_code failed;
  if (!fs::exists(folder, failed)) return;
  if (!fs::is_directory(folder, failed))
    throw Error("is no folder, expected one for the parts of the scene").at(folder.string());
  if (access(folder.c_str(), W_OK) != 0)
    throw Error("is a folder that cannot be written").at(folder.string());
}

fs::path scene_part_path(const fs::path& scene, uint32_t number, uint64_t check) {
  return followed(scene).parent_path() / part_name(scene, number, check);
}

bool is_part_name(const std::string& name) {
  const auto are_all_of = [&](size_t at, size_t count, const char* digits) {
    const std::string part = name.substr(at, count);
    return part.size() == count && part.find_first_not_of(digits) == std::string::npos;
  };
  return name.size() == part_file_name(0, 0).size() && are_all_of(0, kNumberDigits, "0123456789") &&
         name[kNumberDigits] == '-' && are_all_of(kNumberDigits + 1, kCheckDigits, "0123456789abcdef") &&
         name.ends_with(".h5");
}

WrittenPart write_scene_part(const dag::DagPart& part, const ScenePartPlace& place,
                             const Compression& compression) {
  h5::Quiet quiet;
  WrittenPart written = {.check = check_sum(part)};
  const fs::path path = scene_part_path(place.scene, place.number, written.check);
  std::error_code failed;
  written.is_new = !fs::exists(path, failed);
  fs::create_directories(path.parent_path(), failed);
  if (failed) throw Error("cannot be made: " + failed.message()).at(path.parent_path().string());
  NewParts unfinished;  // also removes the folder if nothing is in it
  if (written.is_new) unfinished.add(path);
  h5::NewFile file(path);
  h5::write_text(file.root(), "format", kPartFormat);
  h5::write_attribute(file.root(), "version", kSceneVersion);
  h5::write_attribute(file.root(), "check", written.check);
  {
    const h5::Object svdag = h5::create_group(file.root(), "svdag");
    for (uint32_t level = 0; level < part.levels.size(); ++level) {
      const auto kind = level + 1 == part.levels.size() ? dag::NodeKind::Leaf : dag::NodeKind::Inner;
      write_level_part(svdag, part.levels[level], {level, kind, place.materials}, compression);
    }
  }
  file.commit();
  unfinished.keep();
  return written;
}

void write_scene_head(const dag::VoxelScene& scene, std::span<const uint64_t> checks, const fs::path& path,
                      const Compression& compression, NewParts new_parts) {
  h5::Quiet quiet;
  std::vector<OpenPart> parts;
  std::vector<std::string> names;
  for (uint32_t number = 0; number < checks.size(); ++number) {
    names.push_back(part_name(path, number, checks[number]).string());
    const fs::path file = scene_part_path(path, number, checks[number]);
    parts.push_back(open_part(file));
    if (parts.back().check != checks[number])
      throw Error("is not the part that was written").at(file.string());
  }
  h5::NewFile file(path);
  write_scene_facts(file.root(), scene, kSceneVersion);
  {
    const h5::Object svdag = h5::create_group(file.root(), "svdag");
    write_parts_group(svdag, names, parts);
    for (uint32_t level = 0; level <= scene.dag.depth(); ++level) {
      const LevelOfParts of_parts = level_of_parts(parts, level);
      if (of_parts.node_begins.back() != scene.dag.levels[level].nodes)
        throw Error(fmt::format("the parts have {} nodes on level {}, expected {}",
                                of_parts.node_begins.back(), level, scene.dag.levels[level].nodes))
            .at(path.string());
      const h5::Object group = h5::create_group(svdag, level_group_name(level));
      const h5::Object words = create_virtual_words(group, names, level, of_parts);
      write_level_facts(words, scene.dag.levels[level]);
      h5::write_words(group, "starts", starts_of_parts(parts, level, of_parts), compression);
    }
  }
  if (scene.colors) write_attribute_group(file.root(), VoxelAttribute::Colors, *scene.colors, compression);
  try {
    file.commit();
  } catch (const Error&) {
    if (file.is_in_place()) new_parts.keep();
    throw;
  }
  new_parts.keep();
  remove_unnamed_parts(path);
}

bool has_parts(const h5::Object& svdag) {
  return h5::has_child(svdag, "parts");
}

std::vector<fs::path> named_parts(const fs::path& path) {
  h5::Quiet quiet;
  std::vector<fs::path> parts;
  std::error_code failed;
  if (fs::file_size(path, failed) == 0 && !failed) return parts;
  if (read_first_bytes(path, h5::kMagic.size()) != h5::kMagic) return parts;
  const h5::Object file = h5::open_file(path);
  if (!h5::has_child(file, "svdag")) return parts;
  const h5::Object svdag = h5::open_group(file, "svdag");
  if (!has_parts(svdag)) return parts;
  for (const std::string& name : h5::read_texts(h5::open_group(svdag, "parts"), "file"))
    parts.push_back(followed(path).parent_path() / name);
  return parts;
}

std::vector<OpenPart> open_parts(const h5::Object& svdag) {
  if (!has_parts(svdag)) return {};
  const h5::Object group = h5::open_group(svdag, "parts");
  const std::vector<std::string> names = h5::read_texts(group, "file");
  const std::vector<uint64_t> checks = h5::read_table<uint64_t>(group, "check", {names.size()});
  std::vector<OpenPart> parts;
  for (size_t i = 0; i < names.size(); ++i) {
    parts.push_back(open_part(followed(svdag.file).parent_path() / names[i]));
    if (parts.back().check != checks[i])
      throw Error("is not the part for which the scene's head was written").at(parts.back().file.file);
  }
  return parts;
}

LevelOfParts level_of_parts(std::span<const OpenPart> parts, uint32_t level) {
  LevelOfParts sum;
  for (const OpenPart& part : parts) {
    const h5::Object& words =
        sum.words.emplace_back(h5::open_dataset(open_part_group(part.file, level), "words"));
    const auto first = h5::read_attribute<uint64_t>(words, "first");
    if (first != sum.node_begins.back())
      throw Error(
          fmt::format("begins with node {}, but the part before ends with {}", first, sum.node_begins.back()))
          .at(words.where());
    sum.node_begins.push_back(first + h5::read_attribute<uint64_t>(words, "nodes"));
    sum.word_begins.push_back(sum.word_begins.back() + h5::words_in(words));
  }
  return sum;
}

uint64_t sum_with_level(uint64_t sum, std::span<const uint32_t> words, uint64_t first) {
  const auto add = [&](const tbb::blocked_range<uint64_t>& range, uint64_t partial) {
    for (uint64_t i = range.begin(); i < range.end(); ++i) partial += mix64(i + 1) * (words[i] | 1ull << 32);
    return partial;
  };
  const tbb::blocked_range<uint64_t> all(0, words.size(), 1 << 16);
  return mix64(sum ^ tbb::parallel_reduce(all, uint64_t{0}, add, std::plus<>())) + first;
}

PartsLock::PartsLock(const fs::path& scene) : folder_(parts_folder(scene)) {
  constexpr int kAttempts = 100;  // a run that ends may remove the folder before this one has a file in it
  for (int attempt = 1; !file_; ++attempt) {
    try {
      take();
    } catch (const Error&) {
      std::error_code failed;
      if (attempt == kAttempts || fs::exists(folder_, failed)) throw;
    }
  }
  if (!file_->is_held())
    throw Error("another run is writing this scene")
        .at((folder_ / kLockName).string())
        .hint("wait until it is done, end it, or name another output");
}

void PartsLock::take() {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw Error("cannot be made: " + failed.message()).at(folder_.string());
  file_.emplace(folder_ / kLockName);
}

PartsLock::~PartsLock() {
  file_.reset();
  std::error_code ignored;
  fs::remove(folder_, ignored);  // fails if something is in it
}

void remove_unnamed_parts(const fs::path& scene) {
  std::set<fs::path> unnamed;
  try {
    unnamed = parts_in(parts_folder(scene));
    if (unnamed.empty()) return;
    for (const fs::path& file : regular_files(followed(scene).parent_path()))
      for (const fs::path& part : named_parts(file)) unnamed.erase(part);
  } catch (const Error& error) {
    log_info("all parts of scenes stay in {}, because it is not known which are needed: {}",
             parts_folder(scene).string(), error.what());
    return;
  }
  std::ranges::for_each(unnamed, remove_part);
}

void remove_replaced_parts(const fs::path& scene) {
  try {
    if (parts_in(parts_folder(scene)).empty()) return;
    const PartsLock lock(scene);
    remove_unnamed_parts(scene);
  } catch (const Error&) {  // another run has the lock, or the folder cannot be written
  }
}

NewParts::~NewParts() {
  for (const fs::path& part : parts_) remove_part(part);
}

}  // namespace vox
