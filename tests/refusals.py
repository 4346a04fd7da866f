"""What tests of bad input ask: is it refused with this sentence, to the letter?"""

import pytest


def says(call, error, message):
    """The call must be refused with exactly this message; an ellipsis at its end leaves the rest open."""
    with pytest.raises(error) as caught:
        call()
    told = str(caught.value)
    assert told == message or (message.endswith("…") and told.startswith(message[:-1])), told


def refused(error, rows):
    """A test of rows (call, message): each call is refused with its message."""

    @pytest.mark.parametrize(("call", "message"), rows)
    def test(call, message):
        says(call, error, message)

    return test
