#include "libvox/device/cuda_memory.cuh"

#include "libvox/device/cuda_device.cuh"

namespace vox::device {

const Pool::Backend CudaMemory::kBackend = {
    .allocate = [](void* state, uint64_t bytes) { return static_cast<CudaMemory*>(state)->allocate(bytes); },
    .release = [](void* state, void* block) { static_cast<CudaMemory*>(state)->release(block); },
    .shrink = [](void* state, uint64_t bytes) { static_cast<CudaMemory*>(state)->shrink(bytes); }};

CudaMemory::CudaMemory(int index, cudaStream_t stream) : stream_(stream) {
  int supported = 0;
  check_cuda(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, index),
             "cudaDeviceGetAttribute");
  if (supported == 0) return;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = index;
  check_cuda(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  // Without this setting, each wait for the stream would return unused memory to the system.
  uint64_t kept = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept),
             "cudaMemPoolSetAttribute");
  // engine_cuda.cu finds this pool by the number of its GPU, unless a later pool has taken its place.
  check_cuda(cudaDeviceSetMemPool(index, pool_), "cudaDeviceSetMemPool");
}

CudaMemory::~CudaMemory() {
  if (!pool_) return;
  cudaStreamSynchronize(stream_);
  cudaMemPoolDestroy(pool_);
}

void* CudaMemory::allocate(uint64_t bytes) {
  void* block = nullptr;
  const cudaError_t status =
      pool_ ? cudaMallocFromPoolAsync(&block, bytes, pool_, stream_) : cudaMalloc(&block, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error; the caller makes do with less
    return nullptr;
  }
  check_cuda(status, "cudaMalloc");
  return block;
}

void CudaMemory::release(void* block) {
  if (pool_)
    cudaFreeAsync(block, stream_);
  else
    cudaFree(block);
}

void CudaMemory::shrink(uint64_t bytes) {
  if (!pool_) return;
  uint64_t held = 0;
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &held),
             "cudaMemPoolGetAttribute");
  if (held <= bytes) return;
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  check_cuda(cudaMemPoolTrimTo(pool_, bytes), "cudaMemPoolTrimTo");
}

}  // namespace vox::device
