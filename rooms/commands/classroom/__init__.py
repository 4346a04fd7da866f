"""How far a class is, or you are: what the notebooks in a folder say of their exercises. They are read; nothing in them runs.

attention-lessons class notebooks                          your own lessons: what is done, and what comes next
attention-lessons class handed_in overview.html            a class: how many make which mistake, and who has not begun
attention-lessons class handed_in overview.html --csv grades.csv
"""
