#!/bin/sh
# Remove from an environment what serves no request: deploy/trim.sh [--keep-tools] ENVIRONMENT
# The package and the container's image are made of what is left. With --keep-tools more libraries can
# be installed later and types checked, as in a checkout.
set -eu
keep_tools=''
if [ "$1" = --keep-tools ]; then
    keep_tools=1
    shift
fi
site=$(echo "$1"/lib/python3*/site-packages)

# The libraries' own tests and examples. numpy's testing, which scipy imports, needs a file of its tests.
find "$site" -type d \( -name tests -o -name testing_data -o -name __pycache__ \) -not -path '*/numpy/_core/tests' -prune \
    -exec rm -rf {} +
find "$site/numpy/_core/tests" -mindepth 1 -not -name __init__.py -not -name _natype.py -delete
rm -rf "$site"/sklearn/datasets/data "$site"/sklearn/datasets/images "$site"/sklearn/datasets/descr
[ ! -e "$site/statsmodels" ] || find "$site/statsmodels/datasets" \( -name '*.csv' -o -path '*/src/*' \) -delete
# What only a compiler reads.
find "$site" -type f \( -name '*.pyx*' -o -name '*.pxi*' -o -name '*.pxd*' -o -name '*.h' -o -name '*.hpp' -o -name '*.c' \
    -o -name '*.cpp' -o -name '*.a' \) -delete
# Its metadata stays: pmdarima requires it.
rm -rf "$site"/Cython "$site"/cython.py "$site"/pyximport
# Programs for Windows, where the service does not run.
find "$site" -type f -name '*.exe' -delete
# A second build of zstandard, for other Pythons than CPython.
rm -f "$site"/zstandard/_cffi.*.so
# The pages read one script of plotly's, and nothing is imported.
if [ -e "$site/plotly" ]; then
    find "$site/plotly" -mindepth 1 -type f -not -path '*/package_data/plotly.min.js' -delete
    find "$site/plotly" -mindepth 1 -type d -empty -delete
fi
# What only a debugger reads: 31 MB, of which zstandard's are 10.
"$1/bin/python" "$(dirname "$0")/strip.py" "$site"
[ -z "$keep_tools" ] || exit 0

# What only a type checker reads.
find "$site" -type f -name '*.pyi' -delete
rm -rf "$site"/wrapt-stubs
find "$site" -mindepth 1 -maxdepth 1 -type d -empty -delete
# An environment is replaced, never changed.
rm -rf "$site"/pip "$site"/pip-* "$1"/include "$1"/share
find "$1/bin" -type f -not -name flask -not -name gunicorn -not -name forecast-service -delete
