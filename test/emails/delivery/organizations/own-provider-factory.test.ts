import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { OwnProviderFactory } from '../../../../src/emails/delivery/organizations/own-provider-factory.js';
import { readSettings } from '../../../../src/platform/config/settings.js';
import { GuardedSockets } from '../../../../src/platform/outbound-http/guarded-sockets.js';
import { SigningMemory } from '../../../../src/providers/smtp/signing-memory.js';
import { eventually } from '../../../support/eventually.js';
import { outgoingAttachment, outgoingEmail } from '../../../support/outgoing-email.js';
import { SmtpStub } from '../../../support/smtp-stub.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const dkim = { domain: 'acme.example', selector: 's', privateKey };

/** The SMTP providers of an organization with these URLs, and their IDs. */
async function providersAt(urls: readonly string[], environment: Record<string, string>) {
  const rows = urls.map((url) => ({
    ...{ id: randomUUID(), version: 1, type: 'smtp', weight: null, per_second: null },
    sealed_credentials: JSON.stringify({ url }),
  }));
  const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'mail.example' };
  const clock = { now: () => performance.now() };
  const factory = new OwnProviderFactory(
    { query: () => Promise.resolve(rows) } as never,
    { open: (sealed: string) => Buffer.from(sealed) } as never,
    { find: () => Promise.resolve({ id: 'domain', dkim }) } as never,
    undefined as never,
    new GuardedSockets(policy, () => Promise.resolve(['127.0.0.1'])),
    readSettings({ SMTP_URL: 'smtp://127.0.0.1:1', ...environment }),
    clock,
    clock,
    { defineCommand: () => undefined, eval: () => Promise.resolve([0, null, 0]) } as never,
    pino({ level: 'silent' }),
  );
  return { ids: rows.map(({ id }) => id), providers: (await factory.create('one', new SigningMemory()))! };
}

it('the SMTP providers of an organization share the memory in which messages are signed', async () => {
  const [first, second] = await Promise.all([SmtpStub.listen(), SmtpStub.listen()]);
  let release!: () => void;
  first.scripts.add('*', { phase: 'dot', after: new Promise<void>((resolve) => (release = resolve)) });
  const { ids, providers } = await providersAt([first.url, second.url], {
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
  });
  const deliverThrough = async (doubtfulProvider: string) => {
    // Its size alone decides how much memory it may need.
    const attachments = [{ ...outgoingAttachment(Buffer.from('x')), size: 40_000_000 }];
    const email = outgoingEmail({ organizationId: 'one', from: { address: 'a@acme.example' }, attachments });
    const outcome = await providers.deliver(
      { id: email.emailId, doubtfulProvider, providerOfOthers: null, message: { organizationId: 'acme' } },
      async ({ provider }, signal) => ({
        outcome: await provider.deliver(email, signal, () => Promise.resolve(true)),
        stays: false,
      }),
      60_000,
    );
    return outcome.kind;
  };
  try {
    const held = deliverThrough(ids[0]!);
    await eventually(() => first.received.length > 0);
    const waiting = deliverThrough(ids[1]!);
    await sleep(300);
    expect(second.received).toHaveLength(0);
    release();
    expect(await Promise.all([held, waiting])).toEqual(['accepted', 'accepted']);
  } finally {
    release();
    await providers.close();
    await Promise.all([first.close(), second.close()]);
  }
});

it('a server without a login that was stored before gets no mail', async () => {
  const server = await SmtpStub.listen();
  const { ids, providers } = await providersAt([server.url, server.url.replace('//', '//user:@')], {});
  try {
    for (const doubtfulProvider of ids) {
      const email = outgoingEmail({ organizationId: 'one', from: { address: 'a@acme.example' } });
      let reason: string | undefined;
      await providers.deliver(
        { id: email.emailId, doubtfulProvider, providerOfOthers: null, message: { organizationId: 'acme' } },
        async ({ provider }, signal) => {
          const outcome = await provider.deliver(email, signal, () => Promise.resolve(true));
          reason = outcome.kind === 'credential-refused' ? outcome.reason : outcome.kind;
          return { outcome, stays: true };
        },
        60_000,
      );
      expect(reason).toBe('The provider has no user and password: change its credentials');
    }
    expect(server.received).toHaveLength(0);
  } finally {
    await providers.close();
    await server.close();
  }
});
