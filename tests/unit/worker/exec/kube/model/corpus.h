// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace filecall::worker::kube {

/// One text of a corpus (corpus/*.txt), made of a template.
struct CorpusEntry {
  std::string place;   ///< Of its section: env, file, log, ...
  std::string detail;  ///< Of a file: its name.
  std::string text;
  std::string secret;  ///< What was planted; empty in a harmless one, unless it is random.
  /// Every other template: rules are made by looking at the others alone.
  bool is_held_out = false;
};

/// Makes entries of the templates of a file: each template in turn, until there are enough. Values
/// that are planted differ from entry to entry, and are the same in every run.
class Corpus {
 public:
  explicit Corpus(std::string_view file);
  std::vector<CorpusEntry> entries(std::size_t count);

 private:
  struct Template {
    std::string place;
    std::string detail;
    std::string text;
    bool is_json = false;
  };
  void add(const std::string& place, const std::string& detail, std::string text);
  CorpusEntry made(const Template& from);
  std::string value_for(std::string_view placeholder);
  std::string letters(std::string_view alphabet, std::size_t count);
  std::string password();
  std::string key_block(std::string_view label, bool is_one_line);

  std::vector<Template> templates_;
  Random random_{20};
  std::uint64_t turn_ = 0;
};

/// What an entry shows after redaction, and whether it was changed by it.
struct Shown {
  std::string text;
  bool is_changed = false;
};
Shown shown_entry(const CorpusEntry& entry);
/// Whether half of the value or more (and at least 8 bytes) can be read.
bool is_visible(std::string_view text, std::string_view secret);

}  // namespace filecall::worker::kube
