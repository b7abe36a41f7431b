"""``python -m mercer.cli``, where the script ``mercer`` is not on the path."""

import sys

from mercer.cli import main

sys.exit(main())
