"""Replace a file in a folder that another user may change at the same time.

If root worked by path, it would follow a link that this user has put there, and so write to, or
give away, a file elsewhere. Descriptors always refer to the opened file. Standard library only.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path


def replace_file(path: Path, content: str, mode: int, set_owner: Callable[[int], None]) -> None:
    """Replace the file at ``path`` atomically, with its final mode and owner.

    Args:
        path: The file, which may not exist yet; a link is replaced, not followed.
        mode: Its permissions, such as 0o640.
        set_owner: Sets the owner of the file, given its descriptor.

    Raise OSError if it cannot be written; the file is then unchanged.
    """
    name = f".{path.name}.new"
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # with O_EXCL, no link is followed
        descriptor = os.open(name, flags, 0o600, dir_fd=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            set_owner(descriptor)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        os.rename(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(folder)
