# SPDX-License-Identifier: MIT
"""What breaks without an object, told from all references (kube_reader) by the rules that
worker/exec/kube/model/impact.h states."""

from collections import Counter
from dataclasses import dataclass

from kube_fields import key_of
from kube_reader import Reader

LEVELS = ["info", "low", "medium", "high", "critical"]


def lower(severity, steps=1):
    return LEVELS[max(0, LEVELS.index(severity) - steps)]


def least(*severities):
    return min(severities, key=LEVELS.index)


def worst(*severities):
    return max(severities, key=LEVELS.index)


def is_idle(thing):
    spec, status = thing.get("spec") or {}, thing.get("status") or {}
    return spec.get("replicas") == 0 or spec.get("suspend") is True or \
        (thing["kind"] == "Pod" and status.get("phase") in ("Succeeded", "Failed")) or \
        (thing["kind"] == "Job" and "completionTime" in status)


@dataclass(frozen=True)
class Row:
    """One impacted resource. `known`: it is there even where the worker only reads what can
    break; a mere relation is told when it happens to be read."""

    object: tuple
    match: str
    path: str
    severity: str
    direction: str
    distance: int
    known: bool


class Prediction:
    def __init__(self, reader: Reader, target):
        self.reader, self.target = reader, target
        owners = target["metadata"].get("ownerReferences") or []
        self.is_made_anew = any(owner.get("controller") for owner in owners)
        self.gone = {id(target)}
        while self.take_along():
            pass
        self.also = {key_of(thing) for thing in reader.objects
                     if id(thing) in self.gone and thing is not target}
        self.rows = Counter()
        self.reached = {}
        self.first_step()
        self.next_steps(3)

    def is_gone(self, thing):
        return id(thing) in self.gone

    def take_along(self):
        """What is contained in what goes; whatever has another owner left stays."""
        before = len(self.gone)
        owned, kept = set(), set()
        for reference in self.reader.references:
            if reference.holds_it:
                lost = any(map(self.is_gone, reference.targets))
                if reference.row["match"] != "owner-ref":
                    self.gone |= {id(reference.source)} if lost else set()
                else:
                    (owned if lost else kept).add(id(reference.source))
        self.gone |= owned - kept
        return len(self.gone) > before

    def severity(self, level, reference, affected, broken=None):
        """`broken`: the target that is lost for a source; None: the source itself is lost. Secrets
        that would do as well are not looked for: none is read that need not be. (With a namespace
        all are read that others may refer to.)"""
        if broken is not None:
            sees_secrets = self.target["kind"] == "Namespace"
            left = [one for one in reference.targets if one is not broken and
                    not self.is_gone(one) and (sees_secrets or one["kind"] != "Secret")]
            if left:
                level = lower(level)
            elif reference.selects and self.is_gone(broken) and key_of(affected)[:2] == (
                    "", "Service"):
                level = "critical"
        if is_idle(affected):
            level = lower(level)
        if (broken is not None and reference.optional) or self.is_made_anew:
            level = least(level, "low")
        return level

    def add(self, thing, reference, level, direction, distance):
        table = reference.row["source_deleted" if direction.startswith("is") else "target_deleted"]
        self.rows[Row(key_of(thing), reference.row["match"], reference.path, level, direction,
                      distance, known=table != "info")] += 1
        self.reached.setdefault(id(thing), (distance, []))[1].append(level)

    def first_step(self):
        for reference in self.reader.references:
            if self.is_gone(reference.source):
                lost_for = reference.row["source_deleted"]
                for target in reference.targets:
                    if lost_for != "info" and not self.is_gone(target):
                        self.add(target, reference, self.severity(lost_for, reference, target),
                                 "is referred to by it", 1)
                continue
            lost = [target for target in reference.targets if self.is_gone(target)]
            if lost and not reference.holds_it:
                level = self.severity(reference.severity, reference, reference.source, lost[0])
                self.add(reference.source, reference, level, "refers to it", 1)

    def overall(self, deleted, rows):
        """The worst of what is told, and of the loss of the kind itself."""
        kind = "/".join(filter(None, key_of(self.target)[:2]))
        levels = [row["severity"] for row in deleted if row["kind"] == kind]
        if self.is_made_anew:
            levels = [least(level, "low") for level in levels]
        return worst("info", *levels, *(row["severity"] for row in rows))

    def next_steps(self, depth):
        for distance in range(2, depth + 1):
            broken = {thing: worst(*levels) for thing, (at, levels) in self.reached.items()
                      if at == distance - 1 and worst(*levels) in ("high", "critical")}
            before = set(self.reached)
            for reference in self.reader.references:
                source = reference.source
                if self.is_gone(source) or id(source) in before or reference.holds_it or \
                        reference.severity in ("info", "low"):
                    continue
                levels = [self.severity(lower(least(reference.severity, broken[id(target)])),
                                        reference, source, target)
                          for target in reference.targets if id(target) in broken]
                if levels:
                    self.add(source, reference, worst(*levels), "refers to it", distance)
