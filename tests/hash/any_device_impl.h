// Implements AnyDevice for any device. each_device.cpp includes it.
#pragma once

#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/store.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab/variants.h"
#include "tests/hash/any_device.h"

namespace vox {

// A copy of a batch on the device.
template <class Device>
class DeviceBatch {
 public:
  DeviceBatch(Device& device, const Batch& batch)
      : words_(uploaded(device, batch.words)),
        offsets_(uploaded(device, batch.offsets)),
        hashes_(uploaded(device, batch.hashes)),
        words_each_(batch.words_each) {}

  hash::BatchRef ref() const {
    if (words_each_ > 0) return {words_.data(), nullptr, nullptr, words_each_};
    return {words_.data(), offsets_.data(), hashes_.data()};
  }
  const uint32_t* offsets() const { return offsets_.data(); }

  template <class T>
  static device::Buffer<T> uploaded(Device& device, const std::vector<T>& values) {
    auto buffer = device.template make<T>(values.size());
    device.upload(buffer.data(), values.data(), values.size());
    return buffer;
  }
  template <class T>
  static std::vector<T> downloaded(Device& device, const device::Buffer<T>& buffer) {
    std::vector<T> values(buffer.size());
    device.download(values.data(), buffer.data(), values.size());
    return values;
  }

 private:
  device::Buffer<uint32_t> words_, offsets_;
  device::Buffer<uint64_t> hashes_;
  uint32_t words_each_;
};

template <class Memory>
struct ReadItem {
  Memory memory;
  const uint32_t* pointers;
  const uint32_t* offsets;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    const auto item = memory.item(pointers[i]);
    for (uint32_t word = 0; word < offsets[i + 1] - offsets[i]; ++word) words[offsets[i] + word] = item[word];
  }
};

// The pointers of a batch's items in the form in which a loop over the next batch reads them.
struct LinkedItems {
  const uint32_t* leaders;  // nullptr if the pointers of all items are set
  const uint32_t* pointers;
  VOX_HD uint32_t pointer(uint32_t i) const {
    const uint32_t leader = leaders ? leaders[i] : i;
    return leader == hash::FindLeader::kNone ? hash::kNullPointer : pointers[leader];
  }
};

struct WriteLinkedItem {
  const uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* links;
  LinkedItems before;
  hash::BatchStart start;
  VOX_HD void operator()(uint64_t i) const {
    if (start.stopped()) return;
    hash::ItemWords item;
    item.size = offsets[i + 1] - offsets[i];
    for (uint32_t word = 0; word < item.size; ++word) item.words[word] = words[offsets[i] + word];
    if (links[i] != LinkedBatch::kNoLink) item.words[item.size - 1] = before.pointer(links[i]);
    start(i, item);
  }
};

struct ReadFirstPointer {
  LinkedItems items;
  hash::BatchStart start;
  uint32_t* word;
  VOX_HD void operator()(uint64_t) const {
    if (!start.stopped()) *word = items.pointer(0);
  }
};

// Inserts batches one after another, like the levels of an edited scene. One array holds the words of all
// batches; each batch overwrites the one before.
template <class Device>
class BatchesOnDevice {
 public:
  BatchesOnDevice(Device& device, hash::TableSet<Device>& tables, const std::vector<LinkedBatch>& batches)
      : device_(device), batches_(tables.link_batches(sizes_of(batches))) {
    for (const LinkedBatch& batch : batches)
      levels_.push_back({DeviceBatch<Device>::uploaded(device, batch.items.words),
                         DeviceBatch<Device>::uploaded(device, batch.items.offsets),
                         DeviceBatch<Device>::uploaded(device, batch.links),
                         device.template make<uint32_t>(batch.size()),
                         device.template make<uint32_t>(batches_->has_leaders() ? batch.size() : 0)});
    words_ = device.template make<uint32_t>(most_items(batches) * hash::BatchItems::kStride);
    sizes_ = device.template make<uint8_t>(most_items(batches));
  }

