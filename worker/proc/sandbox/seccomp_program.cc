// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/seccomp_program.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "worker/proc/sandbox/usual_calls.h"

namespace filecall::worker::guard {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#else
#error "the sandbox has no system call table for this architecture"
#endif

/// Numbers that are the same on every architecture, for headers that are older than the calls.
constexpr long kOpenTree = 428, kMoveMount = 429, kFsOpen = 430, kFsConfig = 431, kFsMount = 432,
               kFsPick = 433, kClone3 = 435, kOpenat2 = 437, kFchmodat2 = 452, kPidfdGetfd = 438,
               kMountSetattr = 442, kQuotactlFd = 443, kSetxattrat = 463, kRemovexattrat = 466,
               kOpenTreeAttr = 467, kFileSetattr = 469;
constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr long kRefusedInSandbox[] = {
    // Mounts and roots.
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_swapon,
    SYS_swapoff,
    SYS_quotactl,
    kOpenTree,
    kMoveMount,
    kFsOpen,
    kFsConfig,
    kFsMount,
    kFsPick,
    kMountSetattr,
    kQuotactlFd,
    kOpenTreeAttr,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    // Namespaces (clone is looked at by its flags).
    SYS_unshare,
    SYS_setns,
    // Other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_kcmp,
    kPidfdGetfd,
    // The kernel's large and often broken surfaces.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // The machine.
    SYS_reboot,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};
/// Without a file tree of its own a program reaches every file by name, and Landlock does not look
/// at these.
constexpr long kMetadataCalls[] = {
    SYS_fchmod,       SYS_fchmodat,     kFchmodat2,    SYS_fchown,     SYS_fchownat,
    SYS_utimensat,    SYS_setxattr,     SYS_lsetxattr, SYS_fsetxattr,  SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, kSetxattrat,   kRemovexattrat, kFileSetattr,
#if defined(SYS_chmod)
    SYS_chmod,        SYS_chown,        SYS_lchown,    SYS_utime,      SYS_utimes,
    SYS_futimesat,
#endif
};

/// Calls that give a file its mode, and which argument that is.
struct ModeCall {
  long number;
  std::size_t mode;
};
constexpr ModeCall kModeCalls[] = {
    {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {kFchmodat2, 2}, {SYS_mknodat, 2},
#if defined(SYS_chmod)
    {SYS_chmod, 1},  {SYS_creat, 1},    {SYS_mknod, 1},
#endif
};
/// Those whose mode counts only when their flags say that a file is made.
constexpr ModeCall kOpenCalls[] = {
    {SYS_openat, 3},
#if defined(SYS_open)
    {SYS_open, 2},
#endif
};
constexpr std::uint32_t kIdBits = S_ISUID | S_ISGID;
/// O_TMPFILE without the O_DIRECTORY in it.
constexpr std::uint32_t kMakesFile = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);

/// Refused without a network too: ways to a socket that go round socket().
constexpr long kRefusedWaysToSockets[] = {SYS_io_uring_setup, SYS_io_uring_enter,
                                          SYS_io_uring_register, SYS_setns};
/// What an open network is: no hypervisor sockets, no raw frames, no kernel crypto.
constexpr int kFamilies[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

using Code = std::vector<struct sock_filter>;

struct sock_filter answer(std::uint32_t action) {
  return BPF_STMT(BPF_RET | BPF_K, action);
}
struct sock_filter refusal(int error) {
  return answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}
struct sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
/// The low half: the kernel too looks at no more of these (little-endian machines).
struct sock_filter load_argument(std::size_t index) {
  return load(offsetof(struct seccomp_data, args) + index * sizeof(std::uint64_t));
}
/// Skips `if_equal` instructions when the loaded value is `value`, else `if_not`.
struct sock_filter skip_unless_equal(std::uint32_t value, std::size_t if_equal,
                                     std::size_t if_not) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, static_cast<std::uint8_t>(if_equal),
                  static_cast<std::uint8_t>(if_not));
}

/// What is done with which call. The program is a search tree: the kernel runs a filter for every
/// call number when it is loaded, which costs more than all else of it.
class Program {
 public:
  /// `rest`: of calls that are not named.
  explicit Program(struct sock_filter rest) : rest_(rest) {}

  /// Those that nothing else is said of.
  void allow_calls(std::span<const long> numbers) {
    for (const long number : numbers) {
      calls_.try_emplace(static_cast<std::uint32_t>(number), Code{answer(SECCOMP_RET_ALLOW)});
    }
  }
  void refuse_call(long number, int error) { of_call(number) = {refusal(error)}; }
  void refuse_calls(std::span<const long> numbers) {
    for (const long number : numbers) refuse_call(number, EPERM);
  }
  /// clone() that makes namespaces.
  void refuse_clone_with(std::uint32_t flags) {
    of_call(SYS_clone) = {load_argument(0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
                          refusal(EPERM), answer(SECCOMP_RET_ALLOW)};
  }
  /// A mode that lets others run the file as its owner or its group.
  void refuse_id_bits() {
    for (const ModeCall& call : kModeCalls) of_call(call.number) = refuse_mode(call.mode);
    for (const ModeCall& call : kOpenCalls) {
      Code& code = of_call(call.number);
      code = {load_argument(call.mode - 1), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kMakesFile, 1, 0),
              answer(SECCOMP_RET_ALLOW)};
      append(refuse_mode(call.mode), &code);
    }
    // Its mode lies in memory: programs then use openat.
    refuse_call(kOpenat2, ENOSYS);
  }
  /// A lease makes everybody who opens the file wait, on the host too.
  void refuse_leases() {
    of_call(SYS_fcntl) = {load_argument(1), skip_unless_equal(F_SETLEASE, 0, 1), refusal(EPERM),
                          answer(SECCOMP_RET_ALLOW)};
  }
  /// ioctl() with one of two requests.
  void refuse_ioctl(std::uint32_t first, std::uint32_t second) {
    of_call(SYS_ioctl) = {load_argument(1), skip_unless_equal(first, 1, 0),
                          skip_unless_equal(second, 0, 1), refusal(EPERM),
                          answer(SECCOMP_RET_ALLOW)};
  }
  /// A socket() or a socketpair() of one of these families.
  void allow_families(long call, std::span<const int> families) {
    Code& code = of_call(call);
    code = {load_argument(0)};
    for (const int family : families) {
      code.push_back(skip_unless_equal(static_cast<std::uint32_t>(family), 0, 1));
      code.push_back(answer(SECCOMP_RET_ALLOW));
    }
    code.push_back(refusal(EPERM));
  }
  Code finish() const {
    Code code = {load(offsetof(struct seccomp_data, arch)), skip_unless_equal(kArchitecture, 1, 0),
                 answer(SECCOMP_RET_KILL_PROCESS), load(offsetof(struct seccomp_data, nr))};
#if defined(__x86_64__)
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1));
    code.push_back(refusal(EPERM));
