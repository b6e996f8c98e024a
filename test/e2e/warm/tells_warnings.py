# SPDX-License-Identifier: Apache-2.0
import sys, warnings
warnings.warn("take care")
warnings.warn("long ago", DeprecationWarning)
print(sys.warnoptions, [each[0] for each in warnings.filters])
