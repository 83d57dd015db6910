"""Tests of `app/setup`, on a machine in a temporary folder."""
