import { ApiDocument, type Json, type Operation } from '../support/openapi/api-document.js';
import { apiRoutes, nameOf } from '../support/routes.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let document: ApiDocument;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api,tracking' } });
  client = await service.organization();
  document = await ApiDocument.of(service);
});
afterAll(() => service?.stop());

const email = { to: 'a@example.com', subject: 'S', htmlContent: '<p>x</p>' };

describe('V18: similar characters are different characters', () => {
  const recipientOf = async (to: string): Promise<string | undefined> => {
    const response = await client.post<{ id: string }>('/api/emails', { ...email, to });
    if (response.status === 400) return undefined;
    expect(response.status).toBe(200);
    return (await client.get<{ to: string[] }>(`/api/emails/${response.body.id}`)).body.to[0];
  };

  it('domains in other alphabets become A-labels', async () => {
    expect(await recipientOf('user@exаmple.com')).toBe('user@xn--exmple-4nf.com'); // Cyrillic а
    expect(await recipientOf('user@ｅxample.com')).toBe('user@example.com'); // full-width e
    expect(await recipientOf('user@bücher.example')).toBe('user@xn--bcher-kva.example');
  });

  it.each([
    '\u212a@x.example',
    'ſ@x.example',
    'ﬁ@x.example',
    'аda@x.example',
    'a\u200db@x.example',
    '\u202ea@x.example',
  ])('a local part that is not ASCII is refused: %j', async (to) => expect(await recipientOf(to)).toBeUndefined());

  it.each(['a@x\u202e.example', 'a@x\u200b.example', 'a@\u2066x.example', 'a@x。example'])(
    'marks in a domain never survive: %j',
    async (to) => expect((await recipientOf(to)) ?? 'a@x.example').toBe('a@x.example'),
  );

  it('a domain that resembles a verified one is not verified', async () => {
    await service.database.query(
      `insert into sending_domains (id, organization_id, domain, status, verified_at)
       values (gen_random_uuid(), $1, 'example.com', 'verified', now())`,
      [client.organizationId],
    );
    const senderOf = async (from: string) => {
      const response = await client.post('/api/send', { ...email, from }, { prefer: 'respond-async' });
      return response.status === 400 ? 'refused' : String(response.body.from);
    };
    expect(await senderOf('ceo@example.com')).toBe('ceo@example.com');
    expect(await senderOf('ceo@exаmple.com')).toMatch(/@platform\.test$/);
    expect(await senderOf('ceo@example.com.evil.test')).toMatch(/@platform\.test$/);
    expect(await senderOf('ceo@notexample.com')).toMatch(/@platform\.test$/);
  });
});

describe('V19: NUL and unpaired surrogates are refused, naming the field, in every text of every request', () => {
  const BAD = ['a\0b', '\ud800', 'x\udfff'];

  // Uploads of recipients and batches report invalid texts and accept the rest.
  const partial = ['POST /api/broadcasts/{id}/recipients', 'POST /api/send/batch'];
  const bodies = apiRoutes()
    .filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))
    .map((route) => nameOf(route).replace(/:(\w+)/g, '{$1}'))
    .filter((name) => !partial.includes(name));

  it.each(bodies)('in every field of the body of %s', async (name) => {
    const op = document.operation(name);
    const example = document.exampleBody(op) ?? {};
    const attempts = Object.entries(example).flatMap(([field, value]) => spoiled(example, field, value));
    await Promise.all(
      attempts.map(async ([field, body]) => {
        const response = await client.request<{ error: string }>(op.path, {
          method: op.method.toUpperCase(),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const seen = { body, status: response.status, error: response.body.error };
        expect(seen).toEqual({ ...seen, status: 400, error: expect.stringContaining(field) });
      }),
    );
  });

  it('in every part of a path', async () => {
    for (const op of document.operations.filter(({ path }) => path.includes('{'))) {
      for (const part of ['%00', 'a%00b', '%ED%A0%80', '%ff', '%', '..%2f..%2f']) {
        const { status, body } = await client.request<Json>(op.path.replace(/\{\w+\}/, part), { method: op.method });
        expect([op.name, part, [400, 404].includes(status), body]).toEqual([
          op.name,
          part,
          true,
          { error: expect.any(String) },
        ]);
      }
    }
  });

  it('in every query parameter', async () => {
    for (const op of document.operations) {
      for (const { name } of op.parameters.filter((parameter) => parameter.in === 'query')) {
        const response = await client.get(`${pathOf(op)}?${name}=a%00b`);
        expect([op.name, name, response.status]).toEqual([op.name, name, 400]);
        for (const undecodable of ['%ED%A0%80', '%ff', '%']) {
          const { status } = await client.get(`${pathOf(op)}?${name}=${undecodable}`);
          expect([op.name, name, undecodable, status < 500]).toEqual([op.name, name, undecodable, true]);
        }
      }
    }
  });

  it('in tracking addresses', async () => {
    for (const part of ['%00', '%ff', '%ED%A0%80', 'a%00b']) {
      expect((await service.track(`http://x/api/t/c/${part}`)).status).toBe(404);
      expect((await service.track(`http://x/api/t/o/${part}`)).headers.get('content-type')).toBe('image/gif');
    }
  });

  it('and nothing was stored', async () => {
    const { body } = await client.get<{ campaigns: unknown[] }>('/api/campaigns');
    expect(body.campaigns).toEqual([]);
  });

  /** The body with each invalid text in one field: the text itself, in a list, and as key and value of an object. */
  function spoiled(example: Json, field: string, value: unknown): [string, Json][] {
    return BAD.flatMap((bad) => {
      const values =
        typeof value === 'string' ? [bad] : Array.isArray(value) ? [bad, [bad], [...value, bad]] : inside(bad);
      return values.map((entry): [string, Json] => [field, { ...example, [field]: entry }]);
    });
  }

  function inside(bad: string): Json[] {
    return [{ [bad]: 1 }, { key: bad }, { deep: [{ [bad]: 1 }] }, { deep: [[bad]] }];
  }

  function pathOf({ path }: Operation): string {
    return path.replace(/\{\w+\}/, '00000000-0000-7000-8000-000000000000');
  }
});
