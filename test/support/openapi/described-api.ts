import type { Infrastructure } from '../../../src/roles/infrastructure.module.js';
import type { ApiDocument, Json } from './api-document.js';

let described: Promise<ApiDocument> | undefined;

/** The OpenAPI document of this code. All test files of a process share it, with its compiled schemas. */
export function describedApi(): Promise<ApiDocument> {
  described ??= describe();
  return described;
}

/** Nest instantiates nothing in a preview, so that it needs neither Postgres nor Redis. */
async function describe(): Promise<ApiDocument> {
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { loadApiModule, rootModule } = await import('../../../src/roles/role-modules.js');
  const { createApiDocument } = await import('../../../src/platform/openapi/document.js');
  const { trackingPaths } = await import('../../../src/roles/tracking/tracking-docs.js');
  const { ApiDocument } = await import('./api-document.js');
  const root = await rootModule({ settings: { ROLES: ['api'] } } as unknown as Infrastructure);
  const options = { preview: true, logger: false, abortOnError: false } as const;
  const app = await NestFactory.create(root, new FastifyAdapter(), options);
  const document = createApiDocument(app, await loadApiModule(), trackingPaths);
  return new ApiDocument(JSON.parse(JSON.stringify(document)) as Json);
}
