#include "formats/scene/kept_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <string_view>
#include <system_error>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstLine = "vox rounds 1";
constexpr const char* kListName = "rounds.txt";
constexpr const char* kPiecesFact = "pieces";
constexpr const char* kSumName = "sum ";  // begins the last line, after all facts
constexpr uint32_t kMostPieces = 1 << 20;

// Writes one line for each fact. The first blank of a line ends the fact's name.
std::string text_of(const BuildFacts& facts) {
  std::string text;
  for (const BuildFact& fact : facts) text += fact.name + " " + fact.value + "\n";
  return text;
}

uint64_t sum_of(const std::string& text) {
  return CheckSum().add_values(std::span<const char>(text)).value();
}

std::string last_line(const BuildFacts& facts) {
  return fmt::format("{}{:016x}", kSumName, sum_of(text_of(facts)));
}

std::string round_name(uint32_t first_piece) {
  return fmt::format("round-{:05}.bin", first_piece);
}

bool is_round_name(const std::string& name) {
  constexpr size_t kNumberAt = std::string_view("round-").size();
  uint32_t piece = 0;
  if (name.size() < kNumberAt) return false;
  std::from_chars(name.data() + kNumberAt, name.data() + name.size(), piece);
  return name == round_name(piece);
}

// Returns all files of a folder whose names pass the test, sorted by name.
std::vector<fs::path> files_named(const std::function<bool(const std::string&)>& is_name,
                                  const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (is_name(at->path().filename().string())) files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> files_of_rounds(const fs::path& folder) {
  return files_named(is_round_name, folder);
}

// Removes files that killed processes left incomplete.
void remove_unfinished(const fs::path& folder) {
  const auto is_unfinished = [](const std::string& name) {
    const std::optional<std::string> target = target_of_temporary(name);
    return target && (*target == kListName || is_round_name(*target));
  };
  std::error_code ignored;
  for (const fs::path& file : files_named(is_unfinished, folder)) fs::remove(file, ignored);
}

[[noreturn]] void throw_damaged(const fs::path& list) {
  throw Error("this list of a build's rounds is damaged")
      .at(list.string())
      .hint("remove it and the rounds beside it; everything is then built again");
}

// Opens the list and returns the stream behind its first line. Throws if the first line is not ours.
std::ifstream open_list(const fs::path& list) {
  std::error_code failed;
  if (!fs::is_regular_file(list, failed)) throw_damaged(list);  // opening a pipe would block
  std::ifstream file(list, std::ios::binary);
  if (!file) throw Error("cannot be opened").at(list.string());
  std::string line;
  if (!std::getline(file, line) || line != kFirstLine) throw_damaged(list);
  return file;
}

BuildFacts read_list(const fs::path& list) {
  std::ifstream file = open_list(list);
  BuildFacts facts;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(kSumName) && line == last_line(facts)) return facts;
    const size_t blank = line.find(' ');
    if (blank == std::string::npos) throw_damaged(list);
    facts.push_back({line.substr(0, blank), line.substr(blank + 1)});
  }
  throw_damaged(list);
}

void write_list(const fs::path& list, const BuildFacts& facts) {
  OutputFile file(list);
  file.write(fmt::format("{}\n{}{}\n", kFirstLine, text_of(facts), last_line(facts)));
  file.commit();
}

// Returns the number of pieces, which is the last fact of a list.
uint32_t pieces_of(const BuildFacts& facts, const fs::path& list) {
  if (facts.empty() || facts.back().name != kPiecesFact) throw_damaged(list);
  const std::string& text = facts.back().value;
  uint32_t pieces = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pieces);
  if (error != std::errc() || end != text.data() + text.size() || pieces == 0 || pieces > kMostPieces)
    throw_damaged(list);
  return pieces;
}

