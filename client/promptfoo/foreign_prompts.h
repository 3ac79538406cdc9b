// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "client/promptfoo/config_node.h"
#include "client/promptfoo/import_files.h"
#include "client/promptfoo/import_notes.h"

namespace filecall::client {

/// A prompt as a template of ours.
struct TakenPrompt {
  std::string name;               ///< Unique; a file's name without its ending.
  std::string text;               ///< What stands in the file.
  bool is_json = false;           ///< Params of llm.chat; else a text.
  std::set<std::string> names{};  ///< Of the variables in it.
};

/// `prompts`: texts, file:// (also with *), {id, raw, label}, and lists of them. Chats in JSON or
/// YAML become messages. What was not taken is noted.
std::vector<TakenPrompt> take_prompts(const ConfigNode& prompts, ImportFiles& files,
                                      ImportNotes& notes);

/// "Answer briefly!" is "answer-briefly"; empty: nothing of it can be in a name.
std::string name_from(std::string_view text);

}  // namespace filecall::client
