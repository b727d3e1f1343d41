// Measures NanoVDB's mesh voxelizer on an OBJ file, beside `vox-bench convert MESH.obj --materials none`:
//   mesh_to_grid MESH.obj BAND RES...
// BAND is half the width of the band around the surface that gets voxels, in voxels. Only the topology is made.
#include <nanovdb/NanoVDB.h>
#include <nanovdb/tools/cuda/MeshToGrid.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

struct Mesh {
  std::vector<nanovdb::Vec3f> points;
  std::vector<nanovdb::Vec3i> triangles;
};

Mesh read_obj(const char* path) {
  Mesh mesh;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("v ")) {
      nanovdb::Vec3f point;
      std::sscanf(line.c_str() + 2, "%f %f %f", &point[0], &point[1], &point[2]);
      mesh.points.push_back(point);
    } else if (line.starts_with("f ")) {
      std::istringstream words(line.substr(2));
      std::vector<int> corners;
      for (std::string word; words >> word;) corners.push_back(std::atoi(word.c_str()) - 1);
      for (size_t i = 2; i < corners.size(); ++i)
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
  }
  return mesh;
}

template <class T>
T* device_copy(const std::vector<T>& values) {
  T* copy = nullptr;
  cudaCheck(cudaMalloc(&copy, values.size() * sizeof(T)));
  cudaCheck(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return copy;
}

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: mesh_to_grid MESH.obj BAND RES...\n"), 2;
  Mesh mesh = read_obj(argv[1]);
  const float band = std::strtof(argv[2], nullptr);
  nanovdb::Vec3f low(std::numeric_limits<float>::max()), high(-std::numeric_limits<float>::max());
  for (const auto& point : mesh.points)
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], point[axis]);
      high[axis] = std::max(high[axis], point[axis]);
    }
  const float side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  const auto* points = device_copy(mesh.points);
  const auto* triangles = device_copy(mesh.triangles);
  for (int i = 3; i < argc; ++i) {
    const int resolution = std::atoi(argv[i]);
    nanovdb::Map map;
    map.set(side / static_cast<float>(resolution), nanovdb::Vec3d(0.0));
    std::vector<double> times;
    uint64_t voxels = 0;
    for (int run = 0; run < 6; ++run) {
      cudaCheck(cudaDeviceSynchronize());
      const auto begin = std::chrono::steady_clock::now();
      nanovdb::tools::cuda::MeshToGrid<nanovdb::ValueOnIndex> converter(
          points, static_cast<uint32_t>(mesh.points.size()), triangles,
          static_cast<uint32_t>(mesh.triangles.size()), map);
      converter.setNarrowBandWidth(band);
      auto handle = converter.getHandle();
      cudaCheck(cudaDeviceSynchronize());
      if (run > 0)
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      nanovdb::GridData data;
      cudaCheck(cudaMemcpy(&data, handle.deviceData(), sizeof data, cudaMemcpyDeviceToHost));
      std::vector<char> head(sizeof(nanovdb::GridData) + sizeof(nanovdb::TreeData));
      cudaCheck(cudaMemcpy(head.data(), handle.deviceData(), head.size(), cudaMemcpyDeviceToHost));
      voxels =
          reinterpret_cast<const nanovdb::TreeData*>(head.data() + sizeof(nanovdb::GridData))->mVoxelCount;
    }
    std::nth_element(times.begin(), times.begin() + 2, times.end());
    std::printf("{\"resolution\": %d, \"band\": %g, \"voxels\": %llu, \"ms\": %.2f}\n", resolution, band,
                static_cast<unsigned long long>(voxels), times[2] * 1e3);
    std::fflush(stdout);
  }
}
