"""``python -m app.ops.batch forecast …``: the command where Flask is not installed."""

from app.core.machine import limit_blas_threads


def main() -> None:
    """Run the command in this process' arguments."""
    limit_blas_threads()  # before the command imports numpy

    from app.ops.batch.command import batch

    batch(prog_name="python -m app.ops.batch")


if __name__ == "__main__":  # processes for the cores import this module, too
    main()
