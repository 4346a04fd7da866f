"""Typed strings of A and B."""

LONGEST = 12  # letters


def read_letters(string):
    """The letters of a typed string of A and B, 1 to LONGEST of them."""
    letters = string.strip().upper()
    if not 1 <= len(letters) <= LONGEST:
        raise ValueError(f"The string takes 1 to {LONGEST} letters, and this one has {len(letters)}.")
    stranger = next((letter for letter in letters if letter not in "AB"), "")
    if stranger:
        named = "a space" if stranger.isspace() else f"“{stranger}”"
        raise ValueError(f"The string is made of A and B only; {named} is neither.")
    return letters
