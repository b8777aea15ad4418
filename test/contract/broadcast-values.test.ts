import { simpleParser } from 'mailparser';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

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

/** Sends a broadcast to one recipient, and returns the settled email. */
async function sentTo(variables: object, message: object): Promise<EmailDetail> {
  const id = await broadcasts.create(message);
  await broadcasts.add(id, [{ to: 'ada@readers.example', variables }]);
  await client.post(`/api/broadcasts/${id}/send`);
  await broadcasts.settled(id, 'sent');
  const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails');
  return (await client.get<EmailDetail>(`/api/emails/${body.emails[0]!.id}`)).body;
}

it('is sent with lone surrogates and NUL characters of its template replaced', async () => {
  const { status, subject, links } = await sentTo(
    { name: 'Ada' },
    {
      subject: 'For {{ "\\ud83d" }}{{ name }}',
      htmlContent: '<a href="https://shop.example/{{ "\\ud83d" }}{{ name }}">{{ "\\u0000" }}</a>',
    },
  );
  expect([status, subject]).toEqual(['sent', 'For \ufffdAda']);
  expect(links.map(({ originalUrl }) => originalUrl)).toEqual(['https://shop.example/\ufffdAda']);
});

it('is sent with the longest name and subject that a draft accepts, in letters of every script', async () => {
  const longest = { name: '🙂'.repeat(200), subject: `${'🙂'.repeat(980)}{{ name }}` };
  const { status, subject, campaign } = await sentTo({ name: 'A' }, longest);
  expect([status, subject, campaign]).toEqual(['sent', `${'🙂'.repeat(980)}A`, longest.name]);
});

it.each(['{{ name }}', '{{ name | upcase }}'])('fails at once with the reason if %s has no text', async (output) => {
  const { status, lastError } = await sentTo({ name: { toString: 1 } }, { htmlContent: `<p>${output}</p>` });
  expect([status, lastError]).toEqual(['failed', expect.stringMatching(/^The template fails: line 1, column 4: /)]);
});

it.each([
  { htmlContent: '{{ body }}' },
  { htmlContent: '{% if body %}{{ body }}{% endif %}', textContent: '{{ body }}' },
])('is not sent without any content: %j', async (message) => {
  const { status, lastError } = await sentTo({}, message);
  expect([status, lastError]).toEqual(['failed', expect.stringMatching(/: the message is empty$/)]);
});

it('gets the text of its HTML if its own is empty', async () => {
  const { id } = await sentTo({}, { htmlContent: '<p>Hello</p>', textContent: '{{ body }}' });
  const [message] = service.mailServer.messages.filter(({ emailId }) => emailId === id);
  expect(message!.content.toString()).toContain('Content-Type: text/plain');
  expect((await simpleParser(message!.content)).text?.trim()).toBe('Hello');
});

it.each([
  ['an encoded word', '=?utf-8?{{ name }}?SGVsbG8=?=', 'b'],
  ['letters in another order', 'Your invoice {{ name }}', '\u202efdp.exe'],
])('is not sent with a subject that mail clients show as %s', async (_, subject, name) => {
  const { status, lastError } = await sentTo({ name }, { subject });
  expect([status, lastError]).toEqual(['failed', expect.stringMatching(/^The subject must /)]);
});
