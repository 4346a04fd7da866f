"""Answers of many hands: the half that was set aside while the checks were tuned."""

ANSWERS = r"""
### soft_select | right
def soft_select(query, keys, values):
    total = 0
    weighted = 0
    for key, value in zip(keys, values):
        w = 3 ** np.dot(key, query)
        total += w
        weighted += w * value
    return weighted / total
### soft_select | right
def soft_select(query, keys, values):
    scores = [sum(a * b for a, b in zip(query, key)) for key in keys]
    parts = [3 ** s for s in scores]
    return sum(p / sum(parts) * x for p, x in zip(parts, values))
### soft_select | right
soft_select = lambda query, keys, values: attention.softmax(keys @ query, base=3) @ values
### soft_select | wrong | L4|add|sum
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    weights = parts / parts.sum()
    return weights * values
### soft_select | wrong | L7|add|last|keeps
def soft_select(query, keys, values):
    weights = []
    for key in keys:
        weights.append(3 ** (key @ query))
    result = 0
    for w, v in zip(weights, values):
        result = w / sum(weights) * v
    return result
### soft_select | wrong | L3|hard|best
def soft_select(query, keys, values):
    scores = keys @ query
    best = np.argmax(scores)
    return values[best]
### soft_select | wrong | L3|sum|divided
def soft_select(query, keys, values):
    scores = keys @ query
    weights = 3.0 ** scores
    return weights @ values
### soft_select | wrong | L3|power|3
def soft_select(query, keys, values):
    scores = keys @ query
    parts = scores ** 3
    return parts @ values / parts.sum()
### soft_select | wrong | L5|inside|loop|first
def soft_select(query, keys, values):
    parts = 3.0 ** (keys @ query)
    total = 0
    for w, v in zip(parts / parts.sum(), values):
        total += w * v
        return total
### soft_select | wrong | L3|mean|average|add
def soft_select(query, keys, values):
    w = 3.0 ** (keys @ query)
    return np.mean(w / w.sum() * values)
### soft_select | wrong | L2|query|order|keys|@|shape
def soft_select(query, keys, values):
    parts = 3.0 ** (query @ keys)
    weights = parts / parts.sum()
    return weights @ values
### soft_select | wrong | √|root|L2|lesson 04
def soft_select(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))
    parts = 3.0 ** scores
    return parts / parts.sum() @ values
### softmax | right
def softmax(x):
    m = x.max(-1, keepdims=True)
    return np.exp(x - m - np.log(np.exp(x - m).sum(-1, keepdims=True)))
### softmax | wrong | L2|whole|row|axis
def softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | L3|keepdims
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)
### softmax | wrong | L2|axis|keepdims
def softmax(scores):
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)
### softmax | wrong | L3|numerator|subtract|largest|both
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - top) / np.exp(scores).sum(axis=-1, keepdims=True)
### softmax | wrong | L3|twice|exp|step
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.exp(e) / np.exp(e).sum(axis=-1, keepdims=True)
### softmax | wrong | largest|divided|L2|subtract
def softmax(scores):
    scores = scores / scores.max(axis=-1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)
### softmax | wrong | L2|None|axis|largest|row
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1)[:, None])
    return e / e.sum(axis=-1)[:, None]
### softmax | wrong | return|nothing
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    print(e / e.sum(axis=-1, keepdims=True))
### softmax | wrong | mean|sum|L3
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.mean(axis=-1, keepdims=True)
### softmax | wrong | L3|axis|column|down
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
### softmax | wrong | overflow|largest|mean
def softmax(scores):
    scores = scores - scores.mean(axis=-1, keepdims=True)
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
### softmax | wrong | attention.softmax
def softmax(scores):
    return attention.softmax(scores)
### softmax | wrong | base|2|e\b|L2
def softmax(scores):
    e = 2 ** (scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
### mix_similar | right
def mix_similar(X):
    out = []
    for x in X:
        w = attention.softmax(X @ x)
        out.append(w @ X)
    return np.array(out)
### mix_similar | right
def mix_similar(X):
    s = np.einsum("td,id->ti", X, X)
    e = np.exp(s - s.max(1, keepdims=True))
    return np.einsum("ti,id->td", e / e.sum(1, keepdims=True), X)
### mix_similar | right
def mix_similar(X):
    return attention.scaled_dot_product_attention(X, X, X, scale=1.0).output
### mix_similar | wrong | L4|range|itself|last|one
def mix_similar(X):
    n = len(X)
    scores = np.zeros((n, n))
    for t in range(n):
        for i in range(t):
            scores[t, i] = X[t] @ X[i]
    return attention.softmax(scores) @ X
### mix_similar | wrong | softmax|weights|L3
def mix_similar(X):
    scores = X @ X.T
    return scores @ X
### mix_similar | wrong | L3|transpose|order|side|\.T
def mix_similar(X):
    weights = attention.softmax(X @ X.T)
    return X.T @ weights
### mix_similar | wrong | return
def mix_similar(X):
    weights = attention.softmax(X @ X.T)
    weights @ X
### mix_similar | wrong | length|cosine|norm|L2
def mix_similar(X):
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return attention.softmax(X @ X.T) @ X
### mix_similar | wrong | L3|range|number|rows|features|width|index|size|shape
def mix_similar(X):
    scores = np.zeros((len(X), len(X)))
    for t in range(X.shape[1]):
        for i in range(X.shape[1]):
            scores[t, i] = X[t] @ X[i]
    return attention.softmax(scores) @ X
### mix_similar | wrong | weights|mixed|L2
def mix_similar(X):
    return attention.softmax(X @ X.T)
### mix_similar | wrong | sum|whole|row|L4|axis
def mix_similar(X):
    scores = X @ X.T
    powers = np.exp(scores)
    weights = powers / powers.sum()
    return weights @ X
### self_attention | right
def self_attention(X, Wq, Wk, Wv):
    out = []
    for x in X:
        q = x @ Wq
        s = np.array([q @ (y @ Wk) for y in X]) / math.sqrt(len(q))
        w = np.exp(s - s.max())
        w /= w.sum()
        out.append(sum(wi * (y @ Wv) for wi, y in zip(w, X)))
    return np.array(out)
### self_attention | right
def self_attention(X, W_query, W_key, W_value):
    q, k, v = (X @ W for W in (W_query, W_key, W_value))
    scores = np.einsum("id,jd->ij", q / np.sqrt(q.shape[-1]), k)
    return attention.softmax(scores, axis=1) @ v
### self_attention | right
def self_attention(X, W_query, W_key, W_value):
    M = W_query @ W_key.T / W_query.shape[1] ** 0.5
    return attention.softmax(X @ M @ X.T) @ X @ W_value
### self_attention | right
def self_attention(X, W_query, W_key, W_value):
    scores = (W_key.T @ X.T).T @ (W_query.T @ X.T)
    weights = attention.softmax(scores / math.sqrt(W_key.shape[1]), axis=0)
    return (W_value.T @ X.T @ weights).T
### self_attention | wrong | L4|bracket|1/2|1 / 2|\*\*
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    d_k = query.shape[-1]
    scores = query @ key.T / d_k ** 1/2
    return attention.softmax(scores) @ value
### self_attention | wrong | √d_k|root|divided|scale|L3
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T
    weights = attention.softmax(scores)
    return weights @ value
### self_attention | wrong | L4|transpose|\.T
def self_attention(X, W_query, W_key, W_value):
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    d = Q.shape[1]
    S = Q @ K / np.sqrt(d)
    return attention.softmax(S) @ V
### self_attention | wrong | L3|transpose|key
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query.T @ key / math.sqrt(query.shape[-1])
    return attention.softmax(scores) @ value
### self_attention | wrong | left|right|L2|side|order
def self_attention(X, W_query, W_key, W_value):
    Q = W_query @ X
    K = W_key @ X
    V = W_value @ X
    return attention.softmax(Q @ K.T / math.sqrt(Q.shape[1])) @ V
### self_attention | wrong | L4|axis|column|down
def self_attention(X, W_query, W_key, W_value):
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    scores = Q @ K.T / math.sqrt(K.shape[1])
    weights = attention.softmax(scores, axis=0)
    return weights @ V
### self_attention | wrong | L3|tokens|number|width|len|rows
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(len(query))
    return attention.softmax(scores) @ value
### self_attention | wrong | scale|root|softmax|L3|L4|after|before
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T)
    return weights / math.sqrt(query.shape[-1]) @ value
### self_attention | wrong | return
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])
    weights = attention.softmax(scores)
    output = weights @ value
### self_attention | wrong | L5|order|side|weights @ value|stand
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / math.sqrt(query.shape[-1])
    weights = attention.softmax(scores)
    return value @ weights
### self_attention | wrong | L3|key|d_k|divided|√|root
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ key.T / query.shape[-1]
    return attention.softmax(scores) @ value
### self_attention | wrong | L3|bracket|divid
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T) / np.sqrt(key.shape[-1])
    return weights @ value
### self_attention | wrong | L3|keys|value|mixed|exchanged
def self_attention(X, W_query, W_key, W_value):
    query, key, value = X @ W_query, X @ W_key, X @ W_value
    scores = query @ value.T / math.sqrt(query.shape[-1])
    return attention.softmax(scores) @ key
### attention_in_columns | right
def attention_in_columns(X, W_query, W_key, W_value):
    Q = W_query @ X
    K = W_key @ X
    V = W_value @ X
    A = attention.softmax(K.T @ Q / np.sqrt(Q.shape[0]), axis=0)
    return V @ A
### attention_in_columns | wrong | L4|axis|row|column
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / math.sqrt(len(Q))
    A = attention.softmax(S)
    return V @ A
### attention_in_columns | wrong | L3|d\b|root|√
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / len(Q)
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | L4|height|V|d_v|root|√
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    K_turned = K.T
    S = K_turned @ Q / math.sqrt(len(V))
    return V @ attention.softmax(S, axis=0)
### attention_in_columns | wrong | softmax|weights|L4
def attention_in_columns(X, W_query, W_key, W_value):
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    S = K.T @ Q / math.sqrt(len(Q))
    return V @ S
### divisor | right
def divisor(d_k, spread):
    return spread ** 2 * math.sqrt(d_k)
### divisor | right
divisor = lambda d_k, spread: np.sqrt(d_k * spread ** 4)
### divisor | right
def divisor(d, s):
    return np.float64(d) ** 0.5 * s * s
### divisor | wrong | spread|σ|square|twice|L2
def divisor(d_k, spread):
    return spread * math.sqrt(d_k)
### divisor | wrong | root|√|L2|d_k
def divisor(d_k, spread):
    return d_k
### divisor | wrong | L2|bracket|\*\*
def divisor(d_k, spread):
    return spread ** 2 * d_k ** 1/2
### divisor | wrong | root|spread|σ|bracket|L2
def divisor(d_k, spread):
    return math.sqrt(d_k * spread ** 2)
### divisor | wrong | L2|divi|multipl|upside|/
def divisor(d_k, spread):
    return math.sqrt(d_k) / spread ** 2
### divisor | wrong | 2 \*|times|square|L2|\*\*
def divisor(d_k, spread):
    return 2 * spread * math.sqrt(d_k)
### divisor | wrong | variance|root|L4|square
def divisor(d_k, spread):
    variance = spread ** 2
    variance_of_product = variance ** 2
    return d_k * variance_of_product ** 0.5
### divisor | wrong | L4|add|last|keeps|\+=
def divisor(d_k, spread):
    total = 0
    for _ in range(d_k):
        total = spread ** 4
    return math.sqrt(total)
### divisor | wrong | random|draw|measure|sample|exact|close
def divisor(d_k, spread):
    rng = np.random.default_rng(0)
    q, k = spread * rng.normal(size=(1000, d_k)), spread * rng.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).std()
### sinusoidal_positional_encoding | right
def sinusoidal_positional_encoding(num_positions, d_model):
    position = np.arange(num_positions)[:, np.newaxis]
    div_term = np.exp(np.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe = np.zeros((num_positions, d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term[: d_model // 2])
    return pe
### sinusoidal_positional_encoding | right
def sinusoidal_positional_encoding(n, d):
    wide = d + d % 2
    i = np.arange(wide // 2)
    a = np.outer(np.arange(n), 10_000.0 ** (-2 * i / d))
    return np.stack([np.sin(a), np.cos(a)], axis=-1).reshape(n, wide)[:, :d]
### sinusoidal_positional_encoding | right
def sinusoidal_positional_encoding(num_positions, d_model):
    rows = []
    for p in range(num_positions):
        row = []
        for i in range(0, d_model, 2):
            a = p / 10000 ** (i / d_model)
            row += [math.sin(a), math.cos(a)]
        rows.append(row[:d_model])
    return rows
### sinusoidal_positional_encoding | wrong | L4|odd|last
def sinusoidal_positional_encoding(num_positions, d_model):
    encoding = np.zeros((num_positions, d_model))
    pair = np.arange(d_model // 2)
    angles = np.arange(num_positions)[:, None] / 10_000 ** (2 * pair / d_model)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
### sinusoidal_positional_encoding | wrong | L3|bracket|\*\*
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] / 10_000 ** 2 * pair / d_model
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L2|pair|2i|exponent|// 2
def sinusoidal_positional_encoding(num_positions, d_model):
    i = np.arange(d_model)
    angles = np.arange(num_positions)[:, None] / 10_000 ** (2 * i / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | L5|j|2i|exponent|pair
def sinusoidal_positional_encoding(num_positions, d_model):
    pe = np.zeros((num_positions, d_model))
    for pos in range(num_positions):
        for j in range(d_model):
            angle = pos / 10000 ** (j / d_model)
            pe[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return pe
### sinusoidal_positional_encoding | wrong | L3|2|exponent|missing|pair
def sinusoidal_positional_encoding(num_positions, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(num_positions)[:, None] / 10_000 ** (pair / d_model)
    encoding = np.empty((num_positions, d_model))
    encoding[:, 0::2] = np.sin(angles[:, 0::2])
    encoding[:, 1::2] = np.cos(angles[:, 1::2])
    return encoding
### sinusoidal_positional_encoding | wrong | odd|L5|rest|shape|sine|last
def sinusoidal_positional_encoding(num_positions, d_model):
    position = np.arange(num_positions)[:, None]
    div_term = np.exp(np.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe = np.zeros((num_positions, d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe
### is_order_blind | right
def is_order_blind(layer, tokens, order):
    inverse = np.argsort(order)
    return np.allclose(layer(tokens[order])[inverse], layer(tokens))
### is_order_blind | right
def is_order_blind(layer, tokens, order):
    return np.isclose(layer(tokens[order]), layer(tokens)[order]).all()
### is_order_blind | wrong | ==|allclose|float|digit|L2
def is_order_blind(layer, tokens, order):
    return bool((layer(tokens[order]) == layer(tokens)[order]).all())
### is_order_blind | wrong | L2|one True|all|allclose
def is_order_blind(layer, tokens, order):
    return layer(tokens[order]) == layer(tokens)[order]
### is_order_blind | wrong | upside|wrong way|not|L2
def is_order_blind(layer, tokens, order):
    return not np.allclose(layer(tokens[order]), layer(tokens)[order])
### is_order_blind | wrong | L2|shuffle|twice|order|side
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order])[order], layer(tokens)[order])
### is_order_blind | wrong | row|first|all
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order])[0], layer(tokens)[order][0])
### is_order_blind | wrong | L2|layer|outputs|tokens
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]), tokens[order])
### is_order_blind | wrong | any|all|L2
def is_order_blind(layer, tokens, order):
    return np.isclose(layer(tokens[order]), layer(tokens)[order]).any()
### is_order_blind | wrong | axis|columns|rows|L2
def is_order_blind(layer, tokens, order):
    return np.allclose(layer(tokens[order]).mean(), layer(tokens)[order].mean())
### split_heads | right
def split_heads(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=-3)
### split_heads | right
def split_heads(x, num_heads):
    *batch, n, d = x.shape
    y = np.zeros((*batch, num_heads, n, d // num_heads))
    for h in range(num_heads):
        for j in range(d // num_heads):
            y[..., h, :, j] = x[..., h * (d // num_heads) + j]
    return y
### split_heads | wrong | swap|L4|axes|still
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    d_head = width // num_heads
    return x.reshape(*batch, num_tokens, num_heads, d_head)
### split_heads | wrong | L3|//|whole|float
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width / num_heads)
    return np.swapaxes(x, -2, -3)
### split_heads | wrong | L3|num_heads|d_head|order|exchanged
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, width // num_heads, num_heads)
    return np.swapaxes(x, -2, -3)
### split_heads | wrong | L5|axis|stack|place
def split_heads(x, num_heads):
    heads = []
    for part in np.split(x, num_heads, axis=-1):
        heads.append(part)
    return np.stack(heads)
### split_heads | wrong | L5|inside|loop|first
def split_heads(x, num_heads):
    d = x.shape[-1] // num_heads
    heads = []
    for h in range(num_heads):
        heads.append(x[..., h * d : (h + 1) * d])
        return np.stack(heads, axis=-3)
### split_heads | wrong | L3|h \* d|slice|index|d_head|size|shape
def split_heads(x, num_heads):
    d = x.shape[-1] // num_heads
    heads = [x[..., h : h + d] for h in range(num_heads)]
    return np.stack(heads, axis=-3)
### split_heads | wrong | L4|axes|0, 1|batch|count
def split_heads(x, num_heads):
    *batch, num_tokens, width = x.shape
    x = x.reshape(*batch, num_tokens, num_heads, width // num_heads)
    return np.swapaxes(x, 0, 1)
### merge_heads | right
def merge_heads(x):
    return np.concatenate([x[..., h, :, :] for h in range(x.shape[-3])], axis=-1)
### merge_heads | right
def merge_heads(x):
    x = np.moveaxis(x, -3, -2)
    return x.reshape(x.shape[:-2] + (-1,))
### merge_heads | right
def merge_heads(x):
    *batch, h, n, d = x.shape
    return np.einsum("...hnd->...nhd", x).reshape(*batch, n, h * d)
### merge_heads | right
def merge_heads(x):
    if x.ndim == 3:
        return np.hstack(list(x))
    return np.array([merge_heads(each) for each in x])
### merge_heads | right
def merge_heads(x):
    *batch, heads, tokens, width = x.shape
    out = np.empty((*batch, tokens, heads * width))
    for h in range(heads):
        out[..., h * width : (h + 1) * width] = x[..., h, :, :]
    return out
### merge_heads | wrong | L3|axes|-2|-3|last|swap
def merge_heads(x):
    *batch, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, -1, -2).reshape(*batch, num_tokens, num_heads * d_head)
### merge_heads | wrong | batch|L2|axes
def merge_heads(x):
    B, H, N, D = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, N, H * D)
### merge_heads | wrong | return|nothing
def merge_heads(x):
    *batch, num_heads, num_tokens, d_head = x.shape
    merged = np.swapaxes(x, -2, -3).reshape(*batch, num_tokens, num_heads * d_head)
### merge_heads | wrong | reshape|L2|still|lay|width|one row|flat
def merge_heads(x):
    return np.swapaxes(x, -2, -3)
### merge_heads | wrong | L3|order|num_heads|batch|shape|num_tokens
def merge_heads(x):
    *batch, num_tokens, num_heads, d_head = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batch, num_tokens, num_heads * d_head)
### merge_heads | wrong | L4|inside|loop|first
def merge_heads(x):
    parts = []
    for h in range(x.shape[-3]):
        parts.append(x[..., h, :, :])
        return np.concatenate(parts, axis=-1)
### merge_heads | wrong | L3|axes|batch|0
def merge_heads(x):
    *batch, num_heads, num_tokens, d_head = x.shape
    return np.swapaxes(x, 0, 1).reshape(*batch, num_tokens, num_heads * d_head)
### merge_heads | wrong | L5|h \* width|slice|width|index|overlap
def merge_heads(x):
    *batch, heads, tokens, width = x.shape
    out = np.empty((*batch, tokens, heads * width))
    for h in range(heads):
        out[..., h : h + width] = x[..., h, :, :]
    return out
### causal_mask | right
def causal_mask(n):
    return [[key <= query for key in range(n)] for query in range(n)]
### causal_mask | right
def causal_mask(num_tokens):
    return ~np.triu(np.ones((num_tokens, num_tokens), bool), k=1)
### causal_mask | right
def causal_mask(num_tokens):
    return np.tril(np.ones((num_tokens, num_tokens))).astype(bool)
### causal_mask | wrong | L3|diagonal|itself|<=
def causal_mask(num_tokens):
    token = np.arange(num_tokens)
    return token[None, :] < token[:, None]
### causal_mask | wrong | added|-inf|Boolean|numbers
def causal_mask(num_tokens):
    return np.triu(np.full((num_tokens, num_tokens), -np.inf), k=1)
### causal_mask | wrong | L6|inside|loop|first
def causal_mask(num_tokens):
    mask = np.zeros((num_tokens, num_tokens), dtype=bool)
    for i in range(num_tokens):
        for j in range(i + 1):
            mask[i, j] = True
        return mask
### causal_mask | wrong | L2|1|count|start|size|shape|token
def causal_mask(num_tokens):
    return np.tri(num_tokens - 1, dtype=bool)
### causal_mask | wrong | weights|L2|sum|softmax
def causal_mask(num_tokens):
    mask = np.tri(num_tokens)
    return mask / mask.sum(axis=1, keepdims=True)
### masked_softmax | right
def masked_softmax(scores, mask):
    for row in mask:
        if not any(row):
            raise ValueError("nothing to see")
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
### masked_softmax | right
def masked_softmax(scores, mask):
    if (mask.sum(axis=1) == 0).any():
        raise ValueError
    s = scores.copy()
    s[~mask] = -np.inf
    return attention.softmax(s)
### masked_softmax | right
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("every query needs a key")
    return attention.softmax(scores + np.where(mask, 0.0, -np.inf))
### masked_softmax | wrong | raise|return
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        return ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | L4|upside|True|exchang|block
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, -np.inf, scores))
### masked_softmax | wrong | L4|0|-inf|share
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, 0))
### masked_softmax | wrong | after|before|sum to 1|L4
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    return np.where(mask, attention.softmax(scores), 0)
### masked_softmax | wrong | 5000|0/0|before|first
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    w = attention.softmax(scores) * mask
    return w / w.sum(axis=-1, keepdims=True)
### masked_softmax | wrong | L2|axis|column|key|query
def masked_softmax(scores, mask):
    if not mask.any(axis=0).all():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | not|L2|upside|refus
def masked_softmax(scores, mask):
    if mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    return attention.softmax(np.where(mask, scores, -np.inf))
### masked_softmax | wrong | overflow|largest|1000
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    e = np.where(mask, np.exp(scores), 0)
    return e / e.sum(axis=-1, keepdims=True)
### masked_softmax | wrong | mask|L4|blocked
def masked_softmax(scores, mask):
    if not mask.any(axis=-1).all():
        raise ValueError("nothing to see")
    return attention.softmax(scores)
### cross_attention | right
def cross_attention(Y, X, W_query, W_key, W_value):
    rows = []
    K, V = X @ W_key, X @ W_value
    for y in Y:
        q = y @ W_query
        w = attention.softmax(K @ q / math.sqrt(len(q)))
        rows.append(w @ V)
    return np.vstack(rows)
### cross_attention | right
def cross_attention(Y, X, W_query, W_key, W_value):
    scores = np.matmul(Y @ W_query, np.transpose(X @ W_key)) / np.sqrt(W_key.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e @ (X @ W_value)) / e.sum(axis=-1, keepdims=True)
### cross_attention | right
def cross_attention(Y, X, W_query, W_key, W_value):
    q, k, v = Y @ W_query, X @ W_key, X @ W_value
    return attention.softmax(q @ k.T * q.shape[-1] ** -0.5) @ v
### cross_attention | right
def cross_attention(Y, X, W_query, W_key, W_value):
    d_k = W_query.shape[1]
    scores = np.zeros((len(Y), len(X)))
    for i, y in enumerate(Y):
        for j, x in enumerate(X):
            scores[i, j] = (y @ W_query) @ (x @ W_key) / math.sqrt(d_k)
    return (attention.softmax(scores) @ X @ W_value).tolist()
### cross_attention | wrong | L2|W_query|key
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_query, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | self-attention|X|Y|L2|L3
def cross_attention(Y, X, W_query, W_key, W_value):
    query = X @ W_query
    key = X @ W_key
    value = X @ W_value
    return attention.softmax(query @ key.T / math.sqrt(query.shape[1])) @ value
### cross_attention | wrong | √|root|scale|L3|divided
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T)
    return weights @ value
### cross_attention | wrong | L3|bracket|\*\*|1/2|1 / 2
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / query.shape[1] ** 1/2)
    return weights @ value
### cross_attention | wrong | L3|axis|column|down|queries
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]), axis=0)
    return weights @ value
### cross_attention | wrong | L3|bracket|scale|after|softmax|root|√
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(query @ key.T) / math.sqrt(W_query.shape[1])
    return weights @ value
### cross_attention | wrong | L3|order|exchang|side|transpos|key|query
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key, value = Y @ W_query, X @ W_key, X @ W_value
    weights = attention.softmax(key @ query.T / math.sqrt(W_query.shape[1]))
    return weights @ value
### cross_attention | wrong | L8|inside|loop|first
def cross_attention(Y, X, W_query, W_key, W_value):
    K, V = X @ W_key, X @ W_value
    rows = []
    for y in Y:
        q = y @ W_query
        w = attention.softmax(K @ q / math.sqrt(len(q)))
        rows.append(w @ V)
        return np.vstack(rows)
### cross_attention | wrong | value|W_value|L4|X
def cross_attention(Y, X, W_query, W_key, W_value):
    query, key = Y @ W_query, X @ W_key
    weights = attention.softmax(query @ key.T / math.sqrt(W_query.shape[1]))
    return weights @ X
### remember | right
def remember(X, W_key, W_value):
    K = X @ W_key
    V = X @ W_value
    return lambda q: attention.softmax(q @ K.T / np.sqrt(K.shape[1])) @ V
### remember | right
class remember:
    def __init__(self, X, W_key, W_value):
        self.K, self.V = X @ W_key, X @ W_value
    def __call__(self, query):
        return attention.softmax(self.K @ query / math.sqrt(len(query))) @ self.V
### remember | wrong | anew|again|once|each question|every
def remember(X, W_key, W_value):
    keys = X @ W_key
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ (X @ W_value)
    return ask
### remember | wrong | function|return
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    return keys, values
### remember | wrong | return
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ values
### remember | wrong | return|ask
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        weights @ values
    return ask
### remember | wrong | L4|bracket|\*\*
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / len(query) ** 1/2)
        return weights @ values
    return ask
### remember | wrong | L2|exchanged|W_key|W_value
def remember(X, W_key, W_value):
    values, keys = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ values
    return ask
### remember | wrong | L5|key|value|mixed
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ keys
    return ask
### remember | wrong | softmax|weights|scores|L4
def remember(X, W_key, W_value):
    keys, values = X @ W_key, X @ W_value
    def ask(query):
        scores = keys @ query / math.sqrt(len(query))
        return scores @ values
    return ask
### remember | wrong | value|X|L5
def remember(X, W_key, W_value):
    keys = X @ W_key
    def ask(query):
        weights = attention.softmax(keys @ query / math.sqrt(len(query)))
        return weights @ X
    return ask
### layer_norm | right
def layer_norm(x):
    def one(token):
        mean = sum(token) / len(token)
        variance = sum((t - mean) ** 2 for t in token) / len(token)
        return [(t - mean) / math.sqrt(variance + 0.00001) for t in token]
    if x.ndim == 1:
        return one(x)
    return [layer_norm(each) for each in x]
### layer_norm | right
def layer_norm(x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / (x.var(axis=-1, keepdims=True) + 1e-5) ** 0.5
### layer_norm | wrong | ε|0/0|equal
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    return (x - mean) / x.std(axis=-1, keepdims=True)
### layer_norm | wrong | L3|keepdims|L4
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1)
    return (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | L4|root|square
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / (variance + 1e-5)
### layer_norm | wrong | L2|L3|whole|axis
def layer_norm(x):
    mean = x.mean()
    variance = x.var()
    return (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | return|nothing
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(variance + 1e-5)
### layer_norm | wrong | overwritten|input|copy
def layer_norm(x):
    x -= x.mean(axis=-1, keepdims=True)
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
### layer_norm | wrong | math.sqrt|np.sqrt|L4
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / math.sqrt(variance + 1e-5)
### layer_norm | wrong | ε|1e-5|L4|0\.1|0\.00001
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 0.1)
### layer_norm | wrong | dim|keepdim|axis|unbiased|L2
def layer_norm(x):
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / np.sqrt(variance + 1e-5)
### encoder_layer | right
def encoder_layer(x, parameters, num_heads, norm):
    att, ff = parameters["self_attention"], parameters["feed_forward"]
    n1, n2 = parameters["self_attention_norm"], parameters["feed_forward_norm"]
    a = layers.layer_norm(x, n1["gain"], n1["bias"]) if norm == "pre" else x
    x = x + attention.multi_head_attention(a, num_heads=num_heads, **att).output
    if norm == "post":
        x = layers.layer_norm(x, n1["gain"], n1["bias"])
    b = layers.layer_norm(x, n2["gain"], n2["bias"]) if norm == "pre" else x
    x = x + layers.relu(b @ ff["W_in"] + ff["b_in"]) @ ff["W_out"] + ff["b_out"]
    if norm == "post":
        x = layers.layer_norm(x, n2["gain"], n2["bias"])
    return x
### encoder_layer | right
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    if norm == "post":
        h = layers.layer_norm(x + attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads)[0], **p["self_attention_norm"])
        return layers.layer_norm(h + layers.feed_forward(h, **p["feed_forward"]), **p["feed_forward_norm"])
    h = x + attention.multi_head_attention(layers.layer_norm(x, **p["self_attention_norm"]), **p["self_attention"], num_heads=num_heads)[0]
    return h + layers.feed_forward(layers.layer_norm(h, **p["feed_forward_norm"]), **p["feed_forward"])
### encoder_layer | wrong | pre|norm|post
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    x = layers.layer_norm(x + attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output, **p["self_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### encoder_layer | wrong | L7|L8|upside|exchang|pre|post|==
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    def attend(x):
        return attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    def feed(x):
        return layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
        return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
    x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
    return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
### encoder_layer | wrong | L8|L9|input|add|residual|x \+
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    def attend(x):
        return attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    def feed(x):
        return layers.feed_forward(x, **p["feed_forward"])
    if norm == "pre":
        x = attend(layers.layer_norm(x, **p["self_attention_norm"]))
        return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
    x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
    return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
### encoder_layer | wrong | L6|bracket|norm|x \+|inside|add
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = x + layers.layer_norm(attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### encoder_layer | wrong | feed_forward_norm|own|L7
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["self_attention_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### encoder_layer | wrong | num_heads|one head|L3
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=1).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### encoder_layer | wrong | feed|L9|normal|pre|L10
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    return x + layers.layer_norm(feed(x), **p["feed_forward_norm"])
### encoder_layer | wrong | return|L9|pre
def encoder_layer(x, parameters, num_heads, norm):
    p = parameters
    attend = lambda x: attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads).output
    feed = lambda x: layers.feed_forward(x, **p["feed_forward"])
    if norm == "post":
        x = layers.layer_norm(x + attend(x), **p["self_attention_norm"])
        return layers.layer_norm(x + feed(x), **p["feed_forward_norm"])
    x = x + attend(layers.layer_norm(x, **p["self_attention_norm"]))
    x = x + feed(layers.layer_norm(x, **p["feed_forward_norm"]))
### decoder_layer | right
def decoder_layer(x, memory, parameters, num_heads):
    p = parameters
    mask = np.tri(len(x), dtype=bool)
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    y = layers.feed_forward(x, **p["feed_forward"])
    return layers.layer_norm(x + y, **p["feed_forward_norm"])
### decoder_layer | right
def decoder_layer(x, memory, parameters, num_heads):
    for name, context, mask in [("self_attention", None, attention.causal_mask(len(x))), ("cross_attention", memory, None)]:
        change = attention.multi_head_attention(x, **parameters[name], num_heads=num_heads, context=context, mask=mask).output
        x = layers.layer_norm(x + change, **parameters[f"{name}_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **parameters["feed_forward"]), **parameters["feed_forward_norm"])
### decoder_layer | right
def decoder_layer(x, memory, parameters, num_heads):
    p = parameters
    t = np.arange(len(x))
    a = layers.layer_norm(attention.multi_head_attention(x, mask=t <= t[:, None], num_heads=num_heads, **p["self_attention"]).output + x, **p["self_attention_norm"])
    c = layers.layer_norm(attention.multi_head_attention(a, context=memory, num_heads=num_heads, **p["cross_attention"]).output + a, **p["cross_attention_norm"])
    ff = p["feed_forward"]
    return layers.layer_norm(c + np.maximum(c @ ff["W_in"] + ff["b_in"], 0) @ ff["W_out"] + ff["b_out"], **p["feed_forward_norm"])
### decoder_layer | wrong | mask|L3|wrong way|upside|~
def decoder_layer(x, memory, parameters, num_heads):
    p = parameters
    mask = ~attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | L6|cross_attention_norm|own|self_attention_norm
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    return layers.layer_norm(x + layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### decoder_layer | wrong | L7|add|input|x \+|residual
def decoder_layer(x, memory, parameters, num_heads):
    p, mask = parameters, attention.causal_mask(len(x))
    y = attention.multi_head_attention(x, **p["self_attention"], num_heads=num_heads, mask=mask).output
    x = layers.layer_norm(x + y, **p["self_attention_norm"])
    y = attention.multi_head_attention(x, **p["cross_attention"], num_heads=num_heads, context=memory).output
    x = layers.layer_norm(x + y, **p["cross_attention_norm"])
    return layers.layer_norm(layers.feed_forward(x, **p["feed_forward"]), **p["feed_forward_norm"])
### count_operations | right
def count_operations(N, D):
    mult = 4 * N * D ** 2 + 2 * N ** 2 * D
    add = 4 * N * D * (D - 1) + N ** 2 * (D - 1) + N * D * (N - 1)
    return mult, add
### count_operations | right
def count_operations(num_tokens, d_model):
    mult = add = 0
    for _ in range(4):
        for _ in range(num_tokens * d_model):
            mult += d_model
            add += d_model - 1
    for _ in range(num_tokens ** 2):
        mult += d_model
        add += d_model - 1
    for _ in range(num_tokens * d_model):
        mult += num_tokens
        add += num_tokens - 1
    return mult, add
### count_operations | right
def count_operations(num_tokens, d_model):
    projections = num_tokens * d_model * np.array([d_model, d_model - 1])
    scores = num_tokens ** 2 * np.array([d_model, d_model - 1])
    mixing = num_tokens * d_model * np.array([num_tokens, num_tokens - 1])
    return tuple(4 * projections + scores + mixing)
### count_operations | wrong | W_O|four|L3|3
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 3 * N * D * D + 2 * N * N * D
    additions = 3 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | mixing|L3|L4
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + N * N * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1)
    return multiplications, additions
### count_operations | wrong | L3|bracket|\*\*|square|\^|D \*
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = (4 * N * D) ** 2 + 2 * N * N * D
    additions = 4 * N * D * (D - 1) + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### count_operations | wrong | bias|L4|additions
def count_operations(num_tokens, d_model):
    N, D = num_tokens, d_model
    multiplications = 4 * N * D * D + 2 * N * N * D
    additions = 4 * N * D * D + N * N * (D - 1) + N * D * (N - 1)
    return multiplications, additions
### patchify | right
def patchify(image, patch_size):
    s = patch_size
    return np.array([image[i : i + s, j : j + s].flatten() for i in range(0, image.shape[0], s) for j in range(0, image.shape[1], s)])
### patchify | right
def patchify(image, patch_size):
    h, w = image.shape[0] // patch_size, image.shape[1] // patch_size
    x = image.reshape(h, patch_size, w, patch_size, -1)
    return x.transpose(0, 2, 1, 3, 4).reshape(h * w, -1)
### patchify | right
def patchify(image, patch_size):
    rows = np.split(image, image.shape[0] // patch_size, axis=0)
    out = []
    for row in rows:
        for patch in np.split(row, image.shape[1] // patch_size, axis=1):
            out.append(patch.reshape(-1))
    return np.stack(out)
### patchify | right
def patchify(image, patch_size):
    image = image if image.ndim == 3 else image[..., None]
    H, W, C = image.shape
    p = patch_size
    blocks = np.einsum("apbqc->abpqc", image.reshape(H // p, p, W // p, p, C))
    return blocks.reshape(-1, p * p * C)
### patchify | wrong | L4|width|shape\[1\]|height
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[0], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L4|L5|column|order|row|exchang|down
def patchify(image, patch_size):
    rows = []
    for left in range(0, image.shape[1], patch_size):
        for top in range(0, image.shape[0], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L5|patch_size|index|top|multipl|\*
def patchify(image, patch_size):
    rows = []
    for i in range(image.shape[0] // patch_size):
        for j in range(image.shape[1] // patch_size):
            rows.append(image[i : i + patch_size, j : j + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L3|range|last|stop
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0] - patch_size, patch_size):
        for left in range(0, image.shape[1] - patch_size, patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L5|append|extend
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.extend(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L6|inside|loop|first
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
        return np.array(rows)
### patchify | wrong | L2|colour|channels|third
def patchify(image, patch_size):
    height, width = image.shape
    rows = []
    for top in range(0, height, patch_size):
        for left in range(0, width, patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows)
### patchify | wrong | L2|//|whole|float
def patchify(image, patch_size):
    h, w = image.shape[0] / patch_size, image.shape[1] / patch_size
    x = image.reshape(h, patch_size, w, patch_size, -1)
    return x.swapaxes(1, 2).reshape(h * w, -1)
### patchify | wrong | return|nothing
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    rows = np.array(rows)
### patchify | wrong | channel|colour|L5|pixel|red
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].T.ravel())
    return np.array(rows)
### patchify | wrong | L6|transpose|rows|column|\.T
def patchify(image, patch_size):
    rows = []
    for top in range(0, image.shape[0], patch_size):
        for left in range(0, image.shape[1], patch_size):
            rows.append(image[top : top + patch_size, left : left + patch_size].ravel())
    return np.array(rows).T
### numerical_gradient | right
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros_like(parameters, dtype=float)
    for place in np.ndindex(*parameters.shape):
        up, down = parameters.copy(), parameters.copy()
        up[place] += h
        down[place] -= h
        gradient[place] = (loss_of(up) - loss_of(down)) / (2 * h)
    return gradient
### numerical_gradient | right
def numerical_gradient(loss_of, parameters):
    h = 1e-6
    flat = parameters.astype(float).ravel()
    out = []
    for i in range(flat.size):
        step = np.zeros(flat.size)
        step[i] = h
        out.append((loss_of((flat + step).reshape(parameters.shape)) - loss_of((flat - step).reshape(parameters.shape))) / (2 * h))
    return np.array(out).reshape(parameters.shape)
### numerical_gradient | wrong | L8|bracket|2 ?\* ?h
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-5, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (above - loss_of(moving)) / 2 * h
        moving[place] = value
    return gradient
### numerical_gradient | wrong | too small|digits|rounding
def numerical_gradient(loss_of, parameters):
    h, gradient, moving = 1e-15, np.zeros(parameters.shape), parameters.copy()
    for place in np.ndindex(parameters.shape):
        value = moving[place]
        moving[place] = value + h
        above = loss_of(moving)
        moving[place] = value - h
        gradient[place] = (above - loss_of(moving)) / (2 * h)
        moving[place] = value
    return gradient
### numerical_gradient | wrong | overwritten|copy|L5|same array
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        parameters[place] += h
        above = loss_of(parameters)
        parameters[place] -= 2 * h
        gradient[place] = (above - loss_of(parameters)) / (2 * h)
    return gradient
### numerical_gradient | wrong | together|one at a time
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    return (loss_of(parameters + h) - loss_of(parameters - h)) / (2 * h)
### numerical_gradient | wrong | one side|both|x − h
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    start = loss_of(parameters)
    for place in np.ndindex(parameters.shape):
        moved = parameters.copy()
        moved[place] += h
        gradient[place] = (loss_of(moved) - start) / h
    return gradient
### numerical_gradient | wrong | half|one side|start|L9|2h|x minus
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    start = loss_of(parameters)
    for place in np.ndindex(parameters.shape):
        moved = parameters.copy()
        moved[place] += h
        gradient[place] = (loss_of(moved) - start) / (2 * h)
    return gradient
### numerical_gradient | wrong | row|every place|ndindex|L4|axis|entry
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for i in range(len(parameters)):
        up, down = parameters.copy(), parameters.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (loss_of(up) - loss_of(down)) / (2 * h)
    return gradient
### numerical_gradient | wrong | copy|same array|L5|name
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        up, down = parameters, parameters
        up[place] += h
        down[place] -= h
        gradient[place] = (loss_of(up) - loss_of(down)) / (2 * h)
    return gradient
### numerical_gradient | wrong | return|nothing
def numerical_gradient(loss_of, parameters):
    h = 1e-5
    gradient = np.zeros(parameters.shape)
    for place in np.ndindex(parameters.shape):
        up, down = parameters.copy(), parameters.copy()
        up[place] += h
        down[place] -= h
        gradient[place] = (loss_of(up) - loss_of(down)) / (2 * h)
### numerical_gradient | wrong | training
def numerical_gradient(loss_of, parameters):
    from helpers import training
    return training.numerical_gradient(loss_of, parameters)
### adam_step | right
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    b1, b2, eps = 0.9, 0.999, 1e-8
    m = b1 * mean + (1 - b1) * gradient
    v = b2 * squares + (1 - b2) * gradient ** 2
    m_hat = m / (1 - b1 ** step)
    v_hat = v / (1 - b2 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + eps), m, v
### adam_step | right
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    new_mean = np.average([mean, gradient], axis=0, weights=[0.9, 0.1])
    new_squares = np.average([squares, gradient ** 2], axis=0, weights=[0.999, 0.001])
    rate = learning_rate / (1 - 0.9 ** step)
    new = parameters - rate * new_mean / (np.sqrt(new_squares / (1 - 0.999 ** step)) + 1e-8)
    return new, new_mean, new_squares
### adam_step | wrong | L2|0\.1|mean
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L4|L5|divide|multipl|/
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m * (1 - 0.9 ** step)
    v_hat = v * (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | uphill|L6|subtract|sign|\+
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters + learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | root|L6|sqrt
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (v_hat + 1e-8), m, v
### adam_step | wrong | L3|0\.9|0\.999|squares
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.99 * squares + 0.01 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L2|exchang|0\.9|0\.1
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.1 * mean + 0.9 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / (np.sqrt(v_hat) + 1e-8), m, v
### adam_step | wrong | L6|bracket|inside|root|ε
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient ** 2
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / np.sqrt(v_hat + 1e-8), m, v
### adam_step | wrong | (L2.*L3)|square|L3.*root|two|ε
def adam_step(parameters, gradient, mean, squares, step, learning_rate):
    m = 0.9 * mean + 0.1 * gradient
    v = 0.999 * squares + 0.001 * gradient
    m_hat = m / (1 - 0.9 ** step)
    v_hat = v / (1 - 0.999 ** step)
    return parameters - learning_rate * m_hat / np.sqrt(v_hat) + 1e-8, m, v
### training_loop | right
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    p = parameters.copy()
    for t in range(num_steps):
        g = gradient_of(p, t)
        n = (g ** 2).sum() ** 0.5
        if n > largest:
            g = g / n * largest
        p -= learning_rate(t) * g
    return p
### training_loop | right
def training_loop(p, gradient_of, num_steps, learning_rate, largest):
    def clipped(g):
        length = np.linalg.norm(g.ravel())
        return g if length <= largest else g * (largest / length)
    for k in range(num_steps):
        p = p - learning_rate(k) * clipped(gradient_of(p, k))
    return p
### training_loop | wrong | L4|bracket|\*\*2|square|root|sum
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient) ** 2)
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L4|mean|sum
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.mean(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L6|upside|exchang|side|/
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (length / largest)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | each number|by itself|clip|L4|direction
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        gradient = np.clip(gradient, -largest, largest)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L4|\|g\||abs|square|length|root
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sum(np.abs(gradient))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L7|uphill|subtract|sign
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters + learning_rate(step) * gradient
    return parameters
### training_loop | wrong | L2|L3|inside|every step|once|batch|first|line
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    gradient = gradient_of(parameters, 0)
    for step in range(num_steps):
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### training_loop | wrong | overwritten|input|copy
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sqrt(np.sum(gradient ** 2))
        if length > largest:
            gradient = gradient * (largest / length)
        parameters -= learning_rate(step) * gradient
    return parameters
### training_loop | wrong | root|L4|square
def training_loop(parameters, gradient_of, num_steps, learning_rate, largest):
    for step in range(num_steps):
        gradient = gradient_of(parameters, step)
        length = np.sum(gradient ** 2)
        if length > largest:
            gradient = gradient * (largest / length)
        parameters = parameters - learning_rate(step) * gradient
    return parameters
### previous_token_score | right
def previous_token_score(weights):
    return np.trace(weights, offset=-1) / (weights.shape[0] - 1)
### previous_token_score | wrong | number of tokens|fewer|len|L2|first
def previous_token_score(weights):
    return np.diagonal(weights, -1).sum() / len(weights)
### previous_token_score | wrong | L4|adds|keeps|last|\+=
def previous_token_score(weights):
    total = 0
    for t in range(1, len(weights)):
        total = weights[t, t - 1]
    return total / (len(weights) - 1)
### previous_token_score | wrong | itself|diagonal|L2
def previous_token_score(weights):
    return np.diagonal(weights).mean()
### previous_token_score | wrong | ahead|L2|exchang|t - 1, t|rows|order
def previous_token_score(weights):
    return np.mean([weights[t - 1, t] for t in range(1, len(weights))])
### previous_token_score | wrong | return|nothing
def previous_token_score(weights):
    score = np.diagonal(weights, -1).mean()
### previous_token_score | wrong | L2|range|last|one
def previous_token_score(weights):
    return np.mean([weights[t, t - 1] for t in range(1, len(weights) - 1)])
### previous_token_score | wrong | two|L2|-2
def previous_token_score(weights):
    return np.diagonal(weights, -2).mean()
### same_word_score | right
def same_word_score(weights, words):
    found = []
    for i, word in enumerate(words):
        others = [j for j, other in enumerate(words) if other == word and j != i]
        if others:
            found.append(sum(weights[i, j] for j in others))
    return np.mean(found)
### same_word_score | right
def same_word_score(weights, words):
    total, count = 0.0, 0
    for i in range(len(words)):
        for j in range(len(words)):
            if i != j and words[i] == words[j]:
                total += weights[i, j]
                count += 1
    return total / count
### same_word_score | right
def same_word_score(weights, words):
    same = np.equal.outer(np.array(words), np.array(words)).astype(float)
    np.fill_diagonal(same, 0)
    return (weights * same).sum()
### same_word_score | wrong | words|without|same|anything
def same_word_score(weights, words):
    return weights.max(axis=1).mean()
### same_word_score | wrong | number|one|single|shape
def same_word_score(weights, words):
    w = np.array(words)
    same = (w[:, None] == w) & ~np.eye(len(w), dtype=bool)
    return (weights * same).sum(axis=1)
### same_word_score | wrong | NaN|nothing|neighbour|empty|next
def same_word_score(weights, words):
    found = []
    for i in range(1, len(words)):
        if words[i] == words[i - 1]:
            found.append(weights[i, i - 1])
    return np.mean(found)
### same_word_score | wrong | return|L5|loop|first
def same_word_score(weights, words):
    for i in range(len(words)):
        for j in range(len(words)):
            if i != j and words[i] == words[j]:
                return weights[i, j]
### same_word_score | wrong | L3|repeat|itself|first|\[CLS\]|0
def same_word_score(weights, words):
    return weights[:, 0].mean()
### is_right | right
def is_right(attend):
    rng = np.random.default_rng(0)
    def same(X, W, heads, mask):
        want = attention.multi_head_attention(X, *W, np.eye(W[2].shape[1]), num_heads=heads, mask=mask).output
        W = [w.copy() for w in W]
        return all(np.allclose(attend(X, *W, heads, mask)[0], want) for _ in range(2))
    X, W = rng.normal(size=(5, 4)), rng.normal(size=(3, 4, 4))
    return same(X, W, 2, np.tri(5, dtype=bool)) and same(1000 * X, W, 1, None) and same(X, W, 1, None)
### is_right | right
def is_right(attend):
    try:
        rng = np.random.default_rng(1)
        X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
        for size in (1, 1000):
            W = rng.normal(size=(3, 6, 6))
            want = attention.multi_head_attention(size * X, *W, np.eye(6), num_heads=2, mask=mask)
            for _ in range(2):
                output, weights = attend(size * X, *W, 2, mask)
                assert np.allclose(output, want.output) and np.allclose(weights, want.weights)
    except AssertionError:
        return False
    return True
### is_right | right
def is_right(attend):
    rng = np.random.default_rng(5)
    good = True
    for trial in range(4):
        X, W = rng.normal(size=(4, 4)) * 10 ** trial, rng.normal(size=(3, 4, 4))
        want = attention.multi_head_attention(X, *W, np.eye(4), num_heads=2, mask=attention.causal_mask(4)).output
        good &= np.allclose(attend(X, *W, 2, attention.causal_mask(4))[0], want)
        good &= np.allclose(attend(X, *W, 2, attention.causal_mask(4))[0], want)
    return bool(good)
### is_right | wrong | twice|second|changed
def is_right(attend):
    rng = np.random.default_rng(0)
    mask = attention.causal_mask(5)
    for size in (1, 1000):
        X, W = size * rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
        want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=2, mask=mask)
        if not np.allclose(attend(X, *W, 2, mask)[0], want.output):
            return False
    return True
### is_right | wrong | W_key|equal|differ|same matri
def is_right(attend):
    rng = np.random.default_rng(0)
    mask = attention.causal_mask(5)
    for size in (1, 1000):
        X, W = size * rng.normal(size=(5, 6)), rng.normal(size=(6, 6))
        want = attention.multi_head_attention(X, W, W, W, np.eye(6), num_heads=2, mask=mask)
        for _ in range(2):
            if not np.allclose(attend(X, W.copy(), W.copy(), W.copy(), 2, mask)[0], want.output):
                return False
    return True
### is_right | wrong | everything|True
def is_right(attend):
    X = np.eye(3)
    attend(X, X, X, X)
    return True
### is_right | wrong | shape
def is_right(attend):
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 6))
    output, weights = attend(X, *W, 2, attention.causal_mask(5))
    return output.shape == (5, 6) and weights.shape == (2, 5, 5)
### is_right | wrong | assert|return False|Return False
def is_right(attend):
    rng = np.random.default_rng(0)
    X, mask = rng.normal(size=(5, 6)), attention.causal_mask(5)
    W = rng.normal(size=(3, 6, 6))
    want = attention.multi_head_attention(X, *W, np.eye(6), num_heads=2, mask=mask)
    assert np.allclose(attend(X, *W, 2, mask)[0], want.output)
    return True
"""
