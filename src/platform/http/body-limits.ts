import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Most bytes a request body of the route may have, where that is more than usual. */
    maxBodyBytes?: number;
  }
}

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

export const USUAL_BODY_BYTES = 64 * KILOBYTE;
export const EMAIL_BODY_BYTES = 10 * MEGABYTE;

/** Of objects, arrays and further values: several times what an email with the largest metadata has. */
export const MAX_JSON_VALUES = 20_000;
/** What a parsed value takes in memory, about. */
export const BYTES_PER_VALUE = 64;

/** What the largest body takes. */
export const LARGEST_BODY_BYTES = EMAIL_BODY_BYTES + MAX_JSON_VALUES * BYTES_PER_VALUE;

/** For routes whose body carries an email. */
export const TakesEmail = (): MethodDecorator => RouteConfig({ maxBodyBytes: EMAIL_BODY_BYTES });

export class BodyTooLargeError extends DomainError {
  constructor(limit: number) {
    const size = limit < MEGABYTE ? `${limit / KILOBYTE} KB` : `${limit / MEGABYTE} MB`;
    super('too-large', `The body is too large: at most ${size}`);
  }
}

/** Most bytes that the body of this request may have. */
export function bodyLimitOf({ routeOptions }: FastifyRequest): number {
  return routeOptions.config.maxBodyBytes ?? USUAL_BODY_BYTES;
}
