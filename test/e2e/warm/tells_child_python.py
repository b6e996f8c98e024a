# SPDX-License-Identifier: Apache-2.0
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import sys; print(sys.path[1:], sys.argv, 'sitecustomize' in sys.modules)"], capture_output=True, text=True))
