// The session of a volume on one device.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/bricks/bodies.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/volume_bodies.h"

namespace vox::edit {

// The words of the bricks of one type in a device's memory. There is room for more.
struct TypeArray {
  device::Buffer<uint32_t> words;
  uint64_t used = 0, live = 0;  // `live` excludes bricks that were made again since
};

// A brick before and after a change.
struct ChangedBrick {
  uint64_t index;
  uint64_t entry_before, entry;
  uint32_t words_before, words;
};
struct VolumeChange {
  std::vector<ChangedBrick> bricks;
  int64_t filled = 0;  // how many more voxels are filled afterwards
};

// New bricks are appended to the arrays of their types, and then the root grid gets their entries. So the old bricks
// stay where they are, for edits that read around a voxel and for undo.
template <class Device, class T>
class DeviceVolumeSession final : public VolumeSession {
 public:
  DeviceVolumeSession(Device& device, bricks::FrozenBricks bricks, KeepStates states, uint64_t piece_voxels)
      : device_(device),
        is_sparse_(bricks.is_sparse()),
        like_(is_sparse_ ? bricks::with_dense_root(bricks) : std::move(bricks)),
        states_(states),
        piece_voxels_(piece_voxels),
        packer_(device, like_.allowed_types) {
    rule_.type = like_.info.type;
    rule_.background = like_.background;
    load();
  }

  VolumeWork apply(const VolumeEdit& edit, const volume::Volume* mask) override {
    const Int3 size = like_.info.size;
    const VoxelBox box = written_box(edit, size, mask ? mask->info.size : Int3{0, 0, 0});
    VolumeWork work;
    VolumeChange change;
    if (box.empty()) {
      finish(std::move(change));
      return work;
    }
    const bricks::BrickShape shape = like_.shape();
    const VoxelBox all = {bricks_below(box.min), bricks_below(box.max - Int3{1, 1, 1}) + Int3{1, 1, 1}};
    const volume::Pieces pieces(all, most_bricks());
    const volume::ValueRule mask_rule = mask ? volume::value_rule(*mask, {}) : volume::ValueRule();
    for (uint64_t i = 0; i < pieces.count(); ++i) {
      throw_if_cancelled();
      const VoxelBox piece = pieces[i];
      const auto side = static_cast<int32_t>(shape.side());
      const BrickBox boxed = {piece.min, piece.size(), like_.grid()};
      auto chosen = device_.template make<uint32_t>(piece.voxels());
      const uint64_t n = device_.select("volume: bricks in the shape", piece.voxels(),
                                        MeetsShape{edit.shape, boxed, side}, chosen.data());
      if (n == 0) continue;
      auto indices = device_.template make<uint64_t>(n);
      device_.for_each("volume: indices of bricks", n, SetIndices{chosen.data(), boxed, indices.data()});
      chosen.reset();
      device::Buffer<uint8_t> bytes;
      const MaskRef in_mask = mask ? read_mask(*mask, mask_rule, edit.mask_at,
                                               intersection(box, {piece.min * side, piece.max * side}), bytes)
                                   : MaskRef{};
      revise(indices, n, ChangeValues<T>{ref_, rule_, edit, in_mask}, change, work);
    }
    finish(std::move(change));
    return work;
  }

  VolumeWork take(const volume::Volume& values, std::span<const VoxelBox> boxes) override {
    const std::vector<uint64_t> indices = meeting(boxes);
    VolumeWork work;
    VolumeChange change;
    const uint64_t most = most_bricks();
    const bricks::BrickShape shape = like_.shape();
    std::vector<T, UninitializedAllocator<T>> host;
    for (uint64_t begin = 0; begin < indices.size(); begin += most) {
      throw_if_cancelled();
      const uint64_t n = std::min<uint64_t>(most, indices.size() - begin);
      host.resize(n << shape.code_bits());
      for (uint64_t i = 0; i < n; ++i)
        read_brick(values, indices[begin + i], host.data() + (i << shape.code_bits()));
      const auto read = device::uploaded(device_, host);
      auto chosen = device_.template make<uint64_t>(n);
      device_.upload(chosen.data(), indices.data() + begin, n);
      revise(chosen, n, TakeValues<T>{read.data(), shape, rule_}, change, work);
    }
    finish(std::move(change));
    return work;
  }

