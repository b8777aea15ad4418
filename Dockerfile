# One image for all roles; ROLES decides which ones a container runs. It runs on a read-only root file system: it writes
# only the spool of events (SPOOL_DIRECTORY), and .mailbeacon/ if ENCRYPTION_KEYS is not set. The images below are an
# LTS line of Node and the Debian release that it is built for, each pinned by digest: RELEASING.md explains how to
# update them. To build from a mirror: docker build --build-arg NODE_IMAGE=…

ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG DEBIAN_IMAGE=debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc LICENSE ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json .swcrc ./
COPY src ./src
COPY packages ./packages
COPY scripts/bundle.mjs scripts/bundling.mjs scripts/assemble.mjs ./scripts/
RUN npx nest build && node scripts/bundle.mjs && \
    npx vite build --config packages/dashboard/vite.config.mjs && node scripts/assemble.mjs /assembled

# Only Node, without npm and the headers, which a running service does not need.
FROM ${DEBIAN_IMAGE}
# Name lookups and file access share these threads; a slow name server must not block all of them.
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=16 \
    PORT=3000 \
    OPERATOR_PORT=9464 \
    OPERATOR_HOST=0.0.0.0 \
    SPOOL_DIRECTORY=/data/spool
WORKDIR /app
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home --home-dir /app node && \
    mkdir -p /data/spool /data/redis-users /app/.mailbeacon && chown -R node:node /data /app/.mailbeacon
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /assembled ./
# A numeric user, so that Kubernetes can verify that it is not root.
USER 1000:1000
# 9464 is for operators: never publish it.
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/roles/main.js"]
