# A server in a container. The first key is made before the first start, since the server then listens on every address:
#   docker build -t tallystick .
#   docker run --rm -v tallystick:/data tallystick keys create --agent NAME
#   docker run -d -v tallystick:/data -p 127.0.0.1:8765:8765 tallystick

FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
# Every dependency is checked against its hash here; the image below takes of these wheels only what the server needs.
RUN pip wheel --no-cache-dir --require-hashes --no-deps -r constraints.txt -w /wheels \
 && pip install --no-cache-dir --no-index --find-links /wheels hatchling \
 && pip wheel --no-cache-dir --no-deps --no-build-isolation -w /wheels ./generated/python-client .

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels tallystick
RUN useradd --system --uid 10001 --home-dir /data tallystick && install -d -o tallystick -m 0700 /data
USER tallystick
ENV TALLYSTICK_HOME=/data
VOLUME /data
EXPOSE 8765
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/health/live', timeout=3)"]
ENTRYPOINT ["tallystick"]
CMD ["serve", "--host", "0.0.0.0"]
