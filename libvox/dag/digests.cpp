#include "libvox/dag/digests.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

namespace fs = std::filesystem;

// A file without a name that holds digests.
class DigestFile {
 public:
  DigestFile() : folder_(fs::temp_directory_path()), descriptor_(open_nameless(folder_)) {
    if (descriptor_ < 0) fail("cannot be written");
  }
  ~DigestFile() { close(descriptor_); }
  DigestFile(const DigestFile&) = delete;
  DigestFile& operator=(const DigestFile&) = delete;

  void write(uint64_t first, std::span<const Digest> digests) const {
    transfer(first, {reinterpret_cast<char*>(const_cast<Digest*>(digests.data())), digests.size_bytes()},
             [this](char* at, size_t bytes, off_t offset) { return pwrite(descriptor_, at, bytes, offset); });
  }
  void read(uint64_t first, std::span<Digest> to) const {
    transfer(first, {reinterpret_cast<char*>(to.data()), to.size_bytes()},
             [this](char* at, size_t bytes, off_t offset) { return pread(descriptor_, at, bytes, offset); });
  }

 private:
  template <class Call>
  void transfer(uint64_t first, std::span<char> bytes, const Call& call) const {
    auto offset = static_cast<off_t>(first * sizeof(Digest));
    while (!bytes.empty()) {
      const ssize_t done = call(bytes.data(), bytes.size(), offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail("cannot hold a temporary file");
      bytes = bytes.subspan(static_cast<size_t>(done));
      offset += done;
    }
  }

  [[noreturn]] void fail(const char* problem) const {
    throw Error(fmt::format("{}: {}", problem, std::generic_category().message(errno)))
        .at(folder_.string())
        .hint("TMPDIR names another folder for temporary files");
  }

  const fs::path folder_;
  const int descriptor_;
};

// The digests of a level.
class LevelDigests {
 public:
  LevelDigests() = default;
  LevelDigests(uint64_t nodes, bool in_file)
      : nodes_(nodes),
        file_(in_file ? std::make_unique<DigestFile>() : nullptr),
        digests_(in_file ? 0 : nodes) {}

  // Different threads may set different digests.
  void set(uint64_t first, std::span<const Digest> digests) {
    if (file_)
      file_->write(first, digests);
    else
      std::ranges::copy(digests, digests_.begin() + static_cast<ptrdiff_t>(first));
  }

  // Reads digests on one thread. Most nodes' children follow each other, so that blocks are read together.
  class Reader {
   public:
    explicit Reader(const LevelDigests& all) : all_(all) {
      if (all_.file_) blocks_.resize(kBlocks);
    }

    Digest operator[](uint64_t number) {
      if (!all_.file_) return all_.digests_[number];
      const uint64_t block = number / kBlockDigests;
      Block& held = blocks_[block % kBlocks];
      if (held.number != block) {
        held.number = UINT64_MAX;
        const uint64_t first = block * kBlockDigests;
        all_.file_->read(first, std::span(held.digests).first(std::min(kBlockDigests, all_.nodes_ - first)));
        held.number = block;
      }
      return held.digests[number % kBlockDigests];
    }

   private:
    static constexpr uint64_t kBlockDigests = 256, kBlocks = 64;
    struct Block {
      uint64_t number = UINT64_MAX;
      std::array<Digest, kBlockDigests> digests;
    };

    const LevelDigests& all_;
    std::vector<Block> blocks_;
  };

 private:
  uint64_t nodes_ = 0;
  std::unique_ptr<DigestFile> file_;
  std::vector<Digest> digests_;
};

}  // namespace

std::vector<std::vector<Digest>> digests_of(const FrozenDag& dag,
                                            const std::vector<std::vector<uint32_t>>& numbers,
                                            uint64_t memory) {
  std::vector<std::vector<Digest>> result(numbers.size());
  LevelDigests below;
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    const DagLevel& nodes = dag.levels[level];
    LevelDigests here(nodes.places.nodes(), nodes.places.nodes() > memory / sizeof(Digest));
    tbb::enumerable_thread_specific<LevelDigests::Reader> readers(
        [&] { return LevelDigests::Reader(below); });
    tbb::parallel_for(node_numbers(nodes), [&](const NodeNumbers& range) {
      LevelDigests::Reader& children = readers.local();
      std::vector<Digest> digests;
      for_each_in(nodes, range, [&](uint64_t, const uint32_t* node) {
        digests.push_back(level == dag.depth()
                              ? leaf_digest(node, dag.materials)
                              : node_digest(node[0], [&](uint32_t i) { return children[node[1 + i]]; }));
      });
      here.set(range.begin(), digests);
    });
    LevelDigests::Reader found(here);
    for (const uint32_t number : numbers[level]) result[level].push_back(found[number]);
    below = std::move(here);
  }
  return result;
}

Digest digest_of(const FrozenDag& dag, uint64_t memory) {
  std::vector<std::vector<uint32_t>> root(dag.levels.size());
  if (!dag.empty()) root[0] = {0};
  const std::vector<std::vector<Digest>> digests = digests_of(dag, root, memory);
  return scene_digest(dag.resolution, dag.depth(), dag.materials, dag.empty() ? nullptr : &digests[0][0]);
}

}  // namespace vox::dag
