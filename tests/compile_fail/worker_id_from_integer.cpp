// SPDX-License-Identifier: Apache-2.0
// A plain number is not a worker: the conversion has to be asked for.
#include <hogwild/detail/data/shard.hpp>

#ifdef GOOD
hogwild::worker_id worker = hogwild::worker_id{3};
#endif
#ifdef BAD
hogwild::worker_id worker = 3;
#endif
