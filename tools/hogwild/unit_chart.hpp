// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "score_curves.hpp"

namespace hogwild::cli {

/// A disk at a point.
struct chart_dot {
  curve_point at;
  double size;  ///< the part of the largest disk's area, from 0 to 1
};

/// A picture whose axes go from 0 to 1.
struct unit_chart {
  std::string title;                 ///< one line
  std::string subtitle{};            ///< one line, smaller
  std::string x_axis, y_axis;        ///< names of the axes
  std::vector<curve_point> curve{};  ///< joined by straight lines
  std::vector<chart_dot> dots{};
  std::vector<std::vector<curve_point>> references{};  ///< dashed lines, for comparison
};

/// The picture as a file of SVG: equal charts make equal bytes. It follows the reader's choice of light or dark
/// colours. The curve is the element of the class "curve"; a point (x, y) is drawn at (60 + 380 x, 440 - 380 y).
std::string svg_of(const unit_chart& chart);

}  // namespace hogwild::cli
