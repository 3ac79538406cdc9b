// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/namespaces.h"

namespace filecall::worker::guard {

/// Namespaces that a run needs empty and for itself alone: making them takes the kernel most of a
/// millisecond, a network namespace above all. One set is made ahead, by a process of its own. A
/// set is handed out once: a run may change its namespaces, so no other run gets them, and when
/// the set is gone, or is not ready yet, the run makes its own. One thread.
class SpareNamespaces {
 public:
  struct Set {
    Fd ipc;
    Fd network;
  };

  SpareNamespaces() = default;
  /// Waits for the maker, a millisecond.
  ~SpareNamespaces();
  SpareNamespaces(const SpareNamespaces&) = delete;
  SpareNamespaces& operator=(const SpareNamespaces&) = delete;

  /// Starts to make a set for such runs, which begin with `tree`; returns at once. Does nothing
  /// when there is such a set already, when one is being made, and for runs without a tree.
  void make_for(const SandboxOptions& options, const Prepared& tree);

  /// The set for such a run; empty when there is none for it. A set for others is let go of.
  Set take(const SandboxOptions& options, const Prepared& tree);

  bool is_idle() const { return maker_ < 0; }  ///< None is being made, as far as is known.

 private:
  /// Which runs a set is for.
  struct Purpose {
    unsigned generation = 0;  ///< Of the tree; 0: for none.
    bool network = false;     ///< It has a network namespace.
    bool operator==(const Purpose&) const = default;
  };
  static Purpose purpose_of(const SandboxOptions& options, const Prepared& tree);
  /// The maker's set, when it has ended.
  void collect(int wait_options);

  Set set_;
  Purpose purpose_;
  pid_t maker_ = -1;
  Fd said_, saying_;
};

}  // namespace filecall::worker::guard
