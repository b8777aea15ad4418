import type { OpenAPIObject } from '@nestjs/swagger';

type Paths = OpenAPIObject['paths'];
type Operation = NonNullable<Paths[string]['get']>;
type Responses = Operation['responses'];

const token = (description: string): Operation['parameters'] => [
  { name: 'token', in: 'path', required: true, description, schema: { type: 'string' } },
];

const page = (description: string): Responses[string] => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});

const WRONG_TOKEN = 'The token has no valid signature';

function describe(route: Omit<Operation, 'tags' | 'security'>): Operation {
  return { ...route, tags: ['Tracking'], security: [] };
}

/**
 * The public addresses in the mail, which the tracking edge serves before the web framework. The role `api` describes
 * them, so that one document covers all public routes.
 */
export const trackingPaths: Paths = {
  '/api/t/o/{token}': {
    get: describe({
      operationId: 'openEmail',
      summary: 'Count an open',
      description: 'The pixel in the HTML of an email. HEAD counts nothing.',
      parameters: token('Tracking ID of the email'),
      responses: {
        200: {
          description: 'A transparent pixel, even for an invalid token',
          content: { 'image/gif': { schema: { type: 'string', format: 'binary' } } },
        },
      },
    }),
  },
  '/api/t/c/{token}': {
    get: describe({
      operationId: 'clickLink',
      summary: 'Count a click and redirect to the link',
      description: 'A tracked link of an email. HEAD counts nothing.',
      parameters: token('The signed link'),
      responses: {
        302: {
          description: 'Redirects to the original link',
          headers: { Location: { description: 'The original link', schema: { type: 'string' } } },
        },
        403: page('An operator has blocked the link'),
        404: page(WRONG_TOKEN),
      },
    }),
  },
  '/api/t/u/{token}': {
    get: describe({
      operationId: 'showUnsubscribePage',
      summary: 'Show the page on which a recipient unsubscribes',
      description: 'Changes nothing, because scanners follow links. The language follows Accept-Language.',
      parameters: token('The signed token in the List-Unsubscribe header'),
      responses: { 200: page('The page with its button'), 404: page(WRONG_TOKEN) },
    }),
    post: describe({
      operationId: 'unsubscribe',
      summary: 'Unsubscribe with one click (RFC 8058), or undo it',
      description: 'An empty body also unsubscribes. The button of the page sends `choice`.',
      parameters: token('The signed token in the List-Unsubscribe header'),
      requestBody: {
        required: false,
        content: {
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              properties: {
                'List-Unsubscribe': { type: 'string', enum: ['One-Click'] },
                choice: { type: 'string', enum: ['unsubscribe', 'resubscribe'] },
              },
            },
          },
        },
      },
      responses: {
        200: page('The choice is stored durably; the page offers to undo it'),
        400: page('The body contains no choice; nothing changes'),
        404: page(WRONG_TOKEN),
        413: page('The body exceeds 4 KB'),
        429: page('The recipient changed this choice ten times within a minute'),
        503: page('The choice could not be stored; try again after Retry-After'),
      },
    }),
  },
};
