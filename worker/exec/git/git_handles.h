// SPDX-License-Identifier: MIT
#pragma once

#include <git2.h>

#include <memory>

namespace filecall::worker::git {

/// Owners of what libgit2 hands out. Each belongs to one thread at a time.
template <auto kFree>
struct GitFree {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using RepositoryHandle = std::unique_ptr<git_repository, GitFree<git_repository_free>>;
using ConfigHandle = std::unique_ptr<git_config, GitFree<git_config_free>>;
using ConfigIterator = std::unique_ptr<git_config_iterator, GitFree<git_config_iterator_free>>;
using ObjectHandle = std::unique_ptr<git_object, GitFree<git_object_free>>;
using CommitHandle = std::unique_ptr<git_commit, GitFree<git_commit_free>>;
using TreeHandle = std::unique_ptr<git_tree, GitFree<git_tree_free>>;
using TreeEntryHandle = std::unique_ptr<git_tree_entry, GitFree<git_tree_entry_free>>;
using BlobHandle = std::unique_ptr<git_blob, GitFree<git_blob_free>>;
using OdbHandle = std::unique_ptr<git_odb, GitFree<git_odb_free>>;
using IndexHandle = std::unique_ptr<git_index, GitFree<git_index_free>>;
using DiffHandle = std::unique_ptr<git_diff, GitFree<git_diff_free>>;
using ReferenceHandle = std::unique_ptr<git_reference, GitFree<git_reference_free>>;
using ReferenceNames =
    std::unique_ptr<git_reference_iterator, GitFree<git_reference_iterator_free>>;
using RevisionWalk = std::unique_ptr<git_revwalk, GitFree<git_revwalk_free>>;
using SignatureHandle = std::unique_ptr<git_signature, GitFree<git_signature_free>>;
using FilterHandle = std::unique_ptr<git_filter_list, GitFree<git_filter_list_free>>;

/// The argument for a parameter `T** out`, which the handle owns once the call has returned.
template <typename Handle>
class Out {
 public:
  explicit Out(Handle& handle) : handle_(handle) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() { handle_.reset(raw_); }
  operator typename Handle::pointer *() { return &raw_; }

 private:
  Handle& handle_;
  typename Handle::pointer raw_ = nullptr;
};

/// What libgit2 wrote into a buffer of its own.
class GitText {
 public:
  GitText() = default;
  GitText(const GitText&) = delete;
  GitText& operator=(const GitText&) = delete;
  ~GitText() { ::git_buf_dispose(&buffer_); }
  git_buf* out() { return &buffer_; }
  std::string_view view() const { return {buffer_.ptr, buffer_.size}; }

 private:
  git_buf buffer_{};
};

}  // namespace filecall::worker::git
