"""Typed strings of A and B."""

LONGEST = 12  # letters


def read_letters(string, what="string", longest=LONGEST):
    """The letters of a typed string of A and B, 1 to `longest` of them; `what` is its name in messages."""
    letters = string.strip().upper()
    if not 1 <= len(letters) <= longest:
        raise ValueError(f"The {what} takes 1 to {longest} letters, and this one has {len(letters)}.")
    stranger = next((letter for letter in letters if letter not in "AB"), "")
    if stranger:
        named = "a space" if stranger.isspace() else f"“{stranger}”"
        raise ValueError(f"The {what} is made of A and B only; {named} is neither.")
    return letters
