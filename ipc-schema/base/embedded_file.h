// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall {

/// A file of the source tree compiled into the program (schemas, examples, the charting library).
/// Both members live as long as the process.
struct EmbeddedFile {
  std::string_view name;   ///< The file's base name, e.g. "request.schema.json".
  std::string_view bytes;  ///< Its contents, unchanged.
};

}  // namespace filecall
