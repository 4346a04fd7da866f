"""What the lessons share. Mathematics in plain NumPy: `attention`, `positions`; the worked examples of the notes:
`examples`; arrays in, pictures out: `matrices`, `plots`; what a learner touches: `explorers`, `checks`. Arrows run
one way, in that order: the mathematics draws nothing, and a picture computes no attention."""
