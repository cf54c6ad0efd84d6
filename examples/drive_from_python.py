"""Asks Shirokuro about positions over JSON lines. Standard library only.

    python3 examples/drive_from_python.py target/release/shirokuro
"""

import json
import subprocess
import sys


class Engine:
    def __init__(self, path, *options):
        command = [path, "json", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.next_id = 0

    def send(self, **request):
        """Sends a request and returns its id; several may be under way."""
        self.next_id += 1
        self.process.stdin.write(json.dumps({"id": self.next_id, **request}) + "\n")
        return self.next_id

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the engine has left")
        return json.loads(line)

    def ask(self, **request):
        """Sends a request and waits for its answer."""
        wanted = self.send(**request)
        while True:
            message = self.receive()
            if message["id"] == wanted and message["type"] != "progress":
                if message["type"] == "error":
                    raise ValueError(f"{message.get('field')}: {message['message']}")
                return message

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    engine = Engine(sys.argv[1], "--level", "8", "--threads", "1")

    answer = engine.ask(moves="f5d6c3", hint=3)
    print(f"{answer['colour']} to move after f5 d6 c3:")
    for line in answer["lines"]:
        print(f"  {line['move']} {line['value']:+.2f}  {' '.join(line['pv'])}")

    # Many questions at once: they are answered in their order.
    openings = {"diagonal": "f5f6", "perpendicular": "f5d6", "parallel": "f5f4"}
    ids = {engine.send(moves=moves, level=6): name for name, moves in openings.items()}
    for _ in openings:
        answer = engine.receive()
        print(f"{ids[answer['id']]}: {answer['move']} {answer['value']:+.2f}")

    # A question that would take too long is stopped; it answers with what it has.
    long = engine.send(level=60)
    engine.send(stop=long)
    while (message := engine.receive())["id"] != long:
        pass
    print(f"stopped: {message['move']}, complete: {message['complete']}")

    try:
        engine.ask(moves="f5f5")
    except ValueError as error:
        print(f"refused: {error}")
    engine.close()


main()
