// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_rules.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/take_until.h"

namespace filecall::worker::file {

namespace {

Unexpected<Error> never_fits(std::string_view why) {
  return fail(ErrorCode::kInvalidArgument, std::string(why));
}

bool has_odd_part(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = take_until(&path, '/');
    if (part.empty() || part == "." || part == "..") return true;
  }
  return false;
}

/// `path` below `directory`, which it lies in; empty for the directory itself.
std::string_view below_directory(std::string_view path, std::string_view directory) {
  path.remove_prefix(directory == "/" ? 0 : directory.size());
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

/// A glob of the configuration as PathGlob has them, once for each root that it counts for.
Result<std::vector<std::string>> forms_of(std::string_view glob,
                                          const std::vector<std::string>& roots) {
  while (glob.size() > 1 && glob.ends_with('/')) glob.remove_suffix(1);
  if (glob.empty()) return never_fits("is empty");
  if (glob.starts_with('!')) return never_fits("names are added, none is taken away with '!'");
  if (glob.starts_with("~/") || glob == "~") return never_fits("'~' means nothing here");
  if (glob.starts_with('/')) {
    std::vector<std::string> forms;
    for (const std::string& root : roots) {
      if (!is_beneath(glob, root)) continue;
      const std::string_view rest = below_directory(glob, root);
      if (rest.empty()) continue;
      if (has_odd_part(rest)) return never_fits("holds '.', '..' or '//'");
      forms.push_back(fmt::format("/{}", rest));
    }
    if (!forms.empty()) return forms;
    return never_fits(
        "lies beneath none of file.roots; what counts from each root begins with './'");
  }
  const bool is_bound = glob.starts_with("./");
  while (glob.starts_with("./")) glob.remove_prefix(2);
  if (glob.empty() || has_odd_part(glob)) return never_fits("holds '.', '..' or '//'");
  return std::vector{is_bound ? fmt::format("/{}", glob) : std::string(glob)};
}

bool is_place(std::string_view whole, std::string_view path, std::string_view root_path) {
  if (root_path == "/") return whole.substr(1) == path;
  return whole.size() == root_path.size() + 1 + path.size() && whole.starts_with(root_path) &&
         whole[root_path.size()] == '/' && whole.ends_with(path);
}

/// Whether a path is an older form of the log: its name with a number in it.
bool is_old_log(std::string_view path, std::string_view root_path, std::string_view log) {
  if (log.empty()) return false;
  const std::string_view name = last_name(path);
  const std::string_view own = last_name(log);
  const std::size_t dot = own.rfind('.');
  const bool has_extension = dot != own.npos && dot != 0 && dot + 1 != own.size();
  const std::string_view stem = has_extension ? own.substr(0, dot) : own;
  const std::string_view extension = has_extension ? own.substr(dot) : "";
  if (name.size() < stem.size() + 2 + extension.size() || !name.starts_with(stem) ||
      !name.ends_with(extension) || name[stem.size()] != '.') {
    return false;
  }
  std::string_view number = name.substr(stem.size() + 1);
  number.remove_suffix(extension.size());
  if (number.find_first_not_of("0123456789") != number.npos) return false;
  const std::string_view directory = log.substr(0, log.size() - own.size());
  return is_place(fmt::format("{}{}", directory, name), path, root_path);
}

}  // namespace

Result<NameList> NameList::compile(const std::vector<std::string>& globs,
                                   const std::vector<std::string>& roots) {
  NameList list;
  for (const std::string& text : globs) {
    const auto complain = [&text](const Error& error) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': {}", text, error.message));
    };
    const auto alternatives = expand_braces(text);
    if (!alternatives) return complain(alternatives.error());
    for (const std::string& alternative : *alternatives) {
      const auto forms = forms_of(alternative, roots);
      if (!forms) return complain(forms.error());
      for (const std::string& form : *forms) {
        auto glob = PathGlob::compile(form);
        if (!glob) return complain(glob.error());
        list.globs_.push_back(*std::move(glob));
      }
    }
  }
  return list;
}

