# SPDX-License-Identifier: Apache-2.0
# What Doxygen is shown of a header. Members that every model has mean the same in each, which <hogwild/model.hpp> says: they
# get their description here, where the header has nothing of its own to say of them. Of several names in one declaration
# Doxygen gives the comment to one: they become declarations of their own.
function means(text) {
  if (FILENAME ~ /models\// && !told && line !~ /\/\/\/</) { print "  /// " text; told = 1 }
}
# "  type a{}, b{};  ///< comment" as two lines with the comment; whether it was of that kind.
function split_names(text,   comment, list, type, names, n, i) {
  if (text !~ /^ +[a-z][a-zA-Z_0-9:]*(<[^;()]*>)? [a-z_0-9]+( = [^,;()]+|\{\})?(, [a-z_0-9]+( = [^,;()]+|\{\})?)+;/) return 0
  comment = text ~ /\/\/\/</ ? text : "///<" block
  sub(/^.*\/\/\/</, "///<", comment)
  list = text
  sub(/;.*$/, "", list)
  match(list, /^ +[a-z][a-zA-Z_0-9:]*(<[^;()]*>)? /)
  type = substr(list, 1, RLENGTH)
  n = split(substr(list, RLENGTH + 1), names, /, /)
  for (i = 1; i <= n; ++i) print type names[i] ";  " (comment == "///<" ? "" : comment)
  return 1
}
{
  line = $0
  told = documented
  if (line ~ /using scalar_type =/) means("What parameters are.")
  if (line ~ /using example_type =/) means("What a row is shown as.")
  if (line ~ /using library_model =/) means("Says that the library has this model compiled.")
  if (line ~ /using kernel_model =/) means("Says that kernels of the library train this model.")
  if (line ~ /using workspace =/) means("What a worker keeps of a batch; see workspace_model.")
  if (line ~ /std::string_view name =/) means("What the command line, saved models and records call it.")
  if (line ~ /using convex =/) means("Says that its loss is convex: of a tolerance the distance from the optimum is known.")
  if (line ~ /label_kind labels =/) means("Which labels it takes.")
  if (line ~ /training_defaults defaults/) means("What training takes where the user says nothing.")
  if (line ~ /measured_rows =/) means("The training loss is measured on so many of the first rows.")
  if (line ~ /sharing_kind sharing =|shares =/) means("How its workers share parameters where the user says nothing.")
  if (line ~ /bool takes_weights =/) means("Rows may weigh more or less than others.")
  if (line ~ /bool takes_lists =/) means("Rows may have lists of labels.")
  if (line ~ /bool linear =/) means("Its scores are linear in the row: l2 has a default, and the bias is not regularised.")
  if (line ~ /std::size_t dim\(\)/) means("How many parameters it has.")
  if (line ~ /groups\(\) const/) means("Its groups of parameters, which follow each other without a gap.")
  if (line ~ / init\(/) means("Gives fresh parameters their first values. One thread calls it, before any worker trains.")
  if (line ~ / make_workspace\(/) means("A worker's workspace for batches of so many rows.")
  if (line ~ / take\(/) means("Takes row `k` of a batch into the workspace.")
  if (line ~ / score\(/) means("The losses and scores of the `n` rows in the workspace.")
  if (line ~ /(double|float) loss\(/) means("The loss of a row, at least 0, without regularisation.")
  if (line ~ /float derivative\(/) means("The derivative of loss() by the margin; at a kink one of its subgradients.")
  if (line ~ /void gradient\(/) means("Emits the partial derivatives of the loss: every read comes before the first emit.")
  if (line ~ / predict\(/) means("What is predicted for a row.")
  if (line ~ /smoothness\(/) means("An upper bound of the second derivative of loss() by the margin.")
  if (line ~ / numbers\(\)/) means("What it is made with: name, member and range of each, for options and saved models.")
  if (line ~ /hyperparameters\(\)|settings\(\)/) means("What it was made with, as messages and records have it.")
  if (line ~ /arrays_in\(|kernel_room\(|half_arrays_in\(/) means("For the kernels of the library.")
  if (line ~ / derive\(| measured\(| differentiate\(/) means("For the kernels of the library.")
  if (line ~ /stop_when\(/) means("Says how long computations ask whether the run was asked to stop.")
  if (!split_names(line)) print line
  if (line ~ /^ *\/\/\//) block = block " " substr(line, index(line, "///") + 3); else block = ""
  documented = line ~ /^ *\/\/\// || (documented && line ~ /^ *(template|requires)/)
}
