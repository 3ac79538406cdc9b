// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall {

/// The value in `document` that a `$ref` names: "#" or "#/a/b", a JSON pointer as a URI fragment.
/// Failure: invalid_argument; it names nothing there, or something outside the document, which is
/// never fetched.
Result<const Json*> find_reference(const Json& document, std::string_view reference);

}  // namespace filecall
