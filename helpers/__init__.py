"""What the lessons share, in the order in which one builds on the other.

`inputs` says what is wrong with an input, `data_files` where the files of data/ lie, `server` how JupyterLab sends
its messages. The mathematics in plain NumPy: `tokens`, `attention`, `positions`, `layers`, `transformer`,
`softmax_variants`, `variants`, `sparse`, `latent`, `gates`, `experts`, `yarn`, `patches`, `training` with the tasks
`letters` and `dates`, `cached_decoding`, `recall`, `costs` and `measuring`, and `specimens`, which are wrong on purpose.
What lies in data/: `examples`, `words`, `attention_maps`; a real model: `bert`. Arrays in, pictures out: `pictures`
(colours by role, and SVG), `matrices`, `plots`; where each item of the lecture notes is taught: `notes`. What a learner
touches: `explorers`, `checks`. Arrows run one way, in that order: the mathematics draws nothing, and a picture computes
no attention.
"""
