FLASK_APP=app.wsgi:app
