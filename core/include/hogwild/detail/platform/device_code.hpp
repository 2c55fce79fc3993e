// SPDX-License-Identifier: Apache-2.0
#pragma once

// HOGWILD_DEVICE_CODE stands before functions that run on a GPU as well as on the CPU, and says so to nvcc. To any
// other compiler it is nothing.
#if defined(__CUDACC__)
#define HOGWILD_DEVICE_CODE __host__ __device__
#else
#define HOGWILD_DEVICE_CODE
#endif
