// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// Whether labels (an object of texts, or null for none) fit a LabelSelector: all of `matchLabels`
/// and all of `matchExpressions` (In, NotIn, Exists, DoesNotExist; Gt and Lt of node selectors). An
/// empty selector fits everything; an operator that is not known fits nothing. Pure.
bool selector_matches(const Json& selector, const Json& labels);

/// A LabelSelector as the query `labelSelector` takes it: "app=web,tier in (a,b),!old". What no
/// query can say is left out: more objects fit then. Pure.
std::string selector_query(const Json& selector);

/// Whether a text fits a pattern in which '*' stands for any characters. Pure.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace filecall::worker::kube
