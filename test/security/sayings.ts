import type { ApiDocument, Operation } from '../support/api-document.js';

/** Say something of the request itself, wherever they stand. */
const SPEAK_FOR_THEMSELVES = new Set(
  [
    'query.limit',
    'query.status',
    'query.part',
    'header.Prefer',
    'header.X-Request-Id',
    'body.name',
    'body.subject',
  ].concat(
    ['body.htmlContent', 'body.metadata', 'body.to', 'body.cc', 'body.bcc', 'body.replyTo'],
    ['body.url', 'body.events', 'body.enabled', 'body.since', 'body.until'],
    ['body.sendAt', 'query.reason', 'body.address', 'body.addresses', 'body.reason', 'body.note', 'body.unsubscribe'],
    ['body.textContent', 'body.variables', 'body.strict'],
    // What a key may do is compared with the key that asks.
    ['body.people', 'body.scopes', 'body.expiresAt', 'body.allowedDomains', 'body.allowedAddresses'],
    ['body.tags', 'body.pace', 'body.recipients.to', 'body.recipients.variables', 'body.recipients.metadata'],
    ['query.since', 'query.until', 'query.state', 'body.headers', 'body.attachments.filename'],
    ['body.attachments.content', 'body.attachments.contentType', 'body.attachments.contentId'],
    [
      'query.action',
      'query.format',
      'query.images',
      'query.variables',
      'GET /api/stats query.to',
      'query.interval',
      'GET /api/stats query.from',
    ],
    // Claiming a domain gives nothing: DNS decides whose it is.
    ['body.domain'],
    // Of an email that somebody else sends: nothing depends on whose domain it is.
    ['POST /api/emails body.from'],
  ),
);

/** Each message of a batch is one of POST /api/send. */
const BATCHED = /^body\.emails\./;

/** As in `body.to` or, inside an object, `body.order.id`. */
function fieldsOf(document: ApiDocument, schema: object, place: string): string[] {
  const { properties, items } = document.resolve(schema) as { properties?: Record<string, object>; items?: object };
  if (items) return fieldsOf(document, items, place);
  return properties
    ? Object.entries(properties).flatMap(([name, field]) => fieldsOf(document, field, `${place}.${name}`))
    : [place];
}

/** All that a request can say beside its path. */
export function sayings(document: ApiDocument, { name, parameters, requestBody }: Operation): string[] {
  const schema = requestBody?.content?.['application/json']?.schema;
  const outside = parameters.filter((parameter) => parameter.in !== 'path');
  const places = [
    ...outside.map((parameter) => `${parameter.in}.${parameter.name}`),
    ...(schema ? fieldsOf(document, schema, 'body').filter((place) => !BATCHED.test(place)) : []),
  ];
  return places
    .filter((place) => !SPEAK_FOR_THEMSELVES.has(place))
    .map((place) => `${name} ${place}`)
    .filter((saying) => !SPEAK_FOR_THEMSELVES.has(saying));
}

/** Pages of what one item has: the path decides whose it is before the cursor is looked at. */
export function isPageOfOneItem(saying: string): boolean {
  return /\{\w+\}.* query\.(cursor|linksCursor)$/.test(saying);
}
