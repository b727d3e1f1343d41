#include "tools/common/tool.h"

#include <fmt/format.h>

#include "formats/built_with.h"
#include "libvox/base/json.h"
#include "libvox/ranks/ranks.h"

// For this source alone, CMake defines VOX_BUILT_CPU, VOX_BUILT_CUDA and VOX_BUILT_ARCHITECTURES.
namespace vox {
namespace {

const char* yes_or_no(const OptionalPart& part) {
  return part.built ? "yes" : "no";
}

}  // namespace

std::string generator_text() {
  return "vox " VOX_VERSION;
}

std::string version_text() {
  std::string text = generator_text() + "\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<24}{}\n", name, value);
  };
  const std::string_view architectures = VOX_BUILT_ARCHITECTURES;
  add("CUDA",
      architectures.empty() ? VOX_BUILT_CUDA : fmt::format("{} for {}", VOX_BUILT_CUDA, architectures));
  add("processors", VOX_BUILT_CPU);
  add("HDF5", hdf5_version());
  for (const OptionalPart& part : optional_parts()) add(part.name, yes_or_no(part));
  add("MPI", ranks::has_mpi() ? "yes" : "no");
  return text;
}

std::string version_json() {
  Json json;
  json.set("version", VOX_VERSION)
      .set("cuda", VOX_BUILT_CUDA)
      .set("cuda_architectures", VOX_BUILT_ARCHITECTURES);
  json.set("processors", VOX_BUILT_CPU).set("hdf5", hdf5_version());
  for (const OptionalPart& part : optional_parts()) json.set(std::string(part.key), part.built);
  json.set("mpi", ranks::has_mpi());
  return json.text();
}

}  // namespace vox
