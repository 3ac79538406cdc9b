// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/promptfoo/config_node.h"
#include "client/promptfoo/import_files.h"
#include "client/promptfoo/import_notes.h"

namespace filecall::client {

/// One test case, with what the default test says where it says nothing itself. Variables that are
/// lists have been multiplied out.
struct ForeignTest {
  ConfigNode node;
  Json vars = Json::object();
  Json metadata = Json::object();
  std::string description{};
  std::vector<ConfigNode> assertions{};
  std::optional<double> threshold{};
  bool keeps_lists = false;           ///< Variables that are lists are not multiplied out.
  std::optional<ConfigNode> judge{};  ///< The model that grades, where the test names one.
};

/// `tests` and `defaultTest` of a configuration: lists, file:// of YAML, JSON, JSON Lines and CSV.
/// Without tests there is one, of the default test alone. What was not taken is noted.
std::vector<ForeignTest> take_tests(const ConfigNode& config, ImportFiles& files,
                                    ImportNotes& notes);

}  // namespace filecall::client
