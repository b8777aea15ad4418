import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { DeliveryProvider } from '../../../src/providers/provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt as mailgun } from '../mailgun/mailgun-bench.js';
import { providerAt as postmark } from '../postmark/postmark-bench.js';
import { providerAt as resend } from '../resend/resend-bench.js';
import { providerAt as sendGrid } from '../sendgrid/sendgrid-bench.js';
import { providerAt as ses } from '../ses/ses-bench.js';

const PAGE = '\n<!doctype html><title>Welcome</title>';

let server: Server;
let response: { status: number; headers?: Record<string, string>; body: string | Buffer };
let url: string;
let provider: DeliveryProvider;
beforeAll(async () => {
  server = createServer((request, reply) => {
    request.resume().once('end', () => reply.writeHead(response.status, response.headers).end(response.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => provider.close());
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe.each<[string, (at: string) => DeliveryProvider]>([
  ['SendGrid', (at) => sendGrid(at)],
  ['Postmark', (at) => postmark(at)],
  ['Mailgun', (at) => mailgun(at)],
  ['Resend', (at) => resend(at)],
  ['SES', (at) => ses(at)],
])('a page instead of the response of %s', (_, providerAt) => {
  it.each([
    [200, 'ambiguous'],
    [400, 'retry'],
  ])('with the status %d neither accepts nor refuses an email', async (status, kind) => {
    response = { status, body: PAGE };
    provider = providerAt(url);
    expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe(kind);
    expect((await provider.callWithoutEmail!(longDeadline())).kind).toBe(kind);
  });
});

it.each<[string, (at: string) => DeliveryProvider]>([
  ['Postmark', (at) => postmark(at)],
  ['Mailgun', (at) => mailgun(at)],
  ['Resend', (at) => resend(at)],
  ['SES', (at) => ses(at)],
])('JSON of %s with an encoding that does not change it is read', async (_, providerAt) => {
  const body = JSON.stringify({ id: 'x7', MessageID: 'x7', MessageId: 'x7' });
  for (const encoding of ['Identity', 'utf-8']) {
    response = { status: 200, headers: { 'Content-Encoding': encoding }, body };
    await provider?.close();
    provider = providerAt(url);
    const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toMatchObject({ kind: 'accepted', providerId: 'x7' });
  }
});

it('a refusal in an encoding that nobody asked for, and that may be about one sender, does not pause other mail', async () => {
  const body = gzipSync(JSON.stringify({ errors: [{ message: 'not a verified Sender Identity', field: 'from' }] }));
  response = { status: 403, headers: { 'Content-Encoding': 'gzip' }, body };
  provider = sendGrid(url);
  expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('retry');
});
