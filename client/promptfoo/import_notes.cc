// SPDX-License-Identifier: MIT
#include "client/promptfoo/import_notes.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "client/promptfoo/foreign_secrets.h"

namespace filecall::client {
namespace {

/// Texts of a configuration may stand in a note: its secrets never do.
void add_note(std::vector<ImportNote>& notes, ImportNote note) {
  for (std::string* text : {&note.place.path, &note.what, &note.why}) {
    *text = without_address_secrets(*text);
  }
  const auto key = [](const ImportNote& one) {
    return std::tie(one.place.file, one.place.path, one.what, one.why);
  };
  const bool is_known = std::any_of(
      notes.begin(), notes.end(), [&](const ImportNote& other) { return key(other) == key(note); });
  if (is_known) return;
  const auto after = std::find_if(notes.begin(), notes.end(), [&](const ImportNote& other) {
    return other.place.file == note.place.file && other.place.line > note.place.line;
  });
  notes.insert(after, std::move(note));
}

}  // namespace

void ImportNotes::not_taken(const ConfigNode& node, std::string what, std::string why) {
  add_note(not_taken_, {node.place(), std::move(what), std::move(why)});
}

void ImportNotes::differs(const ConfigNode& node, std::string what, std::string why) {
  add_note(differs_, {node.place(), std::move(what), std::move(why)});
}

std::string note_text(const ImportNote& note) {
  const bool says_it = note.place.path == note.what || note.place.path.ends_with("." + note.what);
  const std::string path = note.place.path.empty() || says_it ? "" : note.place.path + ": ";
  return fmt::format("{}:{}: {}{}: {}", note.place.file, note.place.line, path,
                     says_it ? note.place.path : note.what, note.why);
}

Json notes_json(const std::vector<ImportNote>& notes) {
  Json list = Json::array();
  for (const ImportNote& note : notes) {
    list.push_back({{"file", note.place.file},
                    {"line", note.place.line},
                    {"path", note.place.path},
                    {"what", note.what},
                    {"why", note.why}});
  }
  return list;
}

}  // namespace filecall::client
