"""The exercise on the size of scores."""

from helpers.attention import softmax
from rooms.shared import edits
from rooms.shared.she import SHE, scores, she
from workbench import like

DIVISOR = edits.exercise(
    """
def divisor(d_k, spread):
    variance_of_one_product = spread**2 * spread**2
    return math.sqrt(d_k * variance_of_one_product)
""",
    cases=[(4, 1.0), (9, 2.0), (16, 0.5), (2, 3.0), (64, 1.5), (1, 0.25)],
    sorts=("entries that spread by 1", *["other spreads"] * 5),
    mistakes="""
=> math.sqrt(d_k) | √d_k is right for entries that spread by 1; larger entries make larger scores.
* spread**2 => | Query and key both spread by σ, so each product spreads by σ², and its variance is σ⁴.
* spread**2 => ;; = spread**2 => = spread |
=> d_k * spread**2 | Variances add up, spreads do not: d_k products have d_k times the variance, and a spread is its root.
=> d_k |
=> d_k * spread |
math.sqrt(d_k * variance_of_one_product) => (d_k * variance_of_one_product) | That is the variance of a score; the spread is its square root.
return math => return 1 / math | That is 1 over the divisor: the scores are divided by it, not multiplied.
=> 1 / (d_k * spread**2) | That is 1 over the divisor, and d_k is under no root: the scores are divided by σ² √d_k.
=> 1 / (d_k / 2 * spread**2) | That is 1 over the divisor, and d_k ** 1 / 2 is half of d_k ** 1: the scores are divided by σ² √d_k.
=> d_k / 2 * spread**2 | d_k ** 1 / 2 is half of d_k ** 1, since powers come first; the root is d_k ** (1 / 2), or math.sqrt(d_k).
=> 1 / (math.isqrt(d_k) * spread**2) | That is 1 over the divisor, and math.isqrt cuts the root to a whole number: math.sqrt(d_k) times σ².
=> spread**2 / math.sqrt(d_k) | d_k products are added, so the spread grows by √d_k: multiply σ² by it.
=> math.sqrt(d_k) / spread**2 | Each product spreads by σ²: multiply √d_k by it, do not divide.
math.sqrt(d_k * => math.sqrt((d_k - 1) * | One product is missing: a score adds up d_k of them, and range(1, d_k) makes one less.
=> spread**2 | That is the spread of one product; a score adds up d_k of them.
=> 2 * spread * math.sqrt(d_k) | 2σ is not σ²: the spreads of a query and a key multiply.
""",
    explain=lambda got, want, d_k, spread: (
        f"For d_k = {d_k} and σ = {spread:g} this is {float(got / want):.4g} times the right divisor. If you drew numbers at random: they come close, and the exact number is asked for."
        if 0.8 < got / want < 1.25
        else f"For d_k = {d_k} and σ = {spread:g} your divisor leaves the scores with a spread of {float(want / got):.3g}."
        if got > 0
        else None
    ),
    praise="Right: σ² for each product, √d_k for their sum. With σ = 1 that is the √d_k of the formula.",
)
DIVISOR_DRAWN = she(
    "divisor",
    lambda divisor: softmax(2 * scores()[SHE] / like(divisor(4, 1.0), ())),
    "a woman's name, with d_k = 4 and σ = 1",
)
