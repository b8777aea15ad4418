import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OpenAPIObject } from '@nestjs/swagger';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mailbeacon API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: 'none' });\n`;

/** All resources come from this service. Scripts set the page's inline styles, which this policy permits. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const assets = [
  { name: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
  { name: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
];
const ASSET_CACHE = 'public, max-age=3600';

/** Serves the API description at `/openapi.json` and as a documentation page at `/docs`, which works offline. */
export function serveDocs(fastify: FastifyInstance, createDocument: () => OpenAPIObject): void {
  let json: string | undefined;
  fastify.get('/openapi.json', (_request, reply) => {
    json ??= JSON.stringify(createDocument());
    return reply.type('application/json; charset=utf-8').send(json);
  });
  fastify.get('/docs', (_request, reply) => withPolicy(reply).type('text/html; charset=utf-8').send(PAGE));
  fastify.get('/docs/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  const require = createRequire(import.meta.url);
  for (const { name, type } of assets) {
    // All requests share one buffer: an unauthenticated request, least of all a slow one, must not cost 1.4 MB.
    let content: Buffer | undefined;
    fastify.get(`/docs/${name}`, async (_request, reply) => {
      content ??= await readFile(require.resolve(`swagger-ui-dist/${name}`));
      return reply.type(type).header('cache-control', ASSET_CACHE).send(content);
    });
  }
}

function withPolicy(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer');
}
