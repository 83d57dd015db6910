"""Find the columns that describe series, such as a description next to a SKU."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from app.tables.header.heading import Heading
from app.tables.reading import Descriptions, cut_name

_MAX_DESCRIPTIONS = 10  # twice as many columns are looked at


def find_descriptions(
    heading: Heading,
    body: pd.DataFrame,
    names: np.ndarray,
    name_columns: Sequence[int],
    taken: Collection[int],
) -> Descriptions:
    """Return the texts that describe ``names``, which are the names of the rows of ``body``.

    A column describes names if it has one text for each name, and not the same one for all. The
    parts of names that are joined from several ``name_columns`` come first. ``taken`` are the
    columns of dates, names and values, except for numbers of items.
    """
    codes, distinct = pd.factorize(names)
    first = np.unique(codes, return_index=True)[1]
    describing = []
    for column in [column for column in body if column not in taken][: 2 * _MAX_DESCRIPTIONS]:
        texts = pd.factorize(body[column])[0]
        is_fixed_by_name = (texts == texts[first][codes]).all()
        if is_fixed_by_name and np.unique(texts).size > 1:
            describing.append(column)
    parts = name_columns if len(name_columns) > 1 else ()
    describing = [*parts, *describing[:_MAX_DESCRIPTIONS]]
    if not describing:
        return Descriptions()
    texts_of_names = body[describing].iloc[first].to_numpy().tolist()
    headers = tuple(heading.names[column] for column in describing)
    cut = (tuple(map(cut_name, row)) for row in texts_of_names)
    return Descriptions(headers, dict(zip(distinct, cut, strict=True)), bool(parts))