  void insert(size_t number) {
    const Level& level = levels_[number];
    const uint64_t n = level.pointers.size();
    uint64_t before = 0;
    for (size_t i = 0; i < number; ++i) before += levels_[i].pointers.size();
    const hash::BatchItems items = {
        words_.data(), sizes_.data(), level.leaders.data(), level.pointers.data(), n, before};
    const auto start = batches_->start(number, items);
    device_.for_each("write items", n,
                     WriteLinkedItem{level.words.data(), level.offsets.data(), level.links.data(),
                                     number == 0 ? LinkedItems{} : linked(number - 1), start});
    batches_->intern(number, items);
  }
  InsertedBatches insert_all() {
    InsertedBatches result;
    for (size_t first = 0;;) {
      for (size_t number = first; number < levels_.size(); ++number) insert(number);
      device_.for_each("read a pointer", 1,
                       ReadFirstPointer{linked(levels_.size() - 1), batches_->reader(), batches_->word()});
      const auto finished = batches_->finish();
      result.first_item = finished.word;
      if (!finished.stopped) break;
      first = *finished.stopped;
      ++result.stops;
    }
    for (const Level& level : levels_) {
      result.pointers.push_back(DeviceBatch<Device>::downloaded(device_, level.pointers));
      if (batches_->has_leaders())
        result.leaders.push_back(DeviceBatch<Device>::downloaded(device_, level.leaders));
    }
    result.work = batches_->work();
    return result;
  }

 private:
  struct Level {
    device::Buffer<uint32_t> words, offsets, links, pointers, leaders;
  };

  static uint64_t most_items(const std::vector<LinkedBatch>& batches) {
    uint64_t most = 0;
    for (const LinkedBatch& batch : batches) most = std::max(most, batch.size());
    return most;
  }
  static std::vector<uint64_t> sizes_of(const std::vector<LinkedBatch>& batches) {
    std::vector<uint64_t> sizes;
    for (const LinkedBatch& batch : batches) sizes.push_back(batch.size());
    return sizes;
  }
  LinkedItems linked(size_t number) const {
    const Level& level = levels_[number];
    return {batches_->has_leaders() ? level.leaders.data() : nullptr, level.pointers.data()};
  }

  Device& device_;
  std::vector<Level> levels_;
  device::Buffer<uint32_t> words_;
  device::Buffer<uint8_t> sizes_;
  std::unique_ptr<hash::LinkedBatches> batches_;  // destroyed first: it waits for loops over the others
};

template <class Device>
class TablesOnDevice final : public AnyTables {
 public:
  TablesOnDevice(Device& device, const hash::TableOptions& options)
      : device_(device), store_(device, options) {}

  void expect(const hash::SizeCounts& items) override { tables().expect(items); }
  void expect_growth(double growth) override { tables().expect_growth(growth); }

  Pointers find(const Batch& batch, const Chosen& chosen) override {
    return with_chosen(batch, chosen, [&](auto&&... args) { tables().find(args...); });
  }
  Pointers insert(const Batch& batch, const Chosen& chosen) override {
    return with_chosen(batch, chosen, [&](auto&&... args) { tables().insert(args...); });
  }
  Pointers find_all(const Batch& batch) override {
    return with_all(batch, [&](auto&&... args) { tables().find(args...); });
  }
  Pointers insert_all(const Batch& batch) override {
    return with_all(batch, [&](auto&&... args) { tables().insert(args...); });
  }
  CountedPointers find_counted(const Batch& batch) override {
    CountedPointers result;
    result.pointers =
        with_all(batch, [&](auto&&... args) { result.counts = tables().find_counted(args...); });
    result.sectors = result.counts.sectors;
    return result;
  }
  CountedPointers insert_counted(const Batch& batch) override {
    CountedPointers result;
    result.pointers =
        with_all(batch, [&](auto&&... args) { result.sectors = tables().insert_counted(args...); });
    return result;
  }
  Pointers intern(const Batch& batch) override {
    return with_all(batch, [&](const hash::BatchRef& ref, const hash::ChosenRef&, uint64_t n,
                               uint32_t* pointers) { store_.intern(ref.words, ref.offsets, n, pointers); });
  }

  InsertedBatches insert_batches(const std::vector<LinkedBatch>& batches) override {
    return BatchesOnDevice<Device>(device_, tables(), batches).insert_all();
  }
  void abandon_batches(const std::vector<LinkedBatch>& batches) override {
    try {
      BatchesOnDevice<Device> on_device(device_, tables(), batches);
      for (size_t number = 0; number < batches.size(); ++number) on_device.insert(number);
      throw Error("the batches are left alone");
    } catch (const Error&) {  // the batches have been destroyed without finish()
    }
  }

