"""Known answers of the explorers of the model that writes."""

import re

from helpers import explorers
from helpers.learning import small_models


def test_no_two_letters_stand_in_one_place():
    html = explorers.explore_writing(temperature=0.0).html  # a space at the end of a line once lay under the next word
    for layout in html.split('class="only-narrow"')[:2]:  # on a card and on a phone
        places = re.findall(r'<rect[^>]*?x="([\d.]+)" y="([\d.]+)"[^>]*?class="touch at-text ', layout)
        assert len(places) == 72 and len(set(places)) == 72


def test_greedy_writing_repeats_itself():
    text = small_models.to_text(explorers.explore_writing(temperature=0.0).shown["tokens"], small_models.LETTERS)
    assert text.count("the same the same the same") >= 2
