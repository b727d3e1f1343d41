#include "libvox/dag/paged_level.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/dag/node.h"

namespace vox::dag {
namespace {

// A level of fewer words is read at once.
constexpr uint64_t kFewWords = 1 << 16;

// The places of the nodes of whole runs of kStartEvery nodes fill whole pages.
constexpr uint64_t kPieceNodes = 8 * kStartEvery;
constexpr uint64_t kPieceBlocks = kPieceNodes / PlacesBlock::kNodes;
static_assert(kPieceBlocks * sizeof(PlacesBlock) % 4096 == 0);

void check_children(std::span<const uint32_t> node, const FiledLevel& source, uint64_t word) {
  for (const uint32_t child : node.subspan(1))
    if (child >= source.nodes_below)
      throw Error(fmt::format("points to node {} of level {}, which has only {}", child,
                              source.form.level + 1, source.nodes_below))
          .at(level_place(source.form.level, word));
}

// Throws Error if a node of which the source states where it starts starts elsewhere.
void check_start(const FiledLevel& source, uint64_t number, uint64_t at) {
  const uint64_t start = source.starts[number / kStartEvery];
  if (at != start)
    throw Error(fmt::format("node {} should start here, but starts at word {}", number, start))
        .at(level_place(source.form.level, at));
}

// Places the nodes of some blocks, the first of which begins a run.
void place(const FiledLevel& source, std::span<const uint32_t> words, uint64_t first_block,
           std::span<PlacesBlock> blocks) {
  const uint64_t begin = first_block * PlacesBlock::kNodes;
  const uint64_t end = std::min(begin + blocks.size() * PlacesBlock::kNodes, source.nodes + 1);
  uint64_t at = begin < source.nodes ? source.starts[begin / kStartEvery] : source.words;
  for (uint64_t number = begin; number < end; ++number) {
    if (number % kStartEvery == 0 && number < source.nodes) check_start(source, number, at);
    put_place(blocks, number - begin, at);
    if (number == source.nodes) break;
    const uint64_t size = checked_size(words, at, source.form);
    if (source.form.kind == NodeKind::Inner) check_children(words.subspan(at, size), source, at);
    at += size;
  }
  if (end == source.nodes + 1 && at != source.words)
    throw Error(fmt::format("the nodes end here, but there are {} words", source.words))
        .at(level_place(source.form.level, at));
}

// If nodes cannot be placed, they stand behind the words, where zeros make them empty: a walk ends there until the error
// is thrown.
void place_or_fail(const FiledLevel& source, std::span<const uint32_t> words, uint64_t first_block,
                   std::span<PlacesBlock> blocks) {
  try {
    place(source, words, first_block, blocks);
  } catch (const Error& error) {
    fail_later(std::make_exception_ptr(Error(error.what()).at(source.where)));
    std::fill(blocks.begin(), blocks.end(), PlacesBlock{source.words, {}});
  }
}

}  // namespace

DagLevel paged_level(FiledLevel source, const std::shared_ptr<PagedBudget>& budget) {
  check_starts(source.form, source.words, source.nodes, source.starts);
  if (source.words < kFewWords) {
    Words words(source.words);
    source.read(0, words);
    NodePlaces places(words, source.form, source.nodes, source.starts);
    for (uint64_t number = 0; source.form.kind == NodeKind::Inner && number < source.nodes; ++number) {
      const uint64_t at = places[number];
      check_children(std::span(words).subspan(at, places[number + 1] - at), source, at);
    }
    return {std::move(words), source.nodes, source.svo_nodes, std::move(places)};
  }
  const auto kept = std::make_shared<const FiledLevel>(std::move(source));
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t piece_bytes = (kept->piece_words * sizeof(uint32_t) + page - 1) / page * page;
  Words words = paged_vector<uint32_t>(std::make_shared<PagedMemory>(
      kept->words * sizeof(uint32_t), piece_bytes,
      [kept, piece_bytes](uint64_t piece, std::span<uint8_t> to) {
        kept->read(piece * (piece_bytes / sizeof(uint32_t)),
                   {reinterpret_cast<uint32_t*>(to.data()), to.size() / sizeof(uint32_t)});
      },
      budget));
  PlacesBlocks blocks = paged_vector<PlacesBlock>(std::make_shared<PagedMemory>(
      NodePlaces::blocks_for(kept->nodes) * sizeof(PlacesBlock), kPieceBlocks * sizeof(PlacesBlock),
      [kept, all = std::span<const uint32_t>(words)](uint64_t piece, std::span<uint8_t> to) {
        place_or_fail(*kept, all, piece * kPieceBlocks,
                      {reinterpret_cast<PlacesBlock*>(to.data()), to.size() / sizeof(PlacesBlock)});
      },
      budget));
  return {std::move(words), kept->nodes, kept->svo_nodes, NodePlaces(std::move(blocks), kept->nodes), kept};
}

FiledNodes::FiledNodes(const DagLevel& level, uint64_t begin, uint64_t end) : begin_(begin) {
  if (begin == end) return;
  const FiledLevel& source = *level.filed;
  const uint64_t run = begin / kStartEvery, end_run = (end - 1) / kStartEvery + 1;
  const uint64_t first = source.starts[run],
                 last = end_run < source.starts.size() ? source.starts[end_run] : source.words;
  words_.resize(last - first);
  source.read(first, words_);
  offsets_.reserve(end - begin);
  uint64_t at = 0;
  try {
    for (uint64_t number = run * kStartEvery; number < end; ++number) {
      if (number % kStartEvery == 0) check_start(source, number, first + at);
      const uint64_t size = checked_size(words_, at, source.form);
      if (source.form.kind == NodeKind::Inner)
        check_children(std::span(words_).subspan(at, size), source, first + at);
      if (number >= begin) offsets_.push_back(static_cast<uint32_t>(at));
      at += size;
    }
  } catch (const Error& error) {
    std::string problem = error.what();
    try {
      checked_size(level.words, first + at, source.form);  // its error names the place in the level
    } catch (const Error& in_level) {
      problem = in_level.what();
    }
    throw Error(problem).at(source.where);
  }
}

}  // namespace vox::dag
