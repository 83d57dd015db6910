"""Tests of `app/ops/setup`, on a machine in a temporary folder."""
