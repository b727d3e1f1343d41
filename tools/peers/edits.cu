// Measures edits by the code of Molenaar & Eisemann 2024, "Editing Compact Voxel Representations on the GPU", beside
// `vox-bench edit --series spheres,copies --orders sequence` or `vox-edit --script EDITS.txt`:
//   edits SCENE.basic_dag.dag.bin EDITS.txt [--repetitions N] [--fresh]
// EDITS.txt is a script as edit_list prints it: `sphere add|remove center x,y,z radius r [material m]` and
// `copy min x,y,z max x,y,z to x,y,z`. With --fresh, each edit is done on the scene as it was read. editing.sh compiles
// this file with their sources, which it takes from a folder of the user, for scenes of one number of levels.
//
// Their own reader reads the file. The nodes then come to their tables in another way than by MyGPUHashDAGFactory, which
// visits every node of the octree once for each place where it stands: a kernel inserts each node of the file once, level
// by level from the leaves up, with their functions find_…_as_warp() and add_…_as_warp(). Tables have the sizes that the
// factory chooses, 96 items for each bucket. With materials, all voxels of the file get the same one.
//
// An edit's time is that of editMyHashDag() until the device is idle, by a clock of the processor. Their events, which
// time phases, are recorded only in a repetition of their own. Another one counts nodes and compares the result of every
// edit with the scene before at random voxels. One timed repetition, the first, is left out of the medians.
#include "dags/my_gpu_dags/my_gpu_hash_dag/my_gpu_hash_dag.h"
// Their headers must come in this order.
#include "configuration/gpu_hash_dag_definitions.h"
#include "dag_info.h"
#include "dags/basic_dag/basic_dag.h"
#include "dags/my_gpu_dags/my_gpu_dag_editors.h"
#include "dags/my_gpu_dags/my_gpu_hash_dag/my_gpu_hash_dag_edits.h"
#include "stats.h"
#include "timings.h"

#include <unistd.h>

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

// What their code reports: the milliseconds of its phases, and numbers of nodes.
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

// --- edits ---

std::vector<Edit> read_edits(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<Edit> edits;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    char mode[8] = "";
    float x = 0, y = 0, z = 0, radius = 0;
    uint32_t material = 0;
    int3 a = {}, b = {}, c = {};
    Edit edit = {};
    if (std::sscanf(line.c_str(), "sphere %7s center %f,%f,%f radius %f material %u", mode, &x, &y, &z,
                    &radius, &material) >= 5 &&
        (std::string(mode) == "add" || std::string(mode) == "remove")) {
      edit.kind = std::string(mode) == "add" ? Edit::Kind::Add : Edit::Kind::Remove;
      edit.at = make_int3(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
      edit.size = static_cast<int32_t>(radius);
      edit.material = material;
    } else if (std::sscanf(line.c_str(), "copy min %d,%d,%d max %d,%d,%d to %d,%d,%d", &a.x, &a.y, &a.z, &b.x,
                           &b.y, &b.z, &c.x, &c.y, &c.z) == 9 &&
               b.x - a.x == b.y - a.y && b.x - a.x == b.z - a.z) {
      edit = {.kind = Edit::Kind::Copy, .at = a, .to = c, .size = b.x - a.x};
    } else {
      throw std::runtime_error("not an edit of this program: " + line);
    }
    edits.push_back(edit);
  }
  return edits;
}

float3 middle_of(const int3& voxel) {
  return make_float3(static_cast<float>(voxel.x), static_cast<float>(voxel.y), static_cast<float>(voxel.z));
}

// A scene that is edited.
class Session {
 public:
  explicit Session(Scene& scene) : dag(scene.made()) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { dag.free(); }

  // Does an edit with `run`, editMyHashDag() or count_edit(), and returns its milliseconds.
  double apply(const Edit& edit, const auto& run) {
    const auto radius = static_cast<float>(edit.size);
    const float3 at = middle_of(edit.at);
    switch (edit.kind) {
      case Edit::Kind::Add:
        return timed(MyGpuSphereEditor<true>(at, radius, edit.material), run);
      case Edit::Kind::Remove:
        return timed(MyGpuSphereEditor<false>(at, radius, edit.material), run);
      case Edit::Kind::Copy: {
        const float3 half = make_float3(radius / 2), source = at + half;
        return timed(MyGpuCopyEditor<Dag>(dag, source, middle_of(edit.to) + half, source, radius / 2), run);
      }
    }
    return 0;
  }

