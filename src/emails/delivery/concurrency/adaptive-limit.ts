import { joinThroughput, throughputOf, type MeasuredThroughput } from './measured-throughput.js';
import { ProbeBackoff } from './probe-backoff.js';

/** One step down multiplies the limit by this. */
const STEP = 2 / 3;
/** A lower limit must keep this share of the best throughput. */
const KEPT_SHARE = 0.95;
/** A lower limit that keeps less than this in its first deliveries is abandoned at once, ... */
const HOPELESS_SHARE = 0.8;
const HOPELESS_AFTER = 6;
/** ... and one that keeps this much is accepted early. */
const CLEAR_SHARE = 0.98;
const CLEAR_AFTER = 20;
/** Minimum size of a window: smaller ones rarely distinguish an effect from chance. */
const WINDOW_DELIVERIES = 40;
const WINDOW_MS = 1_000;
/** A larger change of throughput between two windows has another cause than the limit. */
const CHANGE = 1.6;
/** After this time with free slots, the backlog is over. */
const UNSATURATED_MS = 500;
/** Calls hang when no delivery ends for this time and for this many usual intervals. */
const STALLED_MS = 1_000;
const STALLED_INTERVALS = 10;
const STALLED_CALLS = 3;
const LONGEST_PROBE_WAIT_MS = 600_000;
/** A probe of a higher limit is cheap, but a late one costs throughput, so its delay is shorter. */
const LONGEST_UPWARD_PROBE_WAIT_MS = 60_000;
/** The delay until the next probe, as a multiple of its duration: it grows with the throughput that a probe cost. */
const WAIT_AFTER_HOPELESS = 20;
const WAIT_AFTER_WORSE = 6;
const WAIT_AFTER_NO_GAIN = 3;

/**
 * Finds the fewest concurrent calls that keep a provider's throughput, by probing. During a backlog it measures
 * deliveries per second over windows. It probes two thirds of its limit and keeps that if throughput holds; from time
 * to time it probes a higher limit. Without a backlog it cannot measure, and uses the maximum.
 * Windows count deliveries in multiples of the limit. Otherwise calls that end together, as with a provider of
 * constant latency, would be counted once more or less by chance.
 * All times are milliseconds of one clock.
 */
export class AdaptiveLimit {
  /** All possible limits, from the maximum down to 1. */
  private readonly rungs: readonly number[];
  /** The limit in use and the accepted one; they differ during a probe. */
  private rung = 0;
  private settled = 0;
  private readonly measured = new Map<number, MeasuredThroughput>();
  private window: { readonly since: number; deliveries: number } | undefined;
  private changedAt: number;
  private deliveredAt: number;
  private fullAt = -Infinity;
  private held = 0;
  private readonly down = new ProbeBackoff(LONGEST_PROBE_WAIT_MS);
  private readonly up = new ProbeBackoff(LONGEST_UPWARD_PROBE_WAIT_MS);
  private readonly changes = new ProbeBackoff(LONGEST_PROBE_WAIT_MS);

  constructor(most: number, now: number) {
    this.rungs = rungsBelow(most);
    this.changedAt = this.deliveredAt = now;
  }

  get limit(): number {
    return this.rungs[this.rung]!;
  }

  /** @param held deliveries of this worker, including those that wait for a slot */
  observe(held: number, now: number): void {
    if (Math.max(held, this.held) >= this.limit) this.fullAt = now;
    this.held = held;
    if (now < this.changedAt || !this.isSaturated(now)) this.reset(now);
    else if (this.isStalled(now)) this.relearn(now);
  }

  /** Records an email that the provider accepted or refused; other outcomes do not show its speed. */
  delivered(startedAt: number, now: number): void {
    this.deliveredAt = now;
    // A delivery that began under another limit does not count.
    if (startedAt < this.changedAt || !this.isSaturated(now)) return;
    this.window ??= { since: now, deliveries: -1 };
    this.window.deliveries += 1;
    if (this.window.deliveries > 0 && this.window.deliveries % this.limit === 0)
      this.evaluate(this.window.deliveries, now - this.window.since, now);
  }

