// SPDX-License-Identifier: Apache-2.0
#include <hogwild/factor_job.hpp>
#include <hogwild/models/matrix_factorization.hpp>

namespace hogwild {

template class general_job<matrix_factorization>;
template class factor_job<matrix_factorization>;

}  // namespace hogwild
