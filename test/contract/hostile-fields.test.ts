import fc from 'fast-check';
import { Agent, request, type IncomingMessage } from 'node:http';
import { ApiDocument, type Operation } from '../support/api-document.js';
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
 * Values that no client of good will sends, in every field of every route: the documented example with one value
 * replaced. Whatever they are, the answer is a documented one below 500.
 */

/** Fixed, so that a failure comes again; fast-check prints it. */
const RANDOM = { seed: 20_260_301, numRuns: 6 };
const AT_ONCE = 8;
/** A server may close the connection of a request with more than this before its client has read the answer. */
const LARGEST_HEADERS = 16_384;
/** Answers that come before there is a route, whatever is documented for the one that was meant. */
const NO_ROUTE = [400, 404, 414, 431];
/** Stand in for other fields, so no example has both. */
const ALTERNATIVES = ['templateId', 'variables', 'strict'];
const ERROR = { $ref: '#/components/schemas/Error' };

interface Attempt {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Answers that come before there is a route, and so are documented for none. */
  readonly unrouted?: readonly number[];
}

interface Place {
  readonly in: string;
  readonly name: string;
  /** As the document shows it. */
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
/** What most routes are asked about: the key pair of a domain takes long to make. */
let shared: TestClient;
let sharedResources: Record<string, string>;

beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '0', DOMAIN_CREATIONS_PER_HOUR: '0' };
  // Nobody delivers.
  service = await TestService.start({ environment: { ROLES: 'api', SEND_RESPONSE_TIMEOUT_MS: '0', ...limits } });
  document = await ApiDocument.of(service);
  shared = await service.organization();
  sharedResources = await createOwnedResources(shared);
});
afterAll(async () => {
  agent.destroy();
  await service?.stop();
});

/** Takes a path as it is, where `fetch` would put it in order. Resolves with undefined where the connection was cut. */
function send(method: string, attempt: Attempt): Promise<{ status: number; text: string } | undefined> {
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
      const settle = () => resolve({ status: response.statusCode!, text });
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

/** True for a response that the client ends, not the service. */
function isEndless({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** What is wrong with the answer. */
async function problemsOf(op: Operation, attempt: Attempt): Promise<unknown[]> {
  const answer = await send(op.method, attempt);
  if (!answer) return [];
  const { status, text } = answer;
  const content = op.responses[200]?.content;
  const isFile = status === 200 && content !== undefined && content['application/json'] === undefined;
  const body = (text === '' ? undefined : isFile ? text : JSON.parse(text)) as { error: string };
  const isRouted = op.responses[status] !== undefined || !attempt.unrouted?.includes(status);
  const problems = isRouted ? document.problemsOf(op, { status, headers: new Headers(), body }) : [];
  if (status >= 500) problems.push('an answer of 500 or above');
  if (status >= 400 && !(document.validator(ERROR)(body) && body.error))
    problems.push('an error that has not its form');
  return problems.length > 0 ? [{ ...shortened(attempt), status, problems }] : [];
}

function shortened({ path, headers, body }: Attempt): object {
  return { path: path.slice(0, 300), headers, body: body?.slice(0, 500) };
}

/** A path of the route to resources that are there. */
function pathOf({ path }: Operation, values: Record<string, string> = {}): string {
  const [, , noun] = path.split('/');
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? encodeURIComponent(owned[noun!]!));
}

/** Everything in a request of the route that has a value of its own. */
function placesOf(op: Operation): Place[] {
  const example = document.exampleBody(op);
  const sent = { path: pathOf(op), body: example && JSON.stringify(example), unrouted: [431] };
  const parameters = op.parameters.map(({ in: place, name, schema }): Place => {
    const described = { in: place, name, example: schema.examples?.[0] };
    const inPath = (value: string) => ({ ...sent, path: pathOf(op, { [name]: value }), unrouted: NO_ROUTE });
    const inQuery = (query: string) => ({ ...sent, path: `${sent.path}?${query}` });
    const inHeader = (value: string) => ({ ...sent, headers: { [name]: value } });
    switch (place) {
      case 'path':
        return { ...described, hostile: hostileSegments, any: anySegment, attempt: inPath };
      case 'query':
        return { ...described, hostile: hostileQueries(name), any: anyQuery(name), attempt: inQuery };
      case 'header':
        return { ...described, hostile: hostileHeaders, attempt: inHeader };
    }
  });
  const fields = Object.entries(fieldsOf(op)).map(([name, { maxLength }]): Place => {
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
    // Routes that create meet free names, and those that delete take nothing from others. Another route cancels the
    // shared email.
    const isShared = name.includes('{') && !/^DELETE|^PATCH \/api\/emails/.test(name);
    owner = isShared ? shared : await service.organization();
    owned = isShared || !name.includes('{') ? sharedResources : await createOwnedResources(owner);
  });
  afterEach(async () => expect((await fetch(`${service.address}/health/ready`)).status).toBe(200));

  it('has an example for every field, which its route looks at', async () => {
    const op = document.operation(name);
    const places = placesOf(op);
    const without = places.filter((place) => place.example === undefined).map((place) => place.name);
    expect(without.filter((field) => !ALTERNATIVES.includes(field))).toEqual([]);
    expect(document.exampleBody(op) !== undefined).toBe(places.some((place) => place.in === 'body'));
    if (places.every((place) => place.in === 'path' || place.in === 'header')) return;
    const example = document.exampleBody(op);
    const answer = await send(op.method, { path: pathOf(op), body: example && JSON.stringify(example) });
    expect(answer?.status).toBeLessThan(300);
  });

  it('answers hostile values as documented, below 500', async () => {
    const op = document.operation(name);
    const attempts = placesOf(op).flatMap((place) => place.hostile.map((value) => place.attempt(value)));
    const problems = await Promise.all(attempts.map((attempt) => problemsOf(op, attempt)));
    expect(problems.flat()).toEqual([]);
  });

  it('answers random values so', async () => {
    const op = document.operation(name);
    const checks = placesOf(op).map(({ any, attempt }) => {
      const property =
        any && fc.asyncProperty(any, async (value) => expect(await problemsOf(op, attempt(value))).toEqual([]));
      return property && fc.assert(property, RANDOM);
    });
    await Promise.all(checks);
  });
});
