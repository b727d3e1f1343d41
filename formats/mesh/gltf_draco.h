// KHR_draco_mesh_compression: decodes primitives whose indices and attributes are compressed by Draco, in
// builds with Draco.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_document.h"

namespace vox {

// The decoded data of a primitive. An attribute has the components that its accessor states.
struct DracoMesh {
  std::vector<uint32_t> indices;  // three for each triangle, whatever the primitive's mode
  uint64_t vertices = 0;
  std::map<std::string, std::vector<std::byte>> attributes;

  GltfElements index_elements() const;
  GltfElements elements(const std::string& attribute, const GltfAccessor& accessor) const;
};

struct DracoJob {
  struct Attribute {
    std::string name;
    uint32_t id, width;  // Draco's number of the attribute, and the number of components of an element
    GltfComponent component;
  };
  std::string place;  // for messages
  std::span<const std::byte> data;
  std::vector<Attribute> attributes;
};

// Returns one mesh for each job. Draco runs in a child process, because damaged data might make it crash or
// hang. Throws Error.
std::vector<DracoMesh> decode_draco(const std::vector<DracoJob>& jobs);

}  // namespace vox