#endif
    append(search(ranges()), &code);
    return code;
  }

 private:
  /// Call numbers from `first` up to the next range.
  struct Range {
    std::uint32_t first;
    Code code;
  };

  static Code refuse_mode(std::size_t argument) {
    return {load_argument(argument), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kIdBits, 0, 1),
            refusal(EPERM), answer(SECCOMP_RET_ALLOW)};
  }
  Code& of_call(long number) { return calls_[static_cast<std::uint32_t>(number)]; }
  static void append(const Code& more, Code* code) {
    code->insert(code->end(), more.begin(), more.end());
  }
  static bool is_same(const Code& a, const Code& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const struct sock_filter& x, const struct sock_filter& y) {
                        return x.code == y.code && x.jt == y.jt && x.jf == y.jf && x.k == y.k;
                      });
  }
  /// All numbers, neighbours with one answer together.
  std::vector<Range> ranges() const {
    std::vector<Range> all;
    const auto add = [&](std::uint32_t first, const Code& code) {
      if (all.empty() || !is_same(all.back().code, code)) all.push_back({first, code});
    };
    std::uint32_t next = 0;
    for (const auto& [number, code] : calls_) {
      if (number > next) add(next, {rest_});
      add(number, code);
      next = number + 1;
    }
    add(next, {rest_});
    return all;
  }
  /// The loaded value is the call's number.
  static Code search(std::span<const Range> ranges) {
    if (ranges.size() == 1) return ranges[0].code;
    const std::size_t half = ranges.size() / 2;
    const Code below = search(ranges.first(half));
    Code code;
    // A conditional jump reaches as far as a byte says.
    const bool is_near = below.size() <= 0xff;
    const auto if_above = static_cast<std::uint8_t>(is_near ? below.size() : 0);
    const auto if_below = static_cast<std::uint8_t>(is_near ? 0 : 1);
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[half].first, if_above, if_below));
    if (!is_near) {
      code.push_back(BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(below.size())));
    }
    append(below, &code);
    append(search(ranges.subspan(half)), &code);
    return code;
  }

  struct sock_filter rest_;
  std::map<std::uint32_t, Code> calls_;
};

}  // namespace

std::vector<struct sock_filter> make_seccomp_program(const SandboxOptions& options) {
  const bool is_sandbox = options.level != Level::kNone;
  const bool has_tree = (options.protections & kNamespaces) != 0;
  const bool is_listed = options.level == Level::kReadOnly;
  Program program(is_listed ? refusal(ENOSYS) : answer(SECCOMP_RET_ALLOW));
  program.refuse_calls(kRefusedWaysToSockets);
  if (is_sandbox) {
    program.refuse_calls(kRefusedInSandbox);
    program.refuse_call(kClone3, ENOSYS);
    program.refuse_clone_with(kNewNamespaces);
    program.refuse_id_bits();
    program.refuse_leases();
    program.refuse_ioctl(TIOCSTI, 0x541C);  // TIOCLINUX: pastes into the console.
  }
  if (is_sandbox && !has_tree) program.refuse_calls(kMetadataCalls);
  const auto families = std::span(kFamilies).first(options.network ? std::size(kFamilies) : 1);
  // Unix sockets of others lie in the host's file tree.
  program.allow_families(SYS_socket, families.subspan(is_sandbox && !has_tree ? 1 : 0));
  program.allow_families(SYS_socketpair, families);
  if (is_listed) program.allow_calls(kUsualCalls);
  return program.finish();
}

const std::vector<struct sock_filter>& kept_seccomp_program(const SandboxOptions& options) {
  // By all that a program depends on: the level, whether there is a network, a file tree.
  static std::vector<struct sock_filter> programs[3][2][2];
  std::vector<struct sock_filter>& program =
      programs[static_cast<std::size_t>(options.level)][options.network ? 1 : 0]
              [(options.protections & kNamespaces) != 0 ? 1 : 0];
  if (program.empty()) program = make_seccomp_program(options);
  return program;
}

int load_seccomp_program(const std::vector<struct sock_filter>& program) {
  const struct sock_fprog loaded {
    static_cast<unsigned short>(program.size()), const_cast<struct sock_filter*>(program.data())
  };
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &loaded) == 0 ? 0 : errno;
}

}  // namespace filecall::worker::guard
