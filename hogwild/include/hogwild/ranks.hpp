// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of an engine's members `ranks` and `link`, for several processes, on one machine or several, that train one
// model: `ranks` is a collective of all of them, and `link` the message_link of a ring. The component mpi makes them
// (<hogwild/mpi/collective.hpp>, <hogwild/mpi/transport.hpp>).

#include <hogwild/detail/collectives/collective.hpp>
#include <hogwild/detail/transports/message_link.hpp>
#include <hogwild/rank_failure.hpp>
