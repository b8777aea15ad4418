import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

let service: TestService;
let client: TestClient;
let smtp: SubmissionClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { SUBMISSION_PORT: '0' } });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  client = await service.organization();
  smtp = new SubmissionClient(service, client);
});

const MINUTE_MS = 60_000;

/** Sends a message with these fields of its own, byte for byte. */
async function send(...fields: string[]): Promise<string> {
  const header = ['From: printer@acme.example', 'Subject: Paper is out', ...fields];
  const { code, text } = await smtp.send({
    envelope: { from: 'printer@acme.example', to: 'reader@example.com' },
    raw: `${header.join('\r\n')}\r\n\r\nTray 2\r\n`,
  });
  expect([code, text]).toEqual([250, expect.anything()]);
  return text;
}

async function emails(): Promise<number> {
  return (await client.get<{ emails: object[] }>('/api/emails')).body.emails.length;
}

const dateOf = (time: number): string => `Date: ${new Date(time).toUTCString().replace('GMT', '+0000')}`;

it('a message that arrives again is the same one, whatever the order of its recipients', async () => {
  const raw = 'From: a@acme.example\r\nMessage-ID: <order@acme.example>\r\nSubject: S\r\n\r\nx\r\n';
  const sendTo = (...to: string[]) => smtp.send({ envelope: { from: 'a@acme.example', to }, raw });
  const first = await sendTo('one@example.com', 'two@example.com');
  expect(await sendTo('two@example.com', 'one@example.com')).toEqual(first);
  expect(await emails()).toBe(2);
  expect((await sendTo('two@example.com')).code).toBe(250);
  expect(await emails()).toBe(3);
});

describe('the same bytes without a Message-ID', () => {
  it('are the same message if they have the same recent date', async () => {
    const date = dateOf(Date.now() - MINUTE_MS);
    expect(await send(date)).toBe(await send(date));
    expect(await emails()).toBe(1);
    await send(dateOf(Date.now() - 2 * MINUTE_MS));
    expect(await emails()).toBe(2);
  });

  it.each([
    ['without a date', []],
    ['with the date of a clock that stands still', [dateOf(0)]],
    ['with a date in two days', [dateOf(Date.now() + 48 * 60 * MINUTE_MS)]],
    ['with a date that is none', ['Date: today']],
  ])('are two messages %s', async (_, fields) => {
    await send(...fields);
    await send(...fields);
    expect(await emails()).toBe(2);
  });
});
