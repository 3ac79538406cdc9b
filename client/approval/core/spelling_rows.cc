// SPDX-License-Identifier: MIT
#include "client/approval/core/spelling_rows.h"

namespace filecall::client {
namespace {

// From the manual pages of git 2.39 and Debian 12, and from the help of docker 27, podman 4,
// kubectl 1.30, helm 3, npm 10, yarn 1 and 4, and cargo 1.80.
constexpr SpellingRow kSameVerbs[] = {
    {"git", "send-pack", "push"},
    {"git", "http-push", "push"},
    {"git", "subtree push", "push"},
    {"git", "lfs push", "push"},
    {"git", "svn dcommit", "push"},
    {"git", "p4 submit", "push"},
    {"git", "fetch-pack", "fetch"},
    {"git", "http-fetch", "fetch"},
    {"git", "remote update", "fetch"},
    {"git", "pull", "fetch"},
    {"git", "pull", "merge"},
    {"git", "stage", "add", true},
    {"git", "init-db", "init", true},
    {"git", "annotate", "blame", true},
    {"git", "commit-tree", "commit"},
    {"git", "citool", "commit"},
    {"git", "switch", "checkout"},
    {"git", "restore", "checkout"},
    {"git", "checkout-index", "checkout"},
    {"git", "read-tree", "reset"},
    {"git", "filter-repo", "filter-branch"},
    {"git", "maintenance run", "gc"},
    {"git", "prune", "gc --prune"},
    {"git", "reflog delete", "reflog expire", true},
    {"docker podman", "image build", "build", true},
    {"docker podman", "buildx build", "build", true},
    {"docker podman", "builder build", "build", true},
    {"docker podman", "image pull", "pull", true},
    {"docker podman", "image push", "push", true},
    {"docker podman", "manifest push", "push"},
    {"docker podman", "image save", "save", true},
    {"docker podman", "image load", "load", true},
    {"docker podman", "image import", "import", true},
    {"docker podman", "image tag", "tag", true},
    {"docker podman", "image rm", "rmi", true},
    {"docker podman", "image remove", "rmi"},
    {"docker podman", "image ls", "images", true},
    {"docker podman", "container ls", "ps", true},
    {"docker podman", "container list", "ps"},
    {"docker podman", "container remove", "rm"},
    {"docker podman", "remove", "rm"},
    {"docker podman", "volume remove", "volume rm", true},
    {"docker podman", "network remove", "network rm", true},
    {"docker podman", "compose run", "run"},
    {"docker podman", "compose exec", "exec"},
    {"docker podman", "compose up", "run"},
    {"docker podman", "kube play", "run"},
    {"docker podman", "play kube", "run"},
    {"yarn", "npm publish", "publish", true},
    {"yarn", "npm login", "login"},
    {"pnpm", "i", "install", true},
    {"pnpm", "rm", "remove", true},
    {"pnpm", "un", "remove"},
    {"pnpm", "uninstall", "remove"},
    {"cargo", "b", "build", true},
    {"cargo", "t", "test", true},
    {"cargo", "r", "run", true},
    {"cargo", "c", "check", true},
    {"cargo", "d", "doc", true},
    {"cargo", "rm", "remove", true},
    {"helm", "delete", "uninstall", true},
    {"helm", "del", "uninstall"},
    {"helm", "un", "uninstall"},
    {"svn", "ci", "commit", true},
    {"svn", "del", "delete"},
    {"svn", "rm", "delete"},
    {"svn", "remove", "delete"},
    {"hg", "ci", "commit", true},
    {"npm", "i", "install"},
    {"npm", "in", "install"},
    {"npm", "add", "install"},
    {"npm", "isntall", "install"},
    {"npm", "un", "uninstall"},
    {"npm", "unlink", "uninstall"},
    {"npm", "remove", "uninstall"},
    {"npm", "rm", "uninstall"},
    {"npm", "r", "uninstall"},
    {"npm", "t", "test"},
    {"npm", "tst", "test"},
    {"npm", "run-script", "run", true},
    {"npm", "rum", "run"},
    {"npm", "urn", "run"},
    {"npm", "x", "exec", true},
    {"npm", "c", "config"},
    {"npm", "set", "config set"},
    {"npm", "up", "update"},
    {"npm", "upgrade", "update"},
    {"npm", "ic", "ci"},
    {"npm", "clean-install", "ci"},
    {"npm", "install-clean", "ci"},
    {"npm", "it", "install"},
    {"npm", "cit", "ci"},
    {"npm", "install-test", "install"},
    {"npm", "install-ci-test", "ci"},
    {"npm", "create", "init", true},
    {"npm", "innit", "init"},
    {"npm", "author", "owner"},
    {"npm", "ln", "link"},
    {"npm", "rb", "rebuild"},
    {"npm", "add-user", "adduser"},
    {"systemctl", "poweroff", "halt"},
};

constexpr ProgramRow kSamePrograms[] = {
    {"npx", "npm exec"},    {"pnpx", "pnpm dlx"},     {"yarnpkg", "yarn"},
    {"bunx", "bun x"},      {"apt-get", "apt"},       {"apt", "apt-get"},
    {"aptitude", "apt"},    {"fdfind", "fd"},         {"batcat", "bat"},
    {"nodejs", "node"},     {"gmake", "make"},        {"gsed", "sed"},
    {"gtar", "tar"},        {"bsdtar", "tar"},        {"netcat", "nc"},
    {"nc.openbsd", "nc"},   {"nc.traditional", "nc"}, {"mvnw", "mvn"},
    {"gradlew", "gradle"},  {"poweroff", "shutdown"}, {"halt", "shutdown"},
    {"reboot", "shutdown"}, {"telinit", "shutdown"},  {"podman-remote", "podman"},
    {"curlie", "curl"},     {"git.exe", "git"},
};

constexpr VerbsRow kKnownVerbs[] = {
    {"git",
     "add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr "
     "check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean "
     "clone column commit commit-graph commit-tree config count-objects credential "
     "credential-cache "
     "credential-store describe diagnose diff diff-files diff-index diff-tree difftool fast-export "
     "fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo "
     "format-patch fsck fsck-objects gc get-tar-commit-id grep hash-object help http-fetch "
     "http-push index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo "
     "mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag "
     "mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id "
     "prune prune-packed pull push quiltimport range-diff read-tree rebase reflog remote repack "
     "replace request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack "
     "shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace "
     "submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref "
     "update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree "
     "write-tree"},
    {"docker",
     "attach build builder buildx checkpoint commit compose config container context cp create "
     "diff events exec export help history image images import info inspect kill load login logout "
     "logs manifest network node pause plugin port ps pull push rename restart rm rmi run save "
     "search secret service stack start stats stop swarm system tag top trust unpause update "
     "version volume wait"},
    {"kubectl",
     "alpha annotate api-resources api-versions apply attach auth autoscale certificate "
     "cluster-info completion config cordon cp create debug delete describe diff drain edit events "
     "exec explain expose get help kustomize label logs options patch plugin port-forward proxy "
     "replace rollout run scale set taint top uncordon version wait"},
    {"helm",
     "completion create dependency dep env get help history install lint list ls package plugin "
     "pull fetch push registry repo rollback search show inspect status template test uninstall "
     "delete del un upgrade verify version"},
    {"cargo",
     "add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile help "
     "info "
     "init install locate-project login logout metadata new owner package pkgid publish r remove "
     "report rm run rustc rustdoc search t test tree uninstall update vendor verify-project "
     "version "
     "yank"},
    {"npm",
     "access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs "
     "doctor edit exec explain explore find-dupes fund get help help-search hook init install "
     "install-ci-test install-test link ll login logout ls org outdated owner pack ping pkg prefix "
     "profile prune publish query rebuild repo restart root run run-script sbom search set "
     "shrinkwrap star stars start stop team test token undeprecate uninstall unpublish unstar "
     "update version view whoami list la info show add i in rm r un unlink remove t tst x c s se "
     "up "
     "upgrade ic clean-install it cit create v why why issues home author ln rb",
     true},
    {"hg",
     "add addremove annotate archive backout bisect bookmarks branch branches bundle cat clone "
     "commit ci config copy cp diff export files forget graft grep heads help identify import "
     "incoming init locate log manifest merge mv outgoing parents paths phase pull push rebase "
     "recover remove rename resolve revert rm rollback root serve status st strip summary tag tags "
     "unbundle update up verify version histedit",
     true},
    {"ip",
     "address addrlabel maddress route rule neighbor neighbour ntable ntbl link l2tp fou tunnel "
     "tuntap tap token tcpmetrics monitor xfrm mroute mrule netns netconf vrf sr nexthop mptcp "
     "ioam "
     "stats help addr a r l n neigh",
     true},
};

constexpr OptionRow kSameOptions[] = {
    {"git", "-f --force --force-with-lease --mirror"},
    {"git", "-d --delete"},
    {"git", "-u --set-upstream"},
    {"git", "-a --all"},
    {"git", "-n --no-verify"},
    {"rm cp mv ln chmod chown chgrp grep", "-r -R --recursive"},
    {"cp", "-r -R --recursive -a --archive"},
    {"rm cp mv ln docker podman npm tar touch", "-f --force"},
    {"shred", "-u --remove"},
    {"shred", "-z --zero"},
    {"curl", "-o --output"},
    {"curl", "-d --data --data-raw --data-ascii --data-binary --data-urlencode --json"},
    {"curl", "-X --request"},
    {"curl", "-T --upload-file"},
    {"curl", "-F --form --form-string"},
    {"curl", "-k --insecure"},
    {"wget", "-O --output-document"},
    {"tar", "-x --extract --get"},
    {"tar", "-c --create"},
    {"tar", "-r --append"},
    {"tar", "-u --update"},
    {"tar", "-C --directory --cd"},
    {"sed gsed", "-i --in-place"},
    {"sort shuf", "-o --output"},
    {"rsync", "-e --rsh"},
    {"rsync",
     "--delete --del --delete-before --delete-during --delete-delay --delete-after "
     "--delete-excluded"},
    {"docker podman", "-v --volume --mount"},
    {"docker podman", "-p --publish -P --publish-all"},
    {"docker podman", "-e --env"},
    {"docker podman", "-u --user"},
    {"docker podman", "--network --net"},
    {"kubectl oc helm", "-n --namespace"},
    {"kubectl oc helm", "-A --all-namespaces"},
    {"kubectl oc", "-f --filename"},
    {"kubectl oc", "-l --selector"},
    {"kubectl oc", "-k --kustomize"},
    {"npm", "-g --global"},
    {"pip", "-r --requirement"},
    {"pip", "-e --editable"},
    {"pip", "-U --upgrade"},
    {"apt apt-get", "-y --yes --assume-yes"},
    {"make gmake", "-f --file --makefile"},
    {"make gmake", "-C --directory"},
    {"kill pkill killall", "-9 -KILL -SIGKILL"},
    {"systemctl", "-f --force"},
};

}  // namespace

std::span<const SpellingRow> spelling_rows() { return kSameVerbs; }
std::span<const ProgramRow> program_rows() { return kSamePrograms; }
std::span<const VerbsRow> verbs_rows() { return kKnownVerbs; }
std::span<const OptionRow> option_rows() { return kSameOptions; }

}  // namespace filecall::client
