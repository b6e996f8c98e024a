# SPDX-License-Identifier: Apache-2.0
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec("echo", "from below", stdout=asyncio.subprocess.PIPE)
    print(await process.stdout.read(), await process.wait())
asyncio.run(main())
