"""What starts, serves and logs, below all rooms.

postgres/, supervision/, webserver/     the embedded database, the processes, HTTP
environment.py, env.py, setting_types.py    every setting, as it is read, and its type
service_settings.py     what settings become for Django
logs.py, correlation.py, tracing.py, measures.py      log lines, request ids, spans, counts
problem_details.py, outages.py          errors as answers, and which say that something is out of reach
process_identity.py                     who works
migration_operations.py                 operations of migrations
template_loader.py, model_names.py, formats/    how pages and the admin are written
"""
