import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

const { KEY } = RouteConfig({});

/** Adds to the configuration of a route. Nest's own decorator would replace what another decorator has set. */
export function addRouteConfig(config: FastifyContextConfig): MethodDecorator {
  return (_target, _name, { value }) => {
    const before = Reflect.getMetadata(KEY, value as object) as FastifyContextConfig | undefined;
    Reflect.defineMetadata(KEY, { ...before, ...config }, value as object);
  };
}
