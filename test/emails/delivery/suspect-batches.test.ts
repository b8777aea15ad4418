import { BatchRun } from '../../../src/emails/delivery/batch-run.js';
import { DeliverBatch } from '../../../src/emails/delivery/deliver-batch.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { ProviderInUse } from '../../../src/emails/delivery/provider-in-use.js';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import type { BatchDelivery, DeliveryOutcome } from '../../../src/providers/provider.js';
import { connectToTestRedis } from '../../support/connect-to-test-redis.js';
import {
  ACCEPTED,
  deliver,
  providerInUse,
  providerWorker,
  REFUSED,
  UNKNOWN,
  workerWith,
  type ProviderWorker,
} from './provider-worker.js';
import { noSingleSends } from '../../support/single-sends.js';

let redis: RedisConnection;
beforeAll(async () => void (redis = await connectToTestRedis()));
afterAll(() => redis.disconnect());
beforeEach(() => redis.flushdb());

function loaded(id: string): LoadedEmail {
  const address = 'reader@example.com';
  return {
    ...{ id, status: 'queued', dueInMs: 0, crashes: 0, isBodyGone: false, doubtfulProvider: null },
    ...{ shared: { messageId: 'm', variables: {} }, unsubscribe: true, baseUrl: null },
    message: { organizationId: 'acme', to: [{ address }], cc: [], bcc: [], envelopeRecipients: [address] },
  } as unknown as LoadedEmail;
}

interface Case {
  /** Of the calls of the job; all further ones are accepted. */
  readonly outcomes?: readonly DeliveryOutcome[];
  /** While the emails are rendered together for the first time. */
  readonly onRendering?: (worker: ProviderWorker) => Promise<void>;
  /** How long emails wait that go alone. */
  readonly waitMs?: number;
}

const EMAILS = Array.from({ length: 50 }, (_, n) => `email ${n}`);

/** Runs a job with 50 emails of a broadcast. @returns the number of emails in each call */
async function runJob(worker: ProviderWorker, { outcomes = [], onRendering, waitMs }: Case = {}) {
  const { providers } = worker;
  const calls: number[] = [];
  const outcomeOf = (emails: number) => outcomes[calls.push(emails) - 1] ?? ACCEPTED;
  let renders = 0;
  const rendering = {
    renderBatch: async (emails: readonly LoadedEmail[]) => {
      if (renders++ === 0) await onRendering?.(worker);
      return { recipients: emails.map((email) => ({ email })) };
    },
    renderEach: (emails: readonly LoadedEmail[]) => Promise.resolve(new Map(emails.map((email) => [email, undefined]))),
  };
  const provider = {
    fitting: (_: unknown, rendered: unknown) => rendered,
    deliverBatch: async (_: unknown, inUse: ProviderInUse, { recipients }: { recipients: readonly unknown[] }) => {
      const outcome = outcomeOf(recipients.length);
      await providers.note(inUse, outcome, 'acme');
      return outcome;
    },
  };
  const emails = { findBatch: (ids: readonly string[]) => Promise.resolve(ids.map(loaded)) };
  const leases = {
    begin: () => ({ suppressed: [], attempt: () => Promise.resolve(undefined) }),
    end: () => undefined,
  };
  const state = { release: () => Promise.resolve() };
  const parts = [emails, rendering, state, leases, provider, undefined, noSingleSends];
  const batch = new DeliverBatch(...(parts as unknown as ConstructorParameters<typeof DeliverBatch>));
  const slots = { take: () => Promise.resolve(true), free: () => undefined };
  const runInSlot = async () => waitMs ?? void (await deliver(worker, outcomeOf(1)));
  const organizations = { ownersOf: (ids: readonly string[]) => Promise.resolve(ids.map(() => undefined)) };
  const runParts = [slots, { runInSlot }, batch, undefined, providers, organizations, undefined];
  const run = new BatchRun(...(runParts as unknown as ConstructorParameters<typeof BatchRun>));
  return { ended: await run.run({ emailIds: EMAILS }, 0), calls };
}

async function callsOf(worker: ProviderWorker, given?: Case): Promise<readonly number[]> {
  const { ended, calls } = await runJob(worker, given);
  expect(ended).toEqual({ emailIds: [] });
  return calls;
}

const suspected = ({ providers, inUse }: ProviderWorker) => providers.note(inUse, UNKNOWN, 'acme');

const BATCH = { batch: { maxRecipients: 50 } as BatchDelivery };
let worker: ProviderWorker;
beforeEach(() => (worker = providerWorker(redis, BATCH)));

it('all emails go together while the provider is not suspect', async () => {
  expect(await callsOf(worker)).toEqual([50]);
});

it('one email shows that a suspect provider works, and the others go together', async () => {
  await suspected(worker);
  expect(await callsOf(worker)).toEqual([1, 49]);
});

it('the emails go alone, one after the other, until one is accepted', async () => {
  await suspected(worker);
  expect(await callsOf(worker, { outcomes: [UNKNOWN, REFUSED, ACCEPTED] })).toEqual([1, 1, 1, 47]);
});

it('the same if the provider becomes suspect while the emails are rendered', async () => {
  expect(await callsOf(worker, { onRendering: suspected })).toEqual([1, 49]);
});

it('refused together, the emails go alone: any one of them may be the cause', async () => {
  expect(await callsOf(worker, { outcomes: [REFUSED] })).toEqual([50, ...Array<number>(50).fill(1)]);
});

it('the job is put off if the first email has to wait', async () => {
  await suspected(worker);
  expect(await runJob(worker, { waitMs: 100 })).toEqual({ ended: { laterMs: 100, emailIds: EMAILS }, calls: [] });
});

it('while the first provider stays suspect, one email tests it, and the others go together through the next one', async () => {
  let tests = 0;
  const callWithoutEmail = () => Promise.resolve((tests++, UNKNOWN));
  const inUse = providerInUse(redis, 'smtp', { ...BATCH, callWithoutEmail });
  const several = { ...workerWith(redis, inUse, providerInUse(redis, 'other', BATCH)), inUse, pause: inUse.pause };
  await suspected(several);
  expect(await callsOf(several)).toEqual([1, 49]);
  expect({ tests, isSuspect: inUse.pause.failure.isSuspect }).toEqual({ tests: 1, isSuspect: true });
});
