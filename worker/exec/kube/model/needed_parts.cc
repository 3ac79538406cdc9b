// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/needed_parts.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

const Json& at_pointer(const Json& object, std::string_view pointer) {
  static const Json kNone;
  const Json::json_pointer path{std::string(pointer)};
  return object.contains(path) ? object.at(path) : kNone;
}

const Json& member_of(const Json& object, std::string_view name) {
  static const Json kNone;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return !object.is_object() || found == object.end() ? kNone : *found;
}

std::string_view parent_of(std::string_view pointer) {
  return pointer.substr(0, std::min(pointer.rfind('/'), pointer.size()));
}

/// Of each object in a list the text of a member.
std::set<std::string> texts_in(const Json& list, std::string_view name) {
  std::set<std::string> out;
  if (!list.is_array()) return out;
  for (const Json& item : list) {
    if (const std::string_view text = text_of(item, name); !text.empty()) out.emplace(text);
  }
  return out;
}

/// The files of a volume that containers of a pod mount alone.
std::set<std::string> files_mounted(const Json& pod_spec, std::string_view volume) {
  std::set<std::string> out;
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    const Json& containers = member_of(pod_spec, list);
    if (!containers.is_array()) continue;
    for (const Json& container : containers) {
      const Json& mounts = member_of(container, "volumeMounts");
      if (!mounts.is_array()) continue;
      for (const Json& mount : mounts) {
        const std::string_view file = text_of(mount, "subPath");
        if (text_of(mount, "name") == volume && !file.empty()) out.emplace(file);
      }
    }
  }
  return out;
}

void tell_keys(const Json& object, Json& row) {
  const std::string pointer(text_of(row, "path"));
  const std::size_t volumes = pointer.find("/volumes/");
  if (volumes == std::string::npos || !pointer.ends_with("ame")) return;
  const std::size_t volume_end = pointer.find('/', volumes + 9);
  const Json& volume = at_pointer(object, pointer.substr(0, volume_end));
  const Json& source = at_pointer(object, parent_of(pointer));
  const Json& items = member_of(source, "items");
  std::set<std::string> keys = texts_in(items, "key");
  // Several sources make the files of a projected volume together.
  if (const Json& projected = member_of(volume, "projected"); projected.is_null()) {
    std::set<std::string> files =
        files_mounted(at_pointer(object, pointer.substr(0, volumes)), text_of(volume, "name"));
    if (keys.empty()) {
      keys = std::move(files);
    } else {
      const std::set<std::string> made = texts_in(items, "path");
      std::erase_if(files, [&](const std::string& file) {
        return std::ranges::any_of(made, [&](const std::string& path) {
          return file == path || path.starts_with(file + "/");
        });
      });
      if (!files.empty()) row["lostFiles"] = files;
    }
  }
  if (!keys.empty()) row["keys"] = keys;
}

void tell_port(const Json& object, Json& row) {
  const std::string pointer(text_of(row, "path"));
  const Json& named = at_pointer(object, pointer);
  const Json& port =
      member_of(named.is_object() ? named : at_pointer(object, parent_of(pointer)), "port");
  if (port.is_number_integer() || (port.is_string() && port != "")) row["port"] = port;
  for (const char* form : {"name", "number"}) {
    const Json& given = member_of(port, form);
    if (given.is_number_integer() || (given.is_string() && given != "")) row["port"] = given;
  }
}

}  // namespace

void tell_needed_parts(const Json& object, Json& rows) {
  for (Json& row : rows) {
    const std::string_view kind = text_of(row, "kind");
    if (row.contains("group")) continue;
    if (kind == "ConfigMap" || kind == "Secret") tell_keys(object, row);
    if (kind == "Service" && !text_of(row, "name").empty()) tell_port(object, row);
  }
}

std::vector<std::string> missing_keys(const Json& row, const Json& target) {
  std::vector<std::string> out;
  const auto look = [&](const Json& key) {
    const auto& name = key.get_ref<const std::string&>();
    if (!member_of(target, "data").contains(name) &&
        !member_of(target, "binaryData").contains(name))
      out.push_back(name);
  };
  if (row.contains("key")) look(row["key"]);
  if (row.contains("keys")) std::ranges::for_each(row["keys"], look);
  return out;
}

Json has_port(const Json& row, const Json& service) {
  const Json& spec = member_of(service, "spec");
  if (text_of(spec, "type") == "ExternalName") return nullptr;
  const Json& ports = member_of(spec, "ports");
  const Json& wanted = row["port"];
  return ports.is_array() && std::ranges::any_of(ports, [&](const Json& port) {
           const Json& number = member_of(port, "port");
           return number == wanted || member_of(port, "name") == wanted ||
                  (wanted.is_string() && number.is_number_integer() &&
                   dump_json(number) == wanted.get_ref<const std::string&>());
         });
}

}  // namespace filecall::worker::kube
