import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { URL } from 'node:url';
import { quantile } from '../framework/durations.mjs';

/** Requests paths of a service continuously, from a separate thread. */
export class Probes {
  #thread;

  /** @param {{ address: string, paths: string[], everyMs?: number, headers?: object }} target */
  constructor({ everyMs = 5, headers = {}, ...target }) {
    this.#thread = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { everyMs, headers, ...target } });
  }

  /** Ends the probes. @returns the start time, milliseconds and status of each; the status is 0 without a response */
  async end() {
    this.#thread.postMessage('end');
    const [times] = await once(this.#thread, 'message');
    return times;
  }
}

export function summaryOf(probes) {
  const times = probes.map(({ ms }) => ms);
  const failed = probes.filter(({ status }) => status === 0 || status >= 400).length;
  const [p50, p95, p99, most] = [
    quantile(times, 0.5),
    quantile(times, 0.95),
    quantile(times, 0.99),
    Math.max(...times),
  ];
  const figures = [p50, p95, p99, most].map((ms) => ms.toFixed(1));
  return `${times.length} requests, ${failed} not 2xx or 3xx; p50 ${figures[0]}, p95 ${figures[1]}, p99 ${figures[2]}, at most ${figures[3]} ms`;
}
