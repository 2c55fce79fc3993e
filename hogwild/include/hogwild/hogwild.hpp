// SPDX-License-Identifier: Apache-2.0
#pragma once

// The front door. What a program uses:
//
//   models   the one that it trains, <hogwild/models/logistic.hpp> say, or a type of its own: with a loss by the
//            margin it needs nothing else, any other (see conforms<M>()) also <hogwild/general_model.hpp>
//   data     open_libsvm, csr_rows: rows in a file, or in memory; <hogwild/rows.hpp> has rows of other types and shapes
//   engines  serial_engine, thread_engine, process_engine, all_reduce_engine, local_sgd_engine; ring_engine comes with
//            <hogwildpp/hogwildpp.hpp>
//   train    train(model, data, engine, options), which returns a train_result
//
//   #include <hogwild/hogwild.hpp>
//   #include <hogwild/models/logistic.hpp>
//
//   int main(int argc, char** argv) {
//     if (auto rc = hogwild::worker_main<hogwild::logistic>(argc, argv)) return *rc;  // for engines of processes
//     const auto data = hogwild::open_libsvm("train.svm");
//     const auto run = hogwild::train(hogwild::logistic{}, data, hogwild::thread_engine{.workers = 4}, {.epochs = 10});
//     return run.train_loss < 0.4 ? 0 : 1;
//   }
//
// What goes wrong is thrown as an error (error.hpp). An observer (observer.hpp) hears of each epoch.

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/example.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>
