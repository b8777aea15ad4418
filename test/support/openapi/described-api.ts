import type { LoggerService } from '@nestjs/common';
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
  const { Logger } = await import('@nestjs/common');
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { loadApiModule, rootModule } = await import('../../../src/roles/role-modules.js');
  const { createApiDocument } = await import('../../../src/platform/openapi/document.js');
  const { trackingPaths } = await import('../../../src/roles/tracking/tracking-docs.js');
  const { ApiDocument } = await import('./api-document.js');
  const root = await rootModule({ settings: { ROLES: ['api'] } } as unknown as Infrastructure);
  const options = { preview: true, logger: false, abortOnError: false } as const;
  // All applications of a process share Nest's logger: that of a service that runs is put back.
  const shared = Logger as unknown as { readonly staticInstanceRef?: LoggerService };
  const before = shared.staticInstanceRef;
  const creating = NestFactory.create(root, new FastifyAdapter(), options);
  const app = await creating.finally(() => Logger.overrideLogger(before ?? false));
  const document = createApiDocument(app, await loadApiModule(), trackingPaths);
  return new ApiDocument(JSON.parse(JSON.stringify(document)) as Json);
}
