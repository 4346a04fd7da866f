"""What the explorers of TOPIC must show, in plain loops; tests/test_explorers.py holds them beside it.

Each explorer has a row in each table:
REFERENCES : its arrays, computed from the values of the controls without the helpers
TABLES : the cells of its tables, by caption; sums at the end of a row included
SENTENCES : the numbers of its sentence, in order
LIGHTS : its rules, and by how much each is broken: 0 where it holds
"""

from tests.references import with_sums


def weigh(score):
    parts = [1, 1, 3**score]
    return {"scores": [[0, 0, score]], "weights": [[part / sum(parts) for part in parts]]}


def weigh_wrongly(recipe):
    divisor = {"powers over their sum": 13, "powers alone": 1, "powers over the largest": 9}[recipe]
    return {"weights": [[part / divisor for part in (1, 3, 9)]]}


def off_one(weights):
    gap = abs(sum(weights[0]) - 1)
    return gap if gap > 1e-9 else 0


REFERENCES = {"explore_TOPIC": weigh, "explore_wrong_TOPIC": weigh_wrongly}
TABLES = {
    "explore_TOPIC": lambda shown, values: {"scores": shown["scores"], "weights": with_sums(shown["weights"])},
    "explore_wrong_TOPIC": lambda shown, values: {"weights": with_sums(shown["weights"])},
}
SENTENCES = {
    "explore_TOPIC": lambda shown, values: [values["score"], shown["weights"][0][-1]],
    "explore_wrong_TOPIC": lambda shown, values: [sum(shown["weights"][0])],
}
LIGHTS = {
    "explore_TOPIC": lambda shown, values: [("every row sums to 1", 0)],
    "explore_wrong_TOPIC": lambda shown, values: [("every row sums to 1", off_one(shown["weights"]))],
}

# TODO tests of known answers: what the lesson says in words, asked of `explorer.set(…)` and `explorer.shown`.
