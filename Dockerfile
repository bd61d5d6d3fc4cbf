# syntax=docker/dockerfile:1.24.0@sha256:87999aa3d42bdc6bea60565083ee17e86d1f3339802f543c0d03998580f9cb89
# One image for every role, with Node, the program and its packages. It runs as a user without privileges.
# docker build -t graphwright .                          for the platform of this machine
# docker buildx build --platform linux/amd64,linux/arm64 .

# Builds the npm package.
FROM node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4 AS package
WORKDIR /src
COPY package.json package-lock.json ./
COPY scripts/trim-install.js scripts/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run package

# Installs its packages for the platform of the image.
FROM node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4 AS tree
COPY --from=package /src/dist/graphwright /app
COPY scripts/image-tree.sh /
RUN sh /image-tree.sh /app \
  && strip -o /node /usr/local/bin/node \
  && mkdir -m 0700 /data \
  && chown 65532:65532 /data

# Has glibc, libstdc++, certificates, and the user nonroot (65532). The shell is only for the initdb of the embedded
# PostgreSQL; a service with DATABASE_URL never uses it.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=tree /bin/dash /bin/sh
COPY --from=tree /node /usr/local/bin/node
COPY --from=tree /app /app
COPY --from=tree --chown=65532:65532 /data /data
ENV PATH=/usr/local/bin:/bin \
  NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data \
  NODE_COMPILE_CACHE=/tmp/node-compile-cache
WORKDIR /app
USER 65532:65532
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/healthz',{signal:AbortSignal.timeout(2500)}).then(a=>process.exit(a.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "bin/graphwright.js"]
CMD ["serve"]
