"""``forecast-service setup``: from an installed release to forecasts over HTTPS.

A list of steps, each of which first checks whether it is done: running it again changes nothing,
and after a failure it continues from there. It is the same for a package and for a checkout.
"""
