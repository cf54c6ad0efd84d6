"""Questions answered by a Ray cluster that drives the same program: python ray_batch.py jobs.jsonl results.jsonl

Each actor keeps one `shirokuro json` and feeds it a part of the questions at a time.
"""

import json
import subprocess
import sys

import ray


@ray.remote(num_cpus=1)
class Engine:
    def __init__(self):
        command = ["shirokuro", "json", "--jobs", "1", "--ordered"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, questions):
        answers = []
        for question in questions:
            print(json.dumps(question), file=self.process.stdin, flush=True)
            answers.append(json.loads(self.process.stdout.readline()))
        return answers


def main(jobs, results):
    ray.init()
    with open(jobs, encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines if line.strip()]
    for number, question in enumerate(questions, 1):
        question.setdefault("id", number)
    parts = [questions[start : start + 100] for start in range(0, len(questions), 100)]
    engines = [Engine.remote() for _ in range(int(ray.cluster_resources()["CPU"]))]
    pool = ray.util.ActorPool(engines)
    with open(results, "w", encoding="utf-8") as out:
        for answers in pool.map_unordered(lambda engine, part: engine.answer.remote(part), parts):
            out.writelines(json.dumps(answer) + "\n" for answer in answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
