"""The library transformers, a second opinion: its classes and functions, with small sizes and random weights."""

import importlib

import pytest

NEEDS = "PyTorch, a second opinion, and transformers are not installed"


def needed():
    """PyTorch, where it is there, and transformers with it."""
    torch = pytest.importorskip("torch", reason=NEEDS)
    pytest.importorskip("transformers", reason=NEEDS).logging.set_verbosity_error()
    torch.manual_seed(0)
    return torch


def theirs(model, *names):
    """Classes and functions of a model, from its modelling file; one that went is no reason to skip."""
    module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
    found = [getattr(module, name) for name in names]
    return found if len(found) > 1 else found[0]


def sizes_of(model, name, **sizes):
    return getattr(importlib.import_module(f"transformers.models.{model}.configuration_{model}"), name)(**sizes)


def filled(module, torch):
    """The module in 64 bits with random weights and biases."""
    with torch.no_grad():
        for each in [*module.parameters(), *module.buffers()]:
            each.normal_(std=0.7)
    return module.double().eval()
