"""Monitors: named series of an account that learn from points and judge each on arrival.

Its modules, in this order after those that they import:

1. ``limits``, ``monitor_settings``, ``states`` and ``monitor_records`` are what clients send and
   get; ``errors`` is why nothing is done, ``grid`` the index of each timestamp.
2. ``event_ledger`` and ``point_judge`` judge points without SQL; ``monitor_replay`` judges a past.
3. ``row_conversion`` makes records of rows and back, ``monitor_queries`` reads them for clients;
   ``messages`` are those about events, ``activity`` counts both, ``quality`` grades forecasts.
4. ``detector_parts`` and ``statements`` are for ``storage``, which reads and writes a monitor.
5. ``detector_fitter`` learns from stored points, ``history_learning`` from a history.
6. ``limit_schedule`` is when limits are due; ``compat_1_2`` and ``monitor_webhooks`` set webhooks.
7. ``append`` adds points; ``monitor_registry`` and ``fed_monitors`` change monitors.
8. In the worker, ``due`` finds monitors that are overdue or were muted; from a ``stored_history``
   ``limit_events`` forecasts whether a limit will be passed.
"""
