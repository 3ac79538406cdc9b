// SPDX-License-Identifier: MIT
#include "client/approval/led_paths.h"

#include <filesystem>

#include "client/approval/core/member_condition.h"
#include "client/approval/core/text_glob.h"

namespace filecall::client {
namespace {

class PathWalk {
 public:
  explicit PathWalk(const std::string& from) : from_(from), real_(path_without_links(from)) {}

  void look(const Json& value, bool is_place) {
    if (value.is_string()) {
      if (is_place) resolve(value.get<std::string>());
    } else if (value.is_array()) {
      for (const Json& one : value) look(one, is_place);
    } else if (value.is_object()) {
      for (const auto& [key, one] : value.items()) look(one, is_place_member(key));
    }
  }
  std::map<std::string, std::string> found;

 private:
  void resolve(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) return;
    const std::string whole = path.starts_with('/') ? path : from_ + "/" + path;
    const std::string real = path_without_links(whole);
    const std::string beneath = relative_path(real_, real);
    const std::string led = beneath.empty() ? real : absolute_path(from_, beneath);
    if (led != absolute_path(from_, path)) found[path] = led;
  }

  std::string from_;
  std::string real_;
};

}  // namespace

std::string path_without_links(const std::string& path) {
  std::error_code status;
  const auto real = std::filesystem::weakly_canonical(path, status);
  return status ? path : plain_path(real.string());
}

std::map<std::string, std::string> led_paths(const Json& args, const std::string& from) {
  if (!from.starts_with('/')) return {};
  PathWalk walk(from);
  walk.look(args, false);
  return std::move(walk.found);
}

}  // namespace filecall::client
