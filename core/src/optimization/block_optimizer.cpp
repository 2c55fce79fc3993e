// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/optimization/block_optimizer.hpp>

namespace hogwild {

template class block_optimizer<param_view<float>>;
template class block_optimizer<param_view<float, update::exact>>;
template class block_optimizer<param_view<float, update::locked>>;

}  // namespace hogwild
