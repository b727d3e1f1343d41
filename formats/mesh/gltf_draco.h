// KHR_draco_mesh_compression: primitives whose indices and attributes are compressed by Draco, in builds that
// have it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_document.h"

namespace vox {

// What a primitive's data hold. An attribute has the components that its accessor announces.
struct DracoMesh {
  std::vector<uint32_t> indices;  // three a triangle, whatever the primitive's mode
  uint64_t vertices = 0;
  std::map<std::string, std::vector<std::byte>> attributes;

  GltfElements index_elements() const;
  GltfElements elements(const std::string& attribute, const GltfAccessor& accessor) const;
};

struct DracoJob {
  struct Attribute {
    std::string name;
    uint32_t id, width;  // Draco's number; components of an element
    GltfComponent component;
  };
  std::string place;  // for messages
  std::span<const std::byte> data;
  std::vector<Attribute> attributes;
};

// One mesh for each job. Draco runs in a process of its own: what is damaged might crash or stop it. Throws
// Error.
std::vector<DracoMesh> decode_draco(const std::vector<DracoJob>& jobs);

}  // namespace vox
