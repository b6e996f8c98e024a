# SPDX-License-Identifier: Apache-2.0
WORD = "beside the program"
