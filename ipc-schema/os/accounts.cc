// SPDX-License-Identifier: MIT
#include "os/accounts.h"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "os/io.h"

namespace filecall {
namespace {

constexpr std::size_t kEntryBytes = 4096;
constexpr std::size_t kEntryBytesMax = 16 * 1024 * 1024;

struct User {
  std::string name;
  gid_t group = 0;
};

/// These say that there is no such user, as 0 without one does (getpwuid_r(3)).
bool means_unknown(int error) {
  return error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
}

/// nullopt: there is none. Failures: the database could not be read.
Result<std::optional<User>> find_user(uid_t uid) {
  std::vector<char> buffer(kEntryBytes);
  for (;;) {
    struct passwd entry {};
    struct passwd* found = nullptr;
    const int error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < kEntryBytesMax) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    if (found != nullptr) return std::optional(User{found->pw_name, found->pw_gid});
    if (means_unknown(error)) return std::optional<User>();
    return fail_errno(error, fmt::format("the machine's database of users, uid {}", uid));
  }
}

/// `look` is getgrnam_r or getgrgid_r without its buffer. A group may have many members.
template <typename Look>
std::optional<std::pair<std::string, gid_t>> find_group_entry(const Look& look) {
  std::vector<char> buffer(kEntryBytes);
  for (;;) {
    struct group entry {};
    struct group* found = nullptr;
    const int error = look(&entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < kEntryBytesMax) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    if (error != 0 || found == nullptr) return std::nullopt;
    return std::pair<std::string, gid_t>(found->gr_name, found->gr_gid);
  }
}

}  // namespace

std::string user_label(uid_t uid) {
  const auto user = find_user(uid);
  if (!user || !*user) return fmt::format("uid {}", uid);
  return fmt::format("{} (uid {})", (*user)->name, uid);
}

std::string group_label(gid_t gid) {
  const auto found =
      find_group_entry([gid](auto* entry, char* bytes, std::size_t size, auto** out) {
        return ::getgrgid_r(gid, entry, bytes, size, out);
      });
  return found ? found->first : std::to_string(gid);
}

Result<gid_t> find_group(const std::string& name) {
  const auto found =
      find_group_entry([&name](auto* entry, char* bytes, std::size_t size, auto** out) {
        return ::getgrnam_r(name.c_str(), entry, bytes, size, out);
      });
  if (found) return found->second;
  gid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc{} && end == name.data() + name.size() &&
                         !name.empty() && number != static_cast<gid_t>(-1);
  if (is_number) return number;
  return fail(ErrorCode::kNotFound,
              fmt::format("group: this machine has no group '{}'; name one of getent group, or a "
                          "number",
                          name));
}

Result<std::optional<bool>> is_member(uid_t uid, gid_t gid) {
  TRY_ASSIGN(const auto user, find_user(uid));
  if (!user) return std::optional<bool>();
  std::vector<gid_t> groups(64);
  auto count = static_cast<int>(groups.size());
  if (::getgrouplist(user->name.c_str(), user->group, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(std::max(count, 1)));
    count = static_cast<int>(groups.size());
    if (::getgrouplist(user->name.c_str(), user->group, groups.data(), &count) < 0) {
      return std::optional(false);
    }
  }
  return std::optional(std::find(groups.begin(), groups.begin() + count, gid) !=
                       groups.begin() + count);
}

std::string user_map() {
  constexpr std::size_t kBytes = 64 * 1024;
  const auto text = read_file("/proc/self/uid_map", kBytes);
  std::string out;
  for (const char c : text ? *text : std::string()) {
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit || (!out.empty() && out.back() != ' ')) out += is_digit ? c : ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

bool has_group(gid_t gid) {
  if (::getegid() == gid) return true;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  if (count < 0) return false;
  return std::find(groups.begin(), groups.begin() + count, gid) != groups.begin() + count;
}

}  // namespace filecall