  bool undo() override {
    if (undo_.empty()) return false;
    VolumeChange change = std::move(undo_.back());
    undo_.pop_back();
    turn_around(change);
    set_entries(change);
    turn_around(change);
    redo_.push_back(std::move(change));
    return true;
  }
  bool redo() override {
    if (redo_.empty()) return false;
    VolumeChange change = std::move(redo_.back());
    redo_.pop_back();
    set_entries(change);
    undo_.push_back(std::move(change));
    return true;
  }

  bricks::FrozenBricks freeze() override { return frozen(false); }

 private:
  // Returns the bricks in their present state, with a dense root if load() will read them again.
  bricks::FrozenBricks frozen(bool to_load) {
    bricks::FrozenBricks now = like_;
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
      now.data[type].resize(arrays_[type].used);
      device_.download(now.data[type].data(), arrays_[type].words.data(), arrays_[type].used);
    }
    device_.sync();
    bricks::set_root(now, entries_);
    bricks::BricksAssembly assembly(now);
    for (uint64_t i = 0; i < entries_.size(); ++i) assembly.add(now, i, words_[i]);
    now = assembly.take();
    return is_sparse_ && !to_load ? bricks::with_sparse_root(now) : now;
  }

  // The most bytes that a voxel takes while its brick is changed: its word, its share of the mask and the counts, twice
  // its share of the finished brick, and its value if that comes from another volume.
  static constexpr uint64_t kBytes = 4 * sizeof(T) + 2 + 2 * (4 + sizeof(T));
  static constexpr uint64_t kMostBricks = uint64_t{1} << 22;
  // Spare words beyond an eighth of a type's words, so that the first edits need not copy all to a larger array.
  static constexpr uint64_t kSpareWords = uint64_t{1} << 17;
  // Words of bricks that were made again are removed when they outnumber both the others and this number.
  static constexpr uint64_t kMuchGarbage = uint64_t{1} << 24;

