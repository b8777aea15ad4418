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
    /** The scope that a request needs, if its method does not determine it. */
    scope?: KeyScope;
    /** Signed-in users must be owners. */
    forOwners?: boolean;
    /** Keys are refused. */
    needsSession?: boolean;
    /** Users of a suspended organization may also use it. */
    evenIfSuspended?: boolean;
  }
}

const EXTENSION = 'x-scope';

/** For routes that send email, and for routes that read although their method is POST. */
export const NeedsScope = (scope: KeyScope): MethodDecorator =>
  applyDecorators(addRouteConfig({ scope }), ApiExtension(EXTENSION, scope));

/** For routes that decide who may do what: of signed-in users, only owners may use them. */
export const OwnersOnly = (): MethodDecorator => addRouteConfig({ forOwners: true });

/** For routes about people, which no key may use: a stolen key must not give anyone permanent access. */
export const NeedsSession = (): MethodDecorator => addRouteConfig({ needsSession: true });

/** For routes with which users of any role change only their own account. */
export const OwnAccount = (): MethodDecorator =>
  applyDecorators(addRouteConfig({ needsSession: true, evenIfSuspended: true }), NeedsScope('read'));

/** A route without a declared scope needs `read` for GET and HEAD, and otherwise `manage`, the strongest. */
export function scopeOf(method: string, declared: KeyScope | undefined): KeyScope {
  if (declared !== undefined) return declared;
  return method === 'GET' || method === 'HEAD' ? 'read' : 'manage';
}

export class MissingScopeError extends DomainError {
  /** @param holder the key or role that lacks the scope */
  constructor(scope: KeyScope, holder: 'key' | 'user') {
    const lacks = holder === 'key' ? 'This API key lacks' : 'Your role in this organization lacks';
    super('forbidden', `${lacks} the scope ${scope}, which this request needs`);
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
