# SPDX-License-Identifier: MIT
"""What breaks without an object, told from all references (kube_reader) by the rules that
worker/exec/kube/model/impact.h states."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from kube_fields import fits_star, key_of, places, pointer, steps_of
from kube_reader import Reader

LEVELS = ["none", "info", "low", "medium", "high", "critical"]


def lower(severity):
    return LEVELS[max(1, LEVELS.index(severity) - 1)]


def least(*severities):
    return min(severities, key=LEVELS.index)


def worst(*severities):
    return max(severities, key=LEVELS.index)


def is_idle(thing):
    spec, status = thing.get("spec") or {}, thing.get("status") or {}
    return spec.get("replicas") == 0 or spec.get("suspend") is True or \
        (thing["kind"] == "Pod" and status.get("phase") in ("Succeeded", "Failed")) or \
        (thing["kind"] == "Job" and "completionTime" in status)


def is_filled(thing, path):
    return path is not None and any(value for _, value in places(thing, steps_of(path)))


def kind_text(thing):
    return "/".join(filter(None, key_of(thing)[:2]))


def is_controlled(thing):
    return any(owner.get("controller") for owner in thing["metadata"].get("ownerReferences") or ())


@dataclass(frozen=True)
class Row:
    """One impacted resource."""

    object: tuple
    match: str
    path: str
    severity: str
    direction: str
    distance: int
    effect: str


class Prediction:
    def __init__(self, reader: Reader, target, sees_secrets=False):
        """`sees_secrets`: whether all Secrets were read."""
        self.reader, self.target = reader, target
        self.sees_secrets = sees_secrets or target["kind"] == "Namespace"
        self.is_made_anew = is_controlled(target)
        self.gone = {id(target)}
        while self.take_along():
            pass
        self.lost = set(self.gone)
        self.of_source = defaultdict(list)
        for reference in reader.references:
            self.of_source[id(reference.source)].append(reference)
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

    def left(self, reference):
        """Targets that still do. Secrets that would do as well are not looked for: none is read
        that need not be. (With a namespace all are read that others may refer to.)"""
        return [one for one in reference.targets if id(one) not in self.lost and
                (self.sees_secrets or one["kind"] != "Secret")]

    def is_lost(self, reference):
        return reference.row.get("effect_type") == "breaks" and not reference.optional and \
            any(id(one) in self.lost for one in reference.targets) and not self.left(reference)

    def keeps_a_part(self, reference):
        lost = [one.path for one in self.of_source[id(reference.source)] if self.is_lost(one)]
        parts = [pointer(walked) for path in reference.row.get("parts", ())
                 for walked, _ in places(reference.source, steps_of(path))]
        return any(not any(f"{path}/".startswith(f"{part}/") for path in lost) for part in parts)

    def effect(self, reference, is_source_lost=False):
        kind = reference.row.get("source_effect_type" if is_source_lost else "effect_type")
        if kind != "breaks":
            return kind
        spared = self.is_made_anew or not is_source_lost and (
            reference.optional or self.left(reference) or self.keeps_a_part(reference))
        return "loses" if spared else "breaks"

    def severity(self, level, reference, affected, broken=None):
        """`broken`: the target that is lost for a source; None: the source itself is lost."""
        if broken is not None:
            if self.left(reference):
                level = lower(level)
            elif reference.selects and self.is_gone(broken) and key_of(affected)[:2] == (
                    "", "Service"):
                level = "critical"
        if is_idle(affected):
            level = lower(level)
        if (broken is not None and reference.optional) or self.is_made_anew:
            level = least(level, "low")
        if broken is None and is_filled(affected, reference.row.get("remade_with")):
            level = least(level, "low")
        return level

    def add(self, thing, reference, level, is_source_lost, distance):
        effect = self.effect(reference, is_source_lost)
        direction = "is referred to by it" if is_source_lost else "refers to it"
        self.rows[Row(key_of(thing), reference.row["match"], reference.path, level, direction,
                      distance, effect)] += 1
        self.reached.setdefault(id(thing), (distance, []))[1].append((level, effect))

    def first_step(self):
        for reference in self.reader.references:
            if self.is_gone(reference.source):
                lost_for, effect = map(reference.row.get, ("source_deleted", "source_effect_type"))
                for target in reference.targets:
                    if effect and not self.is_gone(target) and not (
                            effect == "orphaned" and is_controlled(target)):
                        self.add(target, reference, self.severity(lost_for, reference, target),
                                 True, 1)
                continue
            lost = [target for target in reference.targets if self.is_gone(target)]
            if lost and "effect_type" in reference.row:
                level = self.severity(reference.severity, reference, reference.source, lost[0])
                self.add(reference.source, reference, level, False, 1)

    def well_known(self, table, thing):
        kind, name = kind_text(thing), "/".join(filter(None, key_of(thing)[2:]))
        return [row["severity"] for row in table["well_known"]
                if row["kind"] == kind and any(fits_star(one, name) for one in row["names"])][:1]

    def own_losses(self, table):
        """What is lost with the deleted objects themselves."""
        gone = [thing for thing in self.reader.objects if self.is_gone(thing)]
        contents = [thing for thing in gone if thing is not self.target and not {
            "none", "info"}.intersection(self.well_known(table, thing))]
        for thing in gone:
            yield from self.well_known(table, thing)
            for row in table["deleted"]:
                when, unless = row.get("when"), row.get("unless", ())
                if row["kind"] != kind_text(thing) or "idle" in unless and is_idle(thing) or \
                        "controlled" in unless and is_controlled(thing):
                    continue
                if when == "contents":
                    holds = thing is self.target and contents
                elif when == "targets":
                    holds = any("source_effect_type" in one.row and
                                not all(map(is_idle, one.targets))
                                for one in self.of_source[id(thing)])
                elif when:
                    path, _, wanted = when.partition("=")
                    found = [value for _, value in places(thing, steps_of(path))]
                    holds = wanted in found if wanted else any(found)
                else:
                    holds = True
                if holds:
                    yield row["severity"]

    def overall(self, table, rows):
        """The worst of what is told, and of what is lost itself."""
        own = worst("none", *self.own_losses(table))
        if self.is_made_anew:
            own = least(own, "low")
        return worst(own, *(row["severity"] for row in rows))

    def next_steps(self, depth):
        for distance in range(2, depth + 1):
            broken = {}
            for thing, (at, found) in self.reached.items():
                levels = [level for level, effect in found
                          if effect == "breaks" and level in ("high", "critical")]
                if at == distance - 1 and levels:
                    broken[thing] = worst(*levels)
            self.lost |= broken.keys()
            before = set(self.reached)
            for reference in self.reader.references:
                source = reference.source
                if self.is_gone(source) or id(source) in before or \
                        "effect_type" not in reference.row or \
                        reference.severity in ("info", "low"):
                    continue
                levels = [self.severity(lower(least(reference.severity, broken[id(target)])),
                                        reference, source, target)
                          for target in reference.targets if id(target) in broken]
                if levels:
                    self.add(source, reference, worst(*levels), False, distance)
