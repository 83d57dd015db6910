"""Read workbooks (.xlsx, .ods) within bounds of time and memory."""
