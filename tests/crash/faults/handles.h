// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

/// Which descriptors were opened beneath the root, and under what path.
namespace faults::handles {

/// The path of `path` as opened relative to `directory`, when that is beneath the root.
std::optional<std::string> resolve(int directory, const char* path);

void remember(int fd, const std::string& path);
void forget(int fd);
/// nullptr: not beneath the root. Valid until the descriptor is forgotten.
const std::string* find(int fd);

}  // namespace faults::handles
