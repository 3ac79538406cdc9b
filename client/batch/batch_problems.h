// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace filecall::client {

/// Keeps the first problems in the input's order and counts all.
class ProblemList {
 public:
  /// `kept_max`: how many are kept.
  explicit ProblemList(std::size_t kept_max) : kept_max_(kept_max) {}

  void add(std::uint64_t position, std::string text);
  bool empty() const { return count_ == 0; }
  std::int64_t count() const { return count_; }
  /// Those that were kept; the list is of no use afterwards.
  std::vector<std::string> take_texts();

 private:
  std::size_t kept_max_;
  std::int64_t count_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> kept_;
};

/// Members that nobody knows: where each was met first, and how often; in order of the first.
class UnknownMembers {
 public:
  void add(const std::string& name, const std::string& where);
  std::vector<std::string> texts() const;

 private:
  struct Seen {
    std::string where;
    std::int64_t count = 0;
    std::size_t order = 0;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace filecall::client
