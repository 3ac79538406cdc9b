// SPDX-License-Identifier: MIT
#include "worker/exec/file/proposal_digest.h"

#include "ipc/json_text.h"
#include "worker/exec/file/file_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::file {

std::string proposal_digest(const Json& changes) {
  std::string text;
  for (const Json& change : changes) {
    Json row = Json::array();
    for (const char* name : {"path", "operation", "base_sha256", "new_content"}) {
      row.push_back(member(change, name));
    }
    // Only these changes have them.
    for (const char* name : {"mode", "directories"}) {
      if (change.contains(name)) row.push_back(change[name]);
    }
    append_json(text, row);
    text += '\n';
  }
  return sha256_hex(text);
}

}  // namespace filecall::worker::file
