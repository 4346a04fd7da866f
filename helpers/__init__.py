"""What the lessons share. The mathematics lies here, in plain NumPy, in the order in which one builds on the other: `tokens`,
`attention`, `streaming`, `positions`, `layers`, `transformer`, `decoder`, `patches`, `variants`, `costs`, `language_model`.
`parts` are what the lessons ask for, and `yours` is what a learner has written of them, in a file that `your_program` runs.

`learning` trains it; `since_2017` has what came later; `models` reads trained models; `sources` the lecture notes.
`matrices` and `pictures` draw arrays and compute no attention. What a learner touches: `explorers` and `checks` have its
machinery, and `lessons` a room for each notebook, with its explorers and exercises; what a teacher reads: `classroom`, and
prints: `worksheet`. `support` says what is wrong with an input and where the files of data/ lie. Arrows run one way, in that
order.
"""
