// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every engine: what <hogwild/hogwild.hpp> has, and ring_engine. A program that includes this changes its engine by one
// word, and its worker_main serves the worker processes of all of them.

#include <hogwild/hogwild.hpp>
#include <hogwildpp/ring_engine.hpp>
