#include "tools/common/tool.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "libvox/base/json.h"

// For this source alone, CMake defines VOX_BUILT_CPU, VOX_BUILT_CUDA, VOX_BUILT_ARCHITECTURES and VOX_BUILT_WITH.
namespace vox {
namespace {

const char* yes_or_no(const OptionalPart& part) {
  return part.built ? "yes" : "no";
}

std::string cuda_text() {
  const std::string_view architectures = VOX_BUILT_ARCHITECTURES;
  return architectures.empty() ? VOX_BUILT_CUDA : fmt::format("{} for {}", VOX_BUILT_CUDA, architectures);
}

}  // namespace

std::string compiler_text() {
  return fmt::format("{}; CUDA {}", VOX_BUILT_WITH, cuda_text());
}

std::string generator_text() {
  return "vox " VOX_VERSION;
}

std::string version_text() {
  std::string text = generator_text() + "\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<24}{}\n", name, value);
  };
  add("compiler", VOX_BUILT_WITH);
  add("CUDA", cuda_text());
  add("processors", VOX_BUILT_CPU);
  add("HDF5", hdf5_version());
  for (const OptionalPart& part : optional_parts()) add(part.name, yes_or_no(part));
  add("MPI", ranks::has_mpi() ? "yes" : "no");
  return text;
}

std::string version_json() {
  Json json;
  json.set("version", VOX_VERSION)
      .set("compiler", VOX_BUILT_WITH)
      .set("cuda", VOX_BUILT_CUDA)
      .set("cuda_architectures", VOX_BUILT_ARCHITECTURES);
  json.set("processors", VOX_BUILT_CPU).set("hdf5", hdf5_version());
  for (const OptionalPart& part : optional_parts()) json.set(std::string(part.key), part.built);
  json.set("mpi", ranks::has_mpi());
  return json.text();
}

}  // namespace vox
