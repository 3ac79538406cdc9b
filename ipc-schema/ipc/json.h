// SPDX-License-Identifier: MIT
#pragma once

// The one include of the JSON library (it costs seconds a translation unit).
#include <nlohmann/json.hpp>

// Where nothing is inlined, each source would compile the library's members again.
#ifdef FILECALL_JSON_ONCE
extern template class nlohmann::basic_json<>;
#endif

namespace filecall {

/// A JSON value. Objects are sorted by key; values are owned and freely copied.
using Json = nlohmann::json;

/// Text of a value; malformed UTF-8 is replaced, so it never throws. `indent` < 0: one line.
inline std::string dump_json(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace filecall
