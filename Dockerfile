# docker build -t shakedown .
# docker run --user "$(id -u):$(id -g)" -v "$PWD":/work shakedown reproduce my.yaml
# tests/container builds it with buildah and runs it; docs/scale.md says what was not run.
FROM python:3.11-slim
WORKDIR /opt/shakedown
COPY requirements.txt pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.txt
COPY Snakefile ./
COPY adapters adapters
COPY config config
COPY profiles profiles
COPY src src
COPY tests/data tests/data
COPY workflow workflow
# The kernels are compiled into a cache beside the package.
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && python -m shakedown.simulation.warm_up
# A user without a name here, as --user gives, has one for Snakemake; caches go where anybody may write.
ENV LOGNAME=shakedown HOME=/tmp MPLCONFIGDIR=/tmp/matplotlib XDG_CACHE_HOME=/tmp/cache
WORKDIR /work
ENTRYPOINT ["shakedown"]
CMD ["--help"]
