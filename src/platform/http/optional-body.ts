import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readBodyFields } from './body.pipe.js';

/**
 * Injects the fields of a body that a request may leave out, checked as any other: `@OptionalBody(SendRequest) body`.
 * Without a body, every field is undefined.
 */
export const OptionalBody = createParamDecorator((requestClass: Type<object>, context: ExecutionContext): object => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return readBodyFields(body ?? {}, requestClass);
});
