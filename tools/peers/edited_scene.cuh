// A scene of Molenaar & Eisemann's code: read from a file, put into their tables, and compared with the file.
//
// Their own reader reads the file. The nodes then come to their tables in another way than by MyGPUHashDAGFactory, which
// visits every node of the octree once for each place where it stands: a kernel inserts each node of the file once, level
// by level from the leaves up, with their functions find_…_as_warp() and add_…_as_warp(). Tables have the sizes that the
// factory chooses, 96 items for each bucket. With materials, all voxels of the file get the same one.
#pragma once

#include <dags/my_gpu_dags/my_gpu_hash_dag/my_gpu_hash_dag.h>
// Their headers must come in this order.
#include <configuration/gpu_hash_dag_definitions.h>
#include <dag_info.h>
#include <dags/basic_dag/basic_dag.h>
#include <dags/my_gpu_dags/my_gpu_dag_editors.h>
#include <dags/my_gpu_dags/my_gpu_hash_dag/my_gpu_hash_dag_edits.h>
#include <stats.h>
#include <timings.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using Dag = MyGPUHashDAG<EMemoryType::GPU_Malloc>;

// editMyHashDag(), compiled so that it counts nodes; see editing.sh.
template <typename Editor>
void count_edit(const Editor& editor, Dag& dag, MyGPUHashDAGUndoRedo& undo, StatsRecorder& stats,
                GpuMemoryPool& memory, cudaStream_t stream);

namespace {

void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// The milliseconds of the phases and the numbers of nodes that their code reports.
std::map<std::string, double> reported;
bool time_phases = false;

}  // namespace

// These members of their classes are defined here instead of in stats.cpp, which needs the whole program, and in
// timings.cpp, which creates 512 events for each edit and prints their times.

std::vector<Stats*> Stats::stack;
StatsRecorder::StatsRecorder() = default;
void StatsRecorder::report(std::string name, const std::chrono::duration<double>& time, ::Device) {
  reported[name] += time.count() * 1e3;
}
void StatsRecorder::report(std::string, const my_units::bytes, ::Device) {}
void StatsRecorder::reportInt(std::string name, int64_t value, std::string, ::Device) {
  reported[name] += static_cast<double>(value);
}
void StatsRecorder::reportFloat(std::string, double, std::string, ::Device) {}

GPUTimingsManager::GPUTimingsManager() = default;
GPUTimingsManager::~GPUTimingsManager() {
  for (const auto& [name, sections] : lookup)
    for (const TimingSection& section : sections)
      cudaEventDestroy(section.start), cudaEventDestroy(section.end);
}
void GPUTimingsManager::startTiming(std::string name, cudaStream_t stream) {
  if (!time_phases) return;
  TimingSection section;
  must(cudaEventCreate(&section.start));
  must(cudaEventCreate(&section.end));
  must(cudaEventRecord(section.start, stream));
  lookup[name].push_back(section);
}
void GPUTimingsManager::endTiming(std::string name, cudaStream_t stream) {
  if (time_phases) must(cudaEventRecord(lookup[name].back().end, stream));
}
void GPUTimingsManager::flush(StatsRecorder&) const {
  must(cudaDeviceSynchronize());
  for (const auto& [name, sections] : lookup)
    for (const TimingSection& section : sections) {
      float time = 0;
      must(cudaEventElapsedTime(&time, section.start, section.end));
      reported["GPU " + name] += time;
    }
}
void GPUTimingsManager::print() const {}
GPUTimingsManager::TimingScope GPUTimingsManager::timeScope(std::string name, cudaStream_t stream) {
  startTiming(name, stream);
  TimingScope scope;
  scope.pParent = this;
  scope.name = name;
  scope.stream = stream;
  return scope;
}
GPUTimingsManager::TimingScope::~TimingScope() {
  pParent->endTiming(name, stream);
}

