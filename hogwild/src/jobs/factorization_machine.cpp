// SPDX-License-Identifier: Apache-2.0
#include <hogwild/train.hpp>

namespace hogwild {

template class general_job<factorization_machine>;

}  // namespace hogwild
