import type { ApiDocument, Operation } from '../support/openapi/api-document.js';

/** Parameters with no reference to stored data, in any position. */
const SELF_CONTAINED = new Set(
  [
    'query.limit',
    'query.status',
    'query.part',
    'query.archived',
    'header.Prefer',
    'header.X-Request-Id',
    'body.name',
    'body.subject',
  ].concat(
    ['body.htmlContent', 'body.metadata', 'body.to', 'body.cc', 'body.bcc', 'body.replyTo'],
    ['body.url', 'body.events', 'body.enabled', 'body.since', 'body.until'],
    ['body.sendAt', 'query.reason', 'body.address', 'body.addresses', 'body.reason', 'body.note', 'body.unsubscribe'],
    ['body.textContent', 'body.variables', 'body.strict'],
    // The rights in the request are compared with those of its key.
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
    ['body.type', 'body.credentials', 'body.weight', 'body.perSecond', 'body.eventKey'],
    // Claiming a domain gives no rights: DNS decides who owns it.
    ['body.domain'],
    // Another provider sends this email: nothing depends on the owner of the domain.
    ['POST /api/emails body.from'],
  ),
);

/** Each message of a batch equals POST /api/send. */
const BATCHED = /^body\.emails\./;

/** Paths such as `body.to` or, inside an object, `body.order.id`. */
function fieldsOf(document: ApiDocument, schema: object, place: string): string[] {
  const { properties, items } = document.resolve(schema) as { properties?: Record<string, object>; items?: object };
  if (items) return fieldsOf(document, items, place);
  return properties
    ? Object.entries(properties).flatMap(([name, field]) => fieldsOf(document, field, `${place}.${name}`))
    : [place];
}

/** Every parameter of a request outside its path that may refer to stored data. */
export function referencingParameters(document: ApiDocument, { name, parameters, requestBody }: Operation): string[] {
  const schema = requestBody?.content?.['application/json']?.schema;
  const outside = parameters.filter((parameter) => parameter.in !== 'path');
  const places = [
    ...outside.map((parameter) => `${parameter.in}.${parameter.name}`),
    ...(schema ? fieldsOf(document, schema, 'body').filter((place) => !BATCHED.test(place)) : []),
  ];
  return places
    .filter((place) => !SELF_CONTAINED.has(place))
    .map((place) => `${name} ${place}`)
    .filter((parameter) => !SELF_CONTAINED.has(parameter));
}

/** Pages within one resource: the path decides on its owner before the cursor is read. */
export function isPageOfOneItem(parameter: string): boolean {
  return /\{\w+\}.* query\.(cursor|linksCursor)$/.test(parameter);
}
