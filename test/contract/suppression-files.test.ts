import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { MAX_NOTE } from '../../src/suppressions/suppression-requests.js';
import type { ImportResult } from '../../src/suppressions/import-suppressions.js';
import { eventually } from '../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

function importFile(body: string | Buffer, type = 'text/csv'): Promise<ApiResponse<ImportResult & { error?: string }>> {
  return client.request('/api/suppressions/import', { method: 'POST', headers: { 'content-type': type }, body });
}

async function exportFile(of = client, query = ''): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${service.address}/api/suppressions/export${query}`, {
    headers: { 'x-api-key': of.apiKey },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('POST /api/suppressions/import', () => {
  it('adds the rows of a CSV file by the names of its columns', async () => {
    const file =
      '\ufeffName,ADDRESS,Reason,note\r\nAda,Ada@example.com,bounce,"left, for good"\r\n,b@example.com,,\r\n';
    const response = await importFile(file, 'text/csv; charset=utf-8; header=present');
    expect(response).toMatchObject({ status: 200, body: { added: 2, known: 0, invalid: 0, invalidLines: [] } });
    const { body } = await client.get('/api/suppressions/ada@example.com');
    expect(body).toMatchObject({ address: 'Ada@example.com', reason: 'bounce', note: 'left, for good', emailId: null });
    expect((await client.get('/api/suppressions/b@example.com')).body).toMatchObject({ reason: 'manual', note: null });
    expect((await importFile(file)).body).toMatchObject({ added: 0, known: 2 });
  });

  it('reports the first 100 invalid lines with line and reason, and adds the others', async () => {
    const wrong = [
      ['nobody,,', /address/],
      [',,', /address/],
      ['=cmd|x!A0,,', /address/],
      ['a@example.com,none,', /reason/],
      [`a@example.com,,${'x'.repeat(MAX_NOTE + 1)}`, /note/],
      ['a@example.com,,a\0b', /note/],
    ] as const;
    const file = `address,reason,note\n${wrong.map(([row]) => `${row}\n`).join('')}b@example.com,,\n${'x\n'.repeat(200)}`;
    const { body } = await importFile(file);
    expect(body).toMatchObject({ added: 1, known: 0, invalid: wrong.length + 200 });
    expect(body.invalidLines).toHaveLength(100);
    wrong.forEach(([, reason], at) =>
      expect(body.invalidLines[at]).toEqual({ line: at + 2, reason: expect.stringMatching(reason) }),
    );
  });

  it('reports a row whose bytes are not UTF-8, and stores nothing of it', async () => {
    const file = 'address,note,name\na@example.com,Jos\xe9,\nb\xe9@example.com,,\nc@example.com,,Jos\xe9\n';
    const { body } = await importFile(Buffer.from(file, 'latin1'));
    expect(body).toMatchObject({
      added: 1,
      invalidLines: [
        { line: 2, reason: 'note must be UTF-8' },
        { line: 3, reason: 'address must be UTF-8' },
      ],
    });
    expect((await client.get('/api/suppressions/c@example.com')).status).toBe(200);
  });

  it.each([
    ['', /address/],
    ['\n\n', /address/],
    ['mail,reason\na@example.com,\n', /address/],
    ['address,Address \na@example.com,b@example.com\n', /names the column address twice/],
    ['reason,address,reason\nbounce,a@example.com,\n', /names the column reason twice/],
    [`address\n"${'x'.repeat(70_000)}`, /Line 2/],
    ['address,note\na@example.com,"left\nb@example.com,\n', /Line 2 .* quote/],
    ['reason,address,note\rbounce,a@example.com,x\r', /carriage return/],
    ['address,note\na@example.com,x\rb@example.com,y\r', /From line 2 on, .* carriage return/],
    ['address,"note"\ra@example.com,"x"\r', /carriage return/],
  ])('refuses %j', async (file, error) => {
    expect(await importFile(file)).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
  });

  it('reports how many rows it added when the file breaks off', async () => {
    const rows = Array.from({ length: 6_000 }, (_, n) => `r${n}@example.com\n`).join('');
    const { status, body } = await importFile(`address\n${rows}"${'x'.repeat(70_000)}`);
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: expect.stringMatching(/Line 6002 .*\? Of the rows before, 6000 were added, and 0 were known$/),
    });
    expect((await client.get('/api/suppressions/r5999@example.com')).status).toBe(200);
    const again = await importFile(`address\nr1@example.com\n"${'x'.repeat(70_000)}`);
    expect(again.body.error).toMatch(/Of the rows before, 0 were added, and 1 were known$/);
  });

  it('says that a file is separated by semicolons', async () => {
    const { status, body } = await importFile('"address";"reason"\na@example.com;bounce\n');
    expect([status, body.error]).toEqual([400, expect.stringContaining('separated by semicolons')]);
  });

  it('accepts text/csv only, and no other route does', async () => {
    expect((await importFile('{}', 'application/json')).status).toBe(415);
    expect((await importFile('a=b', 'application/x-www-form-urlencoded')).status).toBe(415);
    const elsewhere = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'address\n' };
    expect((await client.request('/api/suppressions', elsewhere)).status).toBe(415);
    expect((await client.post('/api/suppressions/import')).status).toBe(400);
  });

  it('refuses more than 100 MB, both before the body arrives and while it does', async () => {
    const length = { 'content-length': String(100 * 1024 * 1024 + 1) };
    expect(await upload(length)).toMatch(/^413 .*at most 100 MB/);
    expect(await upload({ 'transfer-encoding': 'chunked' }, `${'x'.repeat(1015)},address\n`.repeat(1024), 101)).toMatch(
      /^413 /,
    );
  });

  it('allows one import at a time per organization, and stops when its client disconnects', async () => {
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'text/csv' };
    const { hostname, port } = new URL(service.address);
    const slow = httpRequest({ hostname, port, path: '/api/suppressions/import', method: 'POST', headers });
    slow.on('error', () => undefined).write('address\n');
    await eventually(async () => (await importFile('address\n')).status === 429);
    const busy = await importFile('address\na@example.com\n');
    expect(busy.headers.get('retry-after')).toBe('5');
    const other = client;
    client = await service.organization();
    expect((await importFile('address\na@example.com\n')).status).toBe(200);
    client = other;
    slow.destroy();
    await eventually(async () => (await importFile('address\n')).status === 200);
  });

  /** Returns the status and the body of the response. */
  async function upload(more: Record<string, string>, piece = '', times = 0): Promise<string> {
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'text/csv', ...more };
    const { hostname, port } = new URL(service.address);
    const sending = httpRequest({ hostname, port, path: '/api/suppressions/import', method: 'POST', headers });
    const responded = once(sending, 'response') as Promise<[import('node:http').IncomingMessage]>;
    for (let sent = 0; sent < times && !sending.destroyed; sent++)
      if (!sending.write(piece)) await Promise.race([once(sending, 'drain'), responded]);
    if (times === 0) sending.flushHeaders();
    else sending.end();
    const [response] = await responded;
    let text = '';
    for await (const part of response) text += String(part);
    sending.destroy();
    return `${response.statusCode} ${text}`;
  }
});

