"""The forecast service: ``create_app`` is the application factory.

The factories import what they need, after the command has dropped root privileges.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

    from app.core.settings import Settings


def create_app(**overrides: Any) -> "Flask":
    """Return the application that serves, configured from the environment.

    Args:
        overrides: Settings by field name that override the environment, for tests.

    Raise SettingError if an environment variable has an invalid value.
    """
    from werkzeug.middleware.proxy_fix import ProxyFix

    from app.api.blueprints import BLUEPRINTS
    from app.api.dialects import DIALECTS
    from app.api.endpoints.dialect import register_dialects
    from app.api.health.routes import blueprint as health
    from app.api.openapi.routes import blueprint as openapi
    from app.api.serving.error_handlers import register_error_handlers
    from app.core.environment import is_command
    from app.ops.cli.lazy_commands import LazyCommands
    from app.ops.metrics.routes import blueprint as metrics
    from app.web import dashboard, pages

    app = _create_base_app(overrides)
    settings: Settings = app.config["SETTINGS"]
    page_blueprints = [pages.blueprint, openapi] if settings.public_docs else []
    page_blueprints += [dashboard.blueprint] if settings.account_dashboard else []
    if page_blueprints:
        page_blueprints.insert(0, pages.assets)
    app.config.from_mapping(
        UNCOUNTED_BLUEPRINTS=(health.name, metrics.name),  # endpoints that take no key
        PAGE_BLUEPRINTS=tuple(blueprint.name for blueprint in page_blueprints),
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    app.url_map.merge_slashes = False
    if settings.proxies:
        proxies = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies)  # type: ignore[method-assign]

    if is_command() or "flask_migrate" in sys.modules:  # a server does not load Alembic
        add_migrations(app)

    _register_hooks(app, settings)
    if settings.oidc_issuer:
        _add_identity_provider(app, settings)
    register_error_handlers(app)

    for blueprint in (*BLUEPRINTS, metrics, *page_blueprints):
        app.register_blueprint(blueprint)
    register_dialects(app, DIALECTS)
    app.cli = LazyCommands(app.name, app.cli.commands)
    return app


def _register_hooks(app: "Flask", settings: "Settings") -> None:
    """Register what runs before and after a view.

    In the order of a request: path, log, id, caller, limits; responses pass in reverse.
    """
    from app.api.callers.current_caller import identify_address, identify_caller
    from app.api.callers.limiter import register_limits
    from app.api.callers.usage import register_usage
    from app.api.computing.engine_jobs import register_queue_slots
    from app.api.serving.common_headers import register_common_headers
    from app.api.serving.rejections import reject_extra_slashes, reject_plain_http
    from app.api.serving.request_log import register_request_log

    # After a request, what is registered first runs last: it counts and logs what others return.
    app.before_request(reject_extra_slashes)
    register_usage(app)
    register_request_log(app)
    register_common_headers(app)
    app.before_request(identify_address)
    if settings.require_https:
        app.before_request(reject_plain_http)
    register_queue_slots(app)
    app.before_request(identify_caller)
    register_limits(app)


def create_admin_app(**overrides: Any) -> "Flask":
    """Return the application of the admin commands and the worker: settings and the database.

    It has no views, and does not load their libraries.

    Args:
        overrides: As in ``create_app``.

    Raise SettingError if an environment variable has an invalid value.
    """
    return _create_base_app(overrides)


def create_command_app() -> "Flask":
    """Return the application of the commands of ``flask``, which need no views.

    Raise SettingError as ``create_app`` does.
    """
    from app.ops.cli.lazy_commands import LazyCommands

    app = create_admin_app()
    add_migrations(app)
    app.cli = LazyCommands(app.name, app.cli.commands)
    return app


def _create_base_app(overrides: dict[str, Any]) -> "Flask":
    """Return an application with settings, logs and the database."""
    from app.api.service import Service, current_request_id, init_database
    from app.core.environment import load_settings
    from app.core.logs import configure_logging

    settings = load_settings(**overrides)
    configure_logging(settings.log_level, current_request_id)
    app = Service(__name__, static_folder=None)
    app.config["SETTINGS"] = settings
    init_database(app, settings.database_url)
    return app


def add_migrations(app: "Flask") -> None:
    """Enable ``flask db`` to migrate the database."""
    from flask_migrate import Migrate

    from app.core.database import db
    from app.core.database.revisions import MIGRATIONS

    Migrate(app, db, directory=str(MIGRATIONS))


def _add_identity_provider(app: "Flask", settings: "Settings") -> None:
    """Enable sign-in through an identity provider, whose modules are loaded only then."""
    from app.identity.members.identity_provider import IdentityProvider
    from app.web.dashboard.blueprint import IDENTITY_PROVIDER

    app.extensions[IDENTITY_PROVIDER] = IdentityProvider(*settings.oidc)
