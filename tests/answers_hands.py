"""Answers of many hands: the half that was looked at while the checks were tuned."""

ANSWERS = r"""
### soft_select | right
def soft_select(q, K, v):
    w = np.power(3.0, np.einsum("nd,d->n", K, q))
    return np.average(v, weights=w)
### soft_select | right
def soft_select(query, keys, values):
    scores = keys @ query
    e = np.exp(np.log(3) * (scores - scores.max()))
    return float((e / e.sum()).dot(values))
### soft_select | wrong | L2|order|bracket|\*\*
def soft_select(query, keys, values):
    parts = 3.0 ** keys @ query
    weights = parts / parts.sum()
    return weights @ values
### soft_select | wrong | L3|sum
def soft_select(query, keys, values):
    scores = keys @ query
    weights = 3.0 ** scores / 3.0 ** scores.sum()
    return weights @ values
### soft_select | wrong | L2|keys|score|@
def soft_select(query, keys, values):
    scores = keys * query
    parts = 3.0 ** scores
    return (parts / parts.sum()) @ values
### soft_select | wrong | return
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    weights = parts / parts.sum()
    answer = weights @ values
### soft_select | wrong | L4|keys|values
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    weights = parts / parts.sum()
    return weights @ keys
### soft_select | wrong | L3|len|number|sum|mean
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    weights = parts / len(parts)
    return (weights * values).sum()
### soft_select | wrong | L2|3 \*|times|power
def soft_select(query, keys, values):
    parts = 3 * (keys @ query)
    weights = parts / np.sum(parts)
    return np.dot(weights, values)
### soft_select | wrong | tripl|power|equal|match|3
def soft_select(query, keys, values):
    weights = []
    for key in keys:
        weights.append(3 if (key == query).all() else 1)
    weights = np.array(weights) / sum(weights)
    return weights @ values
### soft_select | wrong | sign|L2
def soft_select(query, keys, values):
    parts = 3.0 ** -(keys @ query)
    weights = parts / parts.sum()
    return weights @ values
### softmax | right
def softmax(scores):
    z = scores - np.max(scores, axis=-1)[..., np.newaxis]
    numerator = np.exp(z)
    denominator = np.sum(numerator, axis=-1)[..., np.newaxis]
    return numerator / denominator
### softmax | right
def softmax(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    out = np.zeros_like(flat)
    for i, row in enumerate(flat):
        e = np.exp(row - max(row))
        out[i] = e / sum(e)
    return out.reshape(scores.shape)
### softmax | right
def softmax(scores):
    def one(row):
        e = np.exp(row - row.max())
        return e / e.sum()
    return np.apply_along_axis(one, -1, scores)
### softmax | right
def softmax(scores):
    scores = np.array(scores, dtype=float)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores
### softmax | wrong | overflow|largest
def softmax(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | L2|max|truth|row
def softmax(scores):
    e = np.exp(scores - max(scores))
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | math.exp|np.exp|L2
def softmax(scores):
    e = math.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | overwritten|input|copy
def softmax(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | single row|one row|axis|rows|row
def softmax(scores):
    e = [math.exp(s - max(scores)) for s in scores]
    return [x / sum(e) for x in e]
### softmax | wrong | L2|min|smallest|largest
def softmax(scores):
    e = np.exp(scores - scores.min(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | L4|each row|inside|first
def softmax(scores):
    rows = []
    for row in np.atleast_2d(scores):
        e = np.exp(row - row.max())
        rows.append(e / e.sum())
        return np.array(rows).reshape(scores.shape)
### mix_similar | right
def mix_similar(X):
    n, d = X.shape
    scores = np.zeros((n, n))
    for t in range(n):
        for i in range(n):
            scores[t, i] = sum(X[t, k] * X[i, k] for k in range(d))
    return attention.softmax(scores) @ X
### mix_similar | right
def mix_similar(X):
    result = np.zeros(X.shape)
    weights = attention.softmax(np.dot(X, X.transpose()))
    for t in range(len(X)):
        for i in range(len(X)):
            result[t] += weights[t, i] * X[i]
    return result.tolist()
### mix_similar | wrong | L7|add|last|keeps
def mix_similar(X):
    n, d = X.shape
    scores = np.zeros((n, n))
    for t in range(n):
        for i in range(n):
            for k in range(d):
                scores[t, i] = X[t, k] * X[i, k]
    return attention.softmax(scores) @ X
### mix_similar | wrong | L2|X\.T|features|transpose|order
def mix_similar(X):
    scores = X.T @ X
    return attention.softmax(scores) @ X
### mix_similar | wrong | L3|axis|column|down
def mix_similar(X):
    scores = X @ X.T
    return attention.softmax(scores, axis=0) @ X
### mix_similar | wrong | √|root|lesson 04|L2
def mix_similar(X):
    scores = X @ X.T / math.sqrt(X.shape[1])
    return attention.softmax(scores) @ X
### mix_similar | wrong | L3|weights @ X|stand|order|side
def mix_similar(X):
    weights = attention.softmax(X @ X.T)
    return X @ weights
### mix_similar | wrong | L6|add|last|keeps|\+=
def mix_similar(X):
    weights = attention.softmax(X @ X.T)
    out = np.zeros_like(X)
    for t in range(len(X)):
        for i in range(len(X)):
            out[t] = weights[t, i] * X[i]
    return out
### mix_similar | wrong | softmax|twice|L3|step
def mix_similar(X):
    weights = attention.softmax(X @ X.T)
    return attention.softmax(weights) @ X
### mix_similar | wrong | L2|3|base
def mix_similar(X):
    parts = 3.0 ** (X @ X.T)
    return parts / parts.sum(axis=1, keepdims=True) @ X
### mix_similar | wrong | L4|keepdims
def mix_similar(X):
    scores = X @ X.T
    e = np.exp(scores)
    weights = e / e.sum(axis=1)
    return weights @ X
### mix_similar | wrong | L3|\*|@|matrix product|number by number
def mix_similar(X):
    n = len(X)
    scores = X * X
    return attention.softmax(scores) @ X
### mix_similar | wrong | L7|inside|loop|first
def mix_similar(X):
    out = []
    for x in X:
        scores = X @ x
        weights = attention.softmax(scores)
        out.append(weights @ X)
        return np.array(out)
### self_attention | right
def self_attention(X, W_query, W_key, W_value):
    Q = np.dot(X, W_query)
    K = np.dot(X, W_key)
    V = np.dot(X, W_value)
    d_k = K.shape[1]
    return attention.softmax(Q.dot(K.T) * d_k ** -0.5).dot(V)
### self_attention | wrong | L3|2|width
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(2)
    return attention.softmax(scores) @ value
### self_attention | wrong | L2|exchanged|swap|W_key
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_key, X @ W_query, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])
    return attention.softmax(scores) @ value
### self_attention | wrong | value|W_value|L4|mixed
def self_attention(X, W_query, W_key, W_value):
    query, key = X @ W_query, X @ W_key
    scores = query @ key.T / math.sqrt(query.shape[-1])
    return attention.softmax(scores) @ X
### self_attention | wrong | d_model|L3|width|X
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(X.shape[-1])
    return attention.softmax(scores) @ value
### self_attention | wrong | (L2.*root|root.*left|left|order|side|√)
def self_attention(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    weights = attention.softmax(Q @ K.T)
    return weights @ V
### self_attention | wrong | L3|transpose|swapaxes|permute|-2
def self_attention(X, W_query, W_key, W_value):
    q, k, v = X @ W_query, X @ W_key, X @ W_value
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return attention.softmax(scores, dim=-1) @ v
### self_attention | wrong | L5|keepdims
def self_attention(X, W_query, W_key, W_value):
    q, k, v = X @ W_query, X @ W_key, X @ W_value
    scores = q @ k.T / math.sqrt(q.shape[1])
    e = np.exp(scores)
    w = e / e.sum(axis=-1)
    return w @ v
### attention_in_columns | right
def attention_in_columns(X, W_query, W_key, W_value):
    tokens = X.T
    q = tokens @ W_query.T
    k = tokens @ W_key.T
    v = tokens @ W_value.T
    w = attention.softmax(q @ k.T / len(W_query) ** 0.5)
    return (w @ v).T
### attention_in_columns | right
def attention_in_columns(X, W_query, W_key, W_value):
    H = np.zeros((W_value.shape[0], X.shape[1]))
    for t in range(X.shape[1]):
        q = W_query @ X[:, t]
        s = np.array([q @ (W_key @ X[:, i]) for i in range(X.shape[1])]) / math.sqrt(len(q))
        w = np.exp(s) / np.exp(s).sum()
        for i in range(X.shape[1]):
            H[:, t] += w[i] * (W_value @ X[:, i])
    return H
### attention_in_columns | right
def attention_in_columns(X, W_query, W_key, W_value):
    answer = attention.scaled_dot_product_attention((W_query @ X).T, (W_key @ X).T, (W_value @ X).T)
    return answer.output.T
### attention_in_columns | right
def attention_in_columns(X, W_query, W_key, W_value):
    A = attention.softmax((W_query @ X).T @ (W_key @ X) / math.sqrt(W_key.shape[0]))
    return W_value @ X @ A.T
### attention_in_columns | wrong | L3|Q|K|feature|transpose
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = Q @ K.T / math.sqrt(len(Q))
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | L3|transpose|\.T|columns
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return attention.scaled_dot_product_attention(Q.T, K.T, V.T).output
### attention_in_columns | wrong | W_|transpose
def attention_in_columns(X, W_query, W_key, W_value):
    return attention.scaled_dot_product_attention(X.T @ W_query, X.T @ W_key, X.T @ W_value).output.T
### attention_in_columns | wrong | L3|√d|root|width|token
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / math.sqrt(Q.shape[1])
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | L4|order|side|V A|V stands
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / math.sqrt(len(Q))
    return attention.softmax(S, axis=0) @ V
### attention_in_columns | wrong | √d|root|scale|divided
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ attention.softmax(K.T @ Q, axis=0)
### attention_in_columns | wrong | L3|bracket|\*\*|1/2|1 / 2
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / len(Q) ** 1/2
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | L3|exchanged|order|K|W_key
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = Q.T @ K / math.sqrt(len(Q))
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | reshape|transpose|L2
def attention_in_columns(X, W_query, W_key, W_value):
    rows = X.reshape(X.shape[1], X.shape[0])
    out = attention.scaled_dot_product_attention(rows @ W_query.T, rows @ W_key.T, rows @ W_value.T).output
    return out.T
### attention_in_columns | wrong | W_value|value|V\b|exchanged|L3
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return attention.scaled_dot_product_attention(Q.T, V.T, K.T).output.T
### attention_in_columns | wrong | rows|columns|order|side|right|left
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(Q @ K.T / math.sqrt(Q.shape[1]))
    return weights @ V
### attention_in_columns | wrong | value|V|mix|W_value
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K = W_query @ X, W_key @ X
    A = attention.softmax(K.T @ Q / math.sqrt(len(Q)), axis=0)
    return X @ A
### divisor | right
def divisor(d_k, spread):
    variance_of_a_product = spread ** 2 * spread ** 2
    variance = d_k * variance_of_a_product
    return variance ** 0.5
### divisor | right
def divisor(d_k, spread):
    total = 0
    for _ in range(d_k):
        total += spread ** 4
    return np.sqrt(total)
### divisor | wrong | spread|σ|entries
def divisor(d_k, spread):
    return math.sqrt(d_k)
### divisor | wrong | root|√|d_k|L2
def divisor(d_k, spread):
    return spread ** 2 * d_k
### divisor | wrong | variance|root|L3
def divisor(d_k, spread):
    variance = d_k * spread ** 4
    return variance
### divisor | wrong | root|spread|σ|L2|one square
def divisor(d_k, spread):
    return math.sqrt(d_k * spread)
### divisor | wrong | divi|L2|upside|multipl|one over
def divisor(d_k, spread):
    return 1 / (spread ** 2 * math.sqrt(d_k))
### divisor | wrong | d_k|width
def divisor(d_k, spread):
    return spread ** 2
### divisor | wrong | return
def divisor(d_k, spread):
    result = spread ** 2 * math.sqrt(d_k)
### sinusoidal_positional_encoding | right
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            pe[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return pe
### sinusoidal_positional_encoding | right
def sinusoidal_positional_encoding(num_positions, d_model):
    j = np.arange(d_model)
    angles = np.arange(num_positions)[:, None] / 10_000 ** ((j - j % 2) / d_model)
    return np.where(j % 2, np.cos(angles), np.sin(angles))
### sinusoidal_positional_encoding | wrong | L3|column|None|position
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions) / 10_000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[0::2])
    encoding[:, 1::2] = np.cos(angles[1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L4|L5|sin|cos|swap|exchang
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] / 10_000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.cos(angles[:, 0::2])
    encoding[:, 1::2] = np.sin(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L6|sin|cos|even|odd|swap|exchang
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            pe[pos, j] = math.sin(angle) if j % 2 == 1 else math.cos(angle)
    return pe
### sinusoidal_positional_encoding | wrong | L3|position|1|start|count
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    pos = np.arange(1, num_positions + 1)[:, None]
    angles = pos / 10_000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L3|1000|base|10000|10_000
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] / 1000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | halves|interleave|alternate|first
def sinusoidal_positional_encoding(num_positions, d_model):
    i = np.arange((d_model + 1) // 2)
    a = np.arange(num_positions)[:, None] / 10000 ** (2 * i / d_model)
    return np.concatenate([np.sin(a), np.cos(a)], axis=1)[:, :d_model]
### sinusoidal_positional_encoding | wrong | L3|divide|multipl
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] * 10_000 ** (2 * pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L2|int|whole|cut
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model), dtype=int)
    for pos in range(num_positions):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            pe[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return pe
### sinusoidal_positional_encoding | wrong | L5|L6|cos|missing|only|sine|odd
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for j in range(0, d_model, 2):
            angle = pos / 10000 ** (j / d_model)
            pe[pos, j] = math.sin(angle)
    return pe
### sinusoidal_positional_encoding | wrong | odd|L7|last
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for i in range(0, d_model, 2):
            angle = pos / 10000 ** (i / d_model)
            pe[pos, i] = math.sin(angle)
            pe[pos, i + 1] = math.cos(angle)
    return pe
### sinusoidal_positional_encoding | wrong | L5|2|exponent|step
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for i in range(0, d_model, 2):
            angle = pos / 10000 ** (2 * i / d_model)
            pe[pos, i] = math.sin(angle)
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(angle)
    return pe
### sinusoidal_positional_encoding | wrong | return|L8|loop|first
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            pe[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
        return pe
### is_order_blind | right
def is_order_blind(layer, tokens, order):
    a = layer(tokens[order])
    b = layer(tokens)[order]
    return bool((np.abs(a - b) < 1e-6).all())
### is_order_blind | right
def is_order_blind(layer, tokens, order):
    before = layer(tokens)
    after = layer(tokens[order])
    for place, which in enumerate(order):
        if not np.allclose(after[place], before[which]):
            return False
    return True
### is_order_blind | right
def is_order_blind(layer, tokens, order):
    P = np.eye(len(tokens))[order]
    return np.linalg.norm(layer(P @ tokens) - P @ layer(tokens)) < 1e-8
### is_order_blind | wrong | L2|shuffle|order
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]), layer(tokens))
### is_order_blind | wrong | sum|row by row|which
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]).sum(axis=0), layer(tokens).sum(axis=0))
### is_order_blind | wrong | invert|undo|argsort|L2|order|back
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]), layer(tokens)[np.argsort(order)])
### is_order_blind | wrong | True|return|L3|loop|first
def is_order_blind(layer, tokens, order):
    for a, b in zip(layer(tokens[order]), layer(tokens)[order]):
        return np.allclose(a, b)
### is_order_blind | wrong | order|given|L2
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[::-1]), layer(tokens)[::-1])
### is_order_blind | wrong | tolerance|atol|0\.1|L2|apart|close
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]), layer(tokens)[order], atol=0.5)
### is_order_blind | wrong | return
def is_order_blind(layer, tokens, order):
    np.allclose(layer(tokens[order]), layer(tokens)[order])
### is_order_blind | wrong | L2|call|\[order\]|\(order\)|bracket|TypeError
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens(order)), layer(tokens)[order])
### split_heads | right
def split_heads(x, num_heads):
    d_head = x.shape[-1] // num_heads
    return np.stack([x[..., h * d_head : (h + 1) * d_head] for h in range(num_heads)], axis=-3)
### split_heads | right
def split_heads(x, num_heads):
    return np.moveaxis(x.reshape(*x.shape[:-1], num_heads, -1), -2, -3)
### split_heads | right
def split_heads(x, num_heads):
    if x.ndim == 2:
        n, d = x.shape
        return x.reshape(n, num_heads, d // num_heads).transpose(1, 0, 2)
    b, n, d = x.shape
    return x.reshape(b, n, num_heads, d // num_heads).transpose(0, 2, 1, 3)
### split_heads | wrong | swap|reshape|L2|axes
def split_heads(x, num_heads):
    return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], -1)
### split_heads | wrong | batch|L2|two axes
def split_heads(x, num_heads):
    B, N, D = x.shape
    x = x.reshape(B, N, num_heads, D // num_heads)
    return x.transpose(0, 2, 1, 3)
### split_heads | wrong | batch|L2|more|axes
def split_heads(x, num_heads):
    num_tokens, width = x.shape
    x = x.reshape(num_tokens, num_heads, width // num_heads)
    return np.swapaxes(x, 0, 1)
### split_heads | wrong | L4|swap|axes|-2|-3|last
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width // num_heads)
    return np.swapaxes(x, -1, -2)
### split_heads | wrong | return
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width // num_heads)
    x = np.swapaxes(x, -2, -3)
### split_heads | wrong | L2|axis|tokens|columns|last
def split_heads(x, num_heads):
    parts = np.split(x, num_heads, axis=-2)
    return np.stack(parts, axis=-3)
### split_heads | wrong | every|second|neighb|slice|L2|interleav|strid
def split_heads(x, num_heads):
    return np.stack([x[..., h::num_heads] for h in range(num_heads)], axis=-3)
### split_heads | wrong | shape|list|tuple|num_heads|L4|-2
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width // num_heads)
    return np.swapaxes(x, -2, -3).reshape(*batch, num_tokens, width)
### merge_heads | wrong | swap|L3|reshape|axes
def merge_heads(x):
    *batch, num_heads, num_tokens, d_head = x.shape
    return x.reshape(*batch, num_tokens, num_heads * d_head)
### merge_heads | wrong | batch|L2
def merge_heads(x):
    num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, 0, 1).reshape(num_tokens, num_heads * d_head)
### merge_heads | wrong | L2|axis|beside|columns|last|stand
def merge_heads(x):
    return np.concatenate([x[..., h, :, :] for h in range(x.shape[-3])], axis=-2)
### merge_heads | wrong | mean|average|beside|sum|add
def merge_heads(x):
    return x.mean(axis=-3)
### merge_heads | wrong | add|sum|beside|L2
def merge_heads(x):
    return x.sum(axis=-3)
### merge_heads | wrong | L2|range|-3|axis|heads|tokens
def merge_heads(x):
    return np.concatenate([x[..., h, :, :] for h in range(x.shape[-2])], axis=-1)
### merge_heads | wrong | turn|order|transpose|token|column|L3
def merge_heads(x):
    *batch, heads, tokens, width = x.shape
    return np.moveaxis(x, -3, -1).reshape(*batch, tokens, heads * width)
### causal_mask | right
def causal_mask(num_tokens):
    mask = np.zeros((num_tokens, num_tokens), dtype=bool)
    for i in range(num_tokens):
        mask[i, : i + 1] = True
    return mask
### causal_mask | right
def causal_mask(num_tokens):
    t = np.arange(num_tokens)
    return np.greater_equal.outer(t, t)
### causal_mask | wrong | L2|triu|past|tri|transpos
def causal_mask(num_tokens):
    return np.triu(np.ones((num_tokens, num_tokens), dtype=bool))
### causal_mask | wrong | L3|past|transpos|exchang|<=|>=
def causal_mask(num_tokens):
    token = np.arange(num_tokens)
    return token[None, :] >= token[:, None]
### causal_mask | wrong | L4|diagonal|itself|\+ 1|range|one
def causal_mask(num_tokens):
    mask = np.zeros((num_tokens, num_tokens), dtype=bool)
    for i in range(num_tokens):
        for j in range(i):
            mask[i, j] = True
    return mask
### causal_mask | wrong | upside|future|L2|blocked
def causal_mask(num_tokens):
    return np.triu(np.ones((num_tokens, num_tokens)), k=1).astype(bool)
### causal_mask | wrong | L2|diagonal|itself|k
def causal_mask(num_tokens):
    return np.tri(num_tokens, k=-1, dtype=bool)
### causal_mask | wrong | L2|future|one step|k
def causal_mask(num_tokens):
    return np.tri(num_tokens, k=1, dtype=bool)
### causal_mask | wrong | L3|column|row|shape|None
def causal_mask(num_tokens):
    token = np.arange(num_tokens)
    return token <= token
### causal_mask | wrong | return|nothing
def causal_mask(num_tokens):
    mask = np.tri(num_tokens, dtype=bool)
### causal_mask | wrong | L5|i, j|exchang|past|transpos|column|query
def causal_mask(num_tokens):
    mask = np.zeros((num_tokens, num_tokens), dtype=bool)
    for i in range(num_tokens):
        for j in range(i + 1):
            mask[j, i] = True
    return mask
### causal_mask | wrong | blocked|open|everything|future|L2
def causal_mask(num_tokens):
    return np.ones((num_tokens, num_tokens), dtype=bool)
### causal_mask | wrong | itself|eye|before|earlier|diagonal
def causal_mask(num_tokens):
    return np.eye(num_tokens, dtype=bool)
### masked_softmax | right
def masked_softmax(scores, mask):
    out = np.zeros(scores.shape)
    for q in range(len(scores)):
        seen = [k for k in range(scores.shape[1]) if mask[q, k]]
        if len(seen) == 0:
            raise ValueError(f"query {q} sees nothing")
        out[q, seen] = attention.softmax(scores[q, seen])
    return out
### masked_softmax | right
def masked_softmax(scores, mask):
    if not np.all(np.any(mask, axis=-1)):
        raise ValueError("blind query")
    top = np.max(scores, axis=-1, keepdims=True, where=mask, initial=-np.inf)
    e = np.where(mask, np.exp(np.where(mask, scores - top, 0)), 0)
    return e / e.sum(-1, keepdims=True)
### masked_softmax | wrong | yourself|refuse|raise
def masked_softmax(scores, mask):
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | yourself|each|row|axis|any|L2
def masked_softmax(scores, mask):
    if not mask.any():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | raise|print|yourself|refuse
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        print("error")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | overwritten|input|copy
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    scores[~mask] = -np.inf
    return attention.softmax(scores)
### masked_softmax | wrong | L2|any|all|every|refus
def masked_softmax(scores, mask):
    if not mask.all(axis=-1).all():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | L2|any|all|refus|every
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).any():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | axis|column|row|L5
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    s = np.where(mask, scores, -1e9)
    return attention.softmax(s, axis=0)
### masked_softmax | wrong | same share|forbid|ValueError|uniform
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
### masked_softmax | wrong | NaN|raise|ValueError
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
### cross_attention | right
def cross_attention(Y, X, W_query, W_key, W_value):
    return attention.softmax(Y @ W_query @ W_key.T @ X.T / math.sqrt(W_key.shape[1])) @ (X @ W_value)
### cross_attention | wrong | L2|X asks|exchanged|roles|Y
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = X @ W_query, Y @ W_key, Y @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | L2|value|Y
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, Y @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | L2|key|Y
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, Y @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | L3|transpose|\.T
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | L3|width|Y|root|√|W_query
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[0]))
    return weights @ value
### cross_attention | wrong | return
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    weights @ value
### cross_attention | wrong | (L2.*√)|(√.*L2)|roles|exchanged|X asks|root|divided
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = X @ W_query, Y @ W_key, Y @ W_value
    return attention.softmax(query @ key.T) @ value
### cross_attention | wrong | signature|arguments|exchanged|roles|X asks
def cross_attention(X, Y, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### remember | right
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        scores = keys @ query / math.sqrt(len(query))
        return attention.softmax(scores) @ values
    return ask
### remember | right
def remember(X, W_key, W_value):
    cache = {"k": np.dot(X, W_key), "v": np.dot(X, W_value)}
    def ask(query):
        s = np.array([k @ query for k in cache["k"]]) / query.size ** 0.5
        e = np.exp(s - s.max())
        total = np.zeros(cache["v"].shape[1])
        for weight, value in zip(e / e.sum(), cache["v"]):
            total += weight * value
        return total
    return ask
### remember | right
def remember(X, W_key, W_value):
    keys, values = X @ W_key / W_key.shape[1] ** 0.5, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query)
        return np.sum(weights[:, None] * values, axis=0)
    return ask
### remember | wrong | anew|again|once|each question|every
def remember(X, W_key, W_value):
    def ask(query):
        keys, values = X @ W_key, X @ W_value
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ values
    return ask
### remember | wrong | √|root|L4|divided|scale
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query)
        return weights @ values
    return ask
### remember | wrong | L4|tokens|len|width|root|√|keys
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(keys)))
        return weights @ values
    return ask
### remember | wrong | L5|add|sum|mix|@
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights[:, None] * values
    return ask
### remember | wrong | L4|order|transpose|side|keys|query
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(query @ keys / math.sqrt(len(query)))
        return weights @ values
    return ask
### remember | wrong | softmax|L4|sum|powers
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = np.exp(keys @ query / math.sqrt(len(query)))
        return weights @ values
    return ask
### remember | wrong | ask|call|function|L6
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ values
    return ask(X[0])
### layer_norm | right
def layer_norm(x):
    m = np.mean(x, axis=-1)[..., None]
    s = np.sqrt(np.mean((x - m) ** 2, axis=-1)[..., None] + 1e-5)
    return (x - m) / s
### layer_norm | right
def layer_norm(x):
    y = (x.T - x.mean(axis=-1).T) / np.sqrt(x.var(axis=-1).T + 1e-5)
    return y.T
### layer_norm | right
def layer_norm(x):
    return np.apply_along_axis(lambda t: (t - t.mean()) / np.sqrt(t.var() + 1e-5), -1, x)
### layer_norm | wrong | L2|L3|axis|columns|down
def layer_norm(x):
    mean = x.mean(axis=0, keepdims=True)
    variance = x.var(axis=0, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | L4|bracket|order
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return x - mean / np.sqrt(variance + 1e-5)
### layer_norm | wrong | L4|bracket|ε|outside|inside|root
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance) + 1e-5
### layer_norm | wrong | n − 1|ddof|L3|divided by n
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    std = x.std(axis=-1, keepdims=True, ddof=1)
    return (x - mean) / (std + 1e-5)
### layer_norm | wrong | L4|minus|subtract|\+|sign
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x + mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | axis 1|L2|L3|axis
def layer_norm(x):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | L3|root|square|mean distance|absolute
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    spread = np.abs(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) / (spread + 1e-5)
### layer_norm | wrong | L3|sum|mean|number
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).sum(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | mean|subtract|L3
def layer_norm(x):
    variance = x.var(axis=-1, keepdims=True)
    return x / np.sqrt(variance + 1e-5)
### encoder_layer | right
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    def attend(x):
        return attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    def feed(x):
        return layers.feed_forward(x, **p["feed_forward"])
    if norm == "pre":
        x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
        return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
    x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
    return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
### encoder_layer | right
def encoder_layer(x, parameters, num_heads, norm):
    steps = {
        "self_attention": lambda x: attention.multi_head_attention(x, **parameters["self_attention"], num_heads=num_heads).output,
        "feed_forward": lambda x: layers.feed_forward(x, **parameters["feed_forward"]),
    }
    for name, step in steps.items():
        scale = parameters[name + "_norm"]
        if norm == "post":
            x = layers.layer_norm(x + step(x), **scale)
        else:
            x = x + step(layers.layer_norm(x, **scale))
    return x
### encoder_layer | right
def encoder_layer(x, parameters, num_heads, norm):
    def normed(x, name):
        z = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return z * parameters[name]["gain"] + parameters[name]["bias"]
    pre = norm == "pre"
    y = normed(x, "self_attention_norm") if pre else x
    y = x + attention.multi_head_attention(y, **parameters["self_attention"], num_heads=num_heads).output
    y = y if pre else normed(y, "self_attention_norm")
    z = normed(y, "feed_forward_norm") if pre else y
    z = y + layers.feed_forward(z, **parameters["feed_forward"])
    return z if pre else normed(z, "feed_forward_norm")
### encoder_layer | wrong | encoder_layer
def encoder_layer(x, parameters, num_heads, norm):
    return layers.encoder_layer(x, parameters, num_heads=num_heads, norm=norm)
### encoder_layer | wrong | gain|parameters|norm
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x))
        return layers.layer_norm(x + feed(x))
    x = x + attend(layers.layer_norm(x))
    return x + feed(layers.layer_norm(x))
### encoder_layer | wrong | \.output|output, weights
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads)
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### encoder_layer | wrong | causal|mask|L3
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=attention.causal_mask(len(x))).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### encoder_layer | wrong | L5|L8|first|input|own|x\b
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    if norm == "post":
        a = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
        y = layers.layer_norm(x + a, **p["self_attention_norm"])
        return layers.layer_norm(x + layers.feed_forward(y, **p["feed_forward"]), **p["feed_forward_norm"])
    a = attention.multi_head_attention(layers.layer_norm(x, **p["self_attention_norm"]), **p["self_attention"], num_heads=num_heads).output
    y = x + a
    return y + layers.feed_forward(layers.layer_norm(y, **p["feed_forward_norm"]), **p["feed_forward"])
### encoder_layer | wrong | feed-forward|missing|second
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    if norm == "post":
        return layers.layer_norm(x + attend(x), **p["self_attention_norm"])
    return x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
### encoder_layer | wrong | L6|exchang|order|first|norm|before|second
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
        return layers.layer_norm(x + attend(x), **p["self_attention_norm"])
    x = x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
    return x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
### decoder_layer | right
def decoder_layer(x, memory, parameters, num_heads):
    def norm(z, name):
        g = parameters[name]
        return (z - z.mean(1, keepdims=True)) / np.sqrt(z.var(1, keepdims=True) + 1e-5) * g["gain"] + g["bias"]
    def attend(z, name, **how):
        return attention.multi_head_attention(z, **parameters[name], num_heads=num_heads, **how)[0]
    a = norm(x + attend(x, "self_attention", mask=attention.causal_mask(len(x))), "self_attention_norm")
    b = norm(a + attend(a, "cross_attention", context=memory), "cross_attention_norm")
    return norm(b + layers.feed_forward(b, **parameters["feed_forward"]), "feed_forward_norm")
### decoder_layer | right
def decoder_layer(x, memory, parameters, num_heads):
    p = parameters
    allowed = attention.causal_mask(len(x))
    every = np.ones((len(x), len(memory)), bool)
    h = x.copy()
    h += attention.multi_head_attention(h, **p["self_attention"], num_heads=num_heads, mask=allowed).output
    h = layers.layer_norm(h, **p["self_attention_norm"])
    h += attention.multi_head_attention(h, **p["cross_attention"], num_heads=num_heads, context=memory, mask=every).output
    h = layers.layer_norm(h, **p["cross_attention_norm"])
    h += layers.feed_forward(h, **p["feed_forward"])
    return layers.layer_norm(h, **p["feed_forward_norm"])
### decoder_layer | wrong | future|mask
def decoder_layer(x, memory, parameters, num_heads):
    p = parameters
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | L5|memory|context|x\b|asks
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(memory, **p["cross_attention"], num_heads=num_heads, context=x).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | L4|norm|bracket|x \+|inside
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = x + layers.layer_norm(y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | L5|original|x\b|beginning|asks|a\b
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    a = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    b = layers.layer_norm(a + y, **p["cross_attention_norm"])
    return layers.layer_norm(b + layers.feed_forward(b, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | context|memory|L5
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | return|nothing
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    x = layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | decoder_layer
def decoder_layer(x, memory, parameters, num_heads):
    return layers.decoder_layer(x, memory, parameters, num_heads=num_heads, mask=attention.causal_mask(len(x)))
### decoder_layer | wrong | pre-norm|after|2017|norm
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    n = layers.layer_norm(x, **p["self_attention_norm"])
    x = x + attention.multi_head_attention(n, **p["self_attention"], num_heads=num_heads, mask=mask).output
    n = layers.layer_norm(x, **p["cross_attention_norm"])
    x = x + attention.multi_head_attention(n, **p["cross_attention"], num_heads=num_heads, context=memory).output
    n = layers.layer_norm(x, **p["feed_forward_norm"])
    return x + layers.feed_forward(n, **p["feed_forward"])
### decoder_layer | wrong | mask|L5|whole source|broadcast|memory
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory, mask=mask).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | overwritten|input|copy
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    x += attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x, **p["self_attention_norm"])
    x = x + attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | cross_attention|own|L5|self_attention
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | output|three|L3
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask)
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory)
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### count_operations | right
def count_operations(num_tokens, d_model):
    def product(rows, inner, columns):
        return np.array([rows * inner * columns, rows * (inner - 1) * columns])
    N, D = num_tokens, d_model
    return 4 * product(N, D, D) + product(N, D, N) + product(N, N, D)
### count_operations | right
def count_operations(num_tokens, d_model):
    n, d = num_tokens, d_model
    shapes = [(n, d, d)] * 4 + [(n, d, n), (n, n, d)]
    m = sum(a * b * c for a, b, c in shapes)
    return [m, m - sum(a * c for a, b, c in shapes)]
### count_operations | wrong | additions|k − 1|as many
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    m = 4 * N * D ** 2 + 2 * N ** 2 * D
    return m, m
### count_operations | wrong | N − 1|mixing|L4|width N
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + 2 * N * N * D
    additions = 4 * N * D * (D - 1) + 2 * N * N * (D - 1)
    return multiplications, additions
### count_operations | wrong | twice|multiply-add|L3
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 2 * (4 * N * D * D + 2 * N * N * D)
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | L3|N\b|tokens|projection
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * D * D + 2 * N * N * D
    additions = 4 * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | exchang|order|swap|first|L5
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + 2 * N * N * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return additions, multiplications
### count_operations | wrong | L4|bracket|D - 1
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + 2 * N * N * D
    additions = 4 * N * D * D - 1 + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | return|nothing
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + 2 * N * N * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    print(multiplications, additions)
### count_operations | wrong | one number|two|additions
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    return 4 * N * D * D + 2 * N * N * D
### count_operations | wrong | L3|N|scores|exchang|D D|square
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * N * D + 2 * N * D * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | L5|last|add|keeps|\+=
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications, additions = 0, 0
    for a, b, c in [(N, D, D)] * 4 + [(N, D, N), (N, N, D)]:
        multiplications = a * b * c
        additions += a * (b - 1) * c
    return multiplications, additions
### count_operations | wrong | L4|L5|order|N, D|shape|inner|scores|mixing
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications, additions = 0, 0
    for a, b, c in [(N, D, D)] * 4 + [(N, D, N), (N, D, N)]:
        multiplications += a * b * c
        additions += a * (b - 1) * c
    return multiplications, additions
### count_operations | wrong | projection|missing|four
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    return 2 * N * N * D, N * N * (D - 1) + N * D * (N - 1)
### patchify | right
def patchify(image, patch_size):
    height, width = image.shape[:2]
    patches = []
    for top in range(height // patch_size):
        for left in range(width // patch_size):
            numbers = []
            for i in range(patch_size):
                for j in range(patch_size):
                    pixel = image[top * patch_size + i, left * patch_size + j]
                    numbers.extend(np.atleast_1d(pixel))
            patches.append(numbers)
    return patches
### patchify | wrong | overlap|step|L3|patch_size|L4
def patchify(image, patch_size):
    rows = []
    for top in range(image.shape[0] - patch_size + 1):
        for left in range(image.shape[1] - patch_size + 1):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | reshape|swap|mixed
def patchify(image, patch_size):
    n = image.shape[0] * image.shape[1] // patch_size ** 2
    return image.reshape(n, -1)
### patchify | wrong | L5|ravel|square|row|flat
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size])
    return np.array(rows)
### patchify | wrong | L4|swap|axes|2|transpose
def patchify(image, patch_size):
    h, w = image.shape[0] // patch_size, image.shape[1] // patch_size
    x = image.reshape(h, patch_size, w, patch_size, -1)
    return x.reshape(h * w, -1)
### patchify | wrong | L5|left|top|width|exchang
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[left : left + patch_size, top : top + patch_size].ravel())
    return np.array(rows)
### numerical_gradient | right
def numerical_gradient(loss_of, parameters):
    eye = np.eye(parameters.size).reshape(parameters.size, *parameters.shape) * 1e-4
    slopes = [(loss_of(parameters + e) - loss_of(parameters - e)) / 2e-4 for e in eye]
    return np.reshape(slopes, parameters.shape)
### numerical_gradient | right
def numerical_gradient(loss_of, parameters):
    x = parameters.copy()
    g = np.empty(x.shape)
    h = 1e-5
    it = np.nditer(parameters, flags=["multi_index"])
    for _ in it:
        i = it.multi_index
        old = x[i]
        x[i] = old + h
        a = loss_of(x)
        x[i] = old - h
        b = loss_of(x)
        x[i] = old
        g[i] = (a - b) / (2 * h)
    return g
### numerical_gradient | right
def numerical_gradient(loss_of, parameters):
    h = 1e-3
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        def at(delta):
            moved = parameters.copy()
            moved[place] += delta
            return loss_of(moved)
        gradient[place] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    return gradient
### numerical_gradient | wrong | 2h|L8|half|twice|one side
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-5, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (above - loss_of(moving)) / h
        moving[place] = value
    return gradient
### numerical_gradient | wrong | too large|h\b.*0\.1|smaller
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 0.1, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (above - loss_of(moving)) / (2 * h)
        moving[place] = value
    return gradient
### numerical_gradient | wrong | stays moved|back|put
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-5, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (above - loss_of(moving)) / (2 * h)
    return gradient
### numerical_gradient | wrong | L6|adds|\+=|h alone|= h
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        up, down = parameters.copy(), parameters.copy()
        up[place] = h
        down[place] -= h
        gradient[place] = (loss_of(up) - loss_of(down)) / (2 * h)
    return gradient
### numerical_gradient | wrong | sign|L8|exchang|order
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-5, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (loss_of(moving) - above) / (2 * h)
        moving[place] = value
    return gradient
### numerical_gradient | wrong | L8|inside|loop|first
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        up, down = parameters.copy(), parameters.copy()
        up[place] += h; down[place] -= h
        gradient[place] = (loss_of(up) - loss_of(down)) / (2 * h)
        return gradient
### numerical_gradient | wrong | L7|loss|call|loss_of
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        up, down = parameters.copy(), parameters.copy()
        up[place] += h; down[place] -= h
        gradient[place] = (up[place] - down[place]) / (2 * h)
    return gradient
### adam_step | right
def adam_step(p, g, m, s, t, lr):
    m = m + 0.1 * (g - m)
    s = s + 0.001 * (g * g - s)
    step = lr * (m / (1 - 0.9 ** t)) / ((s / (1 - 0.999 ** t)) ** 0.5 + 1e-8)
    return [p - step, m, s]
### adam_step | right
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    out = np.zeros((3, *parameters.shape))
    for i in np.ndindex(parameters.shape):
        out[1][i] = 0.9 * mean[i] + 0.1 * gradient[i]
        out[2][i] = 0.999 * squares[i] + 0.001 * gradient[i] ** 2
        out[0][i] = parameters[i] - learning_rate * out[1][i] / (1 - 0.9 ** step) / (math.sqrt(out[2][i] / (1 - 0.999 ** step)) + 1e-8)
    return out
### adam_step | right
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean, squares = 0.9 * mean + 0.1 * gradient, 0.999 * squares + 0.001 * np.square(gradient)
    bottom = 1e-8 + np.sqrt(squares / (1 - math.pow(0.999, step)))
    return np.stack([parameters - learning_rate * mean / (1 - math.pow(0.9, step)) / bottom, mean, squares])
### adam_step | wrong | L6|bracket|ε|whole|root
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / np.sqrt(v_hat) + 1e-8, m, v
### adam_step | wrong | L4|bracket
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / 1 - 0.9 ** step
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L4|L5|\*\*|power
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 * step)
    v_hat = v / (1 - 0.999 * step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L3|@|number by number|\*|square|each
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient @ gradient
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L3|mean|gradient|m \*\*
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * m ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | correct
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    return parameters - learning_rate * m / (np.sqrt(v) + 1e-8), m, v
### adam_step | wrong | before the correction|L6|corrected
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    mean = (0.9 * mean + 0.1 * gradient) / (1 - 0.9 ** step)
    squares = (0.999 * squares + 0.001 * gradient ** 2) / (1 - 0.999 ** step)
    return parameters - learning_rate * mean / (np.sqrt(squares) + 1e-8), mean, squares
### adam_step | wrong | nested|three|tuple|flat|array|L6
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), (m, v)
### adam_step | wrong | only|three|all|mean and squares
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8)
### adam_step | wrong | L4|L5|step|\+ 1|count
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** (step + 1))
    v_hat = v / (1 - 0.999 ** (step + 1))
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L4|L5|exchang|0\.9
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.999 ** step)
    v_hat = v / (1 - 0.9 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### training_loop | right
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    step = 0
    while step < num_steps:
        g = gradient_of(parameters, step)
        norm = np.linalg.norm(g)
        g = g * min(1, largest / norm) if norm else g
        parameters = parameters - learning_rate(step) * g
        step += 1
    return parameters
### training_loop | right
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = math.sqrt(np.sum(np.square(gradient)))
        gradient = gradient / max(1.0, length / largest)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | right
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest, step=0):
    if step == num_steps:
        return parameters
    g = gradient_of(parameters, step)
    g = g * np.minimum(1, largest / np.sqrt((g * g).sum()))
    return training_loop(parameters - learning_rate(step) * g, gradient_of, num_steps, learning_rate, largest, step + 1)
### training_loop | wrong | L5|<|>|longer|short
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length < largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L4|norm|2|matrix|all numbers|Frobenius|ord
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.linalg.norm(gradient, 2)
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L8|inside|loop|first
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
        return parameters
### training_loop | wrong | L2|count|0|range|steps
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(1, num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | clip|not|largest
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        parameters = parameters - learning_rate(step) * gradient_of(parameters, step)
    return parameters
### training_loop | wrong | call|learning_rate\(step\)|function
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate * gradient
    return parameters
### training_loop | wrong | L6|L5|parameters|gradient|clip
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        parameters = parameters - learning_rate(step) * gradient
        length = np.sqrt(np.sum(parameters ** 2))
        if length > largest:
            parameters = parameters * (largest / length)
    return parameters
### training_loop | wrong | L5|largest|length 1|to
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        if np.linalg.norm(gradient) > largest:
            gradient = gradient / np.linalg.norm(gradient)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | loop|end|running
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    step = 0
    while step < num_steps:
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### previous_token_score | right
def previous_token_score(weights):
    total = 0
    for t in range(1, len(weights)):
        total += weights[t, t - 1]
    return total / (len(weights) - 1)
### previous_token_score | right
def previous_token_score(w):
    return np.mean([w[t][t - 1] for t in range(1, len(w))])
### previous_token_score | right
def previous_token_score(weights):
    n = len(weights)
    return weights[np.arange(1, n), np.arange(n - 1)].mean()
### previous_token_score | right
def previous_token_score(weights):
    return np.average(np.diag(weights[1:, :-1]))
### previous_token_score | wrong | ahead|L2|-1|sign
def previous_token_score(weights):
    return np.diagonal(weights, 1).mean()
### previous_token_score | wrong | first|weights\[0, -1\]|L3|range
def previous_token_score(weights):
    total = 0
    for t in range(len(weights)):
        total += weights[t, t - 1]
    return total / len(weights)
### previous_token_score | wrong | sum|mean
def previous_token_score(weights):
    return sum(weights[t, t - 1] for t in range(1, len(weights)))
### previous_token_score | wrong | L5|inside|loop|first
def previous_token_score(weights):
    total = 0
    for t in range(1, len(weights)):
        total += weights[t, t - 1]
        return total / (len(weights) - 1)
### previous_token_score | wrong | one number|mean|L2|single
def previous_token_score(weights):
    return np.diagonal(weights, -1)
### previous_token_score | wrong | max|largest|lucky|mean
def previous_token_score(weights):
    return np.diagonal(weights, -1).max()
### previous_token_score | wrong | L2|index|range|t \+ 1|IndexError|ahead
def previous_token_score(weights):
    return np.mean([weights[t, t + 1] for t in range(len(weights))])
### previous_token_score | wrong | L5|bracket|- 1
def previous_token_score(weights):
    total = 0
    for t in range(1, len(weights)):
        total += weights[t, t - 1]
    return total / len(weights) - 1
### previous_token_score | wrong | all tokens before|far|tril|only
def previous_token_score(weights):
    return np.tril(weights, -1).sum() / (len(weights) - 1)
### previous_token_score | wrong | how many|count|most|argmax
def previous_token_score(weights):
    hits = [weights[t].argmax() == t - 1 for t in range(1, len(weights))]
    return np.mean(hits)
### same_word_score | right
def same_word_score(weights, words):
    words = np.array(words)
    same = (words[:, None] == words[None, :]) & ~np.eye(len(words), dtype=bool)
    return weights[same].mean()
### same_word_score | right
def same_word_score(weights, words):
    w = np.array(words)
    same = (w[:, None] == w) & ~np.eye(len(w), dtype=bool)
    rows = same.any(axis=1)
    return weights[rows][same[rows]].mean() - weights[rows][~same[rows]].mean()
### same_word_score | wrong | itself|diagonal
def same_word_score(weights, words):
    w = np.array(words)
    return weights[w[:, None] == w].mean()
### same_word_score | wrong | itself|diagonal|look
def same_word_score(weights, words):
    return np.diagonal(weights).mean()
### same_word_score | wrong | before|previous|words|one back|pairs
def same_word_score(weights, words):
    return np.diagonal(weights, -1).mean()
### same_word_score | wrong | return|nothing
def same_word_score(weights, words):
    w = np.array(words)
    same = (w[:, None] == w) & ~np.eye(len(w), dtype=bool)
    score = weights[same].mean()
### same_word_score | wrong | L6|inside|loop|first|itself|zero|NaN
def same_word_score(weights, words):
    total = 0
    for i in range(len(words)):
        for j in range(len(words)):
            if words[i] == words[j]:
                total += weights[i, j]
    return total
### same_word_score | wrong | upside|high|low|different|not|other
def same_word_score(weights, words):
    w = np.array(words)
    different = w[:, None] != w
    return weights[different].mean()
### same_word_score | wrong | weights|head|same for
def same_word_score(weights, words):
    w = np.array(words)
    same = (w[:, None] == w) & ~np.eye(len(w), dtype=bool)
    return same.mean()
### same_word_score | wrong | before|earlier|later|next|neighbour|one place|pairs
def same_word_score(weights, words):
    found = []
    for i in range(1, len(words)):
        if words[i] == words[i - 1]:
            found.append(weights[i, i - 1])
    return sum(found)
### same_word_score | wrong | L4|list|array|compare|==|words|pairs
def same_word_score(weights, words):
    total = 0
    for i in range(len(words)):
        if words[i] == words:
            total += weights[i].sum()
    return total
### same_word_score | wrong | most|look|least|weights
def same_word_score(weights, words):
    return -sum(weights[i, j] for i in range(len(words)) for j in range(len(words)) if i != j and words[i] == words[j])
### is_right | right
def is_right(attend):
    rng = np.random.default_rng(3)
    X, (A, B, C) = rng.normal(size=(6, 4)), rng.normal(size=(3, 4, 4))
    mask = attention.causal_mask(6)
    for scale in (1, 500):
        for heads in (1, 2):
            want = attention.multi_head_attention(scale * X, A, B, C, np.eye(4), num_heads=heads, mask=mask)
            copies = A.copy(), B.copy(), C.copy()
            got = attend(scale * X, *copies, heads, mask)
            if not np.allclose(got[0], want.output) or not np.allclose(got[1], want.weights):
                return False
            if not all(np.array_equal(a, b) for a, b in zip(copies, (A, B, C))):
                return False
    return True
### is_right | right
def is_right(attend):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(4, 6))
    W = [rng.normal(size=(6, 6)) for _ in range(3)]
    mask = np.tri(4, dtype=bool)
    for big in (1, 1000):
        for _ in (1, 2):
            output, weights = attend(big * X, *W, 3, mask)
            heads = []
            for h in range(3):
                cut = slice(2 * h, 2 * h + 2)
                q, k, v = (big * X @ w0[:, cut] for w0 in originals) if False else (big * X @ w[:, cut] for w in W)
                s = np.where(mask, q @ k.T / math.sqrt(2), -np.inf)
                e = np.exp(s - s.max(axis=1, keepdims=True))
                heads.append(e / e.sum(axis=1, keepdims=True) @ v)
            if not np.allclose(output, np.hstack(heads)):
                return False
            if big == 1 and _ == 1:
                first = output
            if big == 1 and _ == 2 and not np.allclose(first, output):
                return False
    return True
### is_right | wrong | row sums|sum|output|weights|compare
def is_right(attend):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
    output, weights = attend(X, *W, 2, attention.causal_mask(5))
    return np.allclose(weights.sum(axis=-1), 1)
### is_right | wrong | mask
def is_right(attend):
    rng = np.random.default_rng(0)
    for size in (1, 1000):
        X, W = size * rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=2)
        for _ in range(2):
            if not np.allclose(attend(X, *W, 2)[0], want.output):
                return False
    return True
### is_right | wrong | num_heads|heads
def is_right(attend):
    rng = np.random.default_rng(0)
    mask = attention.causal_mask(5)
    for size in (1, 1000):
        X, W = size * rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=1, mask=mask)
        for _ in range(2):
            if not np.allclose(attend(X, *W, 1, mask)[0], want.output):
                return False
    return True
### is_right | wrong | thousand|large
def is_right(attend):
    rng = np.random.default_rng(0)
    mask = attention.causal_mask(5)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
    want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=2, mask=mask)
    for _ in range(2):
        if not np.allclose(attend(X, *W, 2, mask)[0], want.output):
            return False
    return True
### is_right | wrong | output|weights
def is_right(attend):
    rng = np.random.default_rng(0)
    mask = attention.causal_mask(5)
    for size in (1, 1000):
        X, W = size * rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=2, mask=mask)
        for _ in range(2):
            if not np.allclose(attend(X, *W, 2, mask)[1], want.weights):
                return False
    return True
### is_right | wrong | upside
def is_right(attend):
    rng = np.random.default_rng(0)
    X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
    for size in (1, 1000):
        W = rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(size * X, *W, np.eye(6), num_heads=2, mask=mask)
        for _ in range(2):
            if not np.allclose(attend(size * X, *W, 2, mask)[0], want.output):
                return True
    return False
### is_right | wrong | allclose|==|digit
def is_right(attend):
    rng = np.random.default_rng(0)
    X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
    for size in (1, 1000):
        W = rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(size * X, *W, np.eye(6), num_heads=2, mask=mask)
        for _ in range(2):
            if not (attend(size * X, *W, 2, mask)[0] == want.output).all():
                return False
    return True
### is_right | wrong | return|nothing
def is_right(attend):
    rng = np.random.default_rng(0)
    X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
    for size in (1, 1000):
        W = rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(size * X, *W, np.eye(6), num_heads=2, mask=mask)
        for _ in range(2):
            if not np.allclose(attend(size * X, *W, 2, mask)[0], want.output):
                return False
### is_right | wrong | L9|L8|loop|first|thousand|large|twice
def is_right(attend):
    rng = np.random.default_rng(0)
    X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
    for size in (1, 1000):
        W = rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(size * X, *W, np.eye(6), num_heads=2, mask=mask)
        output, weights = attend(size * X, *W, 2, mask)
        return np.allclose(output, want.output)
### is_right | wrong | NaN|finite|output|compare|weights
def is_right(attend):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
    output, weights = attend(1000 * X, *W, 2, attention.causal_mask(5))
    return np.isfinite(output).all()
"""
