// libFuzzer's entry points. The environment says what runs:
//   VOX_FUZZ_TARGET=NAME   the target; "list" prints the names of all
//   VOX_FUZZ_SEEDS=FOLDER  the target's seeds are written into this folder, before libFuzzer reads it as a corpus
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "libvox/base/process.h"
#include "tests/fuzz/targets.h"

namespace {

const vox::fuzz::Target* chosen = nullptr;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void choose() {
  const std::string name = variable("VOX_FUZZ_TARGET");
  for (const vox::fuzz::Target& target : vox::fuzz::targets()) {
    if (name == "list") std::puts(target.name);
    if (name == target.name) chosen = &target;
  }
  if (name == "list") std::exit(0);
  if (chosen != nullptr) return;
  std::fprintf(stderr, "VOX_FUZZ_TARGET names no target; \"list\" lists them\n");
  std::exit(2);
}

}  // namespace

// A reader that asks for more memory than there is gets std::bad_alloc, as it does without the sanitizer. Leaks are left to
// the tests with sanitizers, because HDF5 keeps memory of its own.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=16:malloc_context_size=8";
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static const vox::ThreadLimit one_thread(1);
  choose();
  const std::string seeds = variable("VOX_FUZZ_SEEDS");
  for (size_t i = 0; !seeds.empty() && i < chosen->seeds.size(); ++i) {
    const std::string path = seeds + "/seed_" + std::to_string(i);
    if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
      std::fwrite(chosen->seeds[i].data(), 1, chosen->seeds[i].size(), file);
      std::fclose(file);
    }
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
