"""Pages of the notes as our text has them: which number is off, and who erred? And a slip of one's own, planted."""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import softmax
from rooms.shared import examples
from workbench import SHARES, Rule, Touch, between, cells, choose, explorer, matrices, stops

TOKENS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
STAGES = {"dot products": (3, 3), "scaled scores": (3, 3), "weights": (3, 3), "outputs": (3, 2)}


class Page(NamedTuple):
    """One thing that our text has.

    about : what it is, and what it starts from
    rule : the rule by which it is judged, told once it is
    beside : told where a number beside the one that is off is chosen, or one in the like row; "" where the computation
        speaks against it
    calm : told where nothing is said to be off, and something is; "" where no reading makes it right
    """

    about: str
    rule: str
    beside: str = ""
    calm: str = ""


_PAGES = """
three tokens: scores | Dot products of the tokens [1, 0], [0, 1], [1, 1], each with each. | Token 1 with token 3 is token 3 with token 1, so the table is its own mirror image.
whole string: scores | Scores of A A B A, where every letter asks for a B and the keys are ten times as long. | Every row asks the same and finds the B. With two different matrices, scores need not mirror each other.
similarity matrix | Three rows of similarities, each a set of shares. | Shares sum to 1. | Row 3 cannot be shares. Which of its numbers is off, the sum cannot tell; but our text has .5 .45 0.5, and only one of the three stands there with a leading zero.
three tokens: weights, row 1 | Softmax of .707, 0, .707, to three decimals. | e to the .707 is 2.028, the sum 5.056; and the row sums to 1.
three tokens: identity | The matrix by which the three tokens are multiplied, so that Q = X. | The identity leaves every token as it is: 1 on the diagonal, 0 beside it.
A/B query: weights | Softmax of the scores 0 0 1 0. Beside it stands: assume e = 3. | In base 3 the parts are 1 1 3 1, and the assumption is stated.
booster: scores | A row without a name, under keys that were made ten times as long, so that attention becomes more peaked. | As scores, the B's would be 10. As weights, the boosted ones are 0 0 1 0 in whole numbers. |  | Read as weights, the row is right: in whole numbers they are 0 0 1 0. Which number would be off if these were scores?
three tokens: y1 | The output of token 1: a mixture of [1, 0], [0, 1], [1, 1] by .401, .198, .401. | A mixture lies between its ingredients: no feature of the tokens is larger than 1.
three tokens: K transposed | The keys of the same three tokens, two features each, transposed. | Two features make two rows, three tokens three columns. | Well seen: rows 2 and 3 are the same, and one of them is too many. Which one, nobody can tell; here the last one counts as off.
cost: additions | Additions in dot products with 5, 3 and 2 multiplications. | k products are joined by k − 1 additions.
cost: last additions | Additions beside the last 2 multiplications. | k products are joined by k − 1 additions.
"""  # name | about | rule | beside | calm
PAGES = {name: Page(*said) for name, *said in (row.split(" | ") for row in _PAGES.strip().splitlines())}
WHO = {"not said yet": (), "the author": ("author",), "the reading of the sheet": ("transcription",)}
WHO |= {"nobody": ("stated", "convention", "source"), "nobody can tell": ("open",)}
NONE, LARGEST = "none yet", (4, 4)


def explore_notes():
    """Click the number that you distrust, on one page after the other; then say who erred.

    Shown: printed (num_rows, num_columns), what our text has; differs, True where the computation gives another number;
    computed, empty until the page is judged rightly; found: 1 judged rightly, -1 wrongly, 0 not yet
    """
    pages = [(f"{k} of {len(PAGES)}", name) for k, name in enumerate(PAGES, start=1)]
    page = stops("page", pages, next(iter(PAGES)))
    places = [(f"row {i + 1}, column {j + 1}", (i, j)) for i, j in np.ndindex(*LARGEST)]
    verdict = {
        "number": stops("the number you distrust", [(NONE, NONE), *places], NONE),
        "sound": choose("is the page sound?", {"not judged": False, "nothing here is off": True}, False),
        "who": choose("who erred?", WHO, ()),
    }
    distrust = Touch(lambda now, i, j: {"number": (i, j), "sound": False}, lambda now, i, j: "distrust it")
    made = explorer(_judge, _show_page, _say, touch={"printed": distrust}, folded=["number"], page=page, **verdict)
    blank = {name: control.value for name, control in verdict.items()}
    page.observe(lambda _change: made.set(**blank), "value")  # a verdict belongs to its page
    return made


def explore_wrong_number():
    """Plant a slip in the computation of three tokens, and see which rule catches it.

    Shown: "dot products", "scaled scores" and weights (3, 3), outputs (3, 2), from the slip on; moved: how many numbers of
    each of the four differ from the right ones
    """
    return explorer(
        _plant,
        _stages,
        _say_slip,
        RULES,
        touch={
            name: Touch(lambda now, i, j, name=name: {"place": (name, i, j)}, lambda now, i, j: "plant the slip here")
            for name in STAGES
        },
        folded=["place"],
        presets={"the 0 of our text": {"place": ("dot products", 2, 0), "slip": "made 0"}},
        place=stops("place of the slip", cells(STAGES), ("dot products", 0, 1)),
        slip=choose("slip", list(SLIPS), "one more"),
    )


# --- a page is judged ------------------------------------------------------------------------------------------------


def _printed(page):
    example = examples.get(page)
    differs = examples.differs(example, examples.compute(example))
    return np.atleast_2d(example.printed), np.atleast_2d(differs)


