"""POST /explain: what a forecast is made of."""
