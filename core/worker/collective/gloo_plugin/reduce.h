// SPDX-License-Identifier: Apache-2.0
// Element-wise arithmetic on host memory. Pure.
#pragma once

#include <cstddef>

#include "core/worker/collective/call.h"

namespace muster::worker {

size_t width_of(Type type);
// out[i] = one[i] ∘ other[i]; out may be one or other. For `average` it sums; divide() divides. Not for bfloat16.
void combine(Type type, Reduce reduce, void* out, const void* one, const void* other, size_t count);
// For float16, float32 and float64.
void divide(Type type, void* values, size_t count, int divisor);

}  // namespace muster::worker
