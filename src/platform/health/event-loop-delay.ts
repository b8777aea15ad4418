import { createHistogram, performance } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Time between two samples while the event loop is busy. */
const BUSY_MS = 50;
/** And while it is idle, where every sample wakes the process: several fit between two scrapes. */
const IDLE_MS = 5_000;
/** The share of its time that a busy event loop works. */
const BUSY_SHARE = 0.1;

const PREFIX = 'nodejs_eventloop_lag_';

const STATISTICS = {
  min_seconds: { help: 'The minimum recorded event loop delay.', read: (delays) => delays.min },
  max_seconds: { help: 'The maximum recorded event loop delay.', read: (delays) => delays.max },
  mean_seconds: { help: 'The mean of the recorded event loop delays.', read: (delays) => delays.mean },
  stddev_seconds: {
    help: 'The standard deviation of the recorded event loop delays.',
    read: (delays) => delays.stddev,
  },
  p50_seconds: {
    help: 'The 50th percentile of the recorded event loop delays.',
    read: (delays) => delays.percentile(50),
  },
  p90_seconds: {
    help: 'The 90th percentile of the recorded event loop delays.',
    read: (delays) => delays.percentile(90),
  },
  p99_seconds: {
    help: 'The 99th percentile of the recorded event loop delays.',
    read: (delays) => delays.percentile(99),
  },
} satisfies Record<string, { help: string; read: (delays: ReturnType<typeof createHistogram>) => number }>;

/**
 * Measures how late the event loop runs a timer. The sampler of Node wakes an idle process as often as a busy one,
 * which took a third of what an idle service costs. This one doubles its interval while the event loop has little to
 * do.
 */
export class EventLoopDelay {
  private readonly delays = createHistogram();
  private timer: NodeJS.Timeout | undefined;
  private nextMs = BUSY_MS;

  /** @param busyShare returns the share of the time since its last call that the event loop worked, from 0 to 1 */
  constructor(private readonly busyShare = measureBusyShare()) {}

  /** Milliseconds until the next sample. */
  get intervalMs(): number {
    return this.nextMs;
  }

  start(): void {
    const dueAt = performance.now() + this.nextMs;
    this.timer = setTimeout(() => {
      this.sample(performance.now() - dueAt);
      this.start();
    }, this.nextMs).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Replaces those gauges of prom-client that read Node's sampler. Each scrape shows the delays since the last one. */
  register(registry: Registry): void {
    const gauges = Object.entries(STATISTICS).map(([name, { help, read }], index) => {
      registry.removeSingleMetric(PREFIX + name);
      // A scrape collects in the order of registration, so the first one sets them all.
      const gauge = new Gauge({
        ...{ name: PREFIX + name, help, registers: [registry] },
        ...(index === 0 && { collect: () => show() }),
      });
      return { gauge, read };
    });
    const show = (): void => {
      const isEmpty = this.delays.count === 0;
      for (const { gauge, read } of gauges) gauge.set(isEmpty ? 0 : read(this.delays) / 1e9);
      this.delays.reset();
    };
  }

  private sample(delayMs: number): void {
    // The histogram takes whole nanoseconds from 1.
    this.delays.record(Math.max(1, Math.round(delayMs * 1e6)));
    this.nextMs = this.busyShare() > BUSY_SHARE ? BUSY_MS : Math.min(IDLE_MS, this.nextMs * 2);
  }
}

/** Time that other processes take from a working event loop counts as work. */
export function measureBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
