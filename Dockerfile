# One image for all roles; ROLES decides which ones a container takes. It runs on a read-only root file system: only
# the spool of events (SPOOL_DIRECTORY) is written, and .mailbeacon/ where no ENCRYPTION_KEYS are named.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json .swcrc ./
COPY src ./src
COPY packages ./packages
COPY scripts/bundle.mjs ./scripts/
RUN npx nest build && node scripts/bundle.mjs && \
    npx vite build --config packages/dashboard/vite.config.mjs && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
# Look-ups of names and files share these threads; a slow name server must not hold all of them.
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=16 \
    PORT=3000 \
    OPERATOR_PORT=9464 \
    OPERATOR_HOST=0.0.0.0 \
    SPOOL_DIRECTORY=/data/spool
WORKDIR /app
RUN mkdir -p /data/spool /data/redis-users /app/.mailbeacon && chown -R node:node /data /app/.mailbeacon
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
# 9464 is for operators: publish it nowhere.
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/roles/main.js"]
