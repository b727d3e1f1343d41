#include "formats/scene/kept_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

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
