import { X509Certificate, type KeyObject } from 'node:crypto';
import type { Clock } from '../../../platform/clock/clock.js';
import { BoundedMap } from '../../../platform/memory/bounded-map.js';
import type { SnsFetch } from './sns-fetch.js';

interface Entry {
  readonly key: Promise<KeyObject | undefined>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const DAY_MS = 24 * 60 * 60_000;
const FAILURE_MS = 30_000;
const MINUTE_MS = 60_000;
/** SNS has one certificate a region, and changes it about once a year. */
const MAX_KEYS = 20;
/** The address is part of a message that is not verified yet, so a stranger may name a new one in each call. */
const MAX_FETCHES_PER_MINUTE = 20;

/** The keys of the certificates with which SNS signs. Fetches each once a day, and few a minute. */
export class SnsCertificates {
  /** Kept apart from failures, so that a stranger's addresses do not replace them. */
  private readonly keys = new BoundedMap<string, Entry>(MAX_KEYS);
  /** Fetches that run or failed. Their rate bounds their number. */
  private readonly attempts = new Map<string, Entry>();
  private minute = 0;
  private fetches = 0;

  constructor(
    private readonly fetch: SnsFetch,
    private readonly clock: Clock,
  ) {}

  /**
   * The key of a certificate; undefined if it cannot be fetched now.
   * @param url a pinned address
   */
  keyOf(url: URL): Promise<KeyObject | undefined> {
    const now = this.clock.now();
    for (const entries of [this.keys, this.attempts])
      for (const [href, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(href);
    const known = this.keys.get(url.href) ?? this.attempts.get(url.href);
    if (known) return known.key;
    if (!this.mayFetch(now)) return Promise.resolve(undefined);
    const attempt: Entry = { key: this.load(url), expiresAt: Infinity };
    this.attempts.set(url.href, attempt);
    void attempt.key.then((key) => this.settle(url.href, attempt, key));
    return attempt.key;
  }

  private mayFetch(now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.minute) this.fetches = 0;
    this.minute = minute;
    this.fetches += 1;
    return this.fetches <= MAX_FETCHES_PER_MINUTE;
  }

  private async load(url: URL): Promise<KeyObject | undefined> {
    try {
      return new X509Certificate(await this.fetch(url)).publicKey;
    } catch {
      return undefined;
    }
  }

  private settle(href: string, attempt: Entry, key: KeyObject | undefined): void {
    if (!key) {
      attempt.expiresAt = this.clock.now() + FAILURE_MS;
      return;
    }
    this.attempts.delete(href);
    this.keys.set(href, { key: attempt.key, expiresAt: this.clock.now() + DAY_MS });
  }
}