def _judge(page, number, sound, who):
    printed, differs = _printed(page)
    if sound:
        judged = -1 if differs.any() else 1
    else:
        judged = 0 if not _on_page(number, printed) else 1 if differs[number] else -1
    computed = np.atleast_2d(examples.compute(page)) if judged == 1 else np.empty((0, 0))
    return {"printed": printed, "differs": differs, "computed": computed, "found": np.array(judged)}


def _on_page(number, printed):
    """Whether a number is chosen that stands there: pages differ in size."""
    return number != NONE and number[0] < printed.shape[0] and number[1] < printed.shape[1]


def _outlined(now):
    """The number that is distrusted, and once the page is judged rightly all that are off."""
    if now.found == 1:
        return {(int(i), int(j)): "factor" for i, j in np.argwhere(now.differs)}
    return {now.number: "result"} if _on_page(now.number, now.printed) and not now.sound else {}


def _show_page(now):
    decimals = examples.get(now.page).decimals
    line = [now.table("printed", "in our text", **_how(now.printed, decimals), marks=_outlined(now))]
    if now.found == 1:
        line.append(matrices.matrix(now.computed, "computed", **_how(now.computed, decimals)))
    return [matrices.sentence(PAGES[now.page].about), line]


def _how(values, decimals):
    return {"decimals": matrices.fewest_decimals(values, decimals or 4), "fractions": matrices.exact_fractions(values)}


def _say(now):
    if now.found == 0 and now.who:
        return "Who erred? First judge the page: click a number, or say that nothing is off."
    if now.found == 0:
        return "Click the number that you distrust. Or is nothing off here?"
    rule = PAGES[now.page].rule
    if now.found == -1:
        if now.sound:
            return PAGES[now.page].calm or "Something is off: at least one number is not what the computation gives."
        alike = (now.printed == now.printed[now.number[0]]).all(axis=1)
        if PAGES[now.page].beside and now.differs[alike].any():
            return PAGES[now.page].beside
        return f"{_words(now.printed[now.number])} is what the computation gives, too. A rule that helps: {rule}"
    example = examples.get(now.page)
    if now.sound:
        blamed = now.who in (WHO["the author"], WHO["the reading of the sheet"])
        return f"Right, nothing is off. {rule}{' Whoever blames somebody here blames the innocent.' * blamed}"
    return f"Found. {rule} {_who(now.who, example)}"


def _who(who, example):
    if not who:
        return "Now: who erred?"
    verdict = "That is how we read it, too" if example.reading in who else "We read it differently"
    return f"{verdict}: {examples.READINGS[example.reading]}. The evidence: {example.evidence}."


def _words(number):
    return "1/6" if math.isclose(number, 1 / 6) else f"{number:.4f}".rstrip("0").rstrip(".")


# --- a slip is planted -----------------------------------------------------------------------------------------------

STEPS = {  # stage -> how it is made from the one before
    "dot products": lambda X: X @ X.T,
    "scaled scores": lambda products: products / math.sqrt(2),
    "weights": softmax,
    "outputs": lambda weights: weights @ TOKENS,
}
SLIPS = {
    "none": lambda x: x, "one more": lambda x: x + 1, "made 0": lambda x: 0.0, "three times": lambda x: 3 * x,
    "minus": lambda x: 0.0 - x,
}  # fmt: skip
RULES = [
    Rule(
        "dot products and scores are their own mirror images",
        lambda now: max(np.abs(now[name] - now[name].T).max() for name in ("dot products", "scaled scores")),
        "a number and its mirror image differ by {:.3f}",
    ),
    SHARES,
    between(lambda now: now.outputs, lambda now: TOKENS, "every output lies between the features"),
]


def _computed(place=None, change=None):
    """All four stages, one number of one of them changed on the way."""
    made, last = {}, TOKENS
    for name, step in STEPS.items():
        last = step(last)
        if place and name == place[0]:
            last[place[1:]] = change(last[place[1:]])
        made[name] = last
    return made


_RIGHT = _computed()


def _plant(place, slip):
    made = _computed(place, SLIPS[slip])
    moved = [int((np.abs(made[name] - _RIGHT[name]) > 1e-9).sum()) for name in STAGES]
    return {**made, "moved": np.array(moved)}


def _stages(now):
    scores = {"kind": "scores", "corner": "query ↓ key →", "limit": 3.0}
    features = {"columns": ["feature 1", "feature 2"], "corner": "token"}
    how = {"dot products": {**scores, "decimals": 0}, "scaled scores": scores, "weights": {}, "outputs": features}
    return [[now.table(name, marks=_marked(now, name), **how[name]) for name in STAGES]]


def _marked(now, name):
    """What differs from the right number, and the slip itself."""
    off = {(int(i), int(j)): "factor" for i, j in np.argwhere(np.abs(now[name] - _RIGHT[name]) > 1e-9)}
    return off | ({now.place[1:]: "result"} if now.place[0] == name else {})


def _say_slip(now):
    name, i, j = now.place
    if not now.moved.any():
        return f"{name.capitalize()} [{i + 1}, {j + 1}] is {_words(now[name][i, j])}, as it should be."
    was, is_now = _words(_RIGHT[name][i, j]), _words(now[name][i, j])
    travelled = ", ".join(f"{stage} {count}" for stage, count in zip(STAGES, now.moved) if count)
    caught = sum(not rule.light(now).holds for rule in RULES)
    told = f"Rules that notice: {caught} of {len(RULES)}." if caught else "No rule notices."
    return f"{name.capitalize()} [{i + 1}, {j + 1}] says {is_now} for {was}. Numbers that are off then: {travelled}. {told}"
