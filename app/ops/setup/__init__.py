"""``forecast-service setup``: from an installed release to forecasts over HTTPS.

A list of steps, each of which looks first whether it is done: repeated it changes nothing, and
after a failure it continues from there. The same for a package and for a checkout.
"""
