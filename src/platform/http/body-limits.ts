import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import './request-check.js';
import { addRouteConfig } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum body size of the route in bytes, if it exceeds the default. */
    maxBodyBytes?: number;
    /** Maximum number of JSON values in a body, if it exceeds the default. */
    maxJsonValues?: number;
  }
}

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

const DEFAULT_BODY_BYTES = 64 * KILOBYTE;
const EMAIL_BODY_BYTES = 10 * MEGABYTE;
/** 20 MB of attachments take 27 MB in base64. */
const MESSAGES_BODY_BYTES = 30 * MEGABYTE;
const ADDRESSES_BODY_BYTES = 512 * KILOBYTE;
export const RECIPIENTS_BODY_BYTES = 10 * MEGABYTE;
const VARIABLES_BODY_BYTES = 512 * KILOBYTE;

/** Maximum number of JSON values in a body: several times as many as an email with the largest metadata has. */
export const MAX_JSON_VALUES = 20_000;
/** The same for 10,000 recipients with 20 variables each. */
export const MAX_RECIPIENT_VALUES = 300_000;
/** The same for files whose bytes are listed. */
const MAX_FILE_VALUES = 300_000;
/** Approximate memory of one parsed value. */
export const BYTES_PER_VALUE = 64;

/** Memory of the largest body once parsed. */
export const LARGEST_BODY_BYTES = Math.max(
  MESSAGES_BODY_BYTES + MAX_JSON_VALUES * BYTES_PER_VALUE,
  RECIPIENTS_BODY_BYTES + MAX_RECIPIENT_VALUES * BYTES_PER_VALUE,
);

/** For routes whose body carries messages with attachments. */
export const TakesMessages = (): MethodDecorator => addRouteConfig({ maxBodyBytes: MESSAGES_BODY_BYTES });

/** For such routes where the content of an attachment may also be a list of bytes. */
export const TakesListedBytes = (): MethodDecorator => addRouteConfig({ maxJsonValues: MAX_FILE_VALUES });

/** For routes whose body carries an email without attachments. */
export const TakesEmail = (): MethodDecorator => addRouteConfig({ maxBodyBytes: EMAIL_BODY_BYTES });

/** For routes whose body carries up to 1,000 addresses. */
export const TakesAddresses = (): MethodDecorator => addRouteConfig({ maxBodyBytes: ADDRESSES_BODY_BYTES });

/** For routes whose body carries values of variables. */
export const TakesVariables = (): MethodDecorator => addRouteConfig({ maxBodyBytes: VARIABLES_BODY_BYTES });

export class BodyTooLargeError extends DomainError {
  constructor(limit: number) {
    const size = limit < MEGABYTE ? `${limit / KILOBYTE} KB` : `${limit / MEGABYTE} MB`;
    super('too-large', `The body is too large: at most ${size}`);
  }
}

/** Maximum body size of this request in bytes. */
export function bodyLimitOf({ rawBody, routeOptions }: FastifyRequest): number {
  return rawBody?.maxBytes ?? routeOptions.config.maxBodyBytes ?? DEFAULT_BODY_BYTES;
}

/** Maximum number of JSON values in a body of this request: fewer if the body itself needs the memory. */
export function valueLimitOf({ routeOptions }: FastifyRequest, bodyBytes: number): number {
  const { maxJsonValues = MAX_JSON_VALUES } = routeOptions.config;
  return Math.min(maxJsonValues, Math.floor((LARGEST_BODY_BYTES - bodyBytes) / BYTES_PER_VALUE));
}
