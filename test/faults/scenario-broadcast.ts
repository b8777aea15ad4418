import { CANARIES } from './canaries.js';
import type { Clients } from './clients.js';
import type { SendRecord } from './client-history.js';
import { waitSeconds } from './actions.js';

/** Emails per recipient and minute: a broadcast takes a quarter of a minute, or longer on a slow machine. */
const PER_MINUTE = 4;
const TIMEOUT_MS = 600_000;
const SHARED_URL = 'https://shop.example/sale?a=1&b=2';

export interface Progress {
  readonly total: number;
  readonly queued: number;
  readonly sent: number;
  readonly failed: number;
  readonly canceled: number;
}

/** A broadcast of one scenario. For the invariants, each recipient is a send. */
export class ScenarioBroadcast {
  readonly records: readonly SendRecord[];
  private id = '';

  constructor(
    private readonly clients: Clients,
    recipients: number,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.records = Array.from({ length: recipients }, () => newRecipient(clients));
  }

  /** Sets a pace, so that the broadcast does not end before the faults. */
  async create(): Promise<void> {
    const { api, history } = this.clients;
    const shared = SHARED_URL.replaceAll('&', '&amp;');
    const { status, body } = await api.requestWithRetries('/api/broadcasts', {
      name: 'Broadcast',
      from: `Ada <${CANARIES.sender}@acme.example>`,
      subject: CANARIES.subject,
      htmlContent: `<p>${CANARIES.body} <a href="https://shop.example/{{ key }}">a</a> <a href="${shared}">a</a></p>`,
      campaignId: history.name,
      pace: this.records.length * PER_MINUTE,
    });
    if (status !== 201) throw new Error(`No broadcast: ${JSON.stringify(body)}`);
    this.id = String(body['id']);
  }

  /** Uploads recipients in ten calls. A call without a response is repeated: an address counts once. */
  async upload(afterFirst: () => void = () => undefined): Promise<void> {
    const size = Math.ceil(this.records.length / 10);
    for (let from = 0; from < this.records.length; from += size) {
      if (from === size) afterFirst();
      await this.add(this.records.slice(from, from + size));
    }
  }

  /** Repeats the request until it gets a response: a repetition changes nothing. */
  async move(name: 'send' | 'pause' | 'resume' | 'cancel'): Promise<void> {
    await this.clients.api.requestWithRetries(`/api/broadcasts/${this.id}/${name}`, {});
  }

  /** Sends one request, because the broadcast refuses it once it is canceled. */
  async tryMove(name: 'pause' | 'resume'): Promise<void> {
    await this.clients.api.request(`/api/broadcasts/${this.id}/${name}`, {});
  }

  /** Records that these recipients get an email. */
  accept(at: number, records = this.records): void {
    for (const { responses } of records) responses.push({ status: 202, at, milliseconds: 0 });
  }

  /** Records that these recipients get no email. */
  refuse(records: readonly SendRecord[]): void {
    for (const { responses } of records) responses.push({ status: 404, at: Date.now(), milliseconds: 0 });
  }

  async until(isReached: (progress: Progress) => boolean): Promise<{ status: string; progress: Progress }> {
    const deadline = performance.now() + this.timeoutMs;
    for (;;) {
      const { body } = await this.clients.api.requestWithRetries(`/api/broadcasts/${this.id}`);
      const found = body as unknown as { status: string; progress: Progress };
      if (isReached(found.progress) || performance.now() > deadline) return found;
      await waitSeconds(0.1);
    }
  }

  private async add(records: readonly SendRecord[]): Promise<void> {
    const { status, body } = await this.clients.api.requestWithRetries(`/api/broadcasts/${this.id}/recipients`, {
      recipients: records.map(({ key, message }) => ({
        to: message.to[0],
        variables: { key },
        metadata: { sendKey: key, note: CANARIES.metadata },
      })),
    });
    if (status !== 200) throw new Error(`No recipients: ${JSON.stringify(body)}`);
    for (const record of records) record.attempts++;
  }
}

/** One recipient, as a send for the invariants. */
function newRecipient({ history }: Clients): SendRecord {
  return history.addSend((key) => ({
    ...{ to: [`${CANARIES.reader}-${key.toLowerCase()}@example.com`], cc: [], bcc: [] },
    ...{ subject: CANARIES.subject, campaign: history.name },
    urls: [`https://shop.example/${key}`, SHARED_URL],
  }));
}
