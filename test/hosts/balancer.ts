import type { RoleHost } from './role-host.js';

const CHECK_EVERY_MS = 250;

/** Distributes requests over the ready hosts, as a load balancer with health checks does. */
export class Balancer {
  private ready: RoleHost[] = [];
  private turn = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly hosts: readonly RoleHost[]) {
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS);
  }

  async check(): Promise<void> {
    const states = await Promise.all(this.hosts.map((host) => host.isReady()));
    this.ready = this.hosts.filter((_, index) => states[index]);
  }

  /** @throws TypeError of fetch when the host that was chosen cannot be reached */
  fetch(path: string, request: RequestInit): Promise<Response> {
    const host = this.ready[this.turn++ % this.ready.length];
    if (!host) throw new Error('No host is ready');
    return fetch(host.url + path, { ...request, signal: AbortSignal.timeout(30_000) });
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
