import { eventually } from '../../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../../support/service.js';

/*
 * Attachments as Resend's libraries for other languages than JavaScript send them: those for Python, Go and Ruby list
 * the bytes of a file, older ones for JavaScript send a Buffer as JSON writes it.
 */

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

function send(attachments: unknown, fields: object = {}): Promise<ApiResponse<{ id: string; message: string }>> {
  const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', text: 'T', attachments, ...fields };
  return client.post('/emails', email, { authorization: `Bearer ${client.apiKey}` });
}

async function sentContent(id: string): Promise<string> {
  const message = await eventually(() => service.mailServer.messages.find(({ emailId }) => emailId === id));
  return message.content.toString('latin1').replaceAll('\r\n', '');
}

it.each([
  ['a list of bytes', (bytes: Buffer) => [...bytes]],
  ['a Buffer as JSON', (bytes: Buffer) => bytes.toJSON()],
])('takes a file as %s', async (_, write) => {
  // More than the values that other bodies may have.
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_unused, index) => (index * 7) % 256));
  const { status, body } = await send([{ filename: 'a.pdf', content: write(bytes) }]);
  expect([status, body.message]).toEqual([200, undefined]);
  expect(await sentContent(body.id)).toContain(bytes.toString('base64'));
});

it('takes an empty file', async () => {
  const { status, body } = await send([
    { filename: 'a.csv', content: [] },
    { filename: 'b.csv', content: '' },
  ]);
  expect(status).toBe(200);
  expect((await client.get(`/api/emails/${body.id}`)).body).toMatchObject({ attachments: [{ size: 0 }, { size: 0 }] });
});

it('takes the older name of the ID of an inline image', async () => {
  const file = { filename: 'a.png', content: 'SGVsbG8=', inline_content_id: 'logo' };
  const { status, body } = await send([file], { html: '<img src="cid:logo">' });
  expect(status).toBe(200);
  expect((await client.get(`/api/emails/${body.id}`)).body).toMatchObject({ attachments: [{ contentId: 'logo' }] });
});

it.each([
  ['no byte', { content: [1, 256] }, /^attachments\.0\.content must/],
  ['a fraction', { content: [0.5] }, /^attachments\.0\.content must/],
  ['a text', { content: ['QQ=='] }, /^attachments\.0\.content must/],
  ['another object', { content: { type: 'File', data: [1] } }, /^attachments\.0\.content is required/],
  ['two IDs', { content: 'QQ==', content_id: 'a', inline_content_id: 'b' }, /^attachments\.0\.inline_content_id must/],
])('refuses %s', async (_, fields, message) => {
  const { status, body } = await send([{ filename: 'a', ...fields }]);
  expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
});

it('bounds the memory of a body with many values', async () => {
  const { status, body } = await send([{ filename: 'a', content: Array(300_000).fill(1) }]);
  expect([status, body.message]).toEqual([400, 'The body has too many values: at most 300000']);
  const large = { html: 'x'.repeat(25 * 1024 * 1024) };
  const both = await send([{ filename: 'a', content: Array(200_000).fill(1) }], large);
  expect([both.status, both.body.message]).toEqual([
    400,
    expect.stringMatching(/^The body has too many values: at most/),
  ]);
});
