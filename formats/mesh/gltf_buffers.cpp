#include "formats/mesh/gltf_document.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "formats/io/scan.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"

#ifdef VOX_HAS_MESHOPT
#include <meshoptimizer.h>
#endif

namespace vox {

GltfBuffers::GltfBuffers(const GltfDocument& document, const std::filesystem::path& folder, OpenFolders open,
                         std::span<const std::byte> binary)
    : document_(document), folder_(folder), open_(std::move(open)), binary_(binary) {
  for (const GltfBuffer& buffer : document.buffers)
    if (buffer.size < UINT64_MAX - total_bytes_) total_bytes_ += buffer.size;
}

void GltfBuffers::count_decoded(uint64_t bytes) {
  constexpr uint64_t kWorthAsking = 1 << 24;
  decoded_bytes_ += bytes;
  if (decoded_bytes_ > kWorthAsking && bytes > available_bytes())
    throw Error(fmt::format("not enough memory for {} of decoded data, {} are free",
                            format_bytes(decoded_bytes_), format_bytes(available_bytes())));
}

std::span<const std::byte> GltfBuffers::keep(std::vector<std::byte> bytes) {
  return decoded_.emplace_back(std::move(bytes));
}

std::span<const std::byte> GltfBuffers::bytes_of(const GltfBuffer& buffer, uint32_t index) {
  if (!buffer.uri) {
    if (index == 0 && !binary_.empty()) return binary_;
    throw Error("has no 'uri', and no data follows the file's JSON");
  }
  if (auto data = data_of_uri(*buffer.uri)) return keep(std::move(*data));
  if (auto file = find_file(folder_, *buffer.uri, open_))
    return files_.emplace_back(std::make_unique<MappedFile>(*file))->bytes();
  throw Error(fmt::format("'{}' not found", *buffer.uri)).hint("it belongs beside the glTF file");
}

std::span<const std::byte> GltfBuffers::buffer(uint32_t index) {
  const GltfBuffer& buffer = item_of(document_.buffers, index, "buffers");
  auto [known, is_new] = buffers_.try_emplace(index);
  if (!is_new) return known->second;
  return known->second = at_item("buffers", index, [&] {
           std::span<const std::byte> bytes = bytes_of(buffer, index);
           if (bytes.size() < buffer.size)
             throw Error(
                 fmt::format("'byteLength' is {}, but there are only {} bytes", buffer.size, bytes.size()))
                 .hint("is the file truncated?");
           return bytes.first(buffer.size);
         });
}

std::span<const std::byte> GltfBuffers::part_of_buffer(uint32_t index, uint64_t offset, uint64_t size) {
  std::span<const std::byte> bytes = buffer(index);
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Error(fmt::format("{} bytes from byte {} on, but buffers[{}] has only {}", size, offset, index,
                            bytes.size()));
  return bytes.subspan(offset, size);
}

std::span<const std::byte> GltfBuffers::view(uint32_t index) {
  const GltfView& view = item_of(document_.views, index, "bufferViews");
  auto [known, is_new] = views_.try_emplace(index);
  if (!is_new) return known->second;
  return known->second = at_item("bufferViews", index, [&] {
           if (!view.meshopt) return part_of_buffer(view.buffer, view.offset, view.size);
           const GltfMeshopt& packed = *view.meshopt;
           count_decoded(decoded_size(packed));
           return keep(
               decode_meshopt(packed, view.size, part_of_buffer(packed.buffer, packed.offset, packed.size)));
         });
}

namespace {

constexpr uint64_t kAlwaysAllowed = 1 << 16;
constexpr std::array<std::byte, 64> kZeros = {};  // enough for the widest element, a MAT4 of floats

uint64_t element_size(const GltfAccessor& accessor) {
  return uint64_t{size_of(accessor.component)} * accessor.width;
}

// Throws Error unless `count` elements fit into the bytes. No product of the file's numbers may overflow.
void check_range(uint64_t offset, uint64_t stride, uint64_t count, uint64_t size, uint64_t bytes) {
  if (count == 0) return;
  bool fits = offset <= bytes && size <= bytes - offset &&
              (count == 1 || (bytes - offset - size) / stride >= count - 1);
  if (!fits)
    throw Error(
        fmt::format("{} elements of {} bytes, {} apart from byte {} on, do not fit into the {} bytes of "
                    "its buffer view",
                    count, size, stride, offset, bytes));
}

uint64_t index_at(const std::byte* at, GltfComponent component) {
  uint64_t index = 0;
  with_component_type(component, [&]<class T>(T) { index = static_cast<uint64_t>(value_at<T>(at)); });
  return index;
}

}  // namespace

const GltfElements& GltfAccessors::get(uint32_t index) {
  const GltfAccessor& accessor = item_of(document_.accessors, index, "accessors");
  auto known = found_.find(index);
  if (known == found_.end())
    known = found_.emplace(index, at_item("accessors", index, [&] { return find(accessor); })).first;
  return known->second;
}

void GltfAccessors::check(uint32_t index, std::initializer_list<std::string_view> types,
                          std::initializer_list<GltfComponent> components) const {
  const GltfAccessor& accessor = item_of(document_.accessors, index, "accessors");
  if (std::ranges::find(types, accessor.type) == types.end())
    throw Error(fmt::format("accessors[{}] is of type {}, expected {}", index, accessor.type,
                            fmt::join(types, " or ")));
  if (std::ranges::find(components, accessor.component) == components.end())
    throw Error(fmt::format("accessors[{}] has components of type {}, which is not allowed here", index,
                            static_cast<int>(accessor.component)));
}

GltfElements GltfAccessors::find(const GltfAccessor& accessor) {
  GltfElements elements = {.data = kZeros.data(),
                           .count = accessor.count,
                           .stride = 0,
                           .width = accessor.width,
                           .component = accessor.component,
                           .normalized = accessor.normalized};
  uint64_t size = element_size(accessor);
  if (accessor.view != scene::kNone) {
    std::span<const std::byte> bytes = buffers_.view(accessor.view);
    uint64_t stride = document_.views[accessor.view].stride;
    if (stride > 0 && stride < size)
      throw Error(fmt::format("elements of {} bytes, but the stride of its buffer view is {}", size, stride));
    elements.stride = stride > 0 ? stride : size;
    check_range(accessor.offset, elements.stride, accessor.count, size, bytes.size());
    elements.data = bytes.data() + accessor.offset;
  } else if (accessor.count > buffers_.total_bytes() + kAlwaysAllowed) {
    throw Error(fmt::format("{} elements without data, in a file with {} bytes of data", accessor.count,
                            buffers_.total_bytes()));
  }
  if (!accessor.sparse || accessor.sparse->count == 0 || accessor.count == 0) return elements;
  elements.data = sparse_.emplace_back(with_sparse(accessor, elements)).data();
  elements.stride = size;
  return elements;
}

std::vector<std::byte> GltfAccessors::with_sparse(const GltfAccessor& accessor, const GltfElements& base) {
  const GltfSparse& sparse = *accessor.sparse;
  std::span<const std::byte> indices = buffers_.view(sparse.index_view),
                             values = buffers_.view(sparse.value_view);
  uint64_t size = element_size(accessor), index_size = size_of(sparse.index_component);
  check_range(sparse.index_offset, index_size, sparse.count, index_size, indices.size());
  check_range(sparse.value_offset, size, sparse.count, size, values.size());
  buffers_.count_decoded(accessor.count * size);
  std::vector<std::byte> bytes(accessor.count * size);
  for (uint64_t i = 0; i < accessor.count; ++i)
    std::memcpy(bytes.data() + i * size, base.data + i * base.stride, size);
  for (uint64_t i = 0; i < sparse.count; ++i) {
    uint64_t index = index_at(indices.data() + sparse.index_offset + i * index_size, sparse.index_component);
    if (index >= accessor.count)
      throw Error(
          fmt::format("its sparse indices refer to element {}, but there are {}", index, accessor.count));
    std::memcpy(bytes.data() + index * size, values.data() + sparse.value_offset + i * size, size);
  }
  return bytes;
}

namespace {

// An attribute codec takes at least 2 bits for 16 equal bytes, an index codec at least a byte for a triangle.
constexpr uint64_t kMaxBytesPerByte = 64;

#ifdef VOX_HAS_MESHOPT

// Checks the arguments, for which the library itself only has asserts.
void check_shape(const GltfMeshopt& packed) {
  bool attributes = packed.mode == MeshoptMode::Attributes;
  bool fits = attributes ? packed.stride >= 4 && packed.stride <= 256 && packed.stride % 4 == 0
                         : packed.stride == 2 || packed.stride == 4;
  if (packed.filter == MeshoptFilter::Octahedral) fits = fits && (packed.stride == 4 || packed.stride == 8);
  if (packed.filter == MeshoptFilter::Quaternion) fits = fits && packed.stride == 8;
  if (!fits)
    throw Error(fmt::format("'byteStride' is {}, which its mode or filter does not allow", packed.stride));
  if (packed.filter != MeshoptFilter::None && !attributes)
    throw Error("it has a filter, but its mode is not ATTRIBUTES");
  if (packed.mode == MeshoptMode::Triangles && packed.count % 3 != 0)
    throw Error(fmt::format("'count' is {}, but must be a multiple of 3", packed.count));
}

int decode(const GltfMeshopt& packed, std::span<const std::byte> compressed, std::byte* to) {
  const auto* from = reinterpret_cast<const unsigned char*>(compressed.data());
  switch (packed.mode) {
    case MeshoptMode::Attributes:
      return meshopt_decodeVertexBuffer(to, packed.count, packed.stride, from, compressed.size());
    case MeshoptMode::Triangles:
      return meshopt_decodeIndexBuffer(to, packed.count, packed.stride, from, compressed.size());
    case MeshoptMode::Indices:
      return meshopt_decodeIndexSequence(to, packed.count, packed.stride, from, compressed.size());
  }
  return -1;
}

void apply_filter(const GltfMeshopt& packed, std::byte* bytes) {
  if (packed.filter == MeshoptFilter::Octahedral)
    meshopt_decodeFilterOct(bytes, packed.count, packed.stride);
  else if (packed.filter == MeshoptFilter::Quaternion)
    meshopt_decodeFilterQuat(bytes, packed.count, packed.stride);
  else if (packed.filter == MeshoptFilter::Exponential)
    meshopt_decodeFilterExp(bytes, packed.count, packed.stride);
}

#endif

}  // namespace

uint64_t decoded_size(const GltfMeshopt& packed) {
  if (packed.stride == 0 || packed.size > UINT64_MAX / kMaxBytesPerByte ||
      packed.count > kMaxBytesPerByte * packed.size / packed.stride)
    throw Error(
        fmt::format("{} bytes cannot hold {} elements of {} bytes", packed.size, packed.count, packed.stride))
        .hint("is the file damaged?");
  return packed.count * packed.stride;
}

#ifdef VOX_HAS_MESHOPT

bool can_read_meshopt() {
  return true;
}

std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed) {
  check_shape(packed);
  std::vector<std::byte> bytes(decoded_size(packed));
  if (bytes.size() < size)
    throw Error(fmt::format("{} elements of {} bytes are fewer than the {} bytes of the view", packed.count,
                            packed.stride, size));
  if (decode(packed, compressed, bytes.data()) != 0)
    throw Error("its EXT_meshopt_compression data cannot be decoded").hint("is the file damaged?");
  apply_filter(packed, bytes.data());
  return bytes;
}

