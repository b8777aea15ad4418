import { eventually } from '../../support/eventually.js';
import { ScenarioBroadcast, type Progress } from '../scenario-broadcast.js';
import { waitSeconds } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';
import { flushAll } from './redis-outages.js';
import { SuccessiveKills } from './successive-kills.js';

const WITHIN_MS = 180_000;

/**
 * Processes of every role are killed during a broadcast: while recipients are uploaded, become emails and are
 * delivered, and around a pause. Each recipient's email is stored, accepted and counted once.
 */
export function broadcastKilled(recipients: number, id: string): Scenario {
  return {
    id,
    fault: `a broadcast to ${recipients} whose workers, APIs and flushers are killed -9, paused and resumed`,
    withinMs: WITHIN_MS,
    allowance: { failures: 'unknown' },
    async inject(context) {
      const { testbed, clients, note } = context;
      const kills = new SuccessiveKills(context);
      const broadcast = new ScenarioBroadcast(clients, recipients);
      await broadcast.create();
      await broadcast.upload(() => kills.begin([testbed.apis, testbed.workers, testbed.apis, testbed.flushers]));
      await broadcast.move('send');
      kills.begin([testbed.workers, testbed.apis, testbed.workers]);
      await broadcast.until(({ sent }) => sent > recipients / 4);
      await broadcast.move('pause');
      kills.begin([testbed.workers]);
      await broadcast.move('resume');
      const killed = await kills.end();
      await expectAllSent(context, broadcast);
      note(`${killed} processes killed`);
    },
  };
}

/** Jobs are lost while emails wait for a worker and while recipients become emails. */
export function broadcastFlushed(recipients: number, id: string, timeoutMs?: number): Scenario {
  return {
    id,
    fault: `FLUSHALL twice during a broadcast to ${recipients}`,
    withinMs: WITHIN_MS,
    async inject(context) {
      const broadcast = await startBroadcast(context, recipients, timeoutMs);
      for (const part of [10, 2]) {
        await broadcast.until(({ sent }) => sent > recipients / part);
        await throttle(context);
        for (const event of await flushAll(context.testbed)) context.clients.history.destroyedEvents.add(event);
      }
      await expectAllSent(context, broadcast);
      context.note(
        `${context.clients.history.destroyedEvents.size} events were only in the stream when Redis was flushed`,
      );
    },
  };
}

/** The provider requests a pause, so that jobs wait in Redis. Otherwise workers take each at once. */
async function throttle({ testbed }: ScenarioContext): Promise<void> {
  const { scripts } = testbed.sendGrid;
  const { played } = scripts;
  scripts.add('*', { status: 429, headers: { 'retry-after': '3' }, body: {} }, 1);
  await eventually(() => scripts.played > played, 30_000);
  await waitSeconds(1);
}

/** The crash interrupts steps, claims and outcomes before and after their commit. */
export function broadcastWithoutPostgres(recipients: number, id: string, timeoutMs?: number): Scenario {
  return {
    id,
    fault: `Postgres crashes during a broadcast to ${recipients} and is back after 3 s, twice`,
    withinMs: WITHIN_MS,
    async inject(context) {
      const { postgres } = context.testbed;
      const broadcast = await startBroadcast(context, recipients, timeoutMs);
      for (const part of [10, 2]) {
        await broadcast.until(({ sent }) => sent > recipients / part);
        await postgres.stop('immediate');
        await waitSeconds(3);
        await postgres.start();
      }
      await expectAllSent(context, broadcast);
    },
  };
}

const PAUSES = 4;

/**
 * Pauses and resumptions race with the workers, and a cancellation with both. No recipient gets an email while
 * the broadcast is paused. In the end each recipient has got one email, or none and counts as canceled.
 */
export function broadcastCanceled(recipients: number, id: string, timeoutMs?: number): Scenario {
  let broadcast: ScenarioBroadcast;
  let progress: Progress;
  return {
    id,
    fault: `a broadcast to ${recipients} paused and resumed ${PAUSES} times and then canceled while workers send it`,
    withinMs: WITHIN_MS,
    async inject(context) {
      const { testbed, expect } = context;
      broadcast = await startBroadcast(context, recipients, timeoutMs);
      for (let pause = 1; pause <= PAUSES; pause++) {
        await broadcast.until(({ sent }) => sent > (recipients * pause) / (2 * PAUSES));
        await broadcast.move('pause');
        await waitSeconds(1);
        const before = testbed.sendGrid.messages.length;
        await waitSeconds(1);
        const after = testbed.sendGrid.messages.length;
        expect(`no recipient gets an email a second after pause ${pause}: ${after - before} did`, after === before);
        await broadcast.move('resume');
      }
      // A pause or a resumption may come before the cancellation or be refused after it.
      await Promise.all([
        broadcast.tryMove('pause'),
        broadcast.tryMove('resume'),
        broadcast.move('cancel'),
        broadcast.tryMove('pause'),
      ]);
      const ended = await broadcast.until(({ queued }) => queued === 0);
      progress = ended.progress;
      const { sent, failed, canceled } = progress;
      expect(`the broadcast is ${ended.status}`, ended.status === 'canceled');
      expect(`every recipient is counted: ${JSON.stringify(progress)}`, sent + failed + canceled === recipients);
      expect('some recipients got an email and some did not', sent > 0 && canceled > 0);
      await recordRecipientsWithoutEmail(context, broadcast, progress);
      context.note(`${sent} sent, ${canceled} canceled`);
    },
  };
}

/** Compares the progress of the broadcast with the stored emails. The invariants compare these with the provider. */
async function recordRecipientsWithoutEmail(
  { testbed, expect }: ScenarioContext,
  broadcast: ScenarioBroadcast,
  progress: Progress,
): Promise<void> {
  const rows = await testbed.database.query<{ key: string; status: string }>(
    `select c.metadata ->> 'sendKey' as key, e.status from emails e join email_contents c on c.email_id = e.id
      where c.metadata ->> 'sendKey' = any($1::text[])`,
    [broadcast.records.map(({ key }) => key)],
  );
  const stored = new Set(rows.map(({ key }) => key));
  broadcast.accept(
    Date.now(),
    broadcast.records.filter(({ key }) => stored.has(key)),
  );
  broadcast.refuse(broadcast.records.filter(({ key }) => !stored.has(key)));
  const withEmail = rows.filter(({ status }) => status === 'canceled').length;
  const without = broadcast.records.length - stored.size;
  expect(
    `${progress.canceled} are canceled: ${withEmail} have an email, ${without} none`,
    progress.canceled === withEmail + without,
  );
  expect(`${progress.sent} are sent`, progress.sent === rows.filter(({ status }) => status === 'sent').length);
}

/** Creates a broadcast and starts to send it. */
async function startBroadcast(
  context: ScenarioContext,
  recipients: number,
  timeoutMs?: number,
): Promise<ScenarioBroadcast> {
  const broadcast = new ScenarioBroadcast(context.clients, recipients, timeoutMs);
  await broadcast.create();
  await broadcast.upload();
  await broadcast.move('send');
  return broadcast;
}

async function expectAllSent({ expect }: ScenarioContext, broadcast: ScenarioBroadcast): Promise<void> {
  broadcast.accept(Date.now());
  const { status, progress } = await broadcast.until(({ queued }) => queued === 0);
  const isComplete = progress.sent === broadcast.records.length;
  expect(`the broadcast is ${status}, with ${JSON.stringify(progress)}`, isComplete);
}
