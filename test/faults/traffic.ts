import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTasks } from './background-tasks.js';
import type { Clients, TrackedEmail } from './clients.js';

export interface Rates {
  readonly sendsPerSecond: number;
  readonly hitsPerSecond: number;
}

export const USUAL_RATES: Rates = { sendsPerSecond: 15, hitsPerSecond: 40 };

const TICK_MS = 50;
/** No request starts while this many wait for a response: a growing backlog would be a fault of its own. */
const MAX_IN_PROGRESS = 60;
/** One of this many sends fails and is retried, and one of this many archives a campaign. */
const SENDS_PER_RETRY = 14;
const SENDS_PER_ARCHIVE = 40;
/** Hits go to the latest emails, so that no email gets more hits than readers cause. */
const MAX_READ_EMAILS = 60;

/** Sends, opens, clicks, retries and archives at a steady rate, until `stop`. */
export class Traffic {
  private readonly inProgress = new Set<Promise<unknown>>();
  private readonly deliveredEmails: TrackedEmail[];
  private readonly backgroundTasks: BackgroundTasks;
  private isRunning = true;
  private readonly loop: Promise<void>;

  constructor(
    private readonly clients: Clients,
    deliveredEmails: readonly TrackedEmail[],
    rates: Rates,
    refuseOnce: (address: string) => void,
  ) {
    this.deliveredEmails = [...deliveredEmails];
    this.backgroundTasks = new BackgroundTasks(clients, refuseOnce);
    this.loop = this.run(rates);
  }

  /** Starts no further request, and resolves when every request has its response or was abandoned. */
  async stop(): Promise<void> {
    this.isRunning = false;
    await this.loop;
    await Promise.all(this.inProgress);
  }

  private async run({ sendsPerSecond, hitsPerSecond }: Rates): Promise<void> {
    const startedAt = performance.now();
    let [sends, hits] = [0, 0];
    while (this.isRunning) {
      const seconds = (performance.now() - startedAt) / 1_000;
      for (; sends < seconds * sendsPerSecond; sends++) this.nextSend(sends);
      for (; hits < seconds * hitsPerSecond; hits++) this.ask(() => this.clients.hit(this.pathFor(hits)));
      await delay(TICK_MS);
    }
  }

  /** Does not wait for background tasks: they may wait for what the fault delays. */
  private nextSend(number: number): void {
    if (number % SENDS_PER_RETRY === 2) void this.backgroundTasks.retryFailedEmail(number);
    else if (number % SENDS_PER_ARCHIVE === 4) void this.backgroundTasks.archiveCampaign(number);
    else this.ask(() => this.send(number));
  }

  private async send(number: number): Promise<void> {
    const campaign = `${this.clients.history.name}-other`;
    const respondAsync = number % 2 === 0;
    const { trackedEmail } = await this.clients.send({ respondAsync, ...(number % 5 === 3 && { campaign }) });
    if (trackedEmail && trackedEmail.linkPaths.length > 0) this.deliveredEmails.push(trackedEmail);
    if (this.deliveredEmails.length > MAX_READ_EMAILS) this.deliveredEmails.shift();
  }

  /** Two opens and then a click on each link, for one email after the other. */
  private pathFor(hit: number): string {
    const { pixelPath, linkPaths } = this.deliveredEmails[hit % this.deliveredEmails.length]!;
    const paths = [pixelPath, pixelPath, ...linkPaths];
    return paths[Math.floor(hit / this.deliveredEmails.length + hit) % paths.length]!;
  }

  private ask(request: () => Promise<unknown>): void {
    if (this.inProgress.size >= MAX_IN_PROGRESS) return;
    const work = request();
    this.inProgress.add(work);
    void work.finally(() => this.inProgress.delete(work));
  }
}
