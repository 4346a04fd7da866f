"""How the course is cited, and where its badge leads."""

import re
import tomllib

import yaml

from tests.notebooks import ROOT, lessons

README = (ROOT / "README.md").read_text(encoding="utf-8")
KEYS = {"cff-version", "message", "title", "authors", "type", "abstract", "keywords", "license", "version"}


def test_citation_follows_its_schema_and_says_what_the_package_says():
    """Citation File Format 1.2.0, section 2: four keys are required; a group of authors has a name and no family name."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited) <= KEYS
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert all(isinstance(cited[key], str) and cited[key].strip() for key in set(cited) - {"authors", "keywords"})
    assert len(set(cited["keywords"])) == len(cited["keywords"]) > 2
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["authors"] == package["authors"]
    assert (cited["version"], cited["license"]) == (package["version"], package["license"])
    assert README.startswith(f"# {cited['title']}\n")


def test_badge_leads_to_binder_and_the_link_to_a_lesson():
    ((picture, address),) = re.findall(r"\[!\[[^]]+\]\((data/readme_\w+\.svg)\)\]\((\S+)\)", README)
    assert address == "https://mybinder.org" and (ROOT / picture).is_file()
    (opens,) = re.findall(r"urlpath=lab/tree/(notebooks/\S+?)`", README)
    assert ROOT / opens == lessons()[0]


def test_what_was_not_tried_is_said():
    (bullet,) = re.findall(r"^- \*\*Google Colab, Kaggle\*\*(.*)", README, re.M)
    assert "not tried" in bullet and "Binder itself was not tried" in " ".join(README.split())
