// Measures edits by the code of Molenaar & Eisemann 2024, "Editing Compact Voxel Representations on the GPU", beside
// `vox-bench edit --series spheres,copies --orders sequence` or `vox-edit --script EDITS.txt`:
//   edits SCENE.basic_dag.dag.bin EDITS.txt [--repetitions N] [--fresh]
// EDITS.txt is a script as edit_list prints it: `sphere add|remove center x,y,z radius r [material m]` and
// `copy min x,y,z max x,y,z to x,y,z`. With --fresh, each edit is done on the scene as it was read. editing.sh compiles
// this file with their sources, which it takes from a folder of the user, for scenes of one number of levels.
//
// An edit's time is that of editMyHashDag() until the device is idle, by a clock of the processor. Their events, which
// time phases, are recorded only in a repetition of their own. Another one counts nodes and compares the result of every
// edit with the scene before at random voxels. One timed repetition, the first, is left out of the medians.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/peers/edited_scene.cuh"

namespace {

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
