"""Run with `python3 -m unittest discover -s examples/python/tests`; SHIROKURO names the engine."""

import asyncio
import threading
import time
import unittest

from shirokuro import AsyncEngine, Engine, EngineClosed, EngineError

OPTIONS = {"threads": 1, "hash": 14, "book": "none", "level": 4}
# Ten empty squares.
ENDGAME = "-OOOOOOO-XXXXXOO-XOXXOXO-XXOXXXO-XXXOXXO-XXXXOXO-XOOOOX--XXXXX-- O"


class Plain(unittest.TestCase):
    def test_hint_has_all_moves_best_first(self):
        with Engine(**OPTIONS) as engine:
            answer = engine.hint(moves="f5d6", count=True)
            self.assertEqual(len(answer.lines), 5)
            self.assertEqual(answer.lines[0].move, answer.move)
            self.assertEqual(answer.colour, "black")
            values = [line.value for line in answer.lines]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertTrue(answer.complete)

    def test_play_solve_and_analyse(self):
        with Engine(**OPTIONS) as engine:
            self.assertIn(engine.play(moves=["f5"]).move, ["d6", "f4", "f6"])
            self.assertTrue(engine.solve(ENDGAME).lines[0].solved)
            analysis = engine.analyse(moves="f5d6c3d3")
            self.assertEqual([ply.played for ply in analysis.plies][:4], ["f5", "d6", "c3", "d3"])
            self.assertTrue(all(ply.loss >= 0 for ply in analysis.plies))
            self.assertTrue(engine.explain(moves="f5f4").notes)

    def test_a_refused_question_is_an_exception_that_says_why(self):
        with Engine(**OPTIONS) as engine:
            with self.assertRaises(EngineError) as caught:
                engine.play(moves="a1")
            self.assertEqual(caught.exception.field, "moves")
            with self.assertRaises(EngineError) as caught:
                engine.play(depth=99)
            self.assertEqual((caught.exception.code, caught.exception.field), ("range", "depth"))
            self.assertTrue(engine.play().move)

    def test_progress_and_stop(self):
        news = []
        with Engine(**OPTIONS) as engine:
            engine.hint(moves="f5d6c3", count=1, level=8, progress=news.append)
            self.assertTrue(news and all(answer.lines for answer in news))
            threading.Timer(0.3, engine.stop).start()
            began = time.monotonic()
            answer = engine.play(level=60)
            self.assertFalse(answer.complete)
            self.assertLess(time.monotonic() - began, 30)

    def test_a_closed_engine_says_so(self):
        engine = Engine(**OPTIONS)
        engine.close()
        with self.assertRaises(EngineClosed):
            engine.play()
        engine.close()


class Asynchronous(unittest.TestCase):
    def test_many_questions_at_once(self):
        async def ask():
            async with AsyncEngine(**OPTIONS) as engine:
                games = ["f5", "f5d6", "f5f6", "f5f4"]
                return await asyncio.gather(*(engine.hint(moves=game) for game in games))

        answers = asyncio.run(ask())
        self.assertEqual([answer.colour for answer in answers], ["white", "black", "black", "black"])

    def test_what_is_cancelled_is_stopped(self):
        async def ask():
            async with AsyncEngine(**OPTIONS) as engine:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(engine.play(level=60), timeout=0.3)
                return await asyncio.wait_for(engine.play(moves="f5"), timeout=30)

        self.assertTrue(asyncio.run(ask()).move)

    def test_errors_are_exceptions(self):
        async def ask():
            async with AsyncEngine(**OPTIONS) as engine:
                with self.assertRaises(EngineError):
                    await engine.play(position="nonsense")
                await engine.command("set level 3")
                await engine.stop()
            with self.assertRaises(EngineClosed):
                await engine.play()

        asyncio.run(ask())


if __name__ == "__main__":
    unittest.main()
