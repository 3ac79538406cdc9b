// SPDX-License-Identifier: MIT
//
// Attempts on processes that are not the program's own, and on the kernel by the number of a call.

#include <limits.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "sandbox_attempts.h"

namespace {

struct NamedCall {
  const char* name;
  long number;
};
/// The numbers from 424 on are the same everywhere.
constexpr NamedCall kCalls[] = {
    {"mount", SYS_mount},
    {"umount2", SYS_umount2},
    {"pivot_root", SYS_pivot_root},
    {"open_tree", 428},
    {"move_mount", 429},
    {"fsopen", 430},
    {"fsconfig", 431},
    {"fsmount", 432},
    {"fspick", 433},
    {"mount_setattr", 442},
    {"quotactl", SYS_quotactl},
    {"quotactl_fd", 443},
    {"swapon", SYS_swapon},
    {"swapoff", SYS_swapoff},
    {"acct", SYS_acct},
    {"name_to_handle_at", SYS_name_to_handle_at},
    {"open_by_handle_at", SYS_open_by_handle_at},
    {"fanotify_init", SYS_fanotify_init},
    {"fanotify_mark", SYS_fanotify_mark},
    {"unshare", SYS_unshare},
    {"setns", SYS_setns},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"process_madvise", SYS_process_madvise},
    {"kcmp", SYS_kcmp},
    {"pidfd_getfd", 438},
    {"bpf", SYS_bpf},
    {"perf_event_open", SYS_perf_event_open},
    {"add_key", SYS_add_key},
    {"request_key", SYS_request_key},
    {"io_uring_enter", SYS_io_uring_enter},
    {"io_uring_register", SYS_io_uring_register},
    {"kexec_load", SYS_kexec_load},
    {"init_module", SYS_init_module},
    {"finit_module", SYS_finit_module},
    {"delete_module", SYS_delete_module},
    {"settimeofday", SYS_settimeofday},
    {"clock_settime", SYS_clock_settime},
    {"clock_adjtime", SYS_clock_adjtime},
    {"adjtimex", SYS_adjtimex},
    {"sethostname", SYS_sethostname},
    {"setdomainname", SYS_setdomainname},
    {"syslog", SYS_syslog},
    {"vhangup", SYS_vhangup},
    {"personality", SYS_personality},
    {"mbind", SYS_mbind},
    {"migrate_pages", SYS_migrate_pages},
    {"move_pages", SYS_move_pages},
    {"vmsplice", SYS_vmsplice},
    {"io_setup", SYS_io_setup},
    {"mq_open", SYS_mq_open},
    {"memfd_secret", 447},
    {"statmount", 457},
    {"open_tree_attr", 467},
    {"chroot", SYS_chroot},
    {"reboot", SYS_reboot},
    {"kexec_file_load", SYS_kexec_file_load},
    {"ptrace", SYS_ptrace},
#if defined(__x86_64__)
    {"iopl", SYS_iopl},
    {"ioperm", SYS_ioperm},
    {"modify_ldt", SYS_modify_ldt},
#endif
};

/// Without arguments that make sense: whatever the kernel says to them, it has looked at them.
int reach(const std::string& name) {
  for (const NamedCall& call : kCalls) {
    if (name != call.name) continue;
    const int error = errno_of(::syscall(call.number, -1L, 0L, 0L, 0L, 0L, 0L));
    return error == EPERM || error == ENOSYS || error == EACCES ? error : 0;
  }
  return ESRCH;
}

int write_memory(pid_t pid) {
  char byte = 0;
  struct iovec here {
    &byte, 1
  };
  struct iovec there {
    reinterpret_cast<void*>(0x1000), 1
  };
  const int error = errno_of(::process_vm_writev(pid, &here, 1, &there, 1, 0));
  return error == EFAULT ? 0 : error;
}

int take_descriptor(pid_t pid) {
  const long process = ::syscall(434, pid, 0);
  return process < 0 ? errno : errno_of(::syscall(438, process, 0, 0));
}

/// Opens again what the process has open. As root the names can be listed, which are numbers.
int open_descriptors(const std::string& pid) {
  int error = ENOENT;
  for (int fd = 0; fd < 64; ++fd) {
    const std::string path = "/proc/" + pid + "/fd/" + std::to_string(fd);
    char target[64];
    error = open_with(path, O_RDONLY);
    if (error == 0 || ::readlink(path.c_str(), target, sizeof target) >= 0) return 0;
  }
  return error;
}

/// ESRCH: there is no such thing.
int find_foreign_memory(const std::string& id) {
  struct shmid_ds info {};
  const int error = errno_of(::shmctl(::atoi(id.c_str()), IPC_STAT, &info));
  return error == EINVAL ? ESRCH : error;
}

/// A call of the x32 table.
int call_x32() {
#if defined(__x86_64__)
  return errno_of(::syscall(SYS_getpid | 0x40000000L));
#else
  return ENOSYS;
#endif
}

}  // namespace

void add_others(Attempts* all) {
  const auto pid_of = [](const Words& w) { return static_cast<pid_t>(::atoi(w[1].c_str())); };
  (*all)["write-memory"] = [=](const Words& w) { return write_memory(pid_of(w)); };
  (*all)["descriptor-of"] = [=](const Words& w) { return take_descriptor(pid_of(w)); };
  (*all)["process-descriptor"] = [=](const Words& w) {
    return errno_of(::syscall(434, pid_of(w), 0));
  };
  (*all)["descriptors"] = [](const Words& w) { return open_descriptors(w[1]); };
  (*all)["compare"] = [=](const Words& w) {
    return errno_of(::syscall(SYS_kcmp, ::getpid(), pid_of(w), KCMP_FILES, 0, 0));
  };
  (*all)["limits"] = [=](const Words& w) {
    struct rlimit limit {};
    return errno_of(::prlimit(pid_of(w), RLIMIT_NOFILE, nullptr, &limit));
  };
  (*all)["priority"] = [=](const Words& w) {
    const int now = ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid_of(w)));
    return errno_of(::setpriority(PRIO_PROCESS, static_cast<id_t>(pid_of(w)), now));
  };
  (*all)["processors"] = [=](const Words& w) {
    cpu_set_t set;
    if (::sched_getaffinity(pid_of(w), sizeof set, &set) != 0) return errno;
    return errno_of(::sched_setaffinity(pid_of(w), sizeof set, &set));
  };
  (*all)["queue-signal"] = [=](const Words& w) {
    return errno_of(::sigqueue(pid_of(w), SIGWINCH, {}));
  };
  (*all)["session-of"] = [=](const Words& w) { return errno_of(::getsid(pid_of(w))); };
  (*all)["shared-memory"] = [](const Words& w) { return find_foreign_memory(w[1]); };
}

void add_calls(Attempts* all) {
  (*all)["reach"] = [](const Words& w) { return reach(w[1]); };
  (*all)["x32-call"] = [](const Words&) { return call_x32(); };
  (*all)["new-namespace"] = [](const Words& w) {
    return errno_of(::unshare(static_cast<int>(::strtol(w[1].c_str(), nullptr, 16))));
  };
}