#else

bool can_read_meshopt() {
  return false;
}

std::vector<std::byte> decode_meshopt(const GltfMeshopt&, uint64_t, std::span<const std::byte>) {
  throw Error("compressed by EXT_meshopt_compression, but this build was made without meshoptimizer")
      .hint("build vox where that library is installed, or export without the extension");
}

#endif

namespace {

constexpr uint8_t kNoDigit = 255;

// The value of each digit in both alphabets of RFC 4648.
constexpr auto kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  digits['-'] = 62, digits['_'] = 63;
  return digits;
}();

std::vector<std::byte> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0, count = 0;  // the lowest `count` bits of `bits` have not been written yet
  for (char c : text) {
    uint8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNoDigit) {
      if (c == '\n' || c == '\r' || c == ' ') continue;
      throw Error(fmt::format("'{}' in a data: URI is not base64", c)).hint("is the file damaged?");
    }
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count));
  }
  return bytes;
}

std::vector<std::byte> from_percent_escapes(std::string_view text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const char* const digits = text.data() + i + 1;
    uint8_t value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2)
      i += 2;
    else
      value = static_cast<uint8_t>(text[i]);
    bytes.push_back(std::byte{value});
  }
  return bytes;
}

}  // namespace

std::optional<std::vector<std::byte>> data_of_uri(std::string_view uri) {
  if (!uri.starts_with("data:")) return std::nullopt;
  size_t comma = uri.find(',');
  if (comma == std::string_view::npos) throw Error("a data: URI without data");
  std::string_view type = uri.substr(0, comma), data = uri.substr(comma + 1);
  return type.ends_with(";base64") ? from_base64(data) : from_percent_escapes(data);
}

}  // namespace vox
