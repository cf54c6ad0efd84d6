"""The client for asyncio: many questions under way at once."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from . import _messages as m

Progress = Callable[[m.Answer], None]
# A long analysis comes on one line.
_LONGEST = 1 << 24


class AsyncEngine:
    """An engine in a process of its own.

    A question that is cancelled is stopped in the engine too::

        async with AsyncEngine(level=10) as engine:
            answers = await asyncio.gather(*(engine.hint(moves=game) for game in games))
    """

    def __init__(self, path: Optional[str] = None, arguments: Sequence[str] = (), **options: Any) -> None:
        self._command = m.command_line(path, arguments, options)
        self._process: Optional[asyncio.subprocess.Process] = None
        self._reader: Optional["asyncio.Task[None]"] = None
        self._ids = m.Ids()
        self._waiting: Dict[int, Tuple["asyncio.Future[Mapping[str, Any]]", Optional[Progress]]] = {}

    async def __aenter__(self) -> "AsyncEngine":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe, limit=_LONGEST)
        self._reader = asyncio.ensure_future(self._read())

    async def hint(
        self,
        position: Optional[str] = None,
        moves: m.Moves = None,
        count: Union[int, bool] = True,
        progress: Optional[Progress] = None,
        **options: Any,
    ) -> m.Answer:
        """The values of the best `count` moves, or of all."""
        return m.answer(await self._ask({**m.question(position, moves, options), "hint": count}, progress))

    async def play(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Answer:
        """The move that the engine would play."""
        return m.answer(await self._ask(m.question(position, moves, options)))

    async def solve(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Answer:
        """The exact value of an Othello position near its end."""
        return await self.play(position, moves, **{"depth": 60, "percent": 100, "book": "none", **options})

    async def analyse(self, position: Optional[str] = None, moves: m.Moves = None, **options: Any) -> m.Analysis:
        """Every move of a game judged."""
        return m.analysis(await self._ask({**m.question(position, moves, options), "analyze": True}))

    async def explain(
        self, position: Optional[str] = None, moves: m.Moves = None, move: Optional[str] = None, **options: Any
    ) -> m.Report:
        """Why a move is good or bad: `move`, or the last of `moves`."""
        return m.report(await self._ask({**m.question(position, moves, options), "explain": move or True}))

    async def command(self, line: str) -> Mapping[str, Any]:
        """What the console would do with a line; the answer as it came."""
        return await self._ask({"command": line})

    async def stop(self) -> None:
        """Ends all questions under way; they answer with what they have."""
        await self._ask({"stop": True})

    async def close(self) -> None:
        """Lets the engine end, which saves what it has to save."""
        process = self._process
        if process is None:
            return
        if process.returncode is None and process.stdin is not None:
            try:
                process.stdin.write(b'{"stop":true}\n')
                process.stdin.close()
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                await asyncio.wait_for(process.wait(), timeout=10)
            except asyncio.TimeoutError:
                process.kill()
                await process.wait()
        if self._reader is not None:
            await self._reader

    async def _ask(self, fields: Mapping[str, Any], progress: Optional[Progress] = None) -> Mapping[str, Any]:
        process = self._process
        if process is None or process.stdin is None or self._reader is None or self._reader.done():
            raise m.EngineClosed()
        number = self._ids.next()
        future: "asyncio.Future[Mapping[str, Any]]" = asyncio.get_running_loop().create_future()
        self._waiting[number] = (future, progress)
        if progress is not None:
            fields = {**fields, "progress": True}
        try:
            process.stdin.write(m.line(number, fields).encode())
            await process.stdin.drain()
            message = await future
        except (BrokenPipeError, ConnectionResetError) as error:
            raise m.EngineClosed() from error
        except asyncio.CancelledError:
            process.stdin.write(m.line(self._ids.next(), {"stop": number}).encode())
            raise
        finally:
            self._waiting.pop(number, None)
        if message.get("type") == "error":
            raise m.refusal(message)
        return message

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        async for text in self._process.stdout:
            message = json.loads(text)
            future, progress = self._waiting.get(message.get("id"), (None, None))
            if future is None or future.done():
                continue
            if message.get("type") != "progress":
                future.set_result(message)
            elif progress is not None and "lines" in message:
                progress(m.answer(message))
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(m.EngineClosed())
