// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "worker/exec/kube/kube_run.h"

namespace filecall::worker::kube {

/// Only names, labels and owners of objects are asked for.
inline constexpr const char* kMetadataAccept =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";

/// A list that a command reads, page by page.
struct WantedList {
  const Resource* resource = nullptr;  ///< Lives as long as the command.
  std::string name_space;              ///< Empty: all namespaces, or the kind has none.
  std::string accept = "application/json";
  std::string label_selector{};
  std::string field_selector{};
  /// Read instead where all namespaces are forbidden; empty: nothing is.
  std::string fallback{};
};

/// A list, or a part of one, that could not be read.
struct UnreadList {
  ObjectKind kind;
  std::string name_space;
  std::string why;
  /// Of the request that failed; kUnknown where none did (more objects than are read).
  ErrorCode code = ErrorCode::kUnknown;
  bool is_retryable = false;
};

/// A command that reads lists: 8 at a time, each in pages of 500, at most 10 of them. What cannot
/// be read is noted in unread(), with why, and ends nothing: a request that fails, a response that
/// is no list, a list that is longer. A list that changed while it was read (410) goes on where the
/// server says so. Loop thread only.
class KubeListRun : public KubeRun {
 public:
  using KubeRun::KubeRun;

 protected:
  using Take = std::function<void(const WantedList&, const Json& items)>;
  /// Once in the life of a command. `take` gets each page's items, `then` is called when nothing is
  /// left; nothing may follow a call of it.
  void read_lists(std::vector<WantedList> lists, Take take, std::function<void()> then);
  void note_unread(ObjectKind kind, std::string name_space, std::string why);
  void note_unread(ObjectKind kind, std::string name_space, const Failure& failure);
  const std::vector<UnreadList>& unread() const { return unread_; }
  /// [{"kind", "group"?, "namespace"?, "why"}]
  Json unread_json() const;

 private:
  struct Pending {
    WantedList list;
    std::string next;  ///< Continue token; empty: the first page.
    int pages = 0;
  };
  void fill();
  void take_answer(Pending pending, ApiAnswer answer);

  std::deque<Pending> waiting_;
  std::vector<UnreadList> unread_;
  Take take_;
  std::function<void()> then_;
  int in_flight_ = 0;
  bool is_filling_ = false;
};

}  // namespace filecall::worker::kube
