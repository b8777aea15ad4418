import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { fetch } from 'undici';
import { newsletter } from '../send/newsletter.mjs';

/** Timeout for an email that was not sent in time for the response. */
const TIMEOUT_MS = 300_000;

/** Sends of one organization, one at a time. */
export class SingleSends {
  /** The timeline of each email that was not sent in time for the response. */
  late = [];

  /** @param base address of the API */
  constructor(base, apiKey) {
    this.base = base;
    this.headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  }

  /** @returns the milliseconds of each */
  async several(count) {
    const times = [];
    while (times.length < count) times.push(await this.one());
    return times;
  }

  /** @returns milliseconds until the email is sent */
  async one() {
    const { base, headers } = this;
    const email = { from: 'x@other.test', to: 'reader@example.com', subject: 'One', htmlContent: newsletter() };
    const startedAt = performance.now();
    const response = await fetch(`${base}/api/send`, { method: 'POST', body: JSON.stringify(email), headers });
    await response.text();
    const respondedAfter = performance.now() - startedAt;
    if (response.status === 200) return respondedAfter;
    if (response.status !== 202) throw new Error(`A single send got ${response.status}`);
    const location = response.headers.get('location');
    while ((await this.#read(location)).status !== 'sent') {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`${location} is not sent`);
      await setTimeout(100);
    }
    const sentAfter = performance.now() - startedAt;
    const { timeline } = await this.#read(`${location}/timeline`);
    const events = timeline.map(({ type, at, ...rest }) => `${at} ${type} ${JSON.stringify(rest)}`).join('; ');
    this.late.push(`202 after ${respondedAfter.toFixed(0)} ms, sent after ${sentAfter.toFixed(0)} ms: ${events}`);
    return sentAfter;
  }

  async #read(path) {
    return (await fetch(this.base + path, { headers: this.headers })).json();
  }
}
