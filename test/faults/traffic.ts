import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTasks } from './background-tasks.js';
import type { Clients, TrackedEmail } from './clients.js';

export interface Rates {
  readonly sendsPerSecond: number;
  readonly hitsPerSecond: number;
}

export const USUAL_RATES: Rates = { sendsPerSecond: 15, hitsPerSecond: 40 };

const TICK_MS = 50;
/** While so many wait for an answer, nobody asks for more: a load that piles up would be a fault of its own. */
const MOST_UNDER_WAY = 60;
/** One send of so many is one that fails and is sent again, and one an archive. */
const SENDS_PER_RETRY = 14;
const SENDS_PER_ARCHIVE = 40;
/** Hits go to the emails that were sent last, so that no email is read more often than readers do. */
const NEWEST = 60;

/** Steady sends, opens, clicks, retries and archives until they are told to stop. */
export class Traffic {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly deliveredEmails: TrackedEmail[];
  private readonly backgroundTasks: BackgroundTasks;
  private flowing = true;
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

  /** Asks for nothing more and resolves when everything that was asked has been answered or given up. */
  async stop(): Promise<void> {
    this.flowing = false;
    await this.loop;
    await Promise.all(this.underWay);
  }

  private async run({ sendsPerSecond, hitsPerSecond }: Rates): Promise<void> {
    const begun = performance.now();
    let [sends, hits] = [0, 0];
    while (this.flowing) {
      const seconds = (performance.now() - begun) / 1_000;
      for (; sends < seconds * sendsPerSecond; sends++) this.nextSend(sends);
      for (; hits < seconds * hitsPerSecond; hits++) this.ask(() => this.clients.hit(this.pathFor(hits)));
      await delay(TICK_MS);
    }
  }

  /** BackgroundTasks are not waited for: what they wait for may be what the fault holds up. */
  private nextSend(number: number): void {
    if (number % SENDS_PER_RETRY === 2) void this.backgroundTasks.retryFailedEmail(number);
    else if (number % SENDS_PER_ARCHIVE === 4) void this.backgroundTasks.archiveCampaign(number);
    else this.ask(() => this.send(number));
  }

  private async send(number: number): Promise<void> {
    const campaign = `${this.clients.history.name}-other`;
    const atOnce = number % 2 === 0;
    const { trackedEmail } = await this.clients.send({ atOnce, ...(number % 5 === 3 && { campaign }) });
    if (trackedEmail && trackedEmail.linkPaths.length > 0) this.deliveredEmails.push(trackedEmail);
    if (this.deliveredEmails.length > NEWEST) this.deliveredEmails.shift();
  }

  /** Two opens and then a click on each link, from one reader after the other. */
  private pathFor(hit: number): string {
    const { pixelPath, linkPaths } = this.deliveredEmails[hit % this.deliveredEmails.length]!;
    const paths = [pixelPath, pixelPath, ...linkPaths];
    return paths[Math.floor(hit / this.deliveredEmails.length + hit) % paths.length]!;
  }

  private ask(request: () => Promise<unknown>): void {
    if (this.underWay.size >= MOST_UNDER_WAY) return;
    const work = request();
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }
}
