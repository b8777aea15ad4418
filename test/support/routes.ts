import { RequestMethod, type Type } from '@nestjs/common';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';
import { BearerKeyCheck } from '../../src/emails/compatible-apis/bearer-key-check.js';
import { ApiModule } from '../../src/roles/api.module.js';

/** A route of the REST API, as in `GET /api/campaigns/:id`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Every route that requires an API key, of those that the modules of the role `api` declare. */
export function apiRoutes(): Route[] {
  return declaredRoutes().filter(({ hasOwnCheck, needsSession }) => !hasOwnCheck && !needsSession);
}

/** Every route that takes its key as a bearer token. */
export function bearerRoutes(): Route[] {
  return declaredRoutes().filter(({ takesBearerKey }) => takesBearerKey);
}

/** Every route whose callers authenticate in another way. */
export function keylessRoutes(): Route[] {
  return declaredRoutes().filter(({ hasOwnCheck, takesBearerKey }) => hasOwnCheck && !takesBearerKey);
}

/** Every route that only signed-in users may use. */
export function sessionRoutes(): Route[] {
  return declaredRoutes().filter(({ needsSession }) => needsSession);
}

/** Who may use each route that requires a key or a session, by its name. */
export function routeAccess(): ReadonlyMap<string, string> {
  return new Map(
    declaredRoutes()
      .filter(({ hasOwnCheck, takesBearerKey }) => !hasOwnCheck || takesBearerKey)
      .map(({ needsSession, forOwners, takesBearerKey, ...route }) => {
        if (takesBearerKey) return [nameOf(route), 'keys'];
        const users = forOwners ? 'owners' : 'users';
        return [nameOf(route), needsSession ? users : `keys and ${users}`];
      }),
  );
}

interface DeclaredRoute extends Route {
  readonly hasOwnCheck: boolean;
  readonly takesBearerKey: boolean;
  readonly needsSession: boolean;
  readonly forOwners: boolean;
}

function declaredRoutes(): DeclaredRoute[] {
  return controllersOf(ApiModule).flatMap((controller) => {
    const prefix = Reflect.getMetadata('path', controller) as string;
    const handlers = Object.getOwnPropertyNames(controller.prototype)
      .map((name) => (controller.prototype as Record<string, object>)[name]!)
      .filter((handler) => Reflect.hasMetadata('method', handler));
    return handlers.map((handler) => ({
      method: RequestMethod[Reflect.getMetadata('method', handler) as number]!,
      path: pathOf(prefix, Reflect.getMetadata('path', handler) as string),
      hasOwnCheck: configOf(handler)?.requestCheck !== undefined,
      takesBearerKey: configOf(handler)?.requestCheck === BearerKeyCheck,
      needsSession: configOf(handler)?.needsSession === true,
      forOwners: configOf(handler)?.forOwners === true,
    }));
  });
}

function configOf(handler: object): FastifyContextConfig | undefined {
  return Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined;
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

function controllersOf(module: Type): Type[] {
  const imports = (Reflect.getMetadata('imports', module) ?? []) as (Type | { module: Type })[];
  const own = (Reflect.getMetadata('controllers', module) ?? []) as Type[];
  const below = imports.flatMap((imported) => controllersOf('module' in imported ? imported.module : imported));
  return [...new Set([...own, ...below])];
}

function pathOf(prefix: string, path: string): string {
  return `/${[prefix, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter(Boolean)
    .join('/')}`;
}
