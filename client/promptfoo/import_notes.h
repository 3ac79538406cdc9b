// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/promptfoo/config_node.h"
#include "ipc/json.h"

namespace filecall::client {

/// Something of a foreign configuration that was not taken, or means something else here.
struct ImportNote {
  ConfigPlace place;
  std::string what;  ///< "assertion similar"
  std::string why;
};

/// All that is not as it was, in each file by lines. Equal notes are kept once.
class ImportNotes {
 public:
  void not_taken(const ConfigNode& node, std::string what, std::string why);
  void differs(const ConfigNode& node, std::string what, std::string why);

  const std::vector<ImportNote>& not_taken() const { return not_taken_; }
  const std::vector<ImportNote>& differing() const { return differs_; }

 private:
  std::vector<ImportNote> not_taken_;
  std::vector<ImportNote> differs_;
};

/// "promptfooconfig.yaml:14: tests[2].assert[0]: assertion similar: why"
std::string note_text(const ImportNote& note);
Json notes_json(const std::vector<ImportNote>& notes);

}  // namespace filecall::client
