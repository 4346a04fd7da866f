"""A cache in pages, for many texts at once: who has which page, and when a page may be shared."""

from collections import Counter

from helpers.support import inputs


class PagedCache:
    """Give texts pages for their keys and values, of `page_size` tokens each; equal beginnings share theirs.

    A text has a table: its pages in order. The keys of its tokens are then `keys[table].reshape(-1, d)[:num_tokens]`, where `keys` is
    one array of shape (num_pages, page_size, d) for all texts. `free` are the pages that were left, `users` says how many texts
    have each page, and `known` which full page holds the end of which beginning.

    Parameters
    ----------
    page_size : whole number, at least 1

    References
    ----------
    Kwon et al., "Efficient Memory Management for Large Language Model Serving with PagedAttention" (2023).

    Examples
    --------
    >>> cache = PagedCache(4)
    >>> cache.enter("You are a clerk . Where is my hat ?".split())
    [0, 1, 2]
    >>> cache.enter("You are a clerk . Who is she ?".split())
    [0, 3, 4]
    """

    def __init__(self, page_size):
        self.page_size = inputs.whole_number("page_size", page_size, minimum=1)
        self.free, self.known, self.users = [], {}, Counter()

    def enter(self, ids):
        """Give a text its table.

        Parameters
        ----------
        ids : list of tokens, numbers or words

        Returns
        -------
        table : list of pages, the last one perhaps not full
        """
        ids, table = _tokens("ids", ids), []
        for end in range(self.page_size, len(ids) + self.page_size, self.page_size):
            beginning, is_full = ids[:end], end <= len(ids)  # all up to the end of the page
            if is_full and beginning in self.known:
                page = self.known[beginning]
            else:
                page = self.free.pop() if self.free else len(self.users)
            if is_full:  # into another one somebody still writes
                self.known[beginning] = page
            self.users[page] += 1
            table.append(page)
        return table

    def leave(self, table):
        """Take a text's table back: a page that nobody has any more is free, and no longer known.

        Parameters
        ----------
        table : list of pages, from `enter`

        Raises
        ------
        ValueError
            If nobody has one of the pages.
        """
        for page, times in Counter(_tokens("table", table)).items():
            if times > 1 or not self.users.get(page):
                raise ValueError(f"table must be that of a text that has not left yet, got {table!r:.60}.")
        for page in table:
            self.users[page] -= 1
            if not self.users[page]:
                self.known = {beginning: each for beginning, each in self.known.items() if each != page}
                self.free.append(page)


def _tokens(name, values):
    """What was given as a tuple of things that can be looked up, or a sentence that it is none."""
    try:
        hash(found := tuple(values))
    except TypeError:
        raise TypeError(f"{name} must be a list of numbers or words, got {values!r:.60}.") from None
    return found
