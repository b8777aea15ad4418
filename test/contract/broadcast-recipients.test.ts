import type { UploadResult } from '../../src/broadcasts/recipients/recipient-upload.js';
import type { AuditEntryView } from '../../src/organizations/audit/audit-entries.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';
import { onlyMailTo } from '../support/only-mail-to.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

describe('recipients', () => {
  const stream = (id: string, type: string, body: string | Buffer) =>
    client.request<UploadResult & { error?: string }>(`/api/broadcasts/${id}/recipients`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
  const NDJSON = 'application/x-ndjson';

  it('are invalid with letters beyond ASCII before the @', async () => {
    const { body } = await stream(await broadcasts.create(), NDJSON, '{"to":"Jörg <jörg@readers.example>"}');
    expect(body.invalid).toEqual([{ line: 1, reason: 'to must have only ASCII characters before the @' }]);
  });

  it('are accepted as NDJSON: duplicates count once, invalid lines are reported', async () => {
    const id = await broadcasts.create();
    const lines = [
      '{"to":"a@readers.example","variables":{"n":1}}',
      '',
      '{"to":"A@readers.example"}',
      '{"to":',
      '[]',
      '{"to":"nobody"}',
      '{"to":"b@readers.example","variables":[]}',
      `{"to":"b@readers.example","variables":{"x":"${'x'.repeat(10_000)}"}}`,
      '{"to":"b@readers.example","variables":{"x":"\\u0000"}}',
      '{"to":"b@readers.example"}\r',
      '{"to":"=?utf-8?q?x?= <c@readers.example>"}',
      '{"to":"d@readers.example"}',
    ];
    const { status, body } = await stream(id, NDJSON, lines.join('\n'));
    expect({ status, ...body, invalid: body.invalid.map(({ line }) => line) }).toEqual({
      ...{ status: 200, added: 3, repeated: 1, suppressed: 0, invalidTotal: 7 },
      invalid: [4, 5, 6, 7, 8, 9, 11],
    });
    expect((await stream(id, NDJSON, lines.join('\n'))).body).toMatchObject({ added: 0, repeated: 4 });
    expect(await broadcasts.read(id)).toMatchObject({ progress: { total: 3, queued: 3 } });
  });

  it.each([
    [NDJSON, (line: number) => `{"to":"nobody${line}"}`, 1],
    ['text/csv', (line: number) => (line === 1 ? 'to' : `nobody${line}`), 2],
  ])('as %s: the response reports the first 100 invalid ones, with line and reason', async (type, lineOf, first) => {
    const lines = Array.from({ length: 150 }, (_, n) => lineOf(n + 1));
    const { body } = await stream(await broadcasts.create(), type, [...lines, lineOf(151)].join('\n'));
    expect({ added: body.added, invalidTotal: body.invalidTotal }).toEqual({ added: 0, invalidTotal: 152 - first });
    expect(body.invalid).toEqual(
      Array.from({ length: 100 }, (_, n) => ({ line: first + n, reason: expect.stringMatching(/^to must be/) })),
    );
  });

  it('are accepted as CSV: columns beside `to` are variables', async () => {
    const id = await broadcasts.create({ subject: '{{ name }} {{ city }}' });
    const file =
      '\ufeffname,To,city,\r\n"Lovelace, Ada",ada@csv.example,,x\r\nBob,nobody,,\r\nEve,eve@csv.example,Rome\r\n';
    expect((await stream(id, 'text/csv; charset=utf-8', file)).body).toMatchObject({
      added: 2,
      invalid: [{ line: 3, reason: expect.stringMatching(/^to must be/) }],
    });
    await client.post(`/api/broadcasts/${id}/send`);
    await broadcasts.settled(id, 'sent');
    expect((await onlyMailTo(service, 'ada@csv.example')).subject).toBe('Lovelace, Ada');
    expect((await onlyMailTo(service, 'eve@csv.example')).subject).toBe('Eve Rome');
  });

  it.each([
    ['Text/CSV', 'to\na@readers.example\n'],
    ['Application/X-NDJSON', '{"to":"a@readers.example"}\n'],
  ])('are accepted as %s: the case of a media type does not matter', async (type, body) => {
    expect((await stream(await broadcasts.create(), type, body)).body).toMatchObject({ added: 1 });
  });

  it.each([70_000, 700_000])(
    'as NDJSON: a line of %d characters is reported, and the others are stored',
    async (length) => {
      const long = `{"to":"b@readers.example","metadata":{"x":"${'x'.repeat(length)}"}}`;
      const lines = ['{"to":"a@readers.example"}', long, '{"to":"c@readers.example"}', long];
      const { status, body } = await stream(await broadcasts.create(), NDJSON, lines.join('\n'));
      expect({ status, ...body }).toMatchObject({
        ...{ status: 200, added: 2, invalidTotal: 2 },
        invalid: [2, 4].map((line) => ({ line, reason: 'The line has more than 65536 characters' })),
      });
    },
  );

  it.each([
    [
      NDJSON,
      '{"to":"Jos\xe9 <a@readers.example>"}\n{"to":"b@readers.example","variables":{"name":"Jos\xe9"}}\n' +
        '{"to":"c@readers.example"}\n',
      [1, 2],
    ],
    ['text/csv', 'to,name\nJos\xe9 <a@readers.example>,\nb@readers.example,Jos\xe9\nc@readers.example,C\n', [2, 3]],
  ])('as %s: a line in another encoding than UTF-8 is reported, and not stored', async (type, text, lines) => {
    const { body } = await stream(await broadcasts.create(), type, Buffer.from(text, 'latin1'));
    expect(body).toMatchObject({
      added: 1,
      invalid: lines.map((line) => ({ line, reason: 'The line is not UTF-8' })),
    });
  });

  it.each([
    ['text/csv', 'name,mail\na,b\n', /must be to/],
    [
      'text/csv',
      'to;name\na@readers.example;A\n',
      /must be to\. .* separated by semicolons: separate them with commas$/,
    ],
    ['text/csv', 'to\t"name, title"\tcity\na@readers.example\tA\tB\n', /separated by tabs/],
    ['text/csv', 'to,name\ra@readers.example,A\rb@readers.example,B\r', /carriage return/],
    ['text/csv', 'to,name\na@readers.example,A\rb@readers.example,B\r', /From line 2 on, .* carriage return/],
    ['text/csv', Buffer.from('\ufeffto,name\r\na@readers.example,A\r\n', 'utf16le'), /first row is not UTF-8/],
    ['text/csv', '', /must be to|must not be empty/],
    ['text/csv', 'to,name,name\n', /name twice/],
    [
      'text/csv',
      `to,${Array.from({ length: 10_000 }, (_, n) => `c${n}`).join()}\n${'a@b.example\n'.repeat(30)}`,
      /too many/,
    ],
    ['text/csv', Buffer.from('to,pr\xe9nom\n', 'latin1'), /first row is not UTF-8/],
    ['application/json', '{"recipients":{}}', /recipients/],
    ['application/json', '[]', /JSON object/],
    ['application/json', JSON.stringify({ recipients: Array(10_001).fill({}) }), /at most 10000/],
  ])('are refused as %s that does not parse', async (type, body: string | Buffer, error) => {
    const { status, body: response } = await stream(await broadcasts.create(), type, body);
    expect({ status, error: response.error }).toEqual({ status: 400, error: expect.stringMatching(error) });
  });

  it('of a CSV row with an unquoted comma are invalid: its values would be those of other columns', async () => {
    const id = await broadcasts.create();
    const file = 'to,name,city\na@readers.example,Doe, Jane,Rome\nb@readers.example,B,Rome,, \nc@readers.example\n';
    expect((await stream(id, 'text/csv', file)).body).toMatchObject({
      ...{ added: 2, invalidTotal: 1 },
      invalid: [{ line: 2, reason: expect.stringMatching(/more values than the first row has columns/) }],
    });
  });

  it('are accepted as JSON, 10,000 at a time, with 20 variables each', async () => {
    const variables = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`variable${n}`, `value ${n}`]));
    const id = await broadcasts.create();
    expect(
      await broadcasts.add(
        id,
        people(10_000).map((one) => ({ ...one, variables })),
      ),
    ).toMatchObject({ added: 10_000 });
  });

  it('can be added until the broadcast starts', async () => {
    const id = await broadcasts.create();
    expect((await client.post(`/api/broadcasts/${id}/send`)).status).toBe(409);
    await broadcasts.add(id, people(1));
    await client.post(`/api/broadcasts/${id}/send`);
    expect((await client.post(`/api/broadcasts/${id}/recipients`, { recipients: people(1, 1) })).status).toBe(409);
  });
});

it('the audit log has who added recipients, also to a scheduled broadcast, and none that the broadcast already had', async () => {
  const { body: key } = await client.post<{ id: string; key: string }>('/api/keys', { scopes: ['send'] });
  const id = await broadcasts.create({ sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await broadcasts.add(id, people(1));
  await broadcasts.move(id, 'send');
  await client.post('/api/suppressions', { addresses: [people(1, 1)[0]!.to] });
  const others = new BroadcastClient(service.client(client.organizationId, key.key));
  for (const added of [2_502, 0]) expect(await others.add(id, people(2_504))).toMatchObject({ added });
  const { body } = await client.get<{ entries: AuditEntryView[] }>('/api/audit?action=broadcast.recipients-added');
  expect(body.entries.map(({ actor, target }) => ({ actor: actor.id, target }))).toEqual([
    { actor: key.id, target: { kind: 'broadcast', id } },
    { actor: expect.any(String) as string, target: { kind: 'broadcast', id } },
  ]);
});
