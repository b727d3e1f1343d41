// The bytes of a glTF file's buffers and buffer views. They are used directly in the mapped files unless they
// are encoded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "formats/io/find_file.h"
#include "formats/io/mapped_file.h"
#include "formats/mesh/gltf_document.h"

namespace vox {

// Finds and decodes views when they are first asked for. Only one thread may call it; any thread may read the
// bytes.
class GltfBuffers {
 public:
  // `binary` are the bytes that a GLB carries behind its JSON. They and the document must outlive this object.
  GltfBuffers(const GltfDocument& document, const std::filesystem::path& folder, OpenFolders open,
              std::span<const std::byte> binary);

  // Throws Error if there is no such view, if it reaches beyond its buffer, or if the buffer reaches beyond
  // its file.
  std::span<const std::byte> view(uint32_t index);

  // The total size of all buffers as the file states it. No sensible file has more elements without data than
  // that.
  uint64_t total_bytes() const { return total_bytes_; }

  // Counts bytes that are about to be decoded. Throws Error if there is not enough memory for them, since a
  // small file can refer to the same data many times.
  void count_decoded(uint64_t bytes);

 private:
  std::span<const std::byte> buffer(uint32_t index);
  std::span<const std::byte> bytes_of(const GltfBuffer& buffer, uint32_t index);
  std::span<const std::byte> part_of_buffer(uint32_t buffer, uint64_t offset, uint64_t size);
  std::span<const std::byte> keep(std::vector<std::byte> bytes);

  const GltfDocument& document_;
  std::filesystem::path folder_;
  OpenFolders open_;
  std::span<const std::byte> binary_;
  uint64_t total_bytes_ = 0, decoded_bytes_ = 0;
  std::map<uint32_t, std::span<const std::byte>> buffers_, views_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::vector<std::byte>> decoded_;
};

}  // namespace vox