describe('GET /api/suppressions/export', () => {
  it('returns a CSV file that an import accepts, with the strongest reason of each address', async () => {
    await importFile(
      'address,reason,note\na@example.com,unsubscribe,\na@example.com,complaint,"a ""note"""\nb@x.example,,\n',
    );
    const { status, headers, text } = await exportFile();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('suppressions.csv');
    const time = /\d{4}-\d\d-\d\dT[\d:.]{12}Z/g;
    expect(text.replace(time, 'T').split('\r\n')).toEqual([
      'address,reason,scope,emailId,note,createdAt',
      'a@example.com,complaint,all,,"a ""note""",T',
      'b@x.example,manual,all,,,T',
      '',
    ]);
    const copy = (client = await service.organization());
    expect((await importFile(text)).body).toMatchObject({ added: 2, invalid: 0 });
    expect((await exportFile(copy)).text.replace(time, 'T')).toBe(text.replace(time, 'T'));
  });

  it('has the entries that the same filters list', async () => {
    await importFile('address,reason\na@b.example,bounce\nc@b.example,unsubscribe\nc@b.example,bounce\nd@x.example,\n');
    const addresses = async (query: string) => (await exportFile(client, query)).text.match(/^\w@[^,]+/gm);
    expect(await addresses('?reason=bounce&search=B.example')).toEqual(['a@b.example', 'c@b.example']);
    expect(await addresses('?reason=unsubscribe')).toBeNull();
    expect(await addresses('?search=X.')).toEqual(['d@x.example']);
    expect((await exportFile(client, '?reason=none')).status).toBe(400);
  });

  it('imports the longest note that the API accepts', async () => {
    const note = '🙂'.repeat(MAX_NOTE);
    expect((await client.post('/api/suppressions', { address: 'a@example.com', note })).status).toBe(201);
    const { text } = await exportFile();
    expect((await importFile(text)).body).toMatchObject({ known: 1, invalid: 0 });
  });

  it('exports a note with a replacement character, as providers send them, in a row that an import accepts', async () => {
    await client.post('/api/suppressions', { address: 'a@example.com', note: 'Jos\ufffd is unknown' });
    const { text } = await exportFile();
    client = await service.organization();
    expect((await importFile(text)).body).toMatchObject({ added: 1, invalid: 0 });
    const { body } = await client.get('/api/suppressions/a@example.com');
    expect(body).toMatchObject({ note: 'Jos\ufffd is unknown' });
  });

  it('escapes everything that a spreadsheet would run as a formula; an import removes the escaping', async () => {
    const addresses = ['=cmd@example.com', "'=a@example.com", '+1@example.com', '-x@example.com', "'y@example.com"];
    await client.post('/api/suppressions', { addresses, note: '=HYPERLINK("https://example.com")' });
    const { text } = await exportFile();
    expect(text).not.toMatch(/(^|[,\r\n"])[=+\-@]/m);
    client = await service.organization();
    await importFile(text);
    for (const address of addresses) {
      const { body } = await client.get(`/api/suppressions/${encodeURIComponent(address)}`);
      expect(body).toMatchObject({ address, note: '=HYPERLINK("https://example.com")' });
    }
  });

  it('contains every address of a long list once, and none of another organization', async () => {
    const rows = Array.from({ length: 5_001 }, (_, n) => `r${n}@example.com\n`);
    expect((await importFile(`address\n${rows.join('')}`)).body).toMatchObject({ added: 5_001 });
    const lines = (await exportFile()).text.trimEnd().split('\r\n').slice(1);
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(5_001);
    expect(lines).toHaveLength(5_001);
    expect((await exportFile(await service.organization())).text.trimEnd().split('\r\n')).toHaveLength(1);
  });
});
