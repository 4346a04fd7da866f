import os

os.environ.setdefault("MY_MODEL", "")  # no script of the tests shows what somebody keeps in my_model.py
