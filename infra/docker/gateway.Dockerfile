# The gateway: nginx with the dashboard and the documentation. The first stages are those of service.Dockerfile, word
# for word, so that they are built once.

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
# Packages that the pages are bundled from, and the viewer of the API beside them.
RUN node infra/docker/assemble.mjs packages/dashboard /bundled && \
  node infra/docker/sbom.mjs packages/dashboard /bundled node_modules/swagger-ui-dist

FROM nginx:1.30.4-alpine
RUN rm -r /usr/share/nginx/html
COPY infra/gateway/nginx.conf /etc/nginx/nginx.conf
# Kubernetes mounts its own over this one.
COPY infra/gateway/upstreams.conf /etc/nginx/upstreams.conf
COPY --from=build /bundled/sbom.cdx.json /etc/nginx/sbom.cdx.json
COPY --from=build /app/packages/dashboard/dist/site /usr/share/nginx/html
COPY --from=build /app/packages/docs/dist/site /usr/share/nginx/html
USER 101:101
EXPOSE 8080
# Requests in flight are finished; SIGTERM would cut them.
STOPSIGNAL SIGQUIT
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/healthz"]
ENTRYPOINT ["nginx", "-e", "stderr", "-g", "daemon off;"]
