// SPDX-License-Identifier: MIT
#include "client/engine/living_clients.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <string>

#include "os/io.h"
#include "spool/lock.h"
#include "spool/scan.h"

namespace filecall::client {

std::int64_t count_living_clients(const spool::Layout& layout, std::string_view role_left_out) {
  auto locks = open_file(layout.client_locks(), O_RDONLY | O_DIRECTORY);
  if (!locks) return 0;
  const std::string left_out = fmt::format("-{}.lock", role_left_out);
  std::int64_t held = 0;
  (void)spool::read_directory(locks->get(), [&](const auto& entry) {
    if (!entry.may_be_regular) return;
    if (!role_left_out.empty() && entry.name.ends_with(left_out)) return;
    const std::string path = layout.client_locks() + "/" + std::string(entry.name);
    if (spool::FileLock::is_held(path).value_or(false)) ++held;
  });
  return held;
}

}  // namespace filecall::client
