import type { FastifyRequest } from 'fastify';
import type { ErrorBodyWriter } from '../../platform/http/error.filter.js';
import { resendError } from './resend/error-body.js';
import { sendGridErrors } from './sendgrid/error-body.js';

/** Routes of other services that we do not have. Only their libraries send a Bearer token. */
export function unknownPathError({ url, headers }: FastifyRequest): ErrorBodyWriter | undefined {
  if (!/^bearer /i.test(headers.authorization ?? '') || url.startsWith('/api/')) return undefined;
  return url.startsWith('/v3/') ? sendGridErrors : resendError;
}
