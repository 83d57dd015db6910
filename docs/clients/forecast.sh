#!/usr/bin/env bash
# Forecast the request in a JSON file by curl, which waits by itself when the service asks to.
#
#   FORECAST_URL=https://forecast.example.com FORECAST_KEY=ak_… \
#     docs/clients/forecast.sh docs/examples/airline-passengers.json forecast-model-2
set -euo pipefail

request=${1:?name the JSON file of a request}
test -r "$request" || { echo "$request: there is no file to read" >&2; exit 2; }
model=${2:-forecast-model-1}
url=${FORECAST_URL:-http://127.0.0.1:8000}
: "${FORECAST_KEY:?set it to your API key}"

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# --retry repeats the request after 429, 500, 502, 503 and 504, after Retry-After or with backoff;
# each attempt overwrites the file. --fail-with-body exits with 22 after an error. The key comes
# from stdin: every user of a machine sees the arguments of its processes.
curl --silent --show-error --fail-with-body \
  --retry 5 --retry-max-time 180 \
  --output "$answer" \
  --header @- \
  --header "Content-Type: application/json" \
  --header "X-Model-Id: $model" \
  --data-binary @"$request" \
  "$url/forecast" <<<"Authorization: Bearer $FORECAST_KEY" || failed=$?
cat "$answer"
exit "${failed:-0}"
