// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the members `ranks` and `link` of an engine refer to, where several processes, on one machine or several, train
// one model: a collective of all of them, and for a ring its message_link. <hogwild/mpi/collective.hpp> and
// <hogwild/mpi/transport.hpp> of the component mpi make them.

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/rank_failure.hpp>
