// SPDX-License-Identifier: Apache-2.0
#pragma once

// All engines: those of <hogwild/hogwild.hpp>, and ring_engine. A program that includes this can change its engine by
// changing one word, and its worker_main serves the worker processes of every engine.

#include <hogwild/hogwild.hpp>
#include <hogwildpp/ring_engine.hpp>
