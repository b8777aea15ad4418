import fc from 'fast-check';
import { Agent, request, type IncomingMessage } from 'node:http';
import { ApiDocument, type Operation } from '../support/openapi/api-document.js';
import {
  anyField,
  anyQuery,
  anySegment,
  hostileFields,
  hostileHeaders,
  hostileQueries,
  hostileSegments,
} from '../support/hostile-values.js';
import { createOwnedResources } from '../support/owned-resources.js';
import { apiRoutes, nameOf } from '../support/routes.js';
import { TestService, type TestClient } from '../support/service.js';

/*
 * Sends values that no well-behaved client sends in every field of every route: the documented example with one value
 * replaced. The response must be a documented one below 500 for every value.
 */

/** The seed is fixed, so that failures are reproducible; fast-check prints it. */
const RANDOM = { seed: 20_260_301, numRuns: 6 };
const AT_ONCE = 8;
/** A server may close the connection of a request with larger headers before its client has read the response. */
const LARGEST_HEADERS = 16_384;
/** Statuses that the server returns before routing, regardless of what is documented for the intended route. */
const NO_ROUTE = [400, 404, 414, 431];
/** These replace other fields, so no example has both. A version is that of a draft which the service made. */
const WITHOUT_EXAMPLE = ['templateId', 'variables', 'strict', 'version'];
const ERROR = { $ref: '#/components/schemas/Error' };

interface Attempt {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Statuses that the server returns before routing and that are documented for no route. */
  readonly unrouted?: readonly number[];
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Position {
  readonly in: string;
  readonly name: string;
  /** The documented example. */
  readonly example: unknown;
  readonly hostile: readonly string[];
  readonly any?: fc.Arbitrary<string>;
  attempt(value: string): Attempt;
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
let service: TestService;
let document: ApiDocument;
let owner: TestClient;
let owned: Record<string, string>;
/** Most routes use this organization: the key pair of a domain takes long to make. */
let shared: TestClient;
let sharedResources: Record<string, string>;

beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '0', DOMAIN_CREATIONS_PER_HOUR: '0' };
  // Without a worker nothing is delivered.
  service = await TestService.start({ environment: { ROLES: 'api', SEND_RESPONSE_TIMEOUT_MS: '0', ...limits } });
  document = await ApiDocument.of(service);
  shared = await service.organization();
  sharedResources = await createOwnedResources(shared);
});
afterAll(async () => {
  agent.destroy();
  await service?.stop();
});

/** Sends the path as it is, where `fetch` would normalize it. Resolves with undefined if the connection was closed. */
function send(method: string, attempt: Attempt): Promise<Received | undefined> {
  const { path, body = '', headers = {} } = attempt;
  return new Promise((resolve, reject) => {
    const content = attempt.body !== undefined && { 'content-type': 'application/json' };
    const sent = request(`${service.address}/`, {
      ...{ agent, method, path },
      headers: { 'x-api-key': owner.apiKey, ...content, 'content-length': Buffer.byteLength(body), ...headers },
    });
    sent.on('error', (error) => (path.length > LARGEST_HEADERS ? resolve(undefined) : reject(error)));
    sent.on('response', (response) => {
      let text = '';
      const headers = new Headers({ 'content-type': response.headers['content-type'] ?? '' });
      const settle = () => resolve({ status: response.statusCode!, headers, text });
      response.setEncoding('utf8').on('data', (data: string) => {
        text += data;
        if (!isEndless(response)) return;
        settle();
        response.destroy();
      });
      response.on('end', settle);
    });
    sent.end(body);
  });
}

