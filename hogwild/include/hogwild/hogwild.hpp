// SPDX-License-Identifier: Apache-2.0
#pragma once

// The front door. A program uses:
//
//   models   a model of the library, such as <hogwild/models/logistic.hpp>, or a type of its own, which also needs
//            <hogwild/general_model.hpp> unless it is a margin model without project() (see conforms<M>())
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
// A failure is thrown as an error (error.hpp). Observers (observer.hpp) hear of each epoch.

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/example.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>
