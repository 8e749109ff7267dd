"""What starts, serves and logs, below all rooms.

postgres/, supervision/, webserver/     the embedded database, the processes, HTTP
environment.py, env.py, setting_types.py    every setting, as it is read, and its type; settings_page.py writes the page
mail_server.py, package_storage.py      what settings become for Django
logs.py, correlation.py, tracing.py, measures.py, shared_counts.py      log lines, request ids, spans, counts
problem_details.py, outages.py          errors as answers, and which say that something is out of reach
client_address.py, process_identity.py  who asks, who works
first_tables.py, foreign_keys.py        operations of migrations
template_loader.py, model_names.py, formats/    how pages and the admin are written
"""
