# Memos without the embedded PostgreSQL's data: set DATABASE_URL, or mount a volume at /data for everything in one container.
FROM python:3.13-slim AS build
WORKDIR /app
COPY requirements.txt .
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -r requirements.txt

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home --home-dir /home/memos memos && install -d -o memos -g memos -m 0700 /data
COPY --from=build /venv /venv
WORKDIR /app
COPY manage.py ./
COPY memos_site memos_site
COPY memories memories
COPY skills skills
COPY consolidation consolidation
COPY templates templates
COPY static static
COPY docs/agents docs/agents
RUN /venv/bin/python -m compileall -q memos_site memories skills consolidation
ENV PATH=/venv/bin:$PATH MEMOS_DATA_DIR=/data PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 LOG_FORMAT=json
USER 10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# The root file system may be read-only: what is written lies in /data and /tmp.
HEALTHCHECK --interval=10s --timeout=5s --start-period=300s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://0.0.0.0:8000/health/ready', timeout=4)"]
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0"]
