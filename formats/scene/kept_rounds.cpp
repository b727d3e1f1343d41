// The list of a build's rounds, and the file of each round.
#include "formats/scene/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
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

namespace fs = std::filesystem;

constexpr uint64_t kMagic = 0x646e756f72786f76;  // "voxround"
constexpr uint64_t kVersion = 2;
constexpr uint64_t kWordBytes = sizeof(uint64_t);
constexpr uint64_t kMostCount = uint64_t{1} << 48;  // keeps sums of a damaged file's counts below 2^64

// The file's first words.
struct RoundHeader {
  uint64_t magic = kMagic, version = kVersion, build = 0;
  uint64_t pieces = 0, level = 0, dag_levels = 0, roots = 0, levels = 0, states = 0;
  uint64_t voxels = 0, chunks = 0, atlas_queries = 0, open_rays = 0, disputed_voxels = 0;
};
static_assert(sizeof(RoundHeader) == 14 * kWordBytes);
static_assert(sizeof(build::RoundRoot) == 32);

uint64_t padded(uint64_t bytes) {
  return (bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
}

// Writes arrays, each padded to whole words, and the sum over all of them.
class RoundWriter {
 public:
  explicit RoundWriter(const fs::path& target) : file_(target) {}

  template <class T>
  void write(std::span<const T> values) {
    constexpr std::array<char, kWordBytes> kZeros = {};
    const std::span<const std::byte> bytes = std::as_bytes(values);
    file_.write(bytes);
    file_.write(std::string_view(kZeros.data(), padded(bytes.size()) - bytes.size()));
    sum_.add(bytes);
  }

  void commit() {
    const uint64_t check = sum_.value();
    file_.write(std::span<const uint64_t>(&check, 1));
    file_.commit();
  }

 private:
  OutputFile file_;
  CheckSum sum_;
};

// Reads a mapped file, array by array.
class RoundReader {
 public:
  explicit RoundReader(const fs::path& path) : path_(path), file_(path) {
    const std::span<const std::byte> bytes = file_.bytes();
    if (bytes.size() < sizeof header_ + kWordBytes || bytes.size() % kWordBytes != 0) throw damaged();
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_.magic != kMagic) throw Error("is no round of a vox scene").at(path.string());
    if (header_.version != kVersion)
      throw Error(fmt::format("is a round of version {}, expected {}", header_.version, kVersion))
          .at(path.string());
    for (const uint64_t count :
         {header_.pieces, header_.dag_levels, header_.roots, header_.levels, header_.states})
      if (count > kMostCount) throw damaged();
    at_ = sizeof header_;
  }

  const RoundHeader& header() const { return header_; }

  template <class T>
  std::span<const T> next(uint64_t count) {
    const uint64_t bytes = padded(count * sizeof(T)), left = file_.bytes().size() - kWordBytes - at_;
    if (count > kMostCount || bytes > left) throw damaged();
    const auto* values = reinterpret_cast<const T*>(file_.bytes().data() + at_);
    at_ += bytes;
    return {values, count};
  }

  void check_end() const {
    if (at_ != file_.bytes().size() - kWordBytes) throw damaged();
  }

  void check_sum() const {
    const std::span<const std::byte> bytes = file_.bytes();
    uint64_t check = 0;
    std::memcpy(&check, bytes.data() + bytes.size() - kWordBytes, kWordBytes);
    if (CheckSum().add(bytes.first(bytes.size() - kWordBytes)).value() != check) throw damaged();
  }

  Error damaged() const {
    return Error("this round of a build is damaged")
        .at(path_.string())
        .hint("remove it; its part of the scene is then built again");
  }

 private:
  const fs::path& path_;
  MappedFile file_;
  RoundHeader header_;
  uint64_t at_ = 0;
};

template <class T>
std::span<const T> one(const T& value) {
  return {&value, 1};
}

template <class T>
SpilledArray<T> array_of(std::span<const T> values) {
  SpilledArray<T> array(SpillPlace(), values.size());
  std::ranges::copy(values, array.append(values.size()).begin());
  return array;
}

// Everything in the file except the nodes.
struct RoundStart {
  std::span<const uint64_t> pieces, svo_nodes, nodes, words;
};

