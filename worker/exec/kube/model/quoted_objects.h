// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// An error text without the objects that it quotes. A server that cannot use a patch quotes the
/// whole object that the patch made of the live one, values of Secrets included, and nobody has
/// learned them: only the patch was sent. So what is quoted goes, whatever it is:
/// - `"{...}"`, a quoted JSON text; `{...}`, JSON or a Go value; `map[a:b ...]`, a Go map: what
///   stands inside becomes `...`. Without an end everything after it goes.
/// - `...|ta":{"x":7},"ki|...`, the bytes around a mistake: from the first to the last of them.
/// Empty braces stay, and so does `map[string]`, a type. Pure.
std::string without_quoted_objects(std::string_view text);

/// Does so with the message and the causes of a Status.
void take_out_quoted_objects(Json& status);

}  // namespace filecall::worker::kube
