// SPDX-License-Identifier: Apache-2.0
// Chooses an l2 by cross-validation, measures models with it by folds, and trains a path of l2.
#include <cstdio>
#include <string>

#include <hogwild/cross_validation.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: cross_validation TRAIN.svm"), 2;
  const hogwild::sparse_dataset data = hogwild::open_libsvm(argv[1]);
  const hogwild::logistic model;
  const hogwild::thread_engine engine;

  const auto run = hogwild::train(model, data, engine, {.epochs = 5, .l2_by_folds = hogwild::l2_search{.folds = 3}});
  std::printf("l2 %.6g of %zu\n", run.l2, run.l2_tried.size());

  const auto folds = hogwild::cross_validate(model, data.view(), engine, 5, {.epochs = 5, .l2 = run.l2});
  std::printf("loss %.4f, deviation %.4f\n", folds.mean().loss, folds.loss_deviation());

  const auto path =
      hogwild::train_path(model, data.view(), engine, {.l2 = {0.1, 0.01, 0.001}, .folds = 3}, {.epochs = 5});
  for (const hogwild::path_point& p : path.points)
    std::printf("l2 %g: loss %.4f, by folds %.4f\n", p.run.l2, p.run.train_loss, p.measured->mean().loss);
}
