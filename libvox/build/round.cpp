#include "libvox/build/round.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/dag/node.h"
#include "libvox/scene/palette.h"

namespace vox::build {
namespace {

Error spill_error(const std::string& problem, const std::filesystem::path& folder, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(folder.string());
  return error;
}

int nameless_file(const std::filesystem::path& folder) {
  const int file = open_nameless(folder);
  if (file < 0) throw spill_error("cannot create a file in the folder", folder, errno);
  return file;
}

}  // namespace

SpillPlace::SpillPlace(std::filesystem::path folder) : folder_(std::move(folder)) {
  close(nameless_file(*folder_));
}

SpilledBytes::SpilledBytes(const SpillPlace& place, uint64_t most) : most_(most) {
  if (most == 0) return;
  if (place.folder()) {
    folder_ = *place.folder();
    file_ = nameless_file(folder_);
  }
  const int flags = file_ < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* at = mmap(nullptr, most, PROT_READ | PROT_WRITE, flags, file_, 0);
  if (at == MAP_FAILED) {
    const int code = errno;
    if (file_ >= 0) close(file_);
    throw spill_error("cannot reserve memory", folder_, code);
  }
  data_ = static_cast<std::byte*>(at);
  if (file_ < 0) madvise(data_, most, MADV_HUGEPAGE);
}

SpilledBytes::~SpilledBytes() {
  if (data_) munmap(data_, most_);
  if (file_ >= 0) close(file_);
}

void SpilledBytes::grow(uint64_t bytes) {
  constexpr uint64_t kStep = uint64_t{64} << 20;
  if (bytes > most_) throw Error("a spilled array grows beyond what was reserved for it");
  if (bytes <= taken_) return;
  const uint64_t wanted = std::min(most_, (bytes + kStep - 1) / kStep * kStep);
  if (file_ < 0) {
    if (const uint64_t left = available_bytes(); wanted - taken_ > left)
      throw Error(fmt::format("the host's memory is full: {} more are needed, {} are left",
                              format_bytes(wanted - taken_), format_bytes(left)))
          .hint("spill to a folder, or lower the resolution");
  } else if (const int failed =
                 posix_fallocate(file_, static_cast<off_t>(taken_), static_cast<off_t>(wanted - taken_));
             failed != 0) {
    throw spill_error("there is not enough space for spilled data", folder_, failed);
  }
  taken_ = wanted;
}

void SpilledBytes::shrink(uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t kept = (bytes + page - 1) / page * page;
  if (kept >= taken_) return;
  if (file_ < 0) {
    madvise(data_ + kept, taken_ - kept, MADV_DONTNEED);
  } else if (ftruncate(file_, static_cast<off_t>(kept)) != 0) {
    throw spill_error("cannot make a file shorter", folder_, errno);
  }
  taken_ = kept;
}

void SpilledBytes::rest() {
  if (file_ >= 0 && taken_ > 0) madvise(data_, taken_, MADV_DONTNEED);
}

void SpilledBytes::read(uint64_t first, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(file_, to.data(), to.size(), static_cast<off_t>(first));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw spill_error("cannot read spilled data", folder_, count < 0 ? errno : EIO);
    first += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

void SpilledBytes::swap(SpilledBytes& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(most_, other.most_);
  std::swap(taken_, other.taken_);
  std::swap(file_, other.file_);
  std::swap(folder_, other.folder_);
}

namespace {

template <class T>
SpilledArray<T> copied(const SpilledArray<T>& from, const SpillPlace& place) {
  SpilledArray<T> to(place, from.size());
  std::ranges::copy(from.values(), to.append(from.size()).begin());
  to.rest();
  return to;
}

}  // namespace

void move_levels(Round& round, const SpillPlace& place) {
  for (RoundLevel& level : round.levels) level = {copied(level.words, place), copied(level.sizes, place)};
}

namespace {

// True if the nodes of a level are what their words say. `below` is the number of nodes of the next level, 0
// for leaves.
bool is_sound(const RoundLevel& level, dag::NodeKind kind, bool materials, uint64_t below) {
  const std::span<const uint32_t> words = level.words.values();
  uint64_t at = 0;
  for (const uint8_t size : level.sizes.values()) {
    if (size < hash::kMinItemWords || size > words.size() - at) return false;
    const uint32_t* node = &words[at];
    if (dag::words_of(node, kind, materials) != size) return false;
    if (kind == dag::NodeKind::Leaf) {
      if (dag::leaf_mask(node) == 0) return false;
    } else {
      if ((node[0] & ~dag::kHeaderBits) != 0) return false;
      for (uint32_t word = 1; word < size; ++word)
        if (node[word] >= below) return false;
    }
    at += size;
  }
  return at == words.size();
}

// True if each place has at most one node and each root's material exists.
bool are_sound(std::span<const RoundRoot> roots, uint64_t nodes, uint32_t level) {
  std::vector<uint64_t> codes;
  for (const RoundRoot& root : roots) {
    if (root.number >= nodes || root.code >> 3 * level != 0) return false;
    if (root.material < -1 || root.material >= static_cast<int32_t>(scene::kPaletteSize)) return false;
    codes.push_back(root.code);
  }
  std::ranges::sort(codes);
  return std::ranges::adjacent_find(codes) == codes.end();
}

}  // namespace

bool holds_together(const Round& round, const RoundForm& form) {
  const size_t levels = round.levels.size();
  if (round.result.dag.levels.size() != form.dag_levels) return false;
  if (levels == 0 || round.level + levels != form.dag_levels) return false;
  for (size_t l = 0; l < levels; ++l) {
    const bool is_leaf = l + 1 == levels;
    if (!is_sound(round.levels[l], is_leaf ? dag::NodeKind::Leaf : dag::NodeKind::Inner, form.materials,
                  is_leaf ? 0 : round.levels[l + 1].nodes()))
      return false;
  }
  return are_sound(round.roots, round.levels[0].nodes(), round.level);
}

}  // namespace vox::build