namespace {

constexpr uint32_t kLeafLevel = BaseDAG::leaf_level(), kItemSizes = Dag::maxItemSizeInU32 + 1;
constexpr uint32_t kBlock = 64, kLanes = 32, kFillMaterial = 5;
constexpr uint8_t kFull = 0x80;

// The words of a file on the device. Where a node begins, `level` holds its level + 1, and kFull if all voxels below are
// filled; `handle` holds where it is in their tables.
struct Words {
  const uint32_t* words;
  uint64_t count;
  uint8_t* level;
  uint32_t* handle;
};

__device__ bool begins(const Words& file, uint64_t at, uint32_t level) {
  return at < file.count && (file.level[at] & ~kFull) == level + 1;
}
__device__ uint32_t item_size(const Words& file, uint64_t at, uint32_t level) {
  if (level != kLeafLevel) return Dag::get_node_size(file.words + at);
  return Dag::get_leaf_size(file.words + at);
}

__global__ void mark_children(Words file, uint32_t level) {
  const uint64_t at = blockIdx.x * uint64_t{kBlock} + threadIdx.x;
  if (!begins(file, at, level)) return;
  const uint32_t children = __popc(file.words[at] & 0xff);
  for (uint32_t i = 1; i <= children; ++i) file.level[file.words[at + i]] = static_cast<uint8_t>(level + 2);
}

__global__ void count_sizes(Words file, uint32_t* counts) {
  const uint64_t at = blockIdx.x * uint64_t{kBlock} + threadIdx.x;
  const bool starts = at < file.count && file.level[at] != 0;
  const uint32_t size = starts ? item_size(file, at, (file.level[at] & ~kFull) - 1u) : 0;
  for (uint32_t i = 1; i < kItemSizes; ++i) {
    const uint32_t lanes = __ballot_sync(0xffffffff, size == i);
    if (lanes != 0 && threadIdx.x % kLanes == 0) atomicAdd(counts + i, __popc(lanes));
  }
}

// Writes a node or leaf as their tables hold it, and returns true if all its voxels are filled.
__device__ bool make_item(const Words& file, uint64_t at, uint32_t level, uint32_t* item) {
  const uint32_t* const words = file.words + at;
  for (uint32_t i = 0; i < kLanes; ++i) item[i] = 0;
  if (level == kLeafLevel) {
    Dag::LeafBuilder builder(item);
    for (uint32_t voxel = 0; voxel < 64; ++voxel, builder.next())
      if (words[voxel / 32] >> voxel % 32 & 1) builder.set(Dag::MaterialBits == 0 ? 0 : kFillMaterial);
    return (words[0] & words[1]) == 0xffffffff;
  }
  const uint32_t mask = words[0] & 0xff, children = __popc(mask);
  bool full = children == 8;
  for (uint32_t i = 1; i <= children; ++i) {
    item[i] = file.handle[words[i]];
    full = full && (file.level[words[i]] & kFull) != 0;
  }
  if (full) {
    Dag::encode_node_header(item, mask, Dag::MaterialBits == 0 ? 0 : kFillMaterial);
  } else {
    Dag::encode_node_header(item, mask);
  }
  return full;
}

enum class Pass { Find, Add };

// A warp searches or inserts the items of a level that begin in 32 words, one after the other, as the kernels of an edit
// do with its items.
template <Pass kPass>
__global__ void put_items(Dag dag, Words file, uint32_t level) {
  __shared__ uint32_t items[kBlock / kLanes][kLanes];
  uint32_t* const item = items[threadIdx.x / kLanes];
  const uint32_t lane = threadIdx.x % kLanes;
  const uint64_t warps = gridDim.x * uint64_t{kBlock / kLanes};
  for (uint64_t chunk = (blockIdx.x * uint64_t{kBlock} + threadIdx.x) / kLanes; chunk * kLanes < file.count;
       chunk += warps) {
    uint32_t starts = __ballot_sync(0xffffffff, begins(file, chunk * kLanes + lane, level));
    for (; starts != 0; starts &= starts - 1) {
      const uint64_t at = chunk * kLanes + static_cast<uint32_t>(__ffs(starts) - 1);
      if (kPass == Pass::Add && file.handle[at] != Dag::invalid_handle) continue;
      __syncwarp();
      if (lane == 0 && make_item(file, at, level, item)) file.level[at] |= kFull;
      __syncwarp();
      uint32_t handle = 0;
      if constexpr (kPass == Pass::Find) {
        handle = level == kLeafLevel ? dag.find_leaf_as_warp(item) : dag.find_node_as_warp(item);
      } else {
        handle = level == kLeafLevel ? dag.add_leaf_as_warp(item) : dag.add_node_as_warp(item);
      }
      if (lane == 0) file.handle[at] = handle;
    }
  }
}

template <class T>
T* device_array(uint64_t size) {
  T* data = nullptr;
  must(cudaMalloc(&data, size * sizeof(T)));
  return data;
}

uint32_t blocks_for(uint64_t threads) {
  return static_cast<uint32_t>((threads + kBlock - 1) / kBlock);
}

class Scene {
 public:
  explicit Scene(const char* path) {
    DAGInfo info;
    BasicDAG file;
    BasicDAGFactory::load_dag_from_file(info, file, path, EMemoryType::CPU);
    const uint64_t count = file.data.size();
    uint32_t* const words = device_array<uint32_t>(count);
    must(cudaMemcpy(words, file.data.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice));
    file.free();
    file_ = {words, count, device_array<uint8_t>(count), device_array<uint32_t>(count)};
    must(cudaMemset(file_.level, 0, count));
    must(cudaMemset(file_.level, 1, 1));  // the root
    for (uint32_t level = 0; level < kLeafLevel; ++level)
      mark_children<<<blocks_for(count), kBlock>>>(file_, level);
    uint32_t* const counts = device_array<uint32_t>(kItemSizes);
    must(cudaMemset(counts, 0, kItemSizes * sizeof(uint32_t)));
    count_sizes<<<blocks_for(count), kBlock>>>(file_, counts);
    must(cudaMemcpy(counts_.data(), counts, kItemSizes * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    must(cudaFree(counts));
    std::vector<uint32_t> buckets;
    for (uint32_t size = Dag::minItemSizeInU32; size < kItemSizes; ++size)
      buckets.push_back(counts_[size] / TARGET_LOAD_FACTOR + 1);
    empty_ = MyGPUHashDAG<EMemoryType::CPU>::allocate(buckets);
  }

  Words words() const { return file_; }
  uint64_t items() const {
    uint64_t items = 0;
    for (const uint32_t count : counts_) items += count;
    return items;
  }

  // Returns the scene in new tables.
  Dag made() {
    Dag dag = empty_.copy<EMemoryType::GPU_Malloc>();
    dag.reserveIfNecessary(counts_);
    constexpr uint32_t kBlocks = 32768;
    for (uint32_t level = kLeafLevel + 1; level-- > 0;) {
      put_items<Pass::Find><<<kBlocks, kBlock>>>(dag, file_, level);
      put_items<Pass::Add><<<kBlocks, kBlock>>>(dag, file_, level);
    }
    must(cudaMemcpy(&dag.firstNodeIndex, file_.handle, sizeof(uint32_t), cudaMemcpyDeviceToHost));
    return dag;
  }

 private:
  Words file_;
  std::array<uint32_t, kItemSizes> counts_;  // the number of items of each size in words
  MyGPUHashDAG<EMemoryType::CPU> empty_;     // tables with room for them
};

// --- checks ---

class Random {
 public:
  __device__ explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull) {}
  __device__ uint32_t below(uint32_t bound) {
    uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return static_cast<uint32_t>((x ^ x >> 31) % bound);
  }

 private:
  uint64_t state_;
};

// Walks from the root to a random leaf, in the file and in the tables, and counts walks that differ.
__global__ void compare_walks(Dag dag, Words file, unsigned long long* wrong) {
  Random random(blockIdx.x * uint64_t{kBlock} + threadIdx.x);
  uint64_t at = 0;
  uint32_t handle = dag.get_first_node_index();
  for (uint32_t level = 0; level < kLeafLevel; ++level) {
    const uint32_t mask = file.words[at] & 0xff, child = random.below(__popc(mask));
    const auto node = dag.get_node_ptr(level, handle);
    if (Dag::get_node_child_mask(node[0]) != mask) {
      atomicAdd(wrong, 1ull);
      return;
    }
    at = file.words[at + 1 + child];
    handle = node[1 + child];
  }
  const auto leaf = dag.get_leaf_ptr(handle);
  if (leaf[0] != file.words[at] || leaf[1] != file.words[at + 1]) atomicAdd(wrong, 1ull);
}

__device__ bool is_filled(const Dag& dag, uint32_t root, const int3& voxel) {
  const auto slot = [&](uint32_t shift) {
    return static_cast<uint32_t>((voxel.x >> shift & 1) << 2 | (voxel.y >> shift & 1) << 1 |
                                 (voxel.z >> shift & 1));
  };
  uint32_t handle = root;
  for (uint32_t level = 0; level < kLeafLevel; ++level) {
    const auto node = dag.get_node_ptr(level, handle);
    const uint32_t mask = Dag::get_node_child_mask(node[0]), child = slot(MAX_LEVELS - 1 - level);
    if ((mask >> child & 1) == 0) return false;
    handle = node[1 + __popc(mask & ((1u << child) - 1))];
  }
  const uint32_t bit = slot(1) * 8 + slot(0);
  return (dag.get_leaf_ptr(handle)[bit / 32] >> bit % 32 & 1) != 0;
}

struct Edit {
  enum class Kind { Add, Remove, Copy } kind;
  int3 at;                // the sphere's middle voxel, or the lowest corner of the copy's source
  int3 to;                // the lowest corner of the copy
  int32_t size;           // the radius, or the side of the box
  uint32_t material = 0;  // for Add
};

// Looks at random voxels in and around the edited place. Voxels at a sphere's border are left out: in their code a sphere
// has the voxels that it touches, in vox those whose centers it contains.
__global__ void compare_edit(Dag dag, uint32_t before, Edit edit, unsigned long long* wrong) {
  Random random(blockIdx.x * uint64_t{kBlock} + threadIdx.x);
  const bool copies = edit.kind == Edit::Kind::Copy;
  const int32_t side = copies ? edit.size : 2 * edit.size + 1, margin = side / 8 + 4;
  const int3 corner = copies ? edit.to : edit.at - make_int3(edit.size, edit.size, edit.size);
  const auto place = [&] { return static_cast<int32_t>(random.below(side + 2 * margin)) - margin; };
  const int3 offset = make_int3(place(), place(), place()), voxel = corner + offset;
  const auto inside = [](const int3& p, int32_t end) {
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < end && p.y < end && p.z < end;
  };
  if (!inside(voxel, 1 << MAX_LEVELS)) return;
  const bool was = is_filled(dag, before, voxel), is = is_filled(dag, dag.get_first_node_index(), voxel);
  bool expected = was;
  if (copies) {
    expected = was || (inside(offset, side) && is_filled(dag, before, edit.at + offset));
  } else {
    const auto square = [](int64_t v) { return v * v; };
    const int64_t distance =
        square(voxel.x - edit.at.x) + square(voxel.y - edit.at.y) + square(voxel.z - edit.at.z);
    if (distance <= square(edit.size - 1)) {
      expected = edit.kind == Edit::Kind::Add;
    } else if (distance < square(edit.size + 2)) {
      return;
    }
  }
  if (is != expected) atomicAdd(wrong, 1ull);
}

constexpr uint32_t kCompared = 1 << 20;

uint64_t count_wrong(const auto& launch) {
  static unsigned long long* const wrong = device_array<unsigned long long>(1);
  must(cudaMemset(wrong, 0, sizeof *wrong));
  launch(wrong);
  unsigned long long count = 0;
  must(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
  return count;
}

}  // namespace
