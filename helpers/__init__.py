"""What the lessons share. The mathematics in plain NumPy: `attention`, `positions`, `layers`, `transformer`, `patches`,
`training`; what lies in data/: `examples`, `words`, `attention_maps`; a real model: `bert`; arrays in, pictures out:
`matrices`, `plots`; what a learner touches: `explorers`, `checks`. Arrows run one way, in that order: the mathematics
draws nothing, and a picture computes no attention."""
