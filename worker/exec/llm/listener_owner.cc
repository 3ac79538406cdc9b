// SPDX-License-Identifier: MIT
#include "worker/exec/llm/listener_owner.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "os/io.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kTableBytesMax = 64 * 1024 * 1024;
constexpr std::string_view kListening = "0A";

template <typename Number>
bool read_number(std::string_view text, Number& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// Addresses are hexadecimal words in the machine's order of bytes.
bool is_local(std::string_view address) {
  if (address.find_first_not_of('0') == address.npos) return true;  // All addresses.
  if (address.size() == 8) return address.ends_with("7F");
  if (address == "00000000000000000000000001000000") return true;
  return address.starts_with("0000000000000000FFFF0000") && address.ends_with("7F");
}

}  // namespace

std::vector<std::uint32_t> listener_uids(std::string_view table, std::uint16_t port) {
  std::vector<std::uint32_t> uids;
  while (!table.empty()) {
    std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(table.size(), line.size() + 1));
    next_word(line);  // The number of the line.
    const std::string_view local = next_word(line);
    next_word(line);  // The other end.
    if (next_word(line) != kListening) continue;
    for (int i = 0; i < 3; ++i) next_word(line);  // Queues, timer, retransmissions.
    const std::size_t colon = local.find(':');
    std::uint16_t found = 0;
    std::uint32_t uid = 0;
    if (colon == local.npos || !read_number(local.substr(colon + 1), found, 16)) continue;
    if (found != port || !is_local(local.substr(0, colon))) continue;
    if (read_number(next_word(line), uid, 10)) uids.push_back(uid);
  }
  return uids;
}

std::string distrust_of_listener(std::string_view base_url) {
  constexpr std::string_view kScheme = "://";
  const std::size_t scheme = base_url.find(kScheme);
  std::string_view host = base_url.substr(scheme == base_url.npos ? 0 : scheme + kScheme.size());
  host = host.substr(0, host.find('/'));
  std::uint16_t port = 0;
  const std::size_t colon = host.rfind(':');
  if (colon == host.npos || !read_number(host.substr(colon + 1), port, 10)) port = 80;
  std::vector<std::uint32_t> uids;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto table = read_file(path, kTableBytesMax);
    if (!table) continue;  // A kernel without IPv6 has no tcp6.
    for (const std::uint32_t uid : listener_uids(*table, port)) uids.push_back(uid);
  }
  if (uids.empty()) return fmt::format("{}: who listens there cannot be seen", base_url);
  for (const std::uint32_t uid : uids) {
    if (uid == 0 || uid == ::geteuid()) continue;
    return fmt::format("{} belongs to another user (uid {})", base_url, uid);
  }
  return "";
}

}  // namespace filecall::worker::llm
