"""Tables out: forecast every series of a table, and write the forecasts in the table's form."""