/** True for a response that only the client ends. */
function isEndless({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** How the response differs from its documentation. */
async function problemsOf(op: Operation, attempt: Attempt): Promise<unknown[]> {
  const response = await send(op.method, attempt);
  if (!response) return [];
  const { status, headers, text } = response;
  const content = op.responses[200]?.content;
  const isFile = status === 200 && content !== undefined && content['application/json'] === undefined;
  const body = (text === '' ? undefined : isFile ? text : JSON.parse(text)) as { error: string };
  const isRouted = op.responses[status] !== undefined || !attempt.unrouted?.includes(status);
  const problems: string[] = isRouted ? document.problemsOf(op, { status, headers, body }) : [];
  if (status >= 500) problems.push('a status of 500 or above');
  if (status >= 400 && !(document.validator(ERROR)(body) && body.error))
    problems.push('an error that has not its form');
  return problems.length > 0 ? [{ ...shortened(attempt), status, problems }] : [];
}

function shortened({ path, headers, body }: Attempt): object {
  return { path: path.slice(0, 300), headers, body: body?.slice(0, 500) };
}

/** A path of the route with IDs of existing resources. */
function pathOf({ path }: Operation, values: Record<string, string> = {}): string {
  const [, , noun] = path.split('/');
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? encodeURIComponent(owned[noun!]!));
}

/** Every value in a request of the route. */
function positionsOf(op: Operation): Position[] {
  const example = document.exampleBody(op);
  const sent = { path: pathOf(op), body: example && JSON.stringify(example), unrouted: [431] };
  const parameters = op.parameters.map(({ in: location, name, schema }): Position => {
    const described = { in: location, name, example: schema.examples?.[0] };
    const inPath = (value: string) => ({ ...sent, path: pathOf(op, { [name]: value }), unrouted: NO_ROUTE });
    const inQuery = (query: string) => ({ ...sent, path: `${sent.path}?${query}` });
    const inHeader = (value: string) => ({ ...sent, headers: { [name]: value } });
    switch (location) {
      case 'path':
        return { ...described, hostile: hostileSegments, any: anySegment, attempt: inPath };
      case 'query':
        return { ...described, hostile: hostileQueries(name), any: anyQuery(name), attempt: inQuery };
      case 'header':
        return { ...described, hostile: hostileHeaders, attempt: inHeader };
    }
  });
  const fields = Object.entries(fieldsOf(op)).map(([name, { maxLength }]): Position => {
    const attempt = (json: string) => ({ ...sent, body: bodyWith(example ?? {}, name, json), unrouted: [] });
    return { in: 'body', name, example: example?.[name], hostile: hostileFields(maxLength), any: anyField, attempt };
  });
  return [...parameters, ...fields];
}

function fieldsOf({ requestBody }: Operation): Record<string, { maxLength?: number }> {
  const schema = requestBody?.content?.['application/json']?.schema;
  return schema ? (document.resolve(schema).properties as Record<string, { maxLength?: number }>) : {};
}

function bodyWith(example: object, field: string, json: string): string {
  const others = Object.entries(example).filter(([name]) => name !== field);
  return `{${[...others.map(([name, value]) => `"${name}":${JSON.stringify(value)}`), `"${field}":${json}`].join()}}`;
}

const routes = apiRoutes().map((route) => nameOf(route).replace(/:(\w+)/g, '{$1}'));

describe.each(routes)('%s', (name) => {
  beforeAll(async () => {
    // Routes that create need unused names, and those that delete must not delete shared resources. Another route
    // cancels the shared email.
    const isShared = name.includes('{') && !/^DELETE|^PATCH \/api\/emails/.test(name);
    owner = isShared ? shared : await service.organization();
    owned = isShared || !name.includes('{') ? sharedResources : await createOwnedResources(owner);
  });
  afterEach(async () => expect((await fetch(`${service.address}/health/ready`)).status).toBe(200));

  it('has an example for every field, and the route reads it', async () => {
    const op = document.operation(name);
    const positions = positionsOf(op);
    const without = positions.filter((position) => position.example === undefined).map((position) => position.name);
    expect(without.filter((field) => !WITHOUT_EXAMPLE.includes(field))).toEqual([]);
    expect(document.exampleBody(op) !== undefined).toBe(positions.some((position) => position.in === 'body'));
    if (positions.every((position) => position.in === 'path' || position.in === 'header')) return;
    const example = document.exampleBody(op);
    const response = await send(op.method, { path: pathOf(op), body: example && JSON.stringify(example) });
    expect(response?.status).toBeLessThan(300);
  });

  it('returns documented responses below 500 to hostile values', async () => {
    const op = document.operation(name);
    const attempts = positionsOf(op).flatMap((position) => position.hostile.map((value) => position.attempt(value)));
    const problems = await Promise.all(attempts.map((attempt) => problemsOf(op, attempt)));
    expect(problems.flat()).toEqual([]);
  });

  it('returns documented responses below 500 to random values', async () => {
    const op = document.operation(name);
    const checks = positionsOf(op).map(({ any, attempt }) => {
      const property =
        any && fc.asyncProperty(any, async (value) => expect(await problemsOf(op, attempt(value))).toEqual([]));
      return property && fc.assert(property, RANDOM);
    });
    await Promise.all(checks);
  });
});
