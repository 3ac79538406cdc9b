// SPDX-License-Identifier: MIT
#pragma once

#include <sys/syscall.h>

/// What programs that read and compute are made of. Left out, besides what every sandbox refuses:
/// calls that few programs make and every one of which has had its holes (asynchronous I/O of the
/// kernel, memory policies of others, message queues, vmsplice, personality), and calls that are
/// newer than this list. They are answered ENOSYS, and libraries then do without.
namespace filecall::worker::guard {

// clang-format off
inline constexpr long kUsualCalls[] = {
    // Files by descriptor.
    SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv, SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, SYS_dup, SYS_dup3, SYS_fcntl, SYS_flock,
    SYS_ioctl, SYS_fsync, SYS_fdatasync, SYS_sync, SYS_syncfs, SYS_sync_file_range, SYS_ftruncate,
    SYS_fallocate, SYS_fadvise64, SYS_readahead, SYS_sendfile, SYS_splice, SYS_tee,
    SYS_copy_file_range, SYS_pipe2, SYS_getdents64, SYS_fstat, SYS_fstatfs, SYS_fchdir, SYS_fchmod,
    SYS_fchown, SYS_fsetxattr, SYS_fgetxattr, SYS_flistxattr, SYS_fremovexattr, SYS_memfd_create,
    SYS_close_range,
    // Files by name.
    SYS_openat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_mkdirat, SYS_mknodat, SYS_unlinkat, SYS_linkat, SYS_symlinkat,
    SYS_renameat2, SYS_fchmodat, SYS_fchownat, SYS_utimensat, SYS_truncate, SYS_chdir, SYS_getcwd,
    SYS_umask, SYS_setxattr, SYS_lsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_listxattr,
    SYS_llistxattr, SYS_removexattr, SYS_lremovexattr, SYS_execve, SYS_execveat,
    // Waiting for files.
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_eventfd2, SYS_signalfd4, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
    SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch,
    // Memory.
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_mincore, SYS_msync,
    SYS_mlock, SYS_mlock2, SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_membarrier,
    SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect, SYS_get_mempolicy,
    // Processes and threads.
    SYS_clone, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_getpid, SYS_getppid, SYS_gettid,
    SYS_getpgid, SYS_setpgid, SYS_getsid, SYS_setsid, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_setuid, SYS_setgid, SYS_setreuid,
    SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid, SYS_setgroups,
    SYS_capget, SYS_capset, SYS_prctl, SYS_seccomp, SYS_prlimit64, SYS_getrlimit, SYS_setrlimit,
    SYS_getrusage, SYS_getpriority, SYS_setpriority, SYS_ioprio_get, SYS_ioprio_set,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
    SYS_sched_setparam, SYS_sched_getscheduler, SYS_sched_setscheduler, SYS_sched_getattr,
    SYS_sched_setattr, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
    SYS_sched_rr_get_interval, SYS_set_tid_address, SYS_set_robust_list, SYS_get_robust_list,
    SYS_futex, SYS_rseq, SYS_getcpu, SYS_restart_syscall, SYS_pidfd_open, SYS_pidfd_send_signal,
    // Signals.
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigpending,
    SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_sigaltstack,
    // Time.
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_times, SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_delete,
    SYS_timer_getoverrun, SYS_timer_gettime, SYS_timer_settime,
    // Sockets and IPC of its own.
    SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect,
    SYS_getsockname, SYS_getpeername, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown, SYS_setsockopt, SYS_getsockopt, SYS_shmget, SYS_shmat,
    SYS_shmdt, SYS_shmctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl, SYS_msgget,
    SYS_msgsnd, SYS_msgrcv, SYS_msgctl,
    // The machine.
    SYS_uname, SYS_sysinfo, SYS_getrandom,
    // Newer ones, by the numbers that they have everywhere: Landlock, futexes, shadow stacks,
    // sealed memory, attributes by descriptor and name.
    444, 445, 446, 449, 452, 453, 454, 455, 456, 462, 463, 464, 465, 466, 468, 469,
#if defined(SYS_renameat)
    SYS_renameat,
#endif
#if defined(__riscv)
    SYS_riscv_flush_icache,
#endif
#if defined(__x86_64__)
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir,
    SYS_mknod, SYS_unlink, SYS_link, SYS_symlink, SYS_rename, SYS_chmod, SYS_chown, SYS_lchown,
    SYS_utime, SYS_utimes, SYS_futimesat, SYS_getdents, SYS_dup2, SYS_pipe, SYS_poll, SYS_select,
    SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_signalfd, SYS_inotify_init, SYS_fork,
    SYS_vfork, SYS_getpgrp, SYS_alarm, SYS_pause, SYS_time, SYS_arch_prctl, SYS_set_thread_area,
    SYS_get_thread_area,
#endif
};
// clang-format on

}  // namespace filecall::worker::guard