  private evaluate(deliveries: number, ms: number, now: number): void {
    const rate = deliveries / ms;
    let enough = WINDOW_DELIVERIES;
    if (this.rung > this.settled) {
      if (deliveries >= HOPELESS_AFTER && rate < HOPELESS_SHARE * this.best()) {
        return this.stepBack(this.down, WAIT_AFTER_HOPELESS, now);
      }
      if (deliveries >= CLEAR_AFTER && rate >= CLEAR_SHARE * this.best()) enough = CLEAR_AFTER;
    }
    if (deliveries < enough || ms < WINDOW_MS) return;
    const before = this.measured.get(this.rung);
    const isOther = before
      ? Math.abs(Math.log(rate / throughputOf(before))) > Math.log(CHANGE)
      : rate > CHANGE * this.best() && this.rung > this.settled;
    if (isOther) return this.relearn(now);
    this.measured.set(this.rung, joinThroughput(before, { deliveries, ms }));
    this.window = undefined;
    this.decide(now);
  }

  private decide(now: number): void {
    if (this.rung > this.settled) {
      if (!this.keeps(this.rung)) return this.stepBack(this.down, WAIT_AFTER_WORSE, now);
      this.settleAt(this.rung, now);
      return this.tryDown(now);
    }
    if (this.rung < this.settled) {
      if (this.keeps(this.settled)) return this.stepBack(this.up, WAIT_AFTER_NO_GAIN, now);
      this.settleAt(this.rung, now);
      return this.tryUp(now);
    }
    if (this.settled > 0 && !this.keeps(this.settled)) {
      this.settleAt(this.settled - 1, now);
      return this.moveTo(this.settled, now);
    }
    if (this.down.isDue(now) && this.changes.isDue(now)) this.tryDown(now);
    if (this.rung === this.settled && this.up.isDue(now)) this.tryUp(now);
  }

  private settleAt(rung: number, now: number): void {
    this.settled = rung;
    this.down.begin(now);
    this.up.begin(now);
  }

  private tryDown(now: number): void {
    if (this.settled === this.rungs.length - 1) return;
    this.moveTo(this.settled + 1, now);
    this.measured.delete(this.rung);
  }

  private tryUp(now: number): void {
    if (this.settled === 0) return;
    this.moveTo(this.settled - 1, now);
    this.measured.delete(this.rung);
  }

  private stepBack(backoff: ProbeBackoff, waitPerTry: number, now: number): void {
    backoff.fail(waitPerTry * (now - this.changedAt), now);
    this.moveTo(this.settled, now);
  }

  private moveTo(rung: number, now: number): void {
    this.rung = rung;
    this.changedAt = now;
    this.window = undefined;
  }

  private reset(now: number): void {
    this.changes.clear();
    this.restartAtMaximum(now);
  }

  /** The provider's speed has changed. The backoff prevents constant probes while the speed fluctuates. */
  private relearn(now: number): void {
    this.changes.fail(0, now);
    this.restartAtMaximum(now);
  }

  private restartAtMaximum(now: number): void {
    this.settled = 0;
    this.down.clear();
    this.up.clear();
    this.measured.clear();
    this.deliveredAt = now;
    this.moveTo(0, now);
  }

  private keeps(rung: number): boolean {
    return throughputOf(this.measured.get(rung)!) >= KEPT_SHARE * this.best();
  }

  private best(): number {
    return Math.max(...[...this.measured.values()].map(throughputOf));
  }

  private isSaturated(now: number): boolean {
    return this.held >= this.limit || now - this.fullAt <= UNSATURATED_MS;
  }

  private isStalled(now: number): boolean {
    const usual = this.measured.get(this.settled);
    if (this.rung === 0 || !usual) return false;
    // Calls that start together end together, so a gap lasts as long as a call.
    const intervals = Math.max(STALLED_INTERVALS, STALLED_CALLS * this.rungs[this.settled]!);
    return now - this.deliveredAt > Math.max(STALLED_MS, intervals / throughputOf(usual));
  }
}

function rungsBelow(most: number): number[] {
  const rungs = [most];
  for (let limit = most; limit > 1; rungs.push(limit)) limit = Math.max(1, Math.floor(limit * STEP));
  return rungs;
}
