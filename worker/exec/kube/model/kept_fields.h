// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// JSON pointers of what was sent in an object and is not in what the server made of it: fields
/// that the kind does not have (servers before Kubernetes 1.25 drop them whatever fieldValidation
/// says), settings that stand beside the member they belong into, status. Takes the *redacted*
/// answer, and looks at names alone: a value may be hidden, or written in another way.
///
/// Not missing are: what says nothing (null, false, 0, empty); annotations and what of the metadata
/// the server keeps; stringData, which becomes data; items of a list that others add to.
/// `is_whole`, where it is given: whether all was compared, lists of more than 50 objects and more
/// than 100 000 comparisons are not. Pure.
std::vector<std::string> fields_not_kept(const Json& sent, const Json& stored,
                                         bool* is_whole = nullptr);

/// In words, for the answer's warnings; empty when everything was kept.
std::string not_kept_warning(const Json& sent, const Json& stored);

}  // namespace filecall::worker::kube
