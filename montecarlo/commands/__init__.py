"""The commands: each parses its words, calls a study and prints the result; no logic of its own."""
