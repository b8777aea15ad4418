import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiIncludeEndpoint,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
} from '@nestjs/swagger';
import type { HeaderObject, ResponseObject } from '@nestjs/swagger';
import { BEARER_CHALLENGE } from '../http/bearer-token.js';
import { errorBody, errorDescriptions, type ErrorStatus } from './errors.js';
import {
  challengeHeader,
  nextPageHeader,
  rateLimitHeaders,
  replayedHeader,
  requestIdHeader,
  retryAfterHeader,
} from './headers.js';
import { idempotencyKey, paging, requestId, type Parameter } from './parameters.js';
import { exampleOf, type Described } from './schemas.js';

interface Success {
  readonly description: string;
  /** Undefined for a response without a body. */
  readonly schema?: Described;
  /** Media type of the body; application/json by default. */
  readonly mediaType?: string;
  /** Bodies of the other media types that a request can ask for, by media type. */
  readonly otherBodies?: Readonly<Record<string, Described>>;
  readonly headers?: Record<string, HeaderObject>;
}

export interface RouteDescription {
  /** Name of the route in generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Described;
  readonly isBodyOptional?: boolean;
  /** Media type of `body` if it is not JSON. */
  readonly bodyType?: string;
  /** A body as text/csv instead. */
  readonly csvBody?: Described;
  readonly responses: Readonly<Record<number, Success>>;
  /** Errors in addition to those of every route. A string replaces the default description of the status. */
  readonly errors?: Partial<Record<ErrorStatus, string | true>>;
  /** Accepts `limit` and `cursor` and responds with a `Link` header. */
  readonly paged?: boolean;
  /** Accepts `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** For callers that authenticate in another way than by an API key. */
  readonly withoutKey?: boolean;
  /** For callers that send their API key as a bearer token, and no session. */
  readonly bearerKey?: boolean;
  /** The challenge in its 401, if callers authenticate by `Authorization`; with `bearerKey`, that of bearer tokens. */
  readonly challenge?: string;
  /** The body of errors, if it differs from ours. */
  readonly errorBody?: Described;
  /** For signed-in users only. */
  readonly needsSession?: boolean;
}

/** Error responses of every route. */
const ALWAYS: RouteDescription['errors'] = { 401: true, 429: true, 500: true, 503: true };
/** In addition to those of `ALWAYS`, for routes that need a key. */
const KEY_ERRORS: RouteDescription['errors'] = {
  403: 'The API key lacks the scope or may not be used from this network, the organization is suspended, or a budget that does not renew is used up',
};
const SESSION_ERRORS: RouteDescription['errors'] = {
  401: 'The session is unknown or has ended',
  403: 'An API key cannot do this, the role does not allow it, or another website made the request',
};
const WITH_BODY = { 400: true, 408: true, 413: true, 415: true } as const;
/** A value in the path can have an invalid percent-encoding. */
const WITH_PATH_PARAMETER: RouteDescription['errors'] = { 400: true, 414: true };
const WITH_KEY: RouteDescription['errors'] = {
  409: 'The first request with this Idempotency-Key is still in progress',
  422: true,
};
const RETRYABLE = new Set([409, 429, 503]);

/** Describes a route, including the parts that all routes share. */
export function describeRoute(route: RouteDescription): MethodDecorator {
  const { operationId, summary, description, tag, body, isBodyOptional, bodyType, csvBody, withoutKey, needsSession } =
    route;
  const errors = {
    ...ALWAYS,
    ...(!withoutKey && KEY_ERRORS),
    ...(needsSession && SESSION_ERRORS),
    ...(route.paged && { 400: true as const }),
    ...(route.parameters?.some((one) => one.in === 'path') && WITH_PATH_PARAMETER),
    ...((body ?? csvBody) && WITH_BODY),
    ...(route.idempotent && WITH_KEY),
    ...route.errors,
  };
  return applyDecorators(
    ApiIncludeEndpoint(),
    ApiOperation({
      operationId,
      summary,
      tags: [tag],
      ...(description && { description }),
      ...(withoutKey && { security: [] }),
      ...(needsSession && { security: [{ session: [] }] }),
      ...(route.bearerKey && { security: [{ bearer: [] }] }),
    }),
    ...parametersOf(route).map(describeParameter),
    ...(bodyType ? [ApiConsumes(bodyType)] : []),
    ...(body ? [ApiBody({ schema: body, required: isBodyOptional !== true })] : []),
    ...(csvBody ? [ApiConsumes('text/csv'), ApiBody({ schema: csvBody, required: true })] : []),
    ...Object.entries(route.responses).map(([status, success]) => describeSuccess(Number(status), success, route)),
    ...Object.entries(errors).map(([status, meaning]) => describeError(Number(status) as ErrorStatus, meaning, route)),
  );
}

function parametersOf({ parameters = [], paged, idempotent }: RouteDescription): Parameter[] {
  return [...parameters, ...(paged ? paging : []), ...(idempotent ? [idempotencyKey] : []), requestId];
}

function describeParameter({ in: location, name, schema }: Parameter): MethodDecorator {
  const described = { name, description: schema.description, schema };
  switch (location) {
    case 'path':
      return ApiParam({ ...described, example: exampleOf(schema) });
    case 'query':
      return ApiQuery({ ...described, required: false, example: exampleOf(schema) });
    case 'header':
      return ApiHeader({ ...described, required: false });
  }
}

function describeSuccess(status: number, success: Success, route: RouteDescription): MethodDecorator {
  const { paged, idempotent, withoutKey } = route;
  const headers = {
    ...requestIdHeader,
    ...(!withoutKey && rateLimitHeaders),
    ...(paged && nextPageHeader),
    ...(idempotent && replayedHeader),
    ...success.headers,
  };
  return ApiResponse({
    status,
    description: success.description,
    headers,
    ...contentOf(success),
  });
}

function contentOf({ schema, mediaType = 'application/json', otherBodies }: Success): Pick<ResponseObject, 'content'> {
  if (schema === undefined) return {};
  const bodies = Object.entries({ [mediaType]: schema, ...otherBodies });
  return { content: Object.fromEntries(bodies.map(([type, body]) => [type, { schema: body }])) };
}

function describeError(status: ErrorStatus, meaning: string | true, route: RouteDescription): MethodDecorator {
  return ApiResponse({ status, ...errorResponse(status, meaning, route) });
}

function errorResponse(
  status: ErrorStatus,
  meaning: string | true,
  {
    errorBody: schema = errorBody,
    bearerKey,
    challenge = bearerKey ? BEARER_CHALLENGE : undefined,
  }: Partial<RouteDescription> = {},
) {
  return {
    description: meaning === true ? errorDescriptions[status] : meaning,
    headers: {
      ...requestIdHeader,
      ...(RETRYABLE.has(status) && retryAfterHeader),
      ...(status === 429 && rateLimitHeaders),
      ...(status === 401 && challenge && challengeHeader(challenge)),
    },
    content: { 'application/json': { schema } },
  };
}

/** Error responses to a body, which clients may also send to routes that take none. */
export const bodyErrors = Object.fromEntries(
  Object.keys(WITH_BODY).map((status) => [status, errorResponse(Number(status) as ErrorStatus, true)]),
);
