"""A pendulum that is pulled aside, and the exercise on its next moment: the workbench without attention."""

import numpy as np

from workbench import Axes, Exercise, Plane, Rule, choose, explorer, mistakes, slider, solution

PLANE = Axes(360, 300, (-2.4, 2.4), (-2.4, 1.6))
METHODS = {"pull, then move": "new", "move and pull at once": "old"}  # the speed by which the bob moves


def explore_pendulum():
    """Pull the bob aside, and let it swing.

    Shown: path (201, 2), angle and speed in steps of 0.05 s; energy (201,)
    """
    return explorer(
        swing,
        draw,
        say,
        [
            Rule(
                "energy stays, within 10 %",
                lambda now: np.ptp(now.energy),
                "it drifts by {:.0%} of what the bob has hanging level",
                most=0.1,
                of=lambda now: 9.81 * now.length,
            )
        ],
        presets={"small": {"degrees": 5}, "wide": {"degrees": 90}},
        planes={"bob": Plane(PLANE, pulled, "drag: pull the bob aside")},
        degrees=slider("pulled aside, degrees", 40, -150, 150, 5),
        length=slider("length, m", 1.0, 0.2, 2.0, 0.1),
        speed=choose("in each step", METHODS, "new"),
    )


def swing(degrees, length, speed):
    path = [np.array([np.radians(degrees), 0.0])]
    for _ in range(200):
        angle, old = path[-1]
        new = old - 9.81 / length * np.sin(angle) * 0.05
        path.append(np.array([angle + {"new": new, "old": old}[speed] * 0.05, new]))
    path = np.array(path)
    return {"path": path, "energy": 9.81 * length * (1 - np.cos(path[:, 0])) + (length * path[:, 1]) ** 2 / 2}


def draw(now):
    sketch = PLANE.sketch()
    places = now.length * np.stack([np.sin(now.path[:, 0]), -np.cos(now.path[:, 0])], axis=-1)
    sketch.along(places[:40], "muted", 1)
    sketch.between((0, 0), places[0], "ink", 2)
    sketch.dot(places[0], "first", radius=9)
    return [sketch.html(f"A bob on a string of {now.length:g} m, pulled aside by {now.degrees} degrees.")]


def pulled(now, x, y):
    return {"degrees": float(np.degrees(np.arctan2(x, -y)))}


def say(now):
    turns = np.flatnonzero(np.diff(np.sign(now.path[:, 1])) != 0)
    back = f"is back after {0.05 * (turns[2] - turns[0]):.2f} s" if len(turns) > 2 else "does not come back within 10 s"
    return f"From {now.degrees}° a bob on a string of {now.length:g} m {back}."


_SOLVE = solution(
    """
def next_moment(angle, speed, dt):
    speed = speed - 9.81 * np.sin(angle) * dt
    return angle + speed * dt, speed
"""
)
NEXT_MOMENT = Exercise(
    name="next_moment",
    solve=_SOLVE,
    cases=[(0.0, 1.0, 0.1), (0.5, 0.0, 0.1), (-1.0, 2.0, 0.05)],
    mistakes=mistakes(
        _SOLVE,
        """
speed - => speed + | Gravity pulls back: the speed falls while the angle is positive.
np.sin(angle) => angle | That is the swing of small angles; gravity pulls by the sine of the angle.
np.sin(angle) => np.cos(angle) | At rest, angle 0, nothing pulls: that is the sine, not the cosine.
np.sin(angle) * dt => np.sin(angle) | The pull lasts for dt seconds.
angle + speed * dt => angle + (speed + 9.81 * np.sin(angle) * dt) * dt | The bob moves with the speed that it has after the pull, not with the old one.
""",
    ),
    parts=("angle", "speed"),
    praise="Right: the pull changes the speed, and the new speed moves the bob.",
)
