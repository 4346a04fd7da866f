"""How far a class is, or you are: what `checks` says of every answer in a folder of notebooks.

python -m helpers.classroom FOLDER                  a class: who has begun, and how many make which mistake
python -m helpers.classroom FOLDER overview.html    the same as a page
python -m helpers.classroom notebooks               your own lessons: what is done, and what comes next

Answers are strangers' programs. Each runs in a process of its own, with limits; this process never runs them: it reads
the numbers that come back, and judges those.
"""
