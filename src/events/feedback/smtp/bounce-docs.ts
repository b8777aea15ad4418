import { BEARER_CHALLENGE } from '../../../platform/http/bearer-token.js';
import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { header } from '../../../platform/openapi/parameters.js';
import { enumOf, object, string } from '../../../platform/openapi/schemas.js';
import type { BounceResult } from './bounce-metrics.js';

export interface PostedBounce {
  readonly result: Extract<BounceResult, 'stored' | 'ignored'>;
}

const EXAMPLE =
  'Return-Path: <>\r\nDelivered-To: b+…@bounces.example.com\r\nContent-Type: multipart/report; …\r\n\r\n…';

export const bounceDocs = {
  receive: describeRoute({
    operationId: 'receiveBounce',
    summary: 'Receive a bounce or abuse report',
    description:
      'Only for mail servers of the operator, which know BOUNCE_INTAKE_SECRET. The body is the unchanged message. Responds once its events are durable. A repeated message changes nothing.',
    tag: 'Providers',
    withoutKey: true,
    challenge: BEARER_CHALLENGE,
    parameters: [header('Authorization', string('Bearer and the secret', 'Bearer XUDcQhYx7cDfzLwG'))],
    body: string('A message (RFC 5322) with its return path in Delivered-To, X-Original-To or To', EXAMPLE),
    bodyType: 'message/rfc822',
    responses: {
      200: {
        description: 'The message was read',
        schema: object<PostedBounce>('PostedBounce', 'Result for the message', {
          result: enumOf(['stored', 'ignored'], 'ignored: it reports nothing about a recipient', 'stored'),
        }),
      },
    },
    errors: {
      401: 'The bearer token is missing or wrong',
      404: 'BOUNCE_INTAKE_SECRET is not set',
      413: 'The message exceeds 1 MB',
      415: 'The content type is not message/rfc822',
      422: 'The message contains none of our return paths',
      503: 'The bounce could not be stored: send it again',
    },
  }),
};
