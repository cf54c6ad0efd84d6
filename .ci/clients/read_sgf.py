"""Games that the program writes, read by sgfmill; a game that sgfmill writes, read by the program."""

import os
import subprocess
import sys
import tempfile

from sgfmill import sgf


def gtp(lines, *options):
    """The answers to some commands."""
    done = subprocess.run(
        [sys.argv[1], "gtp", "--game", "go", "--threads", "1", "--set", "playouts=20", *options],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = done.stdout.split("\n\n")
    assert all(answer.startswith("=") for answer in answers if answer), done.stdout
    return [answer[2:] for answer in answers]


moves = [f"genmove {colour}" for _ in range(10) for colour in "bw"]
text = gtp(["boardsize 9", "komi 5.5", *moves, "printsgf"])[-2]
game = sgf.Sgf_game.from_string(text)
played = [node.get_move() for node in game.get_main_sequence()[1:]]
assert game.get_size() == 9 and game.get_komi() == 5.5, text
assert [colour for colour, _ in played] == list("bw" * 10), played

fresh = sgf.Sgf_game(size=13)
fresh.get_root().set("KM", 6.5)
for index, point in enumerate([(3, 3), (9, 9), (3, 9), None]):
    fresh.extend_main_sequence().set_move("bw"[index % 2], point)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "game.sgf")
    with open(path, "wb") as file:
        file.write(fresh.serialise())
    answers = gtp([f"loadsgf {path}", "printsgf"])
back = sgf.Sgf_game.from_string(answers[1])
assert back.get_size() == 13, answers
assert [n.get_move() for n in back.get_main_sequence()[1:]] == [("b", (3, 3)), ("w", (9, 9)), ("b", (3, 9)), ("w", None)]
print(f"sgfmill: {len(played)} moves read, {len(back.get_main_sequence()) - 1} moves written and read back")
