"""What pyproject.toml cannot say: the data folders lie beside the package, and are installed in it.

In a checkout they stand at the top (people who are no programmers edit them); in a wheel they are
`montecarlo._data` and `montecarlo._notebooks`. `montecarlo.data_files` finds them in both.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["montecarlo", "montecarlo.*"]),
        "montecarlo._data",
        "montecarlo._notebooks",
    ],
    package_dir={
        "montecarlo": "montecarlo",
        "montecarlo._data": "data",
        "montecarlo._notebooks": "notebooks",
    },
    package_data={
        "montecarlo": ["py.typed", "**/*.toml", "**/*.html", "**/*.css", "**/*.js", "**/*.j2"],
        "montecarlo._data": ["README.md", "claims/*", "policies/*"],
        "montecarlo._notebooks": ["README.md", "*.ipynb"],
    },
    include_package_data=False,
)
