import { ApiExtension } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { DomainError } from '../platform/errors/domain-error.js';
import { addRouteConfig } from '../platform/http/route-config.js';

/** What a key may do: send email, read, or change everything else. */
export const KEY_SCOPES = ['send', 'read', 'manage'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a request needs, where its method does not say it. */
    scope?: KeyScope;
  }
}

const EXTENSION = 'x-scope';

/** For routes that send email, and for routes that read although their method is POST. */
export const NeedsScope = (scope: KeyScope): MethodDecorator =>
  applyDecorators(addRouteConfig({ scope }), ApiExtension(EXTENSION, scope));

/** A route that says nothing else needs `read` for GET and HEAD, and otherwise `manage`, the strongest. */
export function scopeOf(method: string, declared: KeyScope | undefined): KeyScope {
  if (declared !== undefined) return declared;
  return method === 'GET' || method === 'HEAD' ? 'read' : 'manage';
}

export class MissingScopeError extends DomainError {
  constructor(scope: KeyScope) {
    super('forbidden', `This API key lacks the scope ${scope}, which this request needs`);
  }
}

/** Names the scope in the description of every route that needs a key. */
export function describeScopes(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const operation = item[method] as (typeof item.get & { [EXTENSION]?: KeyScope }) | undefined;
      if (operation === undefined || operation.security?.length === 0) continue;
      const scope = scopeOf(method.toUpperCase(), operation[EXTENSION]);
      operation[EXTENSION] = scope;
      operation.description = [operation.description, `Needs the scope \`${scope}\`.`].filter(Boolean).join('\n\n');
    }
  }
  return document;
}
