// Compares values of types that kernels do not support with the numbers that were written.
#include "formats/volume/known_volume.h"

#include <cmath>
#include <limits>

#include "tests/common/volumes.h"
#include "tests/formats/volume/header_files.h"

namespace vox {
namespace {

using volume::ValueType;

class KnownVolume : public HeaderFiles {
 protected:
  template <class T>
  volume::Volume volume_of(StoredType type, const std::vector<T>& values) const {
    const RawOptions raw = {.size = Int3{static_cast<int32_t>(values.size()), 1, 1}, .type = type};
    return open_volume(write("a.raw", bytes_of(values)), raw);
  }

  template <class T>
  void expect_kept(StoredType stored, const std::vector<T>& values, ValueType type) const {
    const volume::Volume volume = volume_of(stored, values);
    EXPECT_EQ(volume.info.type, type) << stored_type_name(stored);
    const std::vector<std::byte> bytes = all_values(volume);
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * volume::value_bytes(type), volume::value_bytes(type));
      EXPECT_EQ(volume::value_number(type, bits), static_cast<double>(values[i])) << i;
    }
  }

  template <class T>
  void expect_refused(StoredType stored, const std::vector<T>& values, const std::string& text) const {
    try {
      volume_of(stored, values);
      ADD_FAILURE() << "was read; expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
};

TEST_F(KnownVolume, IntegersBecomeTheFirstTypeThatHoldsThemAll) {
  expect_kept<int8_t>(StoredType::I8, {-128, 0, 127}, ValueType::I16);
  expect_kept<uint32_t>(StoredType::U32, {0, 255}, ValueType::U8);
  expect_kept<uint32_t>(StoredType::U32, {0, 256, 65535}, ValueType::U16);
  expect_kept<uint32_t>(StoredType::U32, {1, 65536, 4294967040u}, ValueType::F32);
  expect_kept<int32_t>(StoredType::I32, {-32768, 32767}, ValueType::I16);
  expect_kept<int32_t>(StoredType::I32, {-1, 32768}, ValueType::F32);
  expect_kept<int32_t>(StoredType::I32, {std::numeric_limits<int32_t>::min(), 1 << 24}, ValueType::F32);
  expect_kept<int64_t>(StoredType::I64, {0, 7, 255}, ValueType::U8);
  expect_kept<int64_t>(StoredType::I64, {std::numeric_limits<int64_t>::min(), 3}, ValueType::F32);
  expect_kept<uint64_t>(StoredType::U64, {0, uint64_t{1} << 63}, ValueType::F32);
}

TEST_F(KnownVolume, TheFirstIntegerThatIsNotExactIsNamed) {
  expect_refused<uint32_t>(StoredType::U32, {1, 2, 16777217, 16777219}, "voxel (2, 0, 0) is 16777217, ");
  expect_refused<int32_t>(StoredType::I32, {-16777217}, "voxel (0, 0, 0) is -16777217, ");
  expect_refused<int64_t>(StoredType::I64, {0, std::numeric_limits<int64_t>::max()},
                          "voxel (1, 0, 0) is 9223372036854775807, ");
}

TEST_F(KnownVolume, DoublesAreRoundedWithAWarningThatSaysHowFar) {
  const KeptLog log;
  expect_kept<double>(StoredType::F64, {0.5, -1e30f, 3}, ValueType::F32);
  EXPECT_TRUE(log.text().empty()) << log.text();
  const volume::Volume rounded = volume_of<double>(StoredType::F64, {1, 16777217});
  EXPECT_NE(log.text().find("are rounded to f32, by 1 at most"), std::string::npos) << log.text();
  EXPECT_EQ(rounded.info.type, ValueType::F32);
  expect_refused<double>(StoredType::F64, {0, 1e39},
                         "voxel (1, 0, 0) is 1e+39, which is outside of the range");
}

}  // namespace
}  // namespace vox
