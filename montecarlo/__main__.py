"""``python -m montecarlo``."""

from montecarlo.cli import main

main()
