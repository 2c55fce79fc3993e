// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that a program needs to train its own or a ready-made model.

#include <hogwild/core/csr.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/example.hpp>
#include <hogwild/core/model.hpp>
#include <hogwild/core/sparse_dataset.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/process_engine.hpp>
#include <hogwild/sync_engine.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>
