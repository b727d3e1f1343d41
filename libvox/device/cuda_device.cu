#include "libvox/device/cuda_device.cuh"

#include <nvtx3/nvToolsExt.h>
#include <oneapi/tbb/task_group.h>
#include <sys/mman.h>

#include <cstring>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/units.h"
#include "libvox/device/devices.h"

namespace vox::device {
namespace {

// Does what memcpy does, with all cores, because one core does not keep up with the bus. No two cores write to the same
// huge page, which the system clears when it is first written.
void copy_parallel(char* to, const char* from, uint64_t bytes) {
  constexpr uint64_t kPiece = 2 << 20;
  const uint64_t before = reinterpret_cast<uintptr_t>(to) % kPiece;
  parallel_for(uint64_t{0}, (before + bytes + kPiece - 1) / kPiece, [&](uint64_t piece) {
    const uint64_t begin = std::max(piece * kPiece, before) - before;
    const uint64_t end = std::min((piece + 1) * kPiece - before, bytes);
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

}  // namespace

// Lets cores that have nothing to do make the pages of memory that is about to be written, so that its writer need not
// wait until the system has cleared them. Contents stay as they are, and the memory may be freed meanwhile.
class PageMaker {
 public:
  ~PageMaker() { tasks_.wait(); }

  // Begins, and does not wait.
  void make(void* memory, uint64_t bytes) {
#ifdef MADV_POPULATE_WRITE  // older systems make each page when it is first written
    constexpr uintptr_t kPage = 4096, kPart = 16 << 20;
    const uintptr_t first = reinterpret_cast<uintptr_t>(memory);
    const uintptr_t end = (first + bytes) / kPage * kPage;
    for (uintptr_t at = (first + kPage - 1) / kPage * kPage; at < end;) {
      const uintptr_t behind = std::min(at / kPart * kPart + kPart, end);
      tasks_.run([at, behind] { madvise(reinterpret_cast<void*>(at), behind - at, MADV_POPULATE_WRITE); });
      at = behind;
    }
#endif
  }

 private:
  tbb::task_group tasks_;
};

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorMemoryAllocation) {
    size_t free = 0, total = 0;
    cudaGetLastError();
    cudaMemGetInfo(&free, &total);
    throw OutOfMemory(0, free);
  }
  throw Error(std::string("CUDA: ") + call + " failed: " + cudaGetErrorString(status));
}

CudaCode::CudaCode(const std::vector<std::byte>& image) {
  check_cuda(cudaLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
             "cudaLibraryLoadData");
}

CudaCode::~CudaCode() {
  cudaLibraryUnload(library_);
}

const void* CudaCode::kernel(const char* name) const {
  cudaKernel_t kernel = nullptr;
  check_cuda(cudaLibraryGetKernel(&kernel, library_, name), "cudaLibraryGetKernel");
  return kernel;
}

CudaDevice::CudaDevice(int index, uint64_t memory_limit, bool profile) : index_(index), profiler_(profile) {
  check_cuda(cudaSetDevice(index), "cudaSetDevice");
  int processors = 0;
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index),
             "cudaDeviceGetAttribute");
  max_blocks_ = static_cast<uint32_t>(processors) * 64;
  int cache = 0;
  check_cuda(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, index), "cudaDeviceGetAttribute");
  scatter_bytes_ = static_cast<uint64_t>(cache) / 3;
  size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
  memory_ = std::make_unique<CudaMemory>(index, stream_);
  pool_ = std::make_unique<Pool>(CudaMemory::kBackend, memory_.get(),
                                 memory_limit > 0 ? memory_limit : free / 5 * 4);
  for (cudaEvent_t* event : {&begin_, &end_, &lap_begin_, &lap_end_})
    check_cuda(cudaEventCreate(event), "cudaEventCreate");
  for (cudaEvent_t& event : staging_free_)
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  pages_ = std::make_unique<PageMaker>();
  check_cuda(cudaMallocHost(reinterpret_cast<void**>(&staging_), 2 * kStagingHalf), "cudaMallocHost");
  check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&result_), sizeof(uint64_t), cudaHostAllocMapped),
             "cudaHostAlloc");
}

CudaDevice::~CudaDevice() {
  cudaFreeHost(result_);
  cudaFreeHost(staging_);
  for (cudaEvent_t event : staging_free_) cudaEventDestroy(event);
  for (cudaEvent_t event : {begin_, end_, lap_begin_, lap_end_}) cudaEventDestroy(event);
  pool_.reset();
  memory_.reset();
  cudaStreamDestroy(stream_);
}

