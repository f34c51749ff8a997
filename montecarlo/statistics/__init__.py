"""Intervals, estimators, tests and rounding: numbers in, numbers out; nothing about cards."""
