// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/models/net.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// The available convolutional nets.
enum class convolutional_net : std::uint32_t { mnist, cifar, cifar_3x3 };

/// The layers of a net for images, and how bytes become its input: (byte / 255 - mean) / deviation, by plane.
struct image_net {
  std::string_view name;                 ///< the name that `--net` uses
  net_plan layers;                       ///< from the image to the classes
  std::array<float, 3> mean, deviation;  ///< of each channel: a pixel is (value - mean) / deviation
};

/// The net of PyTorch's Hogwild example for grey images of 28 x 28.
inline constexpr image_net mnist_net = {"mnist",
                                        {{1, 28, 28},
                                         {convolution(10, 5), max_pool(), relu(),                         //
                                          convolution(20, 5), channel_dropout(0.5f), max_pool(), relu(),  //
                                          dense(50), relu(), dropout(0.5f),                               //
                                          dense(10)}},
                                        {0.1307f},
                                        {0.3081f}};
/// The net of PyTorch's Hogwild example for coloured images of 32 x 32.
inline constexpr image_net cifar_net = {"cifar",
                                        {{3, 32, 32},
                                         {convolution(10, 5), max_pool(), relu(),                         //
                                          convolution(20, 5), channel_dropout(0.5f), max_pool(), relu(),  //
                                          dense(50), relu(), dropout(0.5f),                               //
                                          dense(10)}},
                                        {0.4914f, 0.4822f, 0.4465f},
                                        {0.2470f, 0.2435f, 0.2616f}};
/// A net for the same images as cifar_net, with two pairs of 3 x 3 convolutions.
inline constexpr image_net cifar_3x3_net = {
    "cifar_3x3",
    {{3, 32, 32},
     {convolution(20, 3), relu(), convolution(20, 3), max_pool(), relu(),                          //
      convolution(40, 3), relu(), convolution(40, 3), channel_dropout(0.25f), max_pool(), relu(),  //
      dense(100), relu(), dropout(0.5f),                                                           //
      dense(10)}},
    cifar_net.mean,
    cifar_net.deviation};

/// Indexed by convolutional_net.
inline constexpr std::array<const image_net*, 3> image_nets = {&mnist_net, &cifar_net, &cifar_3x3_net};

/// A convolutional net on images. The entries of a row are the image's bytes that are not 0, each under its pixel's
/// number (sparse_view::original, plane by plane, row by row). Loss: -log softmax(scores)[class].
struct convnet {
  using scalar_type = float;
  static constexpr std::string_view name = "convnet";
  static constexpr bool takes_weights = true;
  using library_model = convnet;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr training_defaults defaults = {
      .step = 0.01, .schedule = schedule_kind::constant, .optimizer = optimizer_kind::momentum, .batch = 64};
  static constexpr std::size_t measured_rows = 10'000;
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t classes = 10;  ///< those of MNIST and CIFAR-10

  convolutional_net which = convolutional_net::mnist;  ///< one of image_nets

  const image_net& net() const { return *image_nets[static_cast<std::size_t>(which)]; }  ///< the chosen net
  std::size_t dim() const { return net().layers.parameters(); }
  std::vector<parameter_group> groups() const { return groups_of(net().layers, false); }
  void init(const param_view<float>& w, const counter_random& random) const { initialise_net(net().layers, w, random); }

  struct workspace {
    void stop_when(std::function<bool()> asked) { net.stop_when(std::move(asked)); }

    net_workspace net;
    std::vector<std::uint32_t> pixel;  ///< place of each column in the net's input
  };

  /// Throws config_error unless this build has nets and the rows can be images that this net takes: images of its size
  /// or, if their size is unknown, rows whose pixels all lie within it. The message calls the rows `source`.
  void require_data(const sparse_view& rows, std::string_view source) const;

  /// Throws config_error if the data's images have pixels that the net does not have.
  workspace make_workspace(const sparse_view& images, isa set, std::size_t batch) const {
    return {net_workspace(net().layers, set, batch), pixels_of(images)};
  }

  void take(workspace& space, std::size_t k, const sparse_row<float>& image, const counter_random& random) const {
    space.net.describe(k, random.bits(0), image.label, image.weight);
    write_image(space, k, image);
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    space.net.read(w, groups());
    space.net.differentiate(n);
    space.net.emit(emit, groups());
  }

  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    space.net.read(w, groups());
    space.net.score(n, scores);
  }

 private:
  std::vector<std::uint32_t> pixels_of(const sparse_view& images) const;
  void write_image(workspace& space, std::size_t k, const sparse_row<float>& image) const;
};

}  // namespace hogwild