// Another version of the program may have other facts; one of the first facts tells the version.
void check_same(const BuildFacts& kept, const BuildFacts& facts, const fs::path& list) {
  for (size_t i = 0; i < facts.size(); ++i) {
    if (i == kept.size() || kept[i].name != facts[i].name) throw_damaged(list);
    if (kept[i].value != facts[i].value)
      throw Error(fmt::format("the rounds kept here belong to a build with another {}: {}, not {}",
                              facts[i].name, kept[i].value, facts[i].value))
          .at(list.string())
          .hint("name another output, or remove this file and the rounds beside it");
  }
  if (kept.size() != facts.size() + 1) throw_damaged(list);
}

}  // namespace

KeptRounds::KeptRounds(fs::path scene, BuildFacts facts, double seconds)
    : scene_(std::move(scene)),
      folder_(parts_folder(scene_)),
      facts_(std::move(facts)),
      build_(sum_of(text_of(facts_))),
      seconds_(seconds) {}

fs::path KeptRounds::list_path() const {
  return folder_ / kListName;
}

fs::path KeptRounds::round_path(const build::Pieces& pieces) const {
  return folder_ / round_name(pieces.front());
}

build::KeptBuild KeptRounds::begin(uint32_t pieces) {
  lock_.emplace(scene_);
  remove_unfinished(folder_);
  const std::vector<fs::path> files = files_of_rounds(folder_);
  if (files.empty()) return begin_anew(pieces);
  std::error_code failed;
  if (!fs::exists(list_path(), failed))
    throw Error("is a round of an unknown build: rounds.txt is missing")
        .at(files.front().string())
        .hint("remove it and those beside it, or name another output");
  const BuildFacts kept = read_list(list_path());
  check_same(kept, facts_, list_path());
  build::KeptBuild build = {.pieces = pieces_of(kept, list_path()), .rounds = {}};
  build.rounds = read_rounds(build.pieces);
  return build;
}

// A list without rounds is overwritten, because nothing is lost, whatever build it belongs to.
build::KeptBuild KeptRounds::begin_anew(uint32_t pieces) const {
  std::error_code failed;
  if (fs::exists(list_path(), failed)) open_list(list_path());
  BuildFacts facts = facts_;
  facts.push_back({kPiecesFact, std::to_string(pieces)});
  write_list(list_path(), facts);
  return {.pieces = pieces, .rounds = {}};
}

std::vector<build::Pieces> KeptRounds::read_rounds(uint32_t pieces) const {
  std::vector<build::Pieces> rounds;
  std::vector<bool> is_kept(pieces);
  uint64_t kept = 0;
  for (const fs::path& file : files_of_rounds(folder_)) {
    build::Pieces round = read_round_pieces(file, build_);
    const auto is_wrong = [&](uint32_t piece) { return piece >= pieces || is_kept[piece]; };
    if (round.empty() || round_path(round) != file || std::ranges::any_of(round, is_wrong))
      throw Error("this round does not fit those beside it")
          .at(file.string())
          .hint("remove it; its part of the scene is then built again");
    for (const uint32_t piece : round) is_kept[piece] = true;
    kept += round.size();
    rounds.push_back(std::move(round));
  }
  log_info("{} of {} pieces are built already, in {} rounds", kept, pieces, rounds.size());
  return rounds;
}

build::Round KeptRounds::load(const build::Pieces& pieces, const build::RoundForm& form) {
  return read_round(round_path(pieces), build_, form);
}

void KeptRounds::keep(const build::Round& round, const build::Pieces& pieces) {
  write_round(round, pieces, build_, round_path(pieces));
}

void KeptRounds::remove() {
  std::error_code ignored;
  for (const fs::path& file : files_of_rounds(folder_)) fs::remove(file, ignored);
  fs::remove(list_path(), ignored);  // in the end: without it, rounds belong to nothing
  if (lock_) remove_unnamed_parts(scene_);
  lock_.reset();
  fs::remove(folder_, ignored);  // fails if something is in it
}

size_t rounds_beside(const fs::path& scene) {
  return files_of_rounds(parts_folder(scene)).size();
}

}  // namespace vox
