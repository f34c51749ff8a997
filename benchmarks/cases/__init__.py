"""One benchmark a file: a function ``benchmark`` that prepares and returns a `Benchmark`.

The file's name is the benchmark's; a new file here is all that a new benchmark takes.
"""