  // Copies the bricks in `like_` to the device, and keeps in `like_` only the rest.
  void load() {
    const std::vector<uint64_t> words = bricks::brick_words(like_);
    words_.assign(words.begin(), words.end());
    const bricks::DenseRootRef from = {bricks::ref(like_)};
    entries_.resize(like_.bricks());
    for (uint64_t i = 0; i < entries_.size(); ++i) {
      const bricks::BricksRef::Entry entry = from.entry(i);
      entries_[i] = entry.place << bricks::kRootTypeBits | entry.type;
    }
    like_.root = {};
    root_ = device_.template make<uint32_t>(2 * entries_.size());
    device_.upload(root_.data(), reinterpret_cast<const uint32_t*>(entries_.data()), root_.size());
    ref_ = from;
    ref_.entry_words = 2;
    ref_.root = root_.data();
    for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
      Words& data = like_.data[type];
      arrays_[type] = {device_.template make<uint32_t>(data.size() + data.size() / 8 + kSpareWords),
                       data.size(), data.size()};
      device_.upload(arrays_[type].words.data(), data.data(), data.size());
      ref_.data[type] = arrays_[type].words.data();
      device_.sync();
      data = {};
    }
  }

  Int3 bricks_below(Int3 voxel) const {
    const uint32_t shift = like_.log2_side;
    return {voxel.x >> shift, voxel.y >> shift, voxel.z >> shift};
  }

  uint64_t most_bricks() const {
    const uint64_t voxels = piece_voxels_ > 0 ? piece_voxels_
                                              : std::min<uint64_t>(device_.pool().available() / kBytes,
                                                                   16 * device_.preferred_chunk_pairs());
    return std::clamp<uint64_t>(voxels >> like_.shape().code_bits(), 1, kMostBricks);
  }

  // Returns the mask in a box that lies in both the volume and the mask. The mask's voxel (0, 0, 0) is at `mask_at`.
  MaskRef read_mask(const volume::Volume& mask, const volume::ValueRule& rule, Int3 mask_at,
                    const VoxelBox& box, device::Buffer<uint8_t>& bytes) {
    const VoxelBox in_mask = {box.min - mask_at, box.max - mask_at};
    std::vector<std::byte> values(in_mask.voxels() * volume::value_bytes(mask.info.type));
    mask.read(in_mask, values.data());
    std::vector<uint8_t> filled(in_mask.voxels());
    for (uint64_t i = 0; i < filled.size(); ++i)
      filled[i] = rule.word(volume::bits_at(mask.info.type, values.data(), i)) != 0 ? 1 : 0;
    bytes = device::uploaded(device_, filled);
    return {bytes.data(), box};
  }

  // Returns the indices of all bricks that meet one of these boxes, in order.
  std::vector<uint64_t> meeting(std::span<const VoxelBox> boxes) const {
    const Int3 grid = like_.grid();
    std::vector<bool> meets(entries_.size());
    for (const VoxelBox& whole : boxes) {
      const VoxelBox box = intersection(whole, like_.info.box());
      if (box.empty()) continue;
      const Int3 low = bricks_below(box.min), high = bricks_below(box.max - Int3{1, 1, 1});
      for (Int3 at = low; at.z <= high.z; ++at.z)
        for (at.y = low.y; at.y <= high.y; ++at.y)
          for (at.x = low.x; at.x <= high.x; ++at.x) meets[bricks::cell_index(grid, at)] = true;
    }
    std::vector<uint64_t> indices;
    for (uint64_t i = 0; i < meets.size(); ++i)
      if (meets[i]) indices.push_back(i);
    return indices;
  }

  // Reads the values of a brick. Voxels outside of the volume get any value.
  void read_brick(const volume::Volume& values, uint64_t index, T* to) const {
    const VoxelBox box = like_.box(index);
    const Int3 size = box.size();
    const uint32_t side = like_.shape().side();
    if (size == Int3{static_cast<int32_t>(side), static_cast<int32_t>(side), static_cast<int32_t>(side)}) {
      values.read(box, reinterpret_cast<std::byte*>(to));
      return;
    }
    std::vector<T> read(box.voxels());
    values.read(box, reinterpret_cast<std::byte*>(read.data()));
    const T* from = read.data();
    for (int32_t z = 0; z < size.z; ++z)
      for (int32_t y = 0; y < size.y; ++y, from += size.x)
        std::copy_n(from, size.x, to + like_.shape().row_major({0, y, z}));
  }

  // Applies a change to these bricks, and adds those in which something differs to `all`.
  template <class Change>
  void revise(const device::Buffer<uint64_t>& indices, uint64_t n, const Change& change, VolumeChange& all,
              VolumeWork& work) {
    const bricks::BrickShape shape = like_.shape();
    const uint64_t voxels = n << shape.code_bits();
    packer_.make_room(voxels);
    auto changed = device_.template make<uint32_t>(n), filled = device_.template make<uint32_t>(n);
    device_.fill(changed.data(), n, 0u);
    device_.fill(filled.data(), n, 0u);
    device_.for_each({"volume: change voxels", 128 * sizeof(T)}, voxels >> 6,
                     ReviseBlock<T, Change>{ref_, indices.data(), change, packer_.words(), packer_.masks(),
                                            changed.data(), filled.data()});
    const auto side = static_cast<int32_t>(shape.side()), count = static_cast<int32_t>(n);
    const bricks::PieceBricks whole = {{side, side, side * count}, {1, 1, count}, shape, shape};
    bricks::BrickChoice choice = packer_.choose(n, whole);
    device_.for_each("volume: bricks without a change", n,
                     LeaveUnchanged{changed.data(), choice.types.data()});
    auto entries = device_.template make<uint64_t>(n);
    device_.fill(entries.data(), n, uint64_t{0});
    packer_.write(
        choice, shape, entries.data(),
        [&](uint32_t type, uint64_t, uint64_t words, const auto& write) { append(type, words, write); });
    collect(indices, n, changed, filled, choice, entries, all, work);
  }

  // Makes room for this many words of a type behind the present ones, and calls write(to, before).
  template <class Write>
  void append(uint32_t type, uint64_t words, const Write& write) {
    TypeArray& array = arrays_[type];
    if (array.used + words > array.words.size()) {
      const uint64_t room = std::max(array.used + words, array.used + array.used / 2);
      auto larger = device_.template make<uint32_t>(room);
      device_.copy(larger.data(), array.words.data(), array.used);
      device_.sync();
      array.words = std::move(larger);
      ref_.data[type] = array.words.data();
    }
    uint32_t* to = array.words.data() + array.used;
    if (words > 0) device_.fill(to, words, 0u);
    write(to, array.used);
    array.used += words;
  }

  template <class Value>
  std::vector<Value> downloaded(const device::Buffer<Value>& from, uint64_t n) {
    std::vector<Value> to(n);
    device_.download(to.data(), from.data(), n);
    return to;
  }

  void collect(const device::Buffer<uint64_t>& indices, uint64_t n, const device::Buffer<uint32_t>& changed,
               const device::Buffer<uint32_t>& filled, const bricks::BrickChoice& choice,
               const device::Buffer<uint64_t>& entries, VolumeChange& all, VolumeWork& work) {
    const auto host_indices = downloaded(indices, n), host_entries = downloaded(entries, n);
    const auto host_changed = downloaded(changed, n), host_filled = downloaded(filled, n),
               bytes = downloaded(choice.bytes, n);
    const auto counts = downloaded(choice.counts, n);
    device_.sync();
    work.visited += n;
    for (uint64_t i = 0; i < n; ++i) {
      if (host_changed[i] == 0) continue;
      ++work.bricks;
      work.voxels += host_changed[i];
      const uint64_t index = host_indices[i];
      all.filled += int64_t{counts[i].voxels} - int64_t{host_filled[i]};
      all.bricks.push_back({index, entries_[index], host_entries[i], words_[index],
                            static_cast<uint32_t>(bytes[i] / sizeof(uint32_t))});
    }
  }

  // Makes a change the present state. A change of no brick is one that undo() takes back, too.
  void finish(VolumeChange change) {
    packer_.release();
    set_entries(change);
    redo_.clear();
    if (states_ == KeepStates::Yes) {
      undo_.push_back(std::move(change));
    } else {
      remove_garbage();
    }
  }

  static void turn_around(VolumeChange& change) {
    change.filled = -change.filled;
    for (ChangedBrick& brick : change.bricks) {
      std::swap(brick.entry, brick.entry_before);
      std::swap(brick.words, brick.words_before);
    }
  }

  void set_entries(const VolumeChange& change) {
    if (change.bricks.empty()) return;
    constexpr uint64_t kType = (uint64_t{1} << bricks::kRootTypeBits) - 1;
    std::vector<uint64_t> indices, entries;
    for (const ChangedBrick& brick : change.bricks) {
      indices.push_back(brick.index);
      entries.push_back(brick.entry);
      entries_[brick.index] = brick.entry;
      words_[brick.index] = brick.words;
      --like_.counts[brick.entry_before & kType];
      ++like_.counts[brick.entry & kType];
      arrays_[brick.entry_before & kType].live -= brick.words_before;
      arrays_[brick.entry & kType].live += brick.words;
    }
    like_.filled = static_cast<uint64_t>(static_cast<int64_t>(like_.filled) + change.filled);
    const auto on_device = device::uploaded(device_, indices),
               new_entries = device::uploaded(device_, entries);
    device_.for_each("volume: entries of bricks", indices.size(),
                     SetEntries{on_device.data(), new_entries.data(), root_.data()});
    device_.sync();
  }

  void remove_garbage() {
    uint64_t used = 0, live = 0;
    for (const TypeArray& array : arrays_) {
      used += array.used;
      live += array.live;
    }
    if (used - live <= std::max(live, kMuchGarbage)) return;
    like_ = frozen(true);
    for (TypeArray& array : arrays_) array = {};
    root_.reset();
    load();
  }

  Device& device_;
  bool is_sparse_;             // true if freeze() makes a sparse root; here the root is dense
  bricks::FrozenBricks like_;  // all but the entries and the words
  KeepStates states_;
  uint64_t piece_voxels_;
  volume::ValueRule rule_;
  bricks::BrickPacker<Device, T> packer_;
  std::vector<uint64_t> entries_;  // the root grid
  std::vector<uint32_t> words_;    // the number of words of each brick
  device::Buffer<uint32_t> root_;
  std::array<TypeArray, bricks::kBrickTypeCount> arrays_;
  bricks::DenseRootRef ref_;
  std::vector<VolumeChange> undo_, redo_;
};

template <class Device>
std::unique_ptr<VolumeSession> make_volume_session(Device& device, bricks::FrozenBricks bricks,
                                                   KeepStates states, uint64_t piece_voxels) {
  return volume::with_word_type(bricks.info.type, [&]<class T>() -> std::unique_ptr<VolumeSession> {
    return std::make_unique<DeviceVolumeSession<Device, T>>(device, std::move(bricks), states, piece_voxels);
  });
}

}  // namespace vox::edit
