import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { signReturnPath } from '../../src/links/return-path.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { deliveryStatus, feedbackReport, mail } from '../events/feedback/smtp/written-notifications.js';
import { EventIntake } from '../support/event-intake.js';
import type { TestService } from '../support/service.js';

const PATH = '/api/providers/smtp/bounces';
const DOMAIN = 'bounces.example.com';
const SECRET = 'k7Jx2mQv9sLw4nTz';
const GONE = 'Final-Recipient: rfc822; reader@example.net\nAction: failed\nStatus: 5.1.1';

let intake: EventIntake;
let service: TestService;
let emailTrackingId: string;
let address: string;

beforeAll(async () => {
  intake = await EventIntake.start({ BOUNCE_DOMAIN: DOMAIN, BOUNCE_INTAKE_SECRET: SECRET });
  service = intake.service;
  const keys = await loadSigningKeys(service.database);
  emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(7));
  address = signReturnPath(keys, { emailTrackingId, position: 1 }, DOMAIN);
});
beforeEach(() => intake.empty());
afterAll(() => intake?.stop());

const LOGIN = { authorization: `Bearer ${SECRET}`, 'content-type': 'message/rfc822' };

async function post(
  raw: Buffer,
  headers: Record<string, string> = LOGIN,
  to = service.address,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(to + PATH, { method: 'POST', headers, body: new Uint8Array(raw) });
  return { status: response.status, body: await response.json() };
}

function to(recipient: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`Delivered-To: ${recipient}\r\n`), raw]);
}

const stored = () => intake.stored();

describe('POST /api/providers/smtp/bounces', () => {
  it('stores the bounce for the recipient of its token, with the same ID each time', async () => {
    const bounce = to(address, deliveryStatus(GONE));
    expect(await post(bounce)).toEqual({ status: 200, body: { result: 'stored' } });
    expect(await post(bounce)).toEqual({ status: 200, body: { result: 'stored' } });
    const [first, again] = await stored();
    expect(first).toMatchObject({ email: emailTrackingId, recipient: 1, fact: 'bounced', bounce: 'hard' });
    expect(again).toEqual(first);
  });

  it('finds the token in an abuse report that hides the address', async () => {
    const report = feedbackReport(`Feedback-Type: abuse\nOriginal-Mail-From: <${address}>`);
    expect(await post(report)).toEqual({ status: 200, body: { result: 'stored' } });
    expect(await stored()).toMatchObject([{ email: emailTrackingId, recipient: 1, fact: 'complained' }]);
  });

  it('ignores an autoreply', async () => {
    const vacation = mail({ To: address, 'Auto-Submitted': 'auto-replied' }, 'I am away');
    expect(await post(vacation)).toEqual({ status: 200, body: { result: 'ignored' } });
    expect(await stored()).toEqual([]);
  });

  it('refuses a message with an invalid token, or without one: 422', async () => {
    const wrong = address.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'));
    for (const raw of [to(wrong, deliveryStatus(GONE)), deliveryStatus(GONE), Buffer.alloc(0)]) {
      expect((await post(raw)).status).toBe(422);
    }
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['no secret', {}],
    ['a wrong secret', { authorization: 'Bearer wrong' }],
    ['the beginning of the secret', { authorization: `Bearer ${SECRET.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${SECRET}` }],
    ['an API key', { 'x-api-key': SECRET }],
  ])('refuses %s: 401', async (_, headers) => {
    const response = await post(to(address, deliveryStatus(GONE)), { 'content-type': 'message/rfc822', ...headers });
    expect(response).toEqual({ status: 401, body: { error: 'Invalid or missing bearer token' } });
    expect(await stored()).toEqual([]);
  });

  it('responds 401 before the body is read', async () => {
    const headers = { 'content-type': 'message/rfc822', 'content-length': '1000000' };
    const unfinished = request(service.address + PATH, { method: 'POST', headers });
    unfinished.flushHeaders();
    const [response] = (await once(unfinished, 'response')) as [IncomingMessage];
    unfinished.on('error', () => undefined).destroy();
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="Mailbeacon"');
  });

  it('accepts only message/rfc822, up to 1 MB', async () => {
    const bounce = to(address, deliveryStatus(GONE));
    for (const type of ['application/json', 'text/plain', 'text/csv'])
      expect((await post(bounce, { ...LOGIN, 'content-type': type })).status).toBe(415);
    const large = Buffer.concat([bounce, Buffer.alloc(1024 * 1024, 'x')]);
    expect((await post(large)).status).toBe(413);
    expect((await post(large.subarray(0, 1024 * 1024))).status).toBe(200);
    const other = await fetch(`${service.address}/api/providers/sendgrid/events`, {
      method: 'POST',
      headers: { 'content-type': 'message/rfc822' },
      body: 'x',
    });
    expect(other.status).toBe(404);
  });

  it('does not exist without BOUNCE_INTAKE_SECRET: 404', async () => {
    await intake.besideOneWithout(async (other) => {
      expect((await post(deliveryStatus(GONE), LOGIN, other.address)).status).toBe(404);
    });
  });
});
