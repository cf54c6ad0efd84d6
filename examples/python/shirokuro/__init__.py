"""Ask the Othello and Go engine Shirokuro from Python.

>>> from shirokuro import Engine
>>> with Engine(level=8) as engine:
...     print(engine.hint(moves="f5d6", count=3).lines[0].move)
c3
"""

from ._aio import AsyncEngine
from ._messages import Analysis, Answer, EngineClosed, EngineError, Line, Ply, Report
from ._sync import Engine

__all__ = [
    "Analysis",
    "Answer",
    "AsyncEngine",
    "Engine",
    "EngineClosed",
    "EngineError",
    "Line",
    "Ply",
    "Report",
]
