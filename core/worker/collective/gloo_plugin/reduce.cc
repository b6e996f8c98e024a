// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/gloo_plugin/reduce.h"

#include <gloo/types.h>

#include <cstdint>
#include <type_traits>

namespace muster::worker {
namespace {

using Combine = void (*)(void*, const void*, const void*, size_t);

// Signed integers wrap around like unsigned ones.
template <typename T>
struct Arithmetic {
  using type = T;
};
template <typename T>
requires std::is_integral_v<T>
struct Arithmetic<T> {
  using type = std::make_unsigned_t<T>;
};

template <typename T>
T apply(std::integral_constant<Reduce, Reduce::sum>, T one, T other) {
  using A = typename Arithmetic<T>::type;
  return static_cast<T>(static_cast<A>(one) + static_cast<A>(other));
}
template <typename T>
T apply(std::integral_constant<Reduce, Reduce::product>, T one, T other) {
  using A = typename Arithmetic<T>::type;
  return static_cast<T>(static_cast<A>(one) * static_cast<A>(other));
}
template <typename T>
T apply(std::integral_constant<Reduce, Reduce::min>, T one, T other) {
  return other < one ? other : one;
}
template <typename T>
T apply(std::integral_constant<Reduce, Reduce::max>, T one, T other) {
  return one < other ? other : one;
}

template <typename T, Reduce reduce>
void each(void* out, const void* one, const void* other, size_t count) {
  T* to = static_cast<T*>(out);
  const T* a = static_cast<const T*>(one);
  const T* b = static_cast<const T*>(other);
  for (size_t i = 0; i < count; ++i) to[i] = apply(std::integral_constant<Reduce, reduce>(), a[i], b[i]);
}

template <typename T>
Combine of(Reduce reduce) {
  switch (reduce) {
    case Reduce::product: return &each<T, Reduce::product>;
    case Reduce::min: return &each<T, Reduce::min>;
    case Reduce::max: return &each<T, Reduce::max>;
    case Reduce::sum:
    case Reduce::average: break;
  }
  return &each<T, Reduce::sum>;
}

Combine of(Type type, Reduce reduce) {
  switch (type) {
    case Type::int8: return of<int8_t>(reduce);
    case Type::uint8: return of<uint8_t>(reduce);
    case Type::int32: return of<int32_t>(reduce);
    case Type::uint32: return of<uint32_t>(reduce);
    case Type::int64: return of<int64_t>(reduce);
    case Type::uint64: return of<uint64_t>(reduce);
    case Type::float16: return of<gloo::float16>(reduce);
    case Type::float64: return of<double>(reduce);
    case Type::float32:
    case Type::bfloat16: break;
  }
  return of<float>(reduce);
}

}  // namespace

size_t width_of(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8: return 1;
    case Type::float16:
    case Type::bfloat16: return 2;
    case Type::int32:
    case Type::uint32:
    case Type::float32: return 4;
    default: return 8;
  }
}

void combine(Type type, Reduce reduce, void* out, const void* one, const void* other, size_t count) {
  of(type, reduce)(out, one, other, count);
}

void divide(Type type, void* values, size_t count, int divisor) {
  if (type == Type::float32) {
    float* to = static_cast<float*>(values);
    for (size_t i = 0; i < count; ++i) to[i] /= static_cast<float>(divisor);
  } else if (type == Type::float64) {
    double* to = static_cast<double*>(values);
    for (size_t i = 0; i < count; ++i) to[i] /= divisor;
  } else {
    auto* to = static_cast<gloo::float16*>(values);
    for (size_t i = 0; i < count; ++i) {
      to[i] = gloo::cpu_float2half_rn(gloo::cpu_half2float(to[i]) / static_cast<float>(divisor));
    }
  }
}

}  // namespace muster::worker
