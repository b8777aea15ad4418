import type { OpenAPIObject } from '@nestjs/swagger';
import type { TestService } from './service.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Every route that requires the scope `manage`, as `POST /api/keys`, from the OpenAPI document that docs/routes.md is
 * generated from.
 */
export async function managingRoutes(service: TestService): Promise<string[]> {
  const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as OpenAPIObject;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => (item[method] as { 'x-scope'?: string } | undefined)?.['x-scope'] === 'manage').map(
      (method) => `${method.toUpperCase()} ${path}`,
    ),
  );
}
