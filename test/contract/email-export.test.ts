import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(async () => service?.stop());
beforeEach(async () => {
  client = await service.organization();
});

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Hi', htmlContent: '<p>x</p>' };

/** Stores many emails at once without sending them. */
async function track(count: number, fields: object = {}): Promise<void> {
  for (let n = 0; n < count; n++)
    expect((await client.post('/api/emails', { ...message, ...fields })).status).toBe(200);
}

async function exported(query = '', of = client): Promise<string[]> {
  const { status, headers, body } = await of.get<string>(`/api/emails/export${query}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="emails.csv"');
  return body.split('\r\n').slice(0, -1);
}

const HEADER =
  'id,trackingId,status,recipient,subject,campaign,tags,lastError,createdAt,sentAt,opens,clicks,peopleOpens,peopleClicks';

it('has a row for each email, with the same values as the list', async () => {
  await track(1, {
    subject: 'Hello, "Ada"',
    campaignId: 'Sale',
    tags: ['spring', 'vip'],
    to: ['a@x.example', 'b@x.example'],
  });
  const { body } = await client.get<{ emails: Record<string, string>[] }>('/api/emails');
  const { id, trackingId, createdAt, sentAt } = body.emails[0]!;
  expect(await exported()).toEqual([
    HEADER,
    `${id},${trackingId},tracked,"a@x.example, b@x.example","Hello, ""Ada""",Sale,spring vip,,${createdAt},${sentAt},0,0,0,0`,
  ]);
});

it('has the same tracking IDs as the list, even one that begins with a hyphen', async () => {
  await track(1);
  await service.database.query(`update emails set tracking_id = '-' || substr(tracking_id, 2)`);
  const [email] = (await client.get<{ emails: { trackingId: string }[] }>('/api/emails')).body.emails;
  expect(email!.trackingId).toMatch(/^-/);
  expect((await exported())[1]!.split(',')[1]).toBe(email!.trackingId);
});

it('covers all pages, newest first, and no email of another organization', async () => {
  await track(1);
  const [first] = (await client.get<{ emails: { id: string }[] }>('/api/emails')).body.emails;
  // Copies with new IDs; the list reads only these columns of the emails that it finds.
  await service.database.query(
    `with copies as (
       insert into emails select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(),
           'tracking_id', 'copy-' || n))).* from emails e, generate_series(1, 2500) n where e.id = $1 returning id)
     insert into email_contents select (jsonb_populate_record(c, jsonb_build_object('email_id', copies.id))).*
       from email_contents c, copies where c.email_id = $1`,
    [first!.id],
  );
  const ids = (await exported()).slice(1).map((line) => line.split(',')[0]!);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(ids).toHaveLength(2_501);
  expect(await exported('', await service.organization())).toEqual([HEADER]);
});

it('accepts the filters of the list', async () => {
  await track(2, { campaignId: 'Sale' });
  await track(1, { tags: ['vip'] });
  expect(await exported('?campaignId=Sale')).toHaveLength(3);
  expect(await exported('?tag=vip&status=tracked')).toHaveLength(2);
  expect(await exported('?campaignId=Unknown')).toEqual([HEADER]);
  const { status, body } = await client.get('/api/emails/export?status=lost');
  expect([status, body.error]).toEqual([400, expect.stringContaining('status must be one of')]);
});

it('escapes everything that a spreadsheet would run as a formula', async () => {
  await track(1, { subject: '=HYPERLINK("https://example.com")', campaignId: '+Sale' });
  const [, line] = await exported();
  expect(line).toContain(`,"'=HYPERLINK(""https://example.com"")",'+Sale,`);
});
