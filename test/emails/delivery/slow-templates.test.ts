import { randomBytes } from 'node:crypto';
import { BatchRun } from '../../../src/emails/delivery/batch-run.js';
import { DeliverBatch } from '../../../src/emails/delivery/deliver-batch.js';
import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import type { ProviderInUse } from '../../../src/emails/delivery/provider-in-use.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import { PreparedAhead } from '../../../src/emails/delivery/prepared-ahead.js';
import { SendRun } from '../../../src/emails/delivery/send-run.js';
import { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import { generateEmailTrackingId, TRACKING_ID_RANDOM_BYTES } from '../../../src/links/email-tracking-id.js';
import { SigningKeys } from '../../../src/links/signing-keys.js';
import { RenderingPool } from '../../../src/rendering/rendering-pool.js';
import { RenderingWaitError } from '../../../src/rendering/rendering-limit-error.js';
import { HOSTILE_TEMPLATES } from '../../rendering/hostile-templates.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { noSingleSends } from '../../support/single-sends.js';

type SendRunParts = ConstructorParameters<typeof SendRun> extends [...infer Parts, unknown] ? Parts : never;

/** An email whose ID begins with its organization. */
function loaded(id: string): LoadedEmail {
  const [organizationId] = id.split(' ');
  const address = 'reader@example.com';
  return {
    ...{ id, status: 'queued', dueInMs: 0, crashes: 0, isBodyGone: false, doubtfulProvider: null },
    ...{ shared: { messageId: organizationId, variables: {} }, unsubscribe: true, baseUrl: null },
    message: {
      organizationId,
      from: { address: 'a@acme.example' },
      to: [{ address }],
      cc: [],
      bcc: [],
      envelopeRecipients: [address],
    },
  } as unknown as LoadedEmail;
}

/** The threads render for `other` at once. Those of `slow` wait until the test ends their tasks. */
function batchWith() {
  const waiting: ((error?: Error) => void)[] = [];
  const turn = (emails: readonly LoadedEmail[]): Promise<void> =>
    emails[0]!.message.organizationId === 'other'
      ? Promise.resolve()
      : new Promise((resolve, reject) => waiting.push((error) => (error ? reject(error) : resolve())));
  const rendering = {
    renderEach: async (emails: readonly LoadedEmail[]) => {
      await turn(emails);
      return new Map(emails.map((email) => [email, () => ({})]));
    },
    renderBatch: async (emails: readonly LoadedEmail[]) => {
      await turn(emails);
      return { html: '', text: '', tags: [], recipients: emails.map((email) => ({ email })) };
    },
  };
  const emails = { findBatch: (ids: readonly string[]) => Promise.resolve(ids.map(loaded)) };
  const calls = { fitting: () => ({ recipients: [] }) };
  const unused = undefined as never;
  return {
    waiting,
    batch: new DeliverBatch(emails as never, rendering as never, unused, unused, calls as never, unused, noSingleSends),
  };
}
const providers = {} as DeliveryProviders;
const provider = { id: 'p', pause: { failure: { needsSingleEmails: false } } } as ProviderInUse;

describe('a job whose organization waits for rendering threads', () => {
  it('holds up no job of another one, whether its provider takes emails one by one or several', async () => {
    const { batch, waiting } = batchWith();
    const slow = [batch.prepare(['slow 1']), batch.run(providers, provider, ['slow 2']), batch.prepare(['slow 3'])];
    expect([...(await batch.prepare(['other 1', 'other 2'])).keys()]).toEqual(['other 1', 'other 2']);
    expect(await batch.run(providers, provider, ['other 3'])).toEqual(['other 3']);
    expect(waiting).toHaveLength(3);
    for (const end of waiting) end();
    expect([...((await slow[0]) as Map<string, unknown>).keys()]).toEqual(['slow 1']);
    await Promise.all(slow);
  });

  it('delivers none of its emails alone if the wait takes too long', async () => {
    const { batch, waiting } = batchWith();
    const slow = [batch.prepare(['slow 1']), batch.run(providers, provider, ['slow 2'])].map((job) =>
      expect(job).rejects.toThrow(RenderingWaitError),
    );
    await eventually(() => waiting.length === slow.length);
    for (const end of waiting) end(new RenderingWaitError());
    await Promise.all(slow);
  });

  it.each([true, false])(
    'is put off and gives its slot back (one call for several emails: %s)',
    async (takesSeveral) => {
      const { batch, waiting } = batchWith();
      let held = 0;
      const slots = { take: () => Promise.resolve(++held > 0), free: () => held-- };
      const chosen = {
        remainingMs: () => Promise.resolve(0),
        forBatch: () => Promise.resolve(takesSeveral ? provider : undefined),
      };
      const organizations = { ownersOf: (ids: readonly string[]) => Promise.resolve(ids.map(() => undefined)) };
      const log = new CapturedLog('warn', ['worker']);
      const unused = undefined as never;
      const run = new BatchRun(
        slots as never,
        unused,
        batch,
        unused,
        chosen as never,
        organizations as never,
        log.logger,
      );
      const job = run.run({ emailIds: ['slow 1', 'slow 2'] }, 0);
      await eventually(() => waiting.length === 1);
      expect(held).toBe(1);
      waiting[0]!(new RenderingWaitError());
      expect(await job).toEqual({ laterMs: 2_000, emailIds: ['slow 1', 'slow 2'] });
      expect([held, log.text]).toEqual([0, '']);
    },
  );
});

describe('an email whose organization waits for rendering threads', () => {
  /** Runs a job with one slot. @param isFree whether the slot is free at first */
  async function runJob(isFree: boolean) {
    let held = 0;
    const slots = { tryTake: () => isFree && ++held > 0, take: () => Promise.resolve(++held > 0), free: () => held-- };
    const wait = () => Promise.reject(new RenderingWaitError());
    const delivery = { run: wait, prepareAhead: wait };
    const organizations = { ownersOf: () => Promise.resolve([undefined]) };
    const available = { remainingMs: () => Promise.resolve(0) };
    const ahead = new PreparedAhead(delivery as never, { WORKER_CONCURRENCY: 1 });
    const log = new CapturedLog('warn', ['worker']);
    const parts = [
      slots,
      ahead,
      delivery,
      available,
      organizations,
      undefined,
      noSingleSends,
    ] as unknown as SendRunParts;
    const run = new SendRun(...parts, log.logger);
    // A second one finds the same.
    const results = [await run.run({ emailId: 'slow 1' }, 0), await run.run({ emailId: 'slow 2' }, 0)];
    expect(log.text).toBe('');
    return { results, held };
  }

  it('is put off and gives its slot back', async () => {
    expect(await runJob(true)).toEqual({ results: [2_000, 2_000], held: 0 });
  });

  it('is put off without a slot if it waits for both', async () => {
    expect(await runJob(false)).toEqual({ results: [2_000, 2_000], held: 0 });
  });
});

it('emails wait only for a while behind other documents of their organization', async () => {
  const pool = new RenderingPool({ maxThreads: 2 });
  let hasGone = false;
  let ended = 0;
  const html = HOSTILE_TEMPLATES['an array inside itself']!.html;
  const stuck = Array.from({ length: 20 }, () =>
    pool
      .renderMessage(
        { source: { subject: 's', html, text: null }, variables: {}, now: 0 },
        { organizationId: 'slow', mayBeRefused: false, hasGone: () => hasGone },
      )
      .catch(() => ended++),
  );
  const keys = { current: new SigningKeys([{ id: 1, secret: randomBytes(32) }]) };
  const messages = { find: () => Promise.resolve({ subject: 'S', html: '<p>Hi {{ name }}</p>', text: null }) };
  const settings = { BASE_URL: 'http://track.test' };
  const rendering = new EmailRendering(pool, keys as never, messages as never, settings as never);
  const email = {
    ...loaded('slow 1'),
    trackingId: generateEmailTrackingId(keys.current, randomBytes(TRACKING_ID_RANDOM_BYTES)),
    createdAt: new Date(),
  };
  await expect(rendering.renderBatch([email])).rejects.toThrow(RenderingWaitError);
  await expect(rendering.render(email)).rejects.toThrow(RenderingWaitError);
  // One after the other, they take two seconds each.
  expect(ended).toBeLessThan(20);
  hasGone = true;
  await Promise.all(stuck);
  expect(await rendering.renderBatch([email])).toBeDefined();
  expect(await rendering.render(email)).toBeDefined();
  await pool.close();
});
