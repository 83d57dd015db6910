"""GET /openapi.json: the OpenAPI 3.1 document, from the routes, schemas and tables in service."""