RoundStart read_start(RoundReader& reader, uint64_t build, const fs::path& path) {
  const RoundHeader& header = reader.header();
  if (header.build != build)
    throw Error("this round belongs to another build")
        .at(path.string())
        .hint("that build had other inputs or options; remove the file, or name another output");
  RoundStart start = {.pieces = reader.next<uint64_t>(header.pieces),
                      .svo_nodes = reader.next<uint64_t>(header.dag_levels),
                      .nodes = reader.next<uint64_t>(header.levels),
                      .words = reader.next<uint64_t>(header.levels)};
  return start;
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

void write_round(const build::Round& round, const build::Pieces& pieces, uint64_t build,
                 const fs::path& path) {
  const dag::FrozenDag& dag = round.result.dag;
  RoundHeader header;
  header.build = build;
  header.pieces = pieces.size();
  header.level = round.level;
  header.dag_levels = dag.levels.size();
  header.roots = round.roots.size();
  header.levels = round.levels.size();
  header.states = round.states.size();
  header.voxels = dag.voxels;
  header.chunks = round.result.chunks;
  header.atlas_queries = round.result.atlas_queries;
  header.open_rays = round.result.solid.open_rays;
  header.disputed_voxels = round.result.solid.disputed_voxels;
  std::vector<uint64_t> counts(pieces.begin(), pieces.end());
  for (const dag::DagLevel& level : dag.levels) counts.push_back(level.svo_nodes);
  for (const build::RoundLevel& level : round.levels) counts.push_back(level.nodes());
  for (const build::RoundLevel& level : round.levels) counts.push_back(level.words.size());
  RoundWriter writer(path);
  writer.write(one(header));
  writer.write(std::span<const uint64_t>(counts));
  writer.write(std::span<const build::RoundRoot>(round.roots));
  writer.write(std::span<const voxelize::CellState>(round.states));
  for (const build::RoundLevel& level : round.levels) {
    writer.write(level.sizes.values());
    writer.write(level.words.values());
  }
  writer.commit();
}

build::Pieces read_round_pieces(const fs::path& path, uint64_t build) {
  RoundReader reader(path);
  const RoundStart start = read_start(reader, build, path);
  reader.next<build::RoundRoot>(reader.header().roots);
  reader.next<voxelize::CellState>(reader.header().states);
  for (size_t level = 0; level < start.nodes.size(); ++level) {
    reader.next<uint8_t>(start.nodes[level]);
    reader.next<uint32_t>(start.words[level]);
  }
  reader.check_end();
  build::Pieces pieces;
  for (const uint64_t piece : start.pieces) pieces.push_back(static_cast<uint32_t>(piece));
  return pieces;
}

build::Round read_round(const fs::path& path, uint64_t build, const build::RoundForm& form) {
  RoundReader reader(path);
  reader.check_sum();
  const RoundStart start = read_start(reader, build, path);
  const RoundHeader& header = reader.header();
  build::Round round;
  round.level = static_cast<uint32_t>(header.level);
  round.result.dag.levels.resize(header.dag_levels);
  for (size_t level = 0; level < header.dag_levels; ++level)
    round.result.dag.levels[level].svo_nodes = start.svo_nodes[level];
  round.result.dag.voxels = header.voxels;
  round.result.chunks = header.chunks;
  round.result.atlas_queries = header.atlas_queries;
  round.result.solid.open_rays = header.open_rays;
  round.result.solid.disputed_voxels = header.disputed_voxels;
  const auto roots = reader.next<build::RoundRoot>(header.roots);
  round.roots.assign(roots.begin(), roots.end());
  const auto states = reader.next<voxelize::CellState>(header.states);
  round.states.assign(states.begin(), states.end());
  for (size_t level = 0; level < header.levels; ++level) {
    build::RoundLevel& to = round.levels.emplace_back();
    to.sizes = array_of(reader.next<uint8_t>(start.nodes[level]));
    to.words = array_of(reader.next<uint32_t>(start.words[level]));
  }
  reader.check_end();
  if (!build::holds_together(round, form)) throw reader.damaged();
  return round;
}

}  // namespace vox
