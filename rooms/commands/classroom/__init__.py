"""How far a class is, or you are: what the notebooks in a folder say of their exercises. They are read; nothing in them runs.

python -m rooms.commands.classroom notebooks                          your own lessons: what is done, and what comes next
python -m rooms.commands.classroom handed_in overview.html            a class: how many make which mistake, and who has not begun
python -m rooms.commands.classroom handed_in overview.html --csv grades.csv
"""
