import type { Sql } from '../../src/platform/database/database.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

let service: TestService;
let client: TestClient;
let smtp: SubmissionClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { SUBMISSION_PORT: '0', PLANS: 'free=1,pro=' } });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  client = await service.organization('free');
  smtp = new SubmissionClient(service, client);
});

const inCampaign = (campaign: string) => ({
  from: 'ada@acme.example',
  to: ['one@example.com', 'two@example.com'],
  subject: 'S',
  text: 'x',
  headers: { 'X-Mailbeacon-Campaign': campaign },
});

async function createCampaign(): Promise<string> {
  return String((await client.post('/api/campaigns', { name: 'Spring' })).body.id);
}

const archive = (id: string) => async (sql: Sql) => {
  await sql.query('select from campaigns where id = $1 for update', [id]);
  await sql.query('update campaigns set archived_at = now() where id = $1', [id]);
};

async function stored(): Promise<number> {
  return (await client.get<{ emails: object[] }>('/api/emails')).body.emails.length;
}

const IS_ARCHIVED = { code: 554, text: expect.stringMatching(/ 5\.6\.0 .*archived campaign/) };

describe('a message over SMTP is refused with the reason', () => {
  it('if its campaign is archived', async () => {
    await archive(await createCampaign())(service.database);
    expect(await smtp.send(inCampaign('Spring'))).toMatchObject(IS_ARCHIVED);
    expect(await stored()).toBe(0);
  });

  it('if its campaign is archived meanwhile', async () => {
    let reply: Promise<object> | undefined;
    await whileLocked(service.database, archive(await createCampaign()), async () => {
      reply = smtp.send(inCampaign('Spring'));
      await lockedOut(service.database, 1);
    });
    expect(await reply).toMatchObject(IS_ARCHIVED);
    expect(await stored()).toBe(0);
  });

  it('if its plan allows no other campaign', async () => {
    await createCampaign();
    const text = expect.stringMatching(/ 5\.7\.1 The plan free allows 1 active campaigns/);
    expect(await smtp.send(inCampaign('Autumn'))).toMatchObject({ code: 550, text });
    expect(await stored()).toBe(0);
  });
});
