"""``python -m mercer.cli``, the same as the script ``mercer``."""

import sys

from mercer.cli import main

sys.exit(main())
