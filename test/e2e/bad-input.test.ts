import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const email = { from: 'ada@acme.example', to: 'a@example.com', subject: 'S', htmlContent: '<p>x</p>' };

async function storedEmails(): Promise<number> {
  const [row] = await service.database.query<{ n: string }>('select count(*) as n from emails');
  return Number(row!.n);
}

describe('bad input is refused with a sentence, and nothing is stored', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const cases: [string, unknown, number, RegExp][] = [
    ['invalid JSON', '{"from":', 400, /not valid JSON/],
    ['an array', [], 400, /JSON object|from/],
    ['a number', '7', 400, /JSON object|from/],
    ['null', 'null', 400, /JSON object|from/],
    ['nested arrays', deep, 400, /./],
    ['__proto__', '{"__proto__":{"isAdmin":true}}', 400, /./],
    ['no fields', {}, 400, /from is required/],
    ['a missing recipient', { ...email, to: undefined }, 400, /to must be/],
    ['an empty recipient list', { ...email, to: [] }, 400, /to must name at least one/],
    ['a number as recipient', { ...email, to: 7 }, 400, /to must be an email address/],
    ['nested recipients', { ...email, to: [['a@example.com']] }, 400, /to must be an email address/],
    ['an object as recipient', { ...email, to: { address: 'a@example.com' } }, 400, /to must be/],
    ['a header in the recipient', { ...email, to: 'c@d.co\r\nBcc: evil@x.test' }, 400, /to must be one email address/],
    ['two addresses in one text', { ...email, to: 'c@d.co, evil@x.test' }, 400, /to must be one email address/],
    ['a group', { ...email, to: 'team: a@b.co, c@d.co;' }, 400, /to must be one email address/],
    ['a quoted local part', { ...email, to: '"evil@x.test x"@ok.test' }, 400, /to must be one email address/],
    ['a comment', { ...email, to: 'a@ok.test(@evil.test)' }, 400, /to must be one email address/],
    ['a space in the domain', { ...email, to: 'a@ok .test' }, 400, /to must be one email address/],
    ['a tail behind the address', { ...email, to: '<a@b.co>,c' }, 400, /to must be one email address/],
    ['a huge local part', { ...email, to: `${'a'.repeat(400)}@b.co` }, 400, /to must be one email address/],
    ['a megabyte of brackets', { ...email, to: '<'.repeat(1_000_000) }, 400, /to must be one email address/],
    ['51 recipients', { ...email, to: Array.from({ length: 51 }, (_, i) => `r${i}@b.co`) }, 400, /at most 50/],
    ['10,000 recipients', { ...email, to: Array.from({ length: 10_000 }, (_, i) => `r${i}@b.co`) }, 400, /at most 50/],
    ['a million recipients', { ...email, to: Array(1_000_000).fill('a@b.co') }, 400, /too many values/],
    ['a line break in the subject', { ...email, subject: 'a\r\nBcc: evil@x.test' }, 400, /subject must not contain/],
    ['a NUL in the subject', { ...email, subject: 'a\0b' }, 400, /subject must not contain/],
    ['a lone surrogate in the subject', { ...email, subject: '\ud800' }, 400, /subject must not contain/],
    ['a long subject', { ...email, subject: 'x'.repeat(999) }, 400, /subject must have at most 998/],
    ['an empty body', { ...email, htmlContent: '' }, 400, /htmlContent must not be empty/],
    [
      'a file as body',
      { ...email, htmlContent: { path: '/etc/passwd' } },
      400,
      /htmlContent is required and must be a string/,
    ],
    ['a NUL in the body', { ...email, htmlContent: 'a\0' }, 400, /htmlContent/],
    [
      'more than 5 MB of HTML',
      { ...email, htmlContent: 'x'.repeat(5 * 1024 * 1024 + 1) },
      400,
      /htmlContent must be at most 5 MB/,
    ],
    ['a list as metadata', { ...email, metadata: [1] }, 400, /metadata must be a JSON object/],
    [
      'large metadata',
      { ...email, metadata: { a: 'x'.repeat(10_000) } },
      400,
      /metadata must have at most 10000 bytes/,
    ],
    [
      'a lone surrogate in a metadata key',
      '{"from":"ada@acme.example","to":"a@b.co","subject":"s","htmlContent":"x","metadata":{"\\ud800":1}}',
      400,
      /metadata/,
    ],
    ['a sender without domain', { ...email, from: 'ada' }, 400, /from must be one email address/],
    ['two senders', { ...email, from: 'a@ok.test, b@evil.test' }, 400, /from must be one email address/],
    ['an empty campaign', { ...email, campaignId: ' ' }, 400, /campaignId must have 1 to 200/],
    [
      'MJML that does not compile',
      { ...email, htmlContent: '<mjml><mj-body><mj-nope /></mj-body></mjml>' },
      400,
      /htmlContent is not valid MJML/,
    ],
    [
      'an include',
      { ...email, htmlContent: '<mjml><mj-body><mj-include path="/etc/passwd" /></mj-body></mjml>' },
      400,
      /htmlContent/,
    ],
  ];

  it.each(cases)('%s', async (_name, body, status, error) => {
    const response = await client.post('/api/send', body);
    expect(response.body).toEqual(expect.objectContaining({ error: expect.stringMatching(error) }));
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await storedEmails()).toBe(0);
  });

  it('names every wrong field at once', async () => {
    const { body } = await client.post('/api/send', { to: 7, subject: 1 });
    expect((body.details as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'from',
      'htmlContent',
      'subject',
      'to',
    ]);
  });

  it('refuses a body that is not JSON with 415 and one above 30 MB with 413', async () => {
    const form = await client.post('/api/send', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form).toMatchObject({ status: 415, body: { error: expect.any(String) } });
    const huge = await client.post('/api/send', 'x'.repeat(30 * 1024 * 1024 + 1));
    expect(huge).toMatchObject({ status: 413, body: { error: expect.any(String) } });
  });

  it('returns 401 for every invalid key', async () => {
    for (const key of [
      '',
      'x',
      'mb_',
      `${client.apiKey}x`,
      client.apiKey.slice(0, -1),
      `mb_${'A'.repeat(12)}_${'B'.repeat(32)}`,
    ]) {
      const response = await client.post('/api/send', email, { 'x-api-key': key });
      expect(response).toMatchObject({ status: 401, body: { error: 'Invalid or missing API key' } });
    }
    const unknown = await client.get('/api/nothing/here');
    expect(unknown).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });
});
