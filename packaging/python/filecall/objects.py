# SPDX-License-Identifier: MIT
"""What the program `filecall` prints, as objects. `data` is always all that it printed."""

from __future__ import annotations

from dataclasses import dataclass
import importlib
from typing import Any, Optional

EXIT_SOME_GAVE_UP = 1
EXIT_THRESHOLD = 4


class FilecallError(Exception):
    """The program ended without a result. `exit_code` and what it said."""

    def __init__(self, exit_code: int, message: str):
        super().__init__(message or f"filecall ended with exit code {exit_code}")
        self.exit_code = exit_code


class ThresholdMissed(FilecallError):
    """A score or an error rate misses a threshold: check() raises it."""


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        pandas = importlib.import_module("pandas")  # It has no types of its own everywhere.
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install filecall[pandas]") from error
    return pandas.json_normalize(rows)


@dataclass(frozen=True)
class Estimate:
    """A mean over items, with its 95 % interval; None is what the data cannot tell."""

    value: Optional[float]
    standard_error: Optional[float]
    low: Optional[float]
    high: Optional[float]
    items: int
    answers: int

    @staticmethod
    def of(data: dict[str, Any]) -> Estimate:
        return Estimate(data["value"], data["standard_error"], data["low"], data["high"],
                        data["items"], data["answers"])


@dataclass(frozen=True)
class _Result:
    data: dict[str, Any]
    exit_code: int
    message: str  # What stood on standard error.

    @property
    def ok(self) -> bool:
        """Nothing was given up or missing, and no threshold was missed."""
        return self.exit_code == 0


@dataclass(frozen=True)
class RunResult(_Result):
    """A batch that ended. `results` are the lines of `run --out`."""

    results: list[dict[str, Any]]

    @property
    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = self.data["counts"]
        return counts

    def to_frame(self) -> Any:
        """A pandas.DataFrame of `results`."""
        return _frame(self.results)


@dataclass(frozen=True)
class _Graded(_Result):
    def check(self) -> None:
        """Raises ThresholdMissed when a threshold was missed."""
        if self.exit_code == EXIT_THRESHOLD:
            raise ThresholdMissed(self.exit_code, self.message)


@dataclass(frozen=True)
class Evaluation(_Graded):
    """What `eval` says: scores by model, prompt and grader."""

    @property
    def score(self) -> Estimate:
        return Estimate.of(self.data["score"])

    @property
    def reused(self) -> int:
        """Responses that had been graded before."""
        reused: int = self.data["reused"]
        return reused

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each model and prompt."""
        return _frame(self.data["models"])


@dataclass(frozen=True)
class Item:
    """A request with its response and grades."""

    data: dict[str, Any]

    @property
    def request_id(self) -> str:
        return str(self.data["request_id"])

    @property
    def outcome(self) -> str:
        return str(self.data["outcome"])

    @property
    def model(self) -> str:
        return str(self.data.get("model", ""))

    @property
    def score(self) -> Optional[float]:
        score: Optional[float] = self.data["score"]
        return score

    @property
    def answer(self) -> str:
        return str(self.data["answer"])


@dataclass(frozen=True)
class Report(_Graded):
    """The report of a run; `data` is as `filecall schema report` says."""

    @property
    def score(self) -> Estimate:
        return Estimate.of(self.data["all"]["score"])

    @property
    def items(self) -> list[Item]:
        return [Item(item) for item in self.data["items"]]

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a row for each request."""
        return _frame(self.data["items"])


@dataclass(frozen=True)
class Comparison(_Graded):
    """B held against A; `data` is as `filecall schema comparison` says."""

    @property
    def difference(self) -> float:
        difference: float = self.data["all"]["difference"]
        return difference

    @property
    def p_value(self) -> Optional[float]:
        p_value: Optional[float] = self.data["all"]["p_value"]
        return p_value

    @property
    def regressions(self) -> int:
        regressions: int = self.data["regressions"]
        return regressions

    def to_frame(self) -> Any:
        """A pandas.DataFrame of the items whose scores differ."""
        return _frame(self.data["changes"])