  hash::SweepResult sweep(const Pointers& kept) override {
    std::vector<uint32_t> marks(tables().pointer_range() / 32);
    for (uint32_t pointer : kept) marks.at(pointer / 32) |= 1u << pointer % 32;
    const auto there = DeviceBatch<Device>::uploaded(device_, marks);
    return tables().sweep(there.data());
  }

  dag::DagRoot load(const dag::FrozenDag& dag) override {
    return {dag::DagLoader(device_, store_, dag).insert().root, dag.depth()};
  }
  dag::FrozenDag freeze(const dag::DagRoot& root, const dag::FrozenDag& like) override {
    dag::FrozenDag dag = dag::empty_dag(like.resolution, like.materials);
    dag::Freezer(device_, store_, dag).run(root.pointer);
    return dag;
  }
  dag::CollectWork collect(const Roots& roots) override {
    return dag::collect(device_, store_, std::span(roots));
  }
  void start_collecting(const Roots& roots) override { collector_.emplace(device_, store_, roots); }
  bool collect_step(uint64_t pointers) override { return collector_->step(pointers); }
  bool collect_for(double seconds) override { return collector_->step_for(seconds); }
  dag::CollectWork finish_collecting() override {
    const dag::CollectWork work = collector_->finish();
    collector_.reset();
    return work;
  }

  std::vector<Item> read(const Batch& batch, const Pointers& pointers) override {
    DeviceBatch<Device> there(device_, batch);
    const auto at = DeviceBatch<Device>::uploaded(device_, pointers);
    auto words = device_.template make<uint32_t>(batch.words.size());
    const auto memory = tables().memory_ref();
    device_.for_each(
        "read items", batch.size(),
        ReadItem<std::decay_t<decltype(memory)>>{memory, at.data(), there.offsets(), words.data()});
    Batch copy = batch;
    copy.words = DeviceBatch<Device>::downloaded(device_, words);
    std::vector<Item> items;
    for (uint64_t i = 0; i < batch.size(); ++i) items.push_back(copy.item(i));
    return items;
  }
  uint64_t items() override { return tables().items(); }
  uint64_t pointer_range() override { return tables().pointer_range(); }
  std::vector<hash::TableMemory> memory() override { return tables().memory(); }

 private:
  hash::TableSet<Device>& tables() { return store_.tables(); }

  // Calls f(batch, chosen, n, pointers) on the device and returns `pointers`, which are all kUntouched
  // before.
  template <class F>
  Pointers run(const Batch& batch, const hash::ChosenRef& chosen, uint64_t n, const F& f) {
    DeviceBatch<Device> there(device_, batch);
    auto pointers = device_.template make<uint32_t>(batch.size());
    device_.fill(pointers.data(), batch.size(), +kUntouched);
    f(there.ref(), chosen, n, pointers.data());
    return DeviceBatch<Device>::downloaded(device_, pointers);
  }
  template <class F>
  Pointers with_all(const Batch& batch, const F& f) {
    return run(batch, {nullptr}, batch.size(), f);
  }
  template <class F>
  Pointers with_chosen(const Batch& batch, const Chosen& chosen, const F& f) {
    const auto there = DeviceBatch<Device>::uploaded(device_, chosen);
    return run(batch, {there.data()}, chosen.size(), f);
  }

  Device& device_;
  dag::DagStore<Device> store_;
  std::optional<dag::Collector<Device>> collector_;
};

template <class Device>
class OnDevice final : public AnyDevice {
 public:
  template <class... Args>
  explicit OnDevice(Args... args) : device_(args..., 0, false) {}

  std::unique_ptr<AnyTables> make_tables(const hash::TableOptions& options) override {
    return std::make_unique<TablesOnDevice<Device>>(device_, options);
  }

  uint64_t bytes_used() override { return device_.pool().used(); }

  std::vector<uint32_t> leaders(const Batch& batch, LeaderFinder finder) override {
    DeviceBatch<Device> there(device_, batch);
    auto leaders = device_.template make<uint32_t>(batch.size());
    device_.fill(leaders.data(), batch.size(), UINT32_MAX);
    switch (finder) {
      case LeaderFinder::OpenAddressing:
        hash::find_leaders(device_, there.ref(), batch.size(), leaders.data());
        break;
      case LeaderFinder::Slabs:
        hash::find_leaders_in_slabs(device_, there.ref(), batch.size(), leaders.data());
        break;
    }
    return DeviceBatch<Device>::downloaded(device_, leaders);
  }

 private:
  Device device_;
};

}  // namespace vox
