"""The lessons laid out in a folder of one's own, and brought up to date without a word of the learner's being lost."""

import json

import pytest

from rooms.commands import course


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Three lessons that an installed course carries."""
    folder = tmp_path / "inside" / "notebooks"
    folder.mkdir(parents=True)
    for name in ("00_first", "01_second", "02_third"):
        (folder / f"{name}.ipynb").write_text(f'"{name}, first edition"', encoding="utf-8")
    monkeypatch.setattr(course, "HERE", folder.parent)
    return folder


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "notebooks").iterdir())}


def test_lessons_are_laid_out_once(shipped, tmp_path):
    mine = tmp_path / "mine here"
    assert course.lay_out(mine) == [f"3 lessons are in {mine / 'notebooks'}."]
    assert list(texts(mine)) == ["00_first.ipynb", "01_second.ipynb", "02_third.ipynb"]
    assert course.lay_out(mine) == [f"The lessons in {mine / 'notebooks'} are the newest ones."]


def test_an_update_replaces_what_nobody_changed_and_lies_beside_what_somebody_did(shipped, tmp_path):
    mine = tmp_path / "mine"
    course.lay_out(mine)
    changed = mine / "notebooks" / "01_second.ipynb"
    changed.write_text('"with my answer"', encoding="utf-8")
    (shipped / "00_first.ipynb").write_text('"00_first, second edition"', encoding="utf-8")
    (shipped / "01_second.ipynb").write_text('"01_second, second edition"', encoding="utf-8")
    (shipped / "03_fourth.ipynb").write_text('"new"', encoding="utf-8")
    said = course.lay_out(mine)
    assert said[0].startswith("1 lessons are in") and said[1] == "1 were replaced by newer ones."
    assert said[2] == "You had changed 01_second.ipynb, so the newer one lies beside it: 01_second-newer.ipynb."
    assert texts(mine) == {
        "00_first.ipynb": '"00_first, second edition"',
        "01_second.ipynb": '"with my answer"',
        "01_second-newer.ipynb": '"01_second, second edition"',
        "02_third.ipynb": '"02_third, first edition"',
        "03_fourth.ipynb": '"new"',
    }
    assert course.lay_out(mine) == [f"The lessons in {mine / 'notebooks'} are the newest ones."]  # and no second copy


def test_an_update_finds_lessons_that_got_another_number(shipped, tmp_path):
    mine = tmp_path / "mine"
    course.lay_out(mine)
    (mine / "notebooks" / "02_third.ipynb").write_text('"with my answer"', encoding="utf-8")
    (shipped / "01_second.ipynb").rename(shipped / "02_second.ipynb")
    (shipped / "02_third.ipynb").rename(shipped / "04_third.ipynb")
    said = course.lay_out(mine)
    assert said[0].startswith("1 were given their new number") and said[1].startswith("1 lessons are in")
    assert (
        said[2]
        == "You had changed 02_third.ipynb, which is 04_third.ipynb now: both are there, and yours is as you left it."
    )
    assert texts(mine) == {
        "00_first.ipynb": '"00_first, first edition"',
        "02_second.ipynb": '"01_second, first edition"',
        "02_third.ipynb": '"with my answer"',
        "04_third.ipynb": '"02_third, first edition"',
    }
    assert course.lay_out(mine) == [f"The lessons in {mine / 'notebooks'} are the newest ones."]


@pytest.mark.parametrize("damage", ["", "[]", "{", json.dumps({"01_second.ipynb": 3})])
def test_a_damaged_list_overwrites_nothing(shipped, tmp_path, damage):
    mine = tmp_path / "mine"
    course.lay_out(mine)
    (mine / "notebooks" / "01_second.ipynb").write_text('"with my answer"', encoding="utf-8")
    (mine / course.LAID_OUT).write_text(damage, encoding="utf-8")
    course.lay_out(mine)
    assert texts(mine)["01_second.ipynb"] == '"with my answer"'


def test_update_wants_a_folder_that_was_laid_out_and_only_one(shipped, tmp_path, capsys):
    for words, told in (
        (["update", str(tmp_path / "none")], "holds no lessons that this command has laid out"),
        (["a", "b"], "one folder must be named at most"),
    ):
        with pytest.raises(SystemExit):
            course.main(words)
        assert told in capsys.readouterr().err
    assert course.main([str(tmp_path / "mine"), "--no-browser"]) == 0
    assert course.main(["update", str(tmp_path / "mine")]) == 0 and "newest ones" in capsys.readouterr().out


def test_the_other_commands_of_the_course_are_reached(shipped, tmp_path, capsys):
    for words, told in (
        (["class", str(tmp_path)], "There are no notebooks"),
        (["sheets", "--out", str(tmp_path)], "lesson must be"),
    ):
        try:
            assert course.main(words) == 1
        except SystemExit as stopped:
            assert stopped.code == 2
        told_by = capsys.readouterr()
        assert told in told_by.out + told_by.err


def test_the_course_itself_is_laid_out(tmp_path):
    course.lay_out(tmp_path)
    assert len(list((tmp_path / "notebooks").glob("*.ipynb"))) > 25 and (tmp_path / "data" / "README.md").is_file()