bool NameList::has_last(std::string_view path) const {
  return std::ranges::any_of(globs_, [path](const PathGlob& glob) { return glob.matches(path); });
}

bool NameList::has(std::string_view path) const {
  for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1)) {
    if (has_last(path.substr(0, at))) return true;
  }
  return has_last(path);
}

Result<FileRules> FileRules::compile(FileConfig config) {
  if (config.real_roots.empty()) config.real_roots = config.roots;
  std::vector<std::string> roots = config.roots;
  roots.insert(roots.end(), config.real_roots.begin(), config.real_roots.end());
  auto hidden = NameList::compile(config.hidden, roots);
  if (!hidden) {
    return fail(ErrorCode::kInvalidArgument, "file.hidden: " + hidden.error().message);
  }
  auto protect = NameList::compile(config.protect, roots);
  if (!protect) {
    return fail(ErrorCode::kInvalidArgument, "file.protected: " + protect.error().message);
  }
  for (const std::string& root : config.real_roots) {
    for (const std::string& outer : config.real_roots) {
      if (root == outer || !is_beneath(root, outer) || !hidden->has(below_directory(root, outer))) {
        continue;
      }
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("file.roots: {} is hidden in {} (file.hidden)", root, outer));
    }
  }
  return FileRules{std::move(config), *std::move(hidden), *std::move(protect)};
}

template <typename Fits>
bool FileRules::fits_in_any_root(std::string_view path, std::string_view root_path,
                                 const Fits& fits) const {
  if (path == ".") return false;
  if (fits(path)) return true;
  if (config.real_roots.size() < 2) return false;
  // Roots in roots: a name that counts from one of them is no other by another way.
  const std::string whole = fmt::format("{}/{}", root_path == "/" ? "" : root_path, path);
  return std::ranges::any_of(config.real_roots, [&](const std::string& root) {
    if (root == root_path || !is_beneath(whole, root)) return false;
    const std::string_view below = below_directory(whole, root);
    return !below.empty() && fits(below);
  });
}

bool FileRules::hides(std::string_view path, std::string_view root_path) const {
  for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1)) {
    if (hides_last(path.substr(0, at), root_path)) return true;
  }
  return hides_last(path, root_path) || std::ranges::any_of(config.own_paths, [&](const auto& own) {
           return is_beneath(root_path, own);
         });
}

bool FileRules::hides_last(std::string_view path, std::string_view root_path) const {
  return fits_in_any_root(path, root_path,
                          [this](std::string_view below) { return hidden.has_last(below); }) ||
         std::ranges::any_of(config.own_paths,
                             [&](const auto& own) { return is_place(own, path, root_path); }) ||
         is_old_log(path, root_path, config.own_log);
}

bool FileRules::protects(std::string_view path, std::string_view root_path) const {
  return fits_in_any_root(path, root_path,
                          [this](std::string_view below) { return protect.has(below); });
}

bool FileRules::is_own_file(dev_t device, ino_t inode) const {
  return std::ranges::find(config.own_ids, std::pair(device, inode)) != config.own_ids.end();
}

bool is_beneath(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

Result<FilePlace> choose_place(const FileConfig& config, std::string_view path,
                               std::string_view pointer) {
  if (config.roots.empty()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: the worker's configuration allows no files; name directories in "
                            "file: {{roots: [...]}}",
                            pointer));
  }
  if (path.empty() || path.find('\0') != path.npos) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a path is not empty and holds no NUL", pointer));
  }
  if (!path.starts_with('/')) return FilePlace{0, std::string(path)};
  for (std::size_t i = 0; i < config.roots.size(); ++i) {
    if (!is_beneath(path, config.roots[i])) continue;
    std::string_view below = path.substr(config.roots[i] == "/" ? 0 : config.roots[i].size());
    while (below.starts_with('/')) below.remove_prefix(1);
    return FilePlace{i, below.empty() ? "." : std::string(below)};
  }
  return fail(ErrorCode::kPermissionDenied,
              fmt::format("{}: '{}' is beneath none of {} (file.roots)", pointer, path,
                          fmt::join(config.roots, ", ")));
}

}  // namespace filecall::worker::file
