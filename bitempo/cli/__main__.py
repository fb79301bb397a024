"""`python -m bitempo.cli`, for where the script is not on the path."""

import sys

from bitempo.cli import main

sys.exit(main())
