import type { SendGridProvider } from '../../../src/providers/sendgrid/sendgrid-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import type { ScriptedStep } from '../../support/scripted-responses.js';
import { sendGridError, SendGridStub } from '../../support/sendgrid-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { NOW, providerAt } from './sendgrid-bench.js';

describe('responses of SendGrid', () => {
  let stub: SendGridStub;
  let provider: SendGridProvider;
  beforeEach(async () => {
    stub = await SendGridStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  async function outcomeOf(...scripted: ScriptedStep[]): Promise<unknown> {
    const email = outgoingEmail();
    for (const step of scripted) stub.scripts.add(email.emailId, step, 1);
    return provider.deliver(email, longDeadline(), claimed);
  }

  it.each([400, 406, 409, 411, 413, 415, 422, 451])('%i is refused permanently', async (status) => {
    expect(await outcomeOf(sendGridError(status, 'Something is wrong', 'subject'))).toEqual({
      kind: 'refused',
      reason: `SendGrid responded with ${status}: Something is wrong (subject)`,
    });
  });

  it.each([
    [301, 'retry'],
    [401, 'credential-refused'],
    [402, 'credential-refused'],
    [403, 'credential-refused'],
    [404, 'credential-refused'],
    [405, 'credential-refused'],
    [408, 'ambiguous'],
    [500, 'ambiguous'],
    [502, 'ambiguous'],
    [503, 'retry'],
    [504, 'ambiguous'],
    [520, 'ambiguous'],
  ])('%i is %s', async (status, kind) => {
    const headers = { Location: 'http://127.0.0.1:9/elsewhere' };
    expect(await outcomeOf({ ...sendGridError(status, 'x'), headers })).toMatchObject({ kind });
    expect(stub.requests).toHaveLength(1);
  });

  const IDENTITY = 'The from address does not match a verified Sender Identity. Mail cannot be sent';
  it.each([
    ['the field from', 'Unauthorized', 'from'],
    ['a part of the field from', 'Unauthorized', 'from.email'],
    ['the sender identity, without a field', IDENTITY, undefined],
    ['both', IDENTITY, 'from'],
  ])('403 that names %s refuses only this email', async (_, message, field) => {
    const reason = expect.stringContaining(message);
    expect(await outcomeOf(sendGridError(403, message, field))).toEqual({ kind: 'refused', reason, about: 'sender' });
  });

  it.each([
    ['access forbidden', undefined],
    ['too many requests from this address', 'authorization'],
    ['not allowed', 'fromage'],
  ])('403 that names no sender pauses the credential: %s', async (message, field) => {
    expect(await outcomeOf(sendGridError(403, message, field))).toMatchObject({ kind: 'credential-refused' });
  });

  const long = { message: 'x'.repeat(1_000_000), field: null, help: null };
  const sender = { message: 'Unauthorized', field: 'from', help: null };
  it.each([
    ['names the sender before its end', [sender, long], { kind: 'refused', about: 'sender' }],
    ['may name the sender after its end', [long, sender], { kind: 'retry' }],
    ['is one long message', [long], { kind: 'retry' }],
  ])('403 with a body that is too long to be read and %s holds no credential', async (_, errors, outcome) => {
    expect(await outcomeOf({ status: 403, body: JSON.stringify({ errors }) })).toMatchObject(outcome);
  });

  it('reads the complete errors of a body that is too long', async () => {
    expect(await outcomeOf({ status: 400, body: JSON.stringify({ errors: [sender, long] }) })).toEqual({
      kind: 'refused',
      reason: 'SendGrid responded with 400: Unauthorized (from)',
      about: 'sender',
    });
  });

  it('reports that a 400 is about the sender when it names the sender', async () => {
    const outcome = await outcomeOf(
      sendGridError(400, 'The from email does not contain a valid address', 'from.email'),
    );
    expect(outcome).toMatchObject({ kind: 'refused', about: 'sender' });
  });

  it('interprets a page of a gateway by its status', async () => {
    const page = `<html><head><title>413</title></head>${'<hr>'.repeat(30_000)}</html>`;
    for (const body of ['<html>nginx</html>', page]) {
      expect(await outcomeOf({ status: 413, body })).toEqual({
        kind: 'refused',
        reason: 'SendGrid responded with 413: Payload Too Large',
      });
    }
  });

  it('keeps reasons short and on one line', async () => {
    const outcome = (await outcomeOf(sendGridError(400, 'no\r\nway '.repeat(1000)))) as { reason: string };
    expect(outcome.reason).toMatch(/^SendGrid responded with 400: no way no way[^\r\n]*…$/);
    expect(outcome.reason.length).toBeLessThanOrEqual(500);
  });

  const seconds = NOW / 1000;
  it.each([
    ['reset in 20 s', { 'X-RateLimit-Reset': String(seconds + 20) }, 20_000],
    ['reset in the past', { 'X-RateLimit-Reset': String(seconds - 3600) }, 1000],
    ['reset in 2099', { 'X-RateLimit-Reset': '4070908800' }, 900_000],
    ['reset before Retry-After', { 'X-RateLimit-Reset': String(seconds + 20), 'Retry-After': '5' }, 20_000],
    ['nonsense, then Retry-After', { 'X-RateLimit-Reset': 'soon', 'Retry-After': '5' }, 5000],
    ['Retry-After as a date', { 'Retry-After': new Date(NOW + 90_000).toUTCString() }, 90_000],
    ['Retry-After 0', { 'Retry-After': '0' }, 1000],
    ['Retry-After -5', { 'Retry-After': '-5' }, 30_000],
    ['Retry-After 5.5', { 'Retry-After': '5.5' }, 30_000],
    ['Retry-After in 3000', { 'Retry-After': 'in 3000' }, 30_000],
    ['Retry-After of 400 digits', { 'Retry-After': '9'.repeat(400) }, 900_000],
    ['nonsense', { 'Retry-After': 'later' }, 30_000],
    ['nothing', {}, 30_000],
  ])('429 with %s pauses the credential', async (_, headers: Record<string, string>, pauseMs) => {
    const outcome = await outcomeOf({ ...sendGridError(429, 'too many requests'), headers });
    expect(outcome).toEqual({ kind: 'throttled', reason: 'SendGrid responded with 429: too many requests', pauseMs });
  });

  it('503 with Retry-After gives the time of the next attempt', async () => {
    const headers = { 'Retry-After': '7' };
    expect(await outcomeOf({ ...sendGridError(503, 'busy'), headers })).toMatchObject({ kind: 'retry', afterMs: 7000 });
  });
});
