// The types of bricks. This list is the only place that names them all. A type's number is its place in the
// list.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "libvox/bricks/types/dense_brick.h"
#include "libvox/bricks/types/empty_brick.h"
#include "libvox/bricks/types/hash_brick.h"
#include "libvox/bricks/types/homogeneous_brick.h"
#include "libvox/bricks/types/list_brick.h"
#include "libvox/bricks/types/masked_brick.h"
#include "libvox/bricks/types/octree_brick.h"
#include "libvox/bricks/types/palette_brick.h"

namespace vox::bricks {

template <class... Types>
struct BrickTypeList {
  static constexpr uint32_t kCount = sizeof...(Types);
#ifndef __CUDACC_RTC__  // NVRTC has no standard library
  static constexpr std::array<std::string_view, kCount> kNames = {Types::kName...};
#endif
  // Bit t is set if type t can hold any brick.
  static constexpr uint32_t kHoldAll = [] {
    uint32_t mask = 0, bit = 1;
    ((mask |= Types::kHoldsAll ? bit : 0, bit <<= 1), ...);
    return mask;
  }();

  template <class Type>
  static constexpr uint32_t kNumber = [] {
    uint32_t number = 0, at = 0;
    ((number = std::is_same_v<Type, Types> ? at : number, ++at), ...);
    return number;
  }();

  // Calls f.template operator()<Type>() for the type with this number, which must be one of `types`. It runs
  // on the host or the device, wherever f can run.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <uint32_t types = (1u << kCount) - 1, class F>
  VOX_HD static void with(uint32_t number, const F& f) {
    (with_one<types, Types>(number, f), ...);
  }
  // Calls f.template operator()<Type>(number) for all types.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class F>
  VOX_HD static void each(const F& f) {
    uint32_t at = 0;
    (f.template operator()<Types>(at++), ...);
  }

 private:
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <uint32_t types, class Type, class F>
  VOX_HD static void with_one(uint32_t number, const F& f) {
    constexpr uint32_t own = 1u << kNumber<Type>;
    if constexpr (types == own) {
      f.template operator()<Type>();
    } else if constexpr ((types & own) != 0) {
      if (number == kNumber<Type>) f.template operator()<Type>();
    }
  }
};

// The list itself. If several types take equally little memory, the first of them is chosen. Files hold the
// names of types, not their numbers, so that the order may change.
using BrickTypes = BrickTypeList<EmptyBrick, DenseBrick, OctreeBrick, ListBrick, HomogeneousBrick,
                                 PaletteBrick, MaskedBrick, HashBrick>;

inline constexpr uint32_t kBrickTypeCount = BrickTypes::kCount;

// Sets of types have bit t for type t.
inline constexpr uint32_t kAllBrickTypes = (1u << kBrickTypeCount) - 1;
inline constexpr uint32_t kThesisBrickTypes = 0b1111;  // empty, dense, octree, list
inline constexpr uint32_t kFastBrickTypes = 0b11;      // empty, dense

}  // namespace vox::bricks
