# Image of one service, of a job or of the development providers: --build-arg WORKSPACE=services/auth. Everything up
# to that argument is built once for all of them.

FROM node:24.18.0-trixie-slim AS base
WORKDIR /app

# Only these decide what is installed, so nothing else makes it be installed again.
FROM base AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete

FROM base AS build
COPY --from=manifests /app ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --prefer-offline
COPY . .
RUN npm run build
ARG WORKSPACE
# Commit of git: the context of a build has no .git.
ARG COMMIT
RUN node infra/docker/assemble.mjs "$WORKSPACE" /out && node infra/docker/sbom.mjs "$WORKSPACE" /out

FROM base
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 GRPC_HOST=0.0.0.0
COPY --from=build /out ./
COPY infra/docker/healthcheck.sh ./
USER 10001:10001
STOPSIGNAL SIGTERM
# Five minutes in which no failure counts, because `compose up` gives up on an unhealthy container; the first 200 ends them.
HEALTHCHECK --interval=5s --timeout=4s --start-period=300s --retries=3 CMD ["bash", "healthcheck.sh"]
# Why these options: packages/local-stack/src/start/memory-options.ts. Old objects get half of what the container is
# limited to; new ones, code and buffers need up to 100 MB of the rest.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--max-old-space-size-percentage=50", "--no-allocation-site-pretenuring", "--import", "./telemetry.mjs", "main.mjs"]
