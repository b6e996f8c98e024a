# SPDX-License-Identifier: Apache-2.0
import sys
print("decimal" in sys.builtin_module_names)
import decimal, fractions, json
print(decimal.getcontext().prec, fractions.Fraction(1, 3), json.dumps({"a": 1}), json.__name__)
