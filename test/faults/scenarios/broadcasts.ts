import { CANARIES } from '../canaries.js';
import type { Clients } from '../clients.js';
import type { SendRecord } from '../ledger.js';
import { during } from '../moves.js';
import type { Scenario, Stage } from '../scenario.js';

/** Recipients of one call. */
const CALL = 100;
/** Emails per recipient and minute: it takes a quarter of a minute, or longer where the machine is slower. */
const PER_MINUTE = 4;
const PATIENCE_MS = 600_000;
const SHARED_URL = 'https://shop.example/sale?a=1&b=2';

/**
 * A broadcast while processes of every role are killed: during the upload, while recipients become emails, while they
 * are delivered, and around a pause. Each recipient counts as a request of its own for the laws: its email is stored
 * once, accepted once, counted once.
 */
export function broadcastKilled(recipients: number, id: string): Scenario {
  return {
    id,
    fault: `a broadcast to ${recipients} whose workers, APIs and flushers are killed -9, paused and resumed`,
    withinMs: 180_000,
    allowance: { failures: 'unknown' },
    async inject(stage) {
      const { plant, clients, expect, note } = stage;
      const killing = new Killing(stage);
      const records = Array.from({ length: recipients }, () => addressee(clients));
      const broadcast = await create(clients, recipients * PER_MINUTE);
      for (let from = 0; from < recipients; from += CALL) {
        if (from === CALL) killing.begin([plant.apis, plant.workers, plant.apis, plant.flushers]);
        await add(clients, broadcast, records.slice(from, from + CALL));
      }
      const sentAt = Date.now();
      await clients.api.insist(`/api/broadcasts/${broadcast}/send`, {});
      for (const { responses } of records) responses.push({ status: 202, at: sentAt, milliseconds: 0 });
      killing.begin([plant.workers, plant.apis, plant.workers]);
      await progressOf(clients, broadcast, ({ sent }) => sent > recipients / 4);
      await clients.api.insist(`/api/broadcasts/${broadcast}/pause`, {});
      killing.begin([plant.workers]);
      await clients.api.insist(`/api/broadcasts/${broadcast}/resume`, {});
      const kills = await killing.end();
      const { status, progress } = await progressOf(clients, broadcast, ({ queued }) => queued === 0);
      expect(`the broadcast is ${status}, with ${JSON.stringify(progress)}`, progress.sent === recipients);
      note(`${kills} processes killed`);
    },
  };
}

/** Kills processes of the given roles, one after the other, and starts each again. */
class Killing {
  private underWay: Promise<void> = Promise.resolve();
  private kills = 0;

  constructor(private readonly stage: Stage) {}

  begin(roles: readonly Stage['plant']['workers'][]): void {
    this.underWay = this.underWay.then(async () => {
      for (const processes of roles) {
        const victim = processes[this.kills++ % processes.length]!;
        await during(0.3);
        await victim.kill();
        await victim.start();
      }
    });
    this.underWay.catch((error: unknown) => this.stage.expect(`killed processes start again: ${String(error)}`, false));
  }

  async end(): Promise<number> {
    await this.underWay;
    return this.kills;
  }
}

/** One recipient, as the laws look at it. */
function addressee({ ledger }: Clients): SendRecord {
  return ledger.newSend((key) => ({
    ...{ to: [`${CANARIES.reader}-${key.toLowerCase()}@example.com`], cc: [], bcc: [] },
    ...{ subject: CANARIES.subject, campaign: ledger.name },
    urls: [`https://shop.example/${key}`, SHARED_URL],
  }));
}

/** @param pace so that it is not over before the faults are */
async function create({ api, ledger }: Clients, pace: number): Promise<string> {
  const shared = SHARED_URL.replaceAll('&', '&amp;');
  const { status, body } = await api.insist('/api/broadcasts', {
    name: 'Broadcast',
    from: `Ada <${CANARIES.sender}@acme.example>`,
    subject: CANARIES.subject,
    htmlContent: `<p>${CANARIES.body} <a href="https://shop.example/{{ key }}">a</a> <a href="${shared}">a</a></p>`,
    campaignId: ledger.name,
    pace,
  });
  if (status !== 201) throw new Error(`No broadcast: ${JSON.stringify(body)}`);
  return String(body['id']);
}

/** An upload that is not answered is repeated: an address counts once. */
async function add({ api }: Clients, broadcast: string, records: readonly SendRecord[]): Promise<void> {
  const { status, body } = await api.insist(`/api/broadcasts/${broadcast}/recipients`, {
    recipients: records.map(({ key, message }) => ({
      to: message.to[0],
      variables: { key },
      metadata: { ledger: key, note: CANARIES.metadata },
    })),
  });
  if (status !== 200) throw new Error(`No recipients: ${JSON.stringify(body)}`);
  for (const record of records) record.tries++;
}

interface Progress {
  readonly queued: number;
  readonly sent: number;
}

async function progressOf(
  { api }: Clients,
  broadcast: string,
  isThere: (progress: Progress) => boolean,
): Promise<{ status: string; progress: Progress }> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await api.insist(`/api/broadcasts/${broadcast}`);
    const found = body as unknown as { status: string; progress: Progress };
    if (isThere(found.progress) || performance.now() > giveUpAt) return found;
    await during(0.1);
  }
}
