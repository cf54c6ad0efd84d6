"""The plain client: one method, one answer. Threads may share an engine."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

from . import _messages as m

Progress = Callable[[m.Answer], None]


class Engine:
    """An engine in a process of its own.

    Options such as ``level=10``, ``threads=2`` or ``game="go"`` hold for all questions; the methods take options that
    hold for one.
    """

    def __init__(self, path: Optional[str] = None, arguments: Sequence[str] = (), **options: Any) -> None:
        command = m.command_line(path, arguments, options)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
        )
        self._ids = m.Ids()
        self._lock = threading.Lock()
        self._waiting: Dict[int, "queue.Queue[Optional[Mapping[str, Any]]]"] = {}
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="shirokuro", daemon=True)
        self._reader.start()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hint(
        self,
        position: Optional[str] = None,
        moves: m.Moves = None,
        count: Union[int, bool] = True,
        progress: Optional[Progress] = None,
        **options: Any,
    ) -> m.Answer:
        """The values of the best `count` moves, or of all."""
        return m.answer(self._ask({**m.question(position, moves, options), "hint": count}, progress))

    def play(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Answer:
        """The move that the engine would play."""
        return m.answer(self._ask(m.question(position, moves, options)))

    def solve(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Answer:
        """The exact value of an Othello position near its end."""
        return self.play(position, moves, **{"depth": 60, "percent": 100, "book": "none", **options})

    def analyse(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Analysis:
        """Every move of a game judged."""
        return m.analysis(self._ask({**m.question(position, moves, options), "analyze": True}))

    def explain(
        self, position: Optional[str] = None, moves: m.Moves = None, move: Optional[str] = None, **options: Any
    ) -> m.Report:
        """Why a move is good or bad: `move`, or the last of `moves`."""
        return m.report(self._ask({**m.question(position, moves, options), "explain": move or True}))

    def command(self, line: str) -> Mapping[str, Any]:
        """What the console would do with a line; the answer as it came."""
        return self._ask({"command": line})

    def stop(self) -> None:
        """Ends what is being searched; it answers with what it has."""
        self._ask({"stop": True})

    def close(self) -> None:
        """Lets the engine end, which saves what it has to save."""
        if self._process.poll() is None:
            try:
                assert self._process.stdin is not None
                with self._lock:
                    self._process.stdin.write('{"stop":true}\n')
                    self._process.stdin.close()
                self._process.wait(timeout=10)
            except (BrokenPipeError, ValueError, OSError):
                pass
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(timeout=10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _ask(self, fields: Mapping[str, Any], progress: Optional[Progress] = None) -> Mapping[str, Any]:
        answers: "queue.Queue[Optional[Mapping[str, Any]]]" = queue.Queue()
        if progress is not None:
            fields = {**fields, "progress": True}
        with self._lock:
            if self._ended:
                raise m.EngineClosed()
            number = self._ids.next()
            self._waiting[number] = answers
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(m.line(number, fields))
                self._process.stdin.flush()
            except (BrokenPipeError, ValueError, OSError) as error:
                self._waiting.pop(number, None)
                raise m.EngineClosed() from error
        while True:
            message = answers.get()
            if message is None:
                raise m.EngineClosed()
            if message.get("type") == "progress":
                if progress is not None and "lines" in message:
                    progress(m.answer(message))
                continue
            if message.get("type") == "error":
                raise m.refusal(message)
            return message

    def _read(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            message = json.loads(text)
            number = message.get("id")
            with self._lock:
                final = message.get("type") != "progress"
                waiting = self._waiting.pop(number, None) if final else self._waiting.get(number)
            if waiting is not None:
                waiting.put(message)
        with self._lock:
            self._ended = True
            waiting_still, self._waiting = self._waiting, {}
        for answers in waiting_still.values():
            answers.put(None)
