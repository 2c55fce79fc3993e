# SPDX-License-Identifier: Apache-2.0
# One word, one meaning: identifiers use the glossary of CONTRIBUTING.md. This refuses former names; a word that is
# refused in some places only keeps its right meaning in the others.
cmake_minimum_required(VERSION 3.25)
set(faults "")
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/core/*.?pp" "${ROOT}/models/*.?pp" "${ROOT}/hogwild/*.?pp"
     "${ROOT}/hogwildpp/*.?pp" "${ROOT}/tools/*.?pp" "${ROOT}/python/*.?pp" "${ROOT}/bench/*.?pp" "${ROOT}/tests/*.?pp")
if(NOT files)
  message(FATAL_ERROR "no sources under ${ROOT}")
endif()

# The path and the code of the file at hand are `file` and `code`. A part of an identifier stands between underscores.
macro(refuse regex instead)
  if(code MATCHES "${regex}")
    list(APPEND faults "${file}: ${CMAKE_MATCH_2}: ${instead}")
  endif()
endmacro()
macro(refuse_part words instead)
  refuse("(^|[^A-Za-z0-9])(${words})([^A-Za-z0-9]|$)" "${instead}")
endmacro()
macro(refuse_word words instead)
  refuse("(^|[^A-Za-z0-9_])(${words})([^A-Za-z0-9_]|$)" "${instead}")
endmacro()

foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" code)
  string(REGEX REPLACE "'\\\\?\"'" "" code "${code}")
  string(REGEX REPLACE "\"([^\"\\\n]|\\\\.)*\"" "" code "${code}")
  string(REGEX REPLACE "//[^\n]*" "" code "${code}")

  refuse_part("jobs?" "training_task")
  refuse_part("crews?|hired?|staffed" "engine_run, start, with_workers")
  # `team` alone is the engines' member and the option --team.
  string(REGEX REPLACE "thread_team" "" code "${code}")
  refuse("(^|[^A-Za-z0-9_])([A-Za-z0-9_]+_team|team_[a-z_]+|team(&|::))" "thread_team")
  refuse("(^|[^A-Za-z0-9_])(neighbours(&|[*]|::))" "exchange_hook")
  refuse_part("(own|single|frequent)_columns?" "singleton_columns, first_singleton")
  refuse_part("steepness" "smoothness")
  refuse_part("may_rise" "non_monotone")
  refuse("(^|[^A-Za-z0-9_])(settings[(][)])" "hyperparameters()")
  refuse_part("judged?|judges|verdicts?" "score, row_score; assess")
  refuse_part("asked_model|keep_inputs|with_sound_cache" "model_from_request, refuse_overwrite, retry_damaged_cache")
  refuse_part("bury|buried|blame|taken_along" "reap, charge_failure, chunk_failures")
  refuse_part("ring_replica" "replica_view")
  refuse_part("shared_net" "workspace_predictor")
  refuse_part("final_loss" "train_loss")
  refuse_part("shares?" "sharing, fraction or gain_weight")
  refuse_part("machine_(arrays|rows|shape|scores|changes|width|groups)" "fm_, for a machine is a computer")
  # Only groups of parameters are frozen.
  refuse("(^|[^A-Za-z0-9_])(sharing_kind::frozen|frozen_sharing)" "deterministic")
  # Patience is a number of epochs.
  if(NOT file MATCHES "/(options|stop_rules|prepare|train_request|option_list)[.][ch]pp$" AND NOT file MATCHES "^tests/")
    refuse_part("patience" "timeout or max_polls, for patience is a number of epochs")
  endif()
  refuse("(^|[^A-Za-z0-9_])(patience_(seconds|of)|impatient)" "timeout")
  # A rank is a process; the lowest folders know of none, except what records and results say of them.
  if(file MATCHES "^(core|models|tools/generate)/" AND NOT file MATCHES "/(run_record|result|result_json)[.][ch]pp$")
    refuse_part("ranks?|ranked|ranking" "column_position, popularity or factors")
  endif()
endforeach()
if(faults)
  list(JOIN faults "\n  " faults)
  message(FATAL_ERROR "\n  ${faults}")
endif()
