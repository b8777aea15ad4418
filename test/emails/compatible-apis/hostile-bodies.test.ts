import { ApiDocument, type Json, type Operation } from '../../support/openapi/api-document.js';
import { hostileFields } from '../../support/hostile-values.js';
import { bearerRoutes, nameOf } from '../../support/routes.js';
import { TestService, type ApiResponse, type TestClient } from '../../support/service.js';

/*
 * Sends values that no library sends at every place of a body: the documented example with one value replaced. The
 * response must be a documented one below 500 for every value.
 */

const HOSTILE = hostileFields();
/** Few, because the test is about values: a busy machine may refuse what many requests at once need. */
const AT_ONCE = 4;

let service: TestService;
let client: TestClient;
let document: ApiDocument;

beforeAll(async () => {
  service = await TestService.start({
    environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0', REQUEST_BODIES_MB: '64' },
  });
  client = await service.organization();
  document = await ApiDocument.of(service);
});
afterAll(() => service?.stop());

function send(op: Operation, body: string): Promise<ApiResponse<Json>> {
  const headers = { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' };
  return client.request<Json>(op.path, { method: op.method, headers, body });
}

/** Every place of a JSON value, as a function that returns its text with the place replaced. */
function* placesOf(value: unknown, wrap = (text: string) => text): Generator<(text: string) => string> {
  yield wrap;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    yield* placesOf(field, (text) => {
      if (Array.isArray(value))
        return wrap(`[${value.map((one, index) => (String(index) === name ? text : JSON.stringify(one))).join()}]`);
      const others = Object.entries(value).filter(([other]) => other !== name);
      const fields = others.map(([other, one]) => `${JSON.stringify(other)}:${JSON.stringify(one)}`);
      return wrap(`{${[...fields, `${JSON.stringify(name)}:${text}`].join()}}`);
    });
  }
}

describe.each(bearerRoutes().map(nameOf))('%s', (name) => {
  it('accepts the documented example', async () => {
    const op = document.operation(name);
    const response = await send(op, JSON.stringify(document.exampleBody(op)));
    expect(response).toMatchObject({ status: name.includes('/v3/') ? 202 : 200 });
    expect(document.problemsOf(op, response)).toEqual([]);
  });

  it('gives a documented response to a hostile value at every place', async () => {
    const op = document.operation(name);
    const places = [...placesOf(document.exampleBody(op))];
    expect(places.length).toBeGreaterThan(10);
    const bodies = places.flatMap((replaced) => HOSTILE.map(replaced)).values();
    const sendNext = async (): Promise<void> => {
      for (const body of bodies) {
        const response = await send(op, body);
        const { status } = response;
        if (status >= 500) throw new Error(`${status} ${JSON.stringify(response.body)} to ${body.slice(0, 2_000)}`);
        expect(document.problemsOf(op, response)).toEqual([]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
  });
});

describe('a small body of which a thousand personalizations would make much', () => {
  const manyFields = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

  const sendToThousand = (fields: object): Promise<ApiResponse<Json>> =>
    send(
      document.operation('POST /v3/mail/send'),
      JSON.stringify({
        personalizations: Array.from({ length: 1_000 }, (_, index) => ({
          to: [{ email: `reader${index}@example.com` }],
          custom_args: { own: '1' },
        })),
        from: { email: 'ada@acme.example' },
        subject: 'Much',
        content: [{ type: 'text/plain', value: 'Much' }],
        ...fields,
      }),
    );

  it.each([
    ['headers', { headers: manyFields(9_000) }, 'headers'],
    ['metadata', { custom_args: manyFields(9_000) }, 'custom_args'],
    ['a subject', { subject: 'x'.repeat(5_000_000) }, 'subject'],
    ['a name', { from: { email: 'ada@acme.example', name: 'x'.repeat(5_000_000) } }, 'from.name'],
    ['a template', { template_id: 'x'.repeat(5_000_000), content: undefined }, 'template_id'],
    ['text', { content: [{ type: 'text/plain', value: 'x'.repeat(5_000_000) }] }, 'content'],
  ])('is refused for its first message: %s', async (_name, fields, field) => {
    expect(await sendToThousand(fields)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('counts copies of metadata against the memory of request bodies', async () => {
    expect((await sendToThousand({ custom_args: manyFields(900) })).status).toBe(429);
    expect((await sendToThousand({ custom_args: manyFields(9) })).status).toBe(202);
  });
});
