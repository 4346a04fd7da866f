"""Attend to few: only the keys that a cheap index finds best, or only those in a window. Plain NumPy."""

import numpy as np

from helpers.support import inputs
from helpers.support.documented import documented

AT_ONCE = 2**18  # scores whose order is looked for together


@documented
def best_mask(scores, k, mask=None):
    """Let each query attend to the k keys whose scores are highest; of equal ones the first.

    A few queries are looked at together, since the order of all keys takes eight times the memory of the mask itself.

    Parameters
    ----------
    scores : (..., num_queries, num_keys), finite: of the index
    k : whole number, at least 1; a query with fewer keys keeps all of them
    mask : Boolean, broadcastable to (..., num_queries, num_keys), such as causal_mask

    Returns
    -------
    mask : the shape of the scores, Boolean, True = may attend

    Examples
    --------
    >>> best_mask([[1.0, 0.0, 3.0, 2.0]], 2).astype(int)
    array([[0, 0, 1, 1]])
    """
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    best, rows = np.zeros(scores.shape, bool), max(1, AT_ONCE * scores.shape[-2] // scores.size)
    for start in range(0, scores.shape[-2], rows):
        block = np.s_[..., start : start + rows, :]
        order = np.argsort(np.where(allowed[block], -scores[block], np.inf), axis=-1, kind="stable")
        np.put_along_axis(best[block], order[..., :k], True, axis=-1)
        best[block] &= allowed[block]
    return best


def heard_through(masks):
    """Tell from which tokens something reaches each token once all layers have passed.

    A token hears those that it attends to, and what these have heard in the layers below. Through L layers with a window of W
    keys, the token itself among them, L (W - 1) + 1 tokens are heard.

    Parameters
    ----------
    masks : list of (num_tokens, num_tokens) Boolean, one a layer, the lowest first; True = may attend

    Returns
    -------
    heard : (num_tokens, num_tokens) Boolean, True = the token of the column is heard by that of the row

    Examples
    --------
    >>> window = np.tri(5, dtype=bool) & ~np.tri(5, k=-2, dtype=bool)  # two keys, the token itself among them
    >>> heard_through([window] * 3)[-1].astype(int)
    array([0, 1, 1, 1, 1])
    """
    masks = [inputs.booleans("each of masks", mask) for mask in inputs.listed("masks", masks, what="masks")]
    if not masks or any(mask.ndim != 2 or mask.shape != masks[0].shape[:1] * 2 for mask in masks):
        raise ValueError(f"masks must be square and of one size, got {[mask.shape for mask in masks]}.")
    heard = np.eye(len(masks[0]), dtype=bool)
    for mask in masks:
        heard = (mask.astype(float) @ heard + heard) > 0  # the residual path keeps what was heard
    return heard
