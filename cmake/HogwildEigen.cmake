# SPDX-License-Identifier: Apache-2.0
# Whether the models mlp, convnet and deepfm are built: HOGWILD_HAS_EIGEN, and one line that says so.
set(HOGWILD_HAS_EIGEN FALSE)
if(HOGWILD_WITH_EIGEN)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  set(HOGWILD_HAS_EIGEN ${Eigen3_FOUND})
endif()
if(HOGWILD_HAS_EIGEN)
  message(STATUS "Models mlp, convnet and deepfm: built on Eigen ${Eigen3_VERSION}")
elseif(HOGWILD_WITH_EIGEN STREQUAL "AUTO")
  message(STATUS "Models mlp, convnet and deepfm: not built, Eigen 3.4 was not found (on Debian and Ubuntu: apt-get install "
                 "libeigen3-dev)")
elseif(HOGWILD_WITH_EIGEN)
  message(FATAL_ERROR "HOGWILD_WITH_EIGEN is ${HOGWILD_WITH_EIGEN} and Eigen 3.4 was not found; on Debian and Ubuntu: "
                      "apt-get install libeigen3-dev")
else()
  message(STATUS "Models mlp, convnet and deepfm: not built, HOGWILD_WITH_EIGEN is ${HOGWILD_WITH_EIGEN}")
endif()
