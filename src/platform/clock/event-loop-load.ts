import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** Shorter spans say little about the load. */
const SPAN_MS = 100;

type Utilization = (since?: EventLoopUtilization) => EventLoopUtilization;

/** Measures how busy the event loop of this process was lately. */
export class EventLoopLoad {
  private since: EventLoopUtilization;
  private share = 0;

  /** @param utilization tests replace it */
  constructor(private readonly utilization: Utilization = (since) => performance.eventLoopUtilization(since)) {
    this.since = utilization();
  }

  /** The share of the last span in which the event loop worked: 0 to 1. */
  get busyShare(): number {
    const { idle, active, utilization } = this.utilization(this.since);
    if (idle + active >= SPAN_MS) {
      this.share = utilization;
      this.since = this.utilization();
    }
    return this.share;
  }
}
