"""Analyse a WTHOR file on all cores and draw what both sides lose, move by move.

    python3 gallery.py WTH_2024.wtb losses.svg --games 100 --level 6

Standard library only. Each worker is an engine of its own with one thread.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
from typing import Dict, Iterable, List

from shirokuro import AsyncEngine, EngineError


def wthor(path: str) -> List[str]:
    """The transcripts of a WTHOR file."""
    with open(path, "rb") as file:
        data = file.read()
    count = int.from_bytes(data[4:8], "little")
    games = []
    for start in range(16, 16 + 68 * count, 68):
        moves = [byte for byte in data[start + 8 : start + 68] if byte]
        games.append("".join(f"{chr(96 + move % 10)}{move // 10}" for move in moves))
    return games


async def analyse(games: Iterable[str], workers: int, level: int) -> Dict[int, List[float]]:
    """The losses in discs by the number of the move."""
    waiting = list(enumerate(games))
    total, losses = len(waiting), {}

    async def work() -> None:
        async with AsyncEngine(threads=1, hash=16, level=level, book="none") as engine:
            while waiting:
                number, moves = waiting.pop()
                try:
                    analysis = await engine.analyse(moves=moves)
                except EngineError as error:
                    print(f"game {number + 1} left out: {error}")
                    continue
                for ply in analysis.plies:
                    if ply.played not in (None, "pass"):
                        losses.setdefault(ply.ply + 1, []).append(ply.loss)
                print(f"\r{total - len(waiting)}/{total} games", end="", flush=True)

    await asyncio.gather(*(work() for _ in range(workers)))
    print()
    return losses


def plot(losses: Dict[int, List[float]]) -> str:
    """The mean loss of each move as an SVG."""
    means = {move: statistics.fmean(values) for move, values in sorted(losses.items()) if move <= 60}
    top = max(means.values(), default=0.0) or 1.0
    bars = "".join(
        f'<rect x="{40 + 10 * (move - 1)}" y="{260 - 220 * mean / top:.1f}" width="8" height="{220 * mean / top:.1f}"'
        f' fill="{"#333" if move % 2 else "#999"}"><title>move {move}: {mean:.2f}</title></rect>'
        for move, mean in means.items()
    )
    ticks = "".join(f'<text x="{44 + 10 * (n - 1)}" y="276" text-anchor="middle">{n}</text>' for n in range(10, 61, 10))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 300" font-family="sans-serif" font-size="12">'
        '<rect width="660" height="300" fill="white"/>'
        f'<text x="330" y="20" text-anchor="middle" font-size="15">Discs lost a move (dark: black, light: white)</text>'
        f'<text x="34" y="44" text-anchor="end">{top:.1f}</text><text x="34" y="264" text-anchor="end">0</text>'
        f'{bars}<line x1="38" y1="260" x2="642" y2="260" stroke="black"/>{ticks}'
        '<text x="330" y="294" text-anchor="middle">move</text></svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a WTHOR file (.wtb)")
    parser.add_argument("output", help="the picture to write (.svg)")
    parser.add_argument("--games", type=int, default=100, help="so many games from its beginning (default 100)")
    parser.add_argument("--level", type=int, default=6)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    losses = asyncio.run(analyse(wthor(chosen.file)[: chosen.games], chosen.workers, chosen.level))
    with open(chosen.output, "w", encoding="utf-8") as file:
        file.write(plot(losses))
    print(chosen.output)


if __name__ == "__main__":
    main()
