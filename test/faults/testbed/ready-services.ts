import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.js';

const CHECK_EVERY_MS = 100;
const CHECK_TIMEOUT_MS = 1_000;

/** The ready processes, as a load balancer sees them that checks every tenth of a second. */
export class ReadyServices {
  private readonly ready = new Set<ServiceProcess>();
  private readonly loop: Promise<void>;
  private watching = true;

  constructor(private readonly services: () => readonly ServiceProcess[]) {
    for (const service of services()) this.ready.add(service);
    this.loop = this.watch();
  }

  among(services: readonly ServiceProcess[]): readonly ServiceProcess[] {
    return services.filter((service) => this.ready.has(service));
  }

  /** True once requests go to the process, or if it is none of those that get requests. */
  serves(service: ServiceProcess): boolean {
    return this.ready.has(service) || !this.services().includes(service);
  }

  async stop(): Promise<void> {
    this.watching = false;
    await this.loop;
  }

  private async watch(): Promise<void> {
    while (this.watching) {
      await Promise.all(this.services().map((service) => this.check(service)));
      await delay(CHECK_EVERY_MS);
    }
  }

  private async check(service: ServiceProcess): Promise<void> {
    const request = { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) };
    const response = await fetch(`${service.address}/health/ready`, request).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) this.ready.add(service);
    else this.ready.delete(service);
  }
}
