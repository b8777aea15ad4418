import { setTimeout as delay } from 'node:timers/promises';
import type { Clients, Readable } from './clients.js';

export interface Rates {
  readonly sendsPerSecond: number;
  readonly hitsPerSecond: number;
}

export const USUAL_RATES: Rates = { sendsPerSecond: 15, hitsPerSecond: 40 };

const TICK_MS = 50;
/** While so many wait for an answer, nobody asks for more: a load that piles up would be a fault of its own. */
const MOST_UNDER_WAY = 60;

/** Steady sends, opens and clicks until they are told to stop. */
export class Traffic {
  private readonly underWay = new Set<Promise<unknown>>();
  private flowing = true;
  private readonly loop: Promise<void>;

  constructor(
    private readonly clients: Clients,
    private readonly audience: readonly Readable[],
    rates: Rates,
  ) {
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
      for (; sends < seconds * sendsPerSecond; sends++) this.ask(() => this.clients.send({ atOnce: sends % 2 === 0 }));
      for (; hits < seconds * hitsPerSecond; hits++) this.ask(() => this.clients.hit(this.pathFor(hits)));
      await delay(TICK_MS);
    }
  }

  /** Opens and clicks in turn, from one reader after the other. */
  private pathFor(hit: number): string {
    const { pixelPath, linkPaths } = this.audience[hit % this.audience.length]!;
    return Math.floor(hit / this.audience.length) % 2 === 0 ? pixelPath : (linkPaths[0] ?? pixelPath);
  }

  private ask(request: () => Promise<unknown>): void {
    if (this.underWay.size >= MOST_UNDER_WAY) return;
    const work = request();
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }
}
