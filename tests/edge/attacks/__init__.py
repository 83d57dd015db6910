import pytest

pytest.register_assert_rewrite("tests.edge.attacks.attacked")
