// SPDX-License-Identifier: Apache-2.0
#include "unit_chart.hpp"

#include <algorithm>
#include <cmath>

#include <hogwild/detail/platform/printable.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

constexpr double left = 60, bottom = 440, side = 380;

double across(double x) {
  return left + side * x;
}
double down(double y) {
  return bottom - side * y;
}

/// Text between tags; printable() has made valid UTF-8 of it.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::string line_through(const std::vector<curve_point>& points, const char* name) {
  std::string text = formatted("<polyline class=\"%s\" points=\"", name);
  for (std::size_t k = 0; k < points.size(); ++k)
    text += formatted("%s%.2f,%.2f", k == 0 ? "" : " ", across(points[k].x), down(points[k].y));
  return text + "\"/>\n";
}

constexpr const char* style =
    "<style>\n"
    "text { font: 11px sans-serif; fill: #333 }\n"
    ".title { font-size: 14px; font-weight: bold }\n"
    ".back { fill: #fff }\n"
    ".grid { stroke: #ddd }\n"
    ".frame { stroke: #333; fill: none }\n"
    ".curve { stroke: #0072b2; stroke-width: 2; stroke-linejoin: round; fill: none }\n"
    ".reference { stroke: #888; stroke-dasharray: 4 4; fill: none }\n"
    ".dot { fill: #0072b2 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #ddd }\n"
    ".back { fill: #16181c }\n"
    ".grid { stroke: #34383f }\n"
    ".frame { stroke: #ddd }\n"
    ".curve { stroke: #56b4e9 }\n"
    ".dot { fill: #56b4e9 }\n"
    "}\n"
    "</style>\n";

/// Lines, and their numbers beside the axes.
std::string grid() {
  std::string text;
  for (int k = 0; k <= 5; ++k) {
    const double at = k / 5.0;
    const std::string number = k == 0 ? "0" : k == 5 ? "1" : formatted("%.1f", at);
    text += formatted("<line class=\"grid\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\"/>\n", across(at), down(0),
                      across(at), down(1));
    text += formatted("<line class=\"grid\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\"/>\n", across(0), down(at),
                      across(1), down(at));
    text += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", across(at), bottom + 16,
                      number.c_str());
    text += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", left - 8, down(at) + 4,
                      number.c_str());
  }
  return text;
}

}  // namespace

std::string svg_of(const unit_chart& chart) {
  std::string text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"470\" height=\"480\" viewBox=\"0 0 470 480\" "
      "role=\"img\">\n";
  text += "<title>" + escaped(chart.title) + "</title>\n" + style;
  text += "<rect class=\"back\" width=\"470\" height=\"480\"/>\n";
  text += "<text class=\"title\" x=\"60\" y=\"24\">" + escaped(chart.title) + "</text>\n";
  text += "<text x=\"60\" y=\"44\">" + escaped(chart.subtitle) + "</text>\n" + grid();
  text += formatted("<rect class=\"frame\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", left, down(1),
                    side, side);
  text += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">", across(0.5), bottom + 34) +
          escaped(chart.x_axis) + "</text>\n";
  text += formatted("<text x=\"0\" y=\"0\" text-anchor=\"middle\" transform=\"translate(20 %.0f) rotate(-90)\">",
                    down(0.5)) +
          escaped(chart.y_axis) + "</text>\n";
  for (const auto& reference : chart.references) text += line_through(reference, "reference");
  if (!chart.curve.empty()) text += line_through(chart.curve, "curve");
  for (const chart_dot& dot : chart.dots)
    text += formatted("<circle class=\"dot\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", across(dot.at.x), down(dot.at.y),
                      std::max(1.5, 8 * std::sqrt(dot.size)));
  return text + "</svg>\n";
}

}  // namespace hogwild::cli
