// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/row_changes.hpp>

namespace hogwild {

template class row_changes<param_view<float>, sgd<param_view<float>>>;
template class row_changes<param_view<float>, block_optimizer<param_view<float>>>;
template class row_changes<param_view<float, update::exact>, sgd<param_view<float, update::exact>>>;
template class row_changes<param_view<float, update::exact>, block_optimizer<param_view<float, update::exact>>>;
template class row_changes<param_view<float, update::locked>, sgd<param_view<float, update::locked>>>;
template class row_changes<param_view<float, update::locked>, block_optimizer<param_view<float, update::locked>>>;

}  // namespace hogwild
