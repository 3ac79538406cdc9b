// SPDX-License-Identifier: MIT
#include "client/cli/login_name.h"

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace filecall::client {

std::string login_name() {
  if (const char* user = std::getenv("USER"); user != nullptr && user[0] != '\0') return user;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? fmt::format("uid {}", ::geteuid()) : entry->pw_name;
}

}  // namespace filecall::client
