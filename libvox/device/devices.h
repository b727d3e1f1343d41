// The devices of this machine: their names, and how to make one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libvox/device/handle.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"

namespace vox::device {

// The number of GPUs that can be used; 0 without a driver and in builds without CUDA.
int gpu_count();
// True in builds with CUDA. Unlike gpu_count(), this does not start the driver.
bool has_cuda();

// Lists of devices, such as "cuda:0,1" or "cpu,cuda:2".

// True if the text names several devices.
bool names_several(const std::string& devices);
// Returns the names in a list. Throws a UsageError if it is not a list of devices.
std::vector<std::string> listed_devices(const std::string& devices);

// A device of any kind, with the functions that need not know the kind. Code that runs on it takes its handle.
class AnyDevice {
 public:
  virtual ~AnyDevice() = default;

  virtual DeviceHandle handle() = 0;
  virtual std::string name() const = 0;  // "cpu" or "cuda:0"
  virtual std::string text() const = 0;  // "CPU, 2 threads", "NVIDIA H200 (cuda:0), 139.80 GiB"
  virtual Pool& pool() = 0;
  virtual const Profiler& profiler() const = 0;
  virtual void restart_measuring() = 0;  // resets the profile and the peak of memory
};

struct DeviceChoice {
  std::string name = "auto";  // auto, cpu, cuda or cuda:N
  // The most bytes that the process (on the CPU) or the device (a GPU) may use; 0: 80 % of what is free.
  uint64_t memory_limit = 0;
  bool profile = false;  // time every launch
};

// Makes a device. From now on, the calls of this thread go to it. Throws a UsageError if the name is not that of a
// device, and an Error if there is no such GPU.
std::unique_ptr<AnyDevice> make_device(const DeviceChoice& choice);

// Directs the calls of this thread to a device. A device belongs to the thread that has made it; another thread must
// call this first.
void use_here(DeviceHandle device);

// Lets each GPU among these devices use the memory of the others, if the hardware can.
void share_memory(const std::vector<DeviceHandle>& devices);

// Everything below is compiled for each kind of device.

template <class Device>
class DeviceOfKind final : public AnyDevice {
 public:
  template <class... Args>
  explicit DeviceOfKind(Args... args) : device_(args...) {}

  DeviceHandle handle() override { return &device_; }
  std::string name() const override { return device_.name(); }
  std::string text() const override { return device_.text(); }
  Pool& pool() override { return device_.pool(); }
  const Profiler& profiler() const override { return device_.profiler(); }
  void restart_measuring() override { device_.restart_measuring(); }

 private:
  Device device_;
};

// These exist only in builds with CUDA.
int cuda_device_count();
std::unique_ptr<AnyDevice> make_cuda_device(const DeviceChoice& choice, int index);
void use_cuda_here(const CudaDevice& device);
void let_reach(const CudaDevice& owner, const CudaDevice& other);  // `other` may use the memory of `owner`

}  // namespace vox::device
