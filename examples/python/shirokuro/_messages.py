"""Questions and answers as JSON lines, and the types that both clients share."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sysconfig
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Moves = Union[str, Sequence[str], None]


class EngineError(Exception):
    """The engine refused a question."""

    def __init__(self, message: str, code: str = "error", field: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class EngineClosed(EngineError):
    """The engine has ended, or was closed while it was asked."""

    def __init__(self, message: str = "the engine has ended") -> None:
        super().__init__(message, code="closed")


@dataclass(frozen=True)
class Line:
    """A move with its value for the side to move and the moves expected after it."""

    move: Optional[str]
    value: float
    pv: List[str] = field(default_factory=list)
    depth: int = 0
    percent: float = 100.0
    solved: bool = False
    source: str = "search"
    bound: Optional[str] = None


@dataclass(frozen=True)
class Answer:
    """What a search found, the best line first. `complete` is false if it was stopped."""

    move: Optional[str]
    colour: Optional[str]
    value: Optional[float]
    lines: List[Line]
    nodes: int
    time: float
    complete: bool
    raw: Mapping[str, Any] = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Ply:
    """A position of an analysed game and the move played there."""

    ply: int
    colour: str
    played: Optional[str]
    value: float
    best: Optional[str]
    best_value: float
    loss: float
    raw: Mapping[str, Any] = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Analysis:
    plies: List[Ply]
    complete: bool
    raw: Mapping[str, Any] = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A table, and sentences about it."""

    rows: List[Mapping[str, Any]]
    notes: List[str]
    raw: Mapping[str, Any] = field(repr=False, default_factory=dict)


def command_line(path: Optional[str], arguments: Sequence[str], options: Mapping[str, Any]) -> List[str]:
    """The command of an engine that speaks JSON lines, with these options for all questions."""
    chosen = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", text(value))]
    return [find(path), "json", *arguments, *chosen]


def find(path: Optional[str]) -> str:
    """The engine: as given, by the environment variable SHIROKURO, beside this package, or on the PATH."""
    name = "shirokuro.exe" if os.name == "nt" else "shirokuro"
    beside = os.path.join(sysconfig.get_path("scripts"), name)
    installed = beside if os.path.exists(beside) else None
    found = path or os.environ.get("SHIROKURO") or installed or shutil.which(name)
    if found is None:
        raise FileNotFoundError("no engine: install the package, set SHIROKURO or give its path")
    return found


def text(value: Any) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)


class Ids:
    """Numbers for questions."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def next(self) -> int:
        return next(self._numbers)


def question(position: Optional[str], moves: Moves, options: Mapping[str, Any]) -> Dict[str, Any]:
    fields: Dict[str, Any] = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    if position is not None:
        fields["position"] = position
    if moves is not None:
        fields["moves"] = moves if isinstance(moves, str) else list(moves)
    return fields


def line(number: int, fields: Mapping[str, Any]) -> str:
    return json.dumps({"id": number, **fields}, ensure_ascii=False) + "\n"


def refusal(message: Mapping[str, Any]) -> EngineError:
    return EngineError(message.get("message", "refused"), message.get("code", "error"), message.get("field"))


def _line(fields: Mapping[str, Any]) -> Line:
    return Line(
        move=fields.get("move"),
        value=fields.get("value", 0.0),
        pv=list(fields.get("pv", [])),
        depth=fields.get("depth", 0),
        percent=fields.get("percent", 100.0),
        solved=fields.get("solved", False),
        source=fields.get("source", "search"),
        bound=fields.get("bound"),
    )


def answer(message: Mapping[str, Any]) -> Answer:
    return Answer(
        move=message.get("move"),
        colour=message.get("colour"),
        value=message.get("value"),
        lines=[_line(fields) for fields in message.get("lines", [])],
        nodes=message.get("nodes", 0),
        time=message.get("time", 0.0),
        complete=message.get("complete", True),
        raw=message,
    )


def analysis(message: Mapping[str, Any]) -> Analysis:
    names = ("ply", "colour", "played", "value", "best", "best_value", "loss")
    plies = [Ply(**{name: fields.get(name) for name in names}, raw=fields) for fields in message.get("analysis", [])]
    return Analysis(plies=plies, complete=message.get("complete", True), raw=message)


def report(message: Mapping[str, Any]) -> Report:
    table = message.get("report", {})
    return Report(rows=list(table.get("rows", [])), notes=list(table.get("notes", [])), raw=message)
