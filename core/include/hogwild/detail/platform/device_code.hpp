// SPDX-License-Identifier: Apache-2.0
#pragma once

// HOGWILD_DEVICE_CODE precedes functions that run on a GPU as well as on the CPU, and tells nvcc so. It is empty for
// other compilers.
#if defined(__CUDACC__)
#define HOGWILD_DEVICE_CODE __host__ __device__
#else
#define HOGWILD_DEVICE_CODE
#endif