uint32_t CudaDevice::capability() const {
  int major = 0, minor = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index_),
             "cudaDeviceGetAttribute");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index_),
             "cudaDeviceGetAttribute");
  return static_cast<uint32_t>(10 * major + minor);
}

std::string CudaDevice::name() const {
  return "cuda:" + std::to_string(index_);
}

std::string CudaDevice::text() const {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, index_), "cudaGetDeviceProperties");
  return properties.name + (" (" + name() + "), ") + format_bytes(properties.totalGlobalMem);
}

void CudaDevice::begin(const Work& work) {
  nvtxRangePushA(work.name);
  if (profiler_.enabled()) check_cuda(cudaEventRecord(begin_, stream_), "cudaEventRecord");
}

void CudaDevice::end(const Work& work, uint64_t n) {
  nvtxRangePop();
  if (!profiler_.enabled()) return;
  check_cuda(cudaEventRecord(end_, stream_), "cudaEventRecord");
  check_cuda(cudaEventSynchronize(end_), work.name);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  profiler_.add(work, n, milliseconds * 1e-3);
}

uint64_t CudaDevice::read_result() {
  sync();
  return *result_;
}

void CudaDevice::upload_bytes(void* to, const void* from, uint64_t bytes) {
  int half = 0;
  for (uint64_t at = 0; at < bytes; at += kStagingHalf, half ^= 1) {
    const uint64_t size = std::min(kStagingHalf, bytes - at);
    char* staged = staging_ + half * kStagingHalf;
    check_cuda(cudaEventSynchronize(staging_free_[half]), "cudaEventSynchronize");
    copy_parallel(staged, static_cast<const char*>(from) + at, size);
    check_cuda(cudaMemcpyAsync(static_cast<char*>(to) + at, staged, size, cudaMemcpyHostToDevice, stream_),
               "cudaMemcpyAsync");
    check_cuda(cudaEventRecord(staging_free_[half], stream_), "cudaEventRecord");
  }
  for (cudaEvent_t event : staging_free_) check_cuda(cudaEventSynchronize(event), "cudaEventSynchronize");
}

void CudaDevice::expect_bytes(void* to, uint64_t bytes) {
  if (bytes < kStagingHalf) return;
  prefer_huge_pages(to, bytes);
  pages_->make(to, bytes);
}

void CudaDevice::download_bytes(void* to, const void* from, uint64_t bytes) {
  expect_bytes(to, bytes);
  const uint64_t pieces = (bytes + kStagingHalf - 1) / kStagingHalf;
  auto size_of = [&](uint64_t piece) { return std::min(kStagingHalf, bytes - piece * kStagingHalf); };
  for (uint64_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      check_cuda(cudaMemcpyAsync(staging_ + piece % 2 * kStagingHalf,
                                 static_cast<const char*>(from) + piece * kStagingHalf, size_of(piece),
                                 cudaMemcpyDeviceToHost, stream_),
                 "cudaMemcpyAsync");
      check_cuda(cudaEventRecord(staging_free_[piece % 2], stream_), "cudaEventRecord");
    }
    if (piece > 0) {
      check_cuda(cudaEventSynchronize(staging_free_[(piece - 1) % 2]), "cudaEventSynchronize");
      copy_parallel(static_cast<char*>(to) + (piece - 1) * kStagingHalf,
                    staging_ + (piece - 1) % 2 * kStagingHalf, size_of(piece - 1));
    }
  }
}

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
  // let_reach() finds this pool by the number of its GPU, unless a later pool has taken its place.
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

// The parts of devices.h for GPUs.

int cuda_device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::unique_ptr<AnyDevice> make_cuda_device(const DeviceChoice& choice, int index) {
  return std::make_unique<DeviceOfKind<CudaDevice>>(index, choice.memory_limit, choice.profile);
}

void use_cuda_here(const CudaDevice& device) {
  check_cuda(cudaSetDevice(device.index()), "cudaSetDevice");
}

void let_reach(const CudaDevice& owner, const CudaDevice& other) {
  if (owner.index() == other.index()) return;  // both have one memory
  int reaches = 0, has_pools = 0;
  check_cuda(cudaDeviceCanAccessPeer(&reaches, other.index(), owner.index()), "cudaDeviceCanAccessPeer");
  check_cuda(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, owner.index()),
             "cudaDeviceGetAttribute");
  if (reaches == 0 || has_pools == 0) return;  // copies then go through the host's memory
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetMemPool(&pool, owner.index()), "cudaDeviceGetMemPool");
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = other.index();
  access.flags = cudaMemAccessFlagsProtReadWrite;
  check_cuda(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
}

}  // namespace vox::device