  Dag dag;

 private:
  double timed(const auto& editor, const auto& run) {
    must(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    run(editor, dag, undo_, stats_, memory_);
    must(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  MyGPUHashDAGUndoRedo undo_;
  StatsRecorder stats_;
  GpuMemoryPool memory_ = GpuMemoryPool::create(nullptr);
};

constexpr auto kEdit = [](const auto& editor, Dag& dag, auto& undo, auto& stats, auto& memory) {
  editMyHashDag(editor, dag, undo, stats, memory, nullptr);
};
constexpr auto kCount = [](const auto& editor, Dag& dag, auto& undo, auto& stats, auto& memory) {
  count_edit(editor, dag, undo, stats, memory, nullptr);
};

// The results of consecutive edits of one kind and size, each summed over the edits.
struct Row {
  const char* kind;
  int32_t size;
  uint64_t edits = 0;
  double nodes = 0, added = 0;                 // of the temporary octree, and those that are new to the scene
  uint64_t wrong = 0;                          // voxels that differ from what is expected
  std::vector<double> times, octree, merging;  // milliseconds, for each repetition
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(Scene& scene, std::vector<Edit> edits, bool fresh)
      : scene_(scene), edits_(std::move(edits)), fresh_(fresh) {
    for (const Edit& edit : edits_) {
      const char* const kind = edit.kind == Edit::Kind::Add      ? "sphere add"
                               : edit.kind == Edit::Kind::Remove ? "sphere remove"
                                                                 : "copy";
      if (rows_.empty() || rows_.back().kind != kind || rows_.back().size != edit.size)
        rows_.push_back({.kind = kind, .size = edit.size});
      ++rows_.back().edits;
      row_of_.push_back(rows_.size() - 1);
    }
  }

  // Counts nodes and compares voxels.
  void count() {
    for_each_edit([&](Session& session, const Edit& edit, Row& row) {
      const uint32_t before = session.dag.get_first_node_index();
      reported.clear();
      session.apply(edit, kCount);
      row.nodes += reported["num_items_edit_svo"];
      row.added += reported["num_unique_items_edit_svo"];
      row.wrong += count_wrong([&](unsigned long long* wrong) {
        compare_edit<<<kCompared / kBlock, kBlock>>>(session.dag, before, edit, wrong);
      });
    });
  }

  void time(uint32_t repetitions) {
    for (uint32_t repetition = 0; repetition <= repetitions; ++repetition) {
      for (Row& row : rows_)
        for (std::vector<double>* values : {&row.times, &row.octree, &row.merging}) values->push_back(0);
      for_each_edit([&](Session& session, const Edit& edit, Row& row) {
        reported.clear();
        row.times.back() += session.apply(edit, kEdit) / static_cast<double>(row.edits);
        row.octree.back() += reported["[CPU] create_edit_svo_gpu"] / static_cast<double>(row.edits);
        row.merging.back() += reported["[CPU] sortAndMerge_CUDA"] / static_cast<double>(row.edits);
      });
      if (repetition > 0) continue;
      for (Row& row : rows_)
        for (std::vector<double>* values : {&row.times, &row.octree, &row.merging}) values->clear();
    }
  }

  // Returns the milliseconds of their phases, summed over all edits.
  std::map<std::string, double> phases() {
    time_phases = true;
    reported.clear();
    for_each_edit([&](Session& session, const Edit& edit, Row&) { session.apply(edit, kEdit); });
    time_phases = false;
    return reported;
  }

  void print(FILE* out) const {
    double ms = 0, octree = 0, merging = 0, nodes = 0, added = 0;
    uint64_t wrong = 0;
    for (const Row& row : rows_) {
      const auto n = static_cast<double>(row.edits);
      std::fprintf(
          out,
          "{\"edit\": \"%s\", \"size\": %d, \"edits\": %llu, \"ms\": %.3f, \"min_ms\": %.3f, \"max_ms\": "
          "%.3f, "
          "\"octree_ms\": %.3f, \"merging_ms\": %.3f, \"nodes\": %.0f, \"new\": %.0f, \"wrong\": %llu}\n",
          row.kind, row.size, static_cast<unsigned long long>(row.edits), median(row.times),
          *std::min_element(row.times.begin(), row.times.end()),
          *std::max_element(row.times.begin(), row.times.end()), median(row.octree), median(row.merging),
          row.nodes / n, row.added / n, static_cast<unsigned long long>(row.wrong));
      ms += median(row.times) * n, octree += median(row.octree) * n, merging += median(row.merging) * n;
      nodes += row.nodes, added += row.added, wrong += row.wrong;
    }
    const auto n = static_cast<double>(edits_.size());
    std::fprintf(
        out,
        "{\"edit\": \"mean\", \"edits\": %zu, \"ms\": %.3f, \"octree_ms\": %.3f, \"merging_ms\": %.3f, "
        "\"nodes\": %.0f, \"new\": %.0f, \"wrong\": %llu}\n",
        edits_.size(), ms / n, octree / n, merging / n, nodes / n, added / n,
        static_cast<unsigned long long>(wrong));
  }
  size_t edits() const { return edits_.size(); }

 private:
  void for_each_edit(const auto& body) {
    std::optional<Session> session;
    for (size_t i = 0; i < edits_.size(); ++i) {
      if (fresh_ || i == 0) {
        session.reset();
        session.emplace(scene_);
      }
      body(*session, edits_[i], rows_[row_of_[i]]);
    }
  }

  Scene& scene_;
  std::vector<Edit> edits_;
  bool fresh_;
  std::vector<Row> rows_;
  std::vector<size_t> row_of_;  // for each edit
};

void run(const char* scene_path, const char* edits_path, uint32_t repetitions, bool fresh, FILE* out) {
  Scene scene(scene_path);
  const auto begin = std::chrono::steady_clock::now();
  uint64_t wrong = 0;
  {
    Session session(scene);
    must(cudaDeviceSynchronize());
    wrong = count_wrong([&](unsigned long long* count) {
      compare_walks<<<kCompared / kBlock, kBlock>>>(session.dag, scene.words(), count);
    });
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::fprintf(out,
               "{\"scene\": \"%s\", \"levels\": %d, \"material_bits\": %u, \"nodes\": %llu, "
               "\"insertion_seconds\": %.3f, "
               "\"wrong_walks\": %llu}\n",
               scene_path, MAX_LEVELS, Dag::MaterialBits, static_cast<unsigned long long>(scene.items()),
               seconds.count(), static_cast<unsigned long long>(wrong));
  std::fflush(out);
  Bench bench(scene, read_edits(edits_path), fresh);
  if (bench.edits() == 0) throw std::runtime_error("there are no edits");
  bench.count();
  bench.time(repetitions);
  bench.print(out);
  std::fflush(out);
  for (const auto& [name, ms] : bench.phases())
    std::fprintf(out, "{\"phase\": \"%s\", \"ms_per_edit\": %.4f}\n", name.c_str(),
                 ms / static_cast<double>(bench.edits()));
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t repetitions = 5;
  bool fresh = false;
  for (int i = 3; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--fresh") fresh = true;
    if (option == "--repetitions" && i + 1 < argc) repetitions = static_cast<uint32_t>(std::atoi(argv[++i]));
  }
  if (argc < 3 || repetitions == 0) {
    std::fprintf(stderr, "usage: edits SCENE.basic_dag.dag.bin EDITS.txt [--repetitions N] [--fresh]\n");
    return 2;
  }
  // Their code prints what it reads and allocates, which goes to the standard error here.
  FILE* const out = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setvbuf(stdout, nullptr, _IONBF, 0);
  int status = 0;
  try {
    run(argv[1], argv[2], repetitions, fresh, out);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    status = 1;
  }
  std::fflush(nullptr);
  _exit(status);  // their allocator would complain about memory that is not freed
}
