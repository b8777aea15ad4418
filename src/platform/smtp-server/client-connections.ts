import { KeyCounts } from '../memory/key-counts.js';

/** Counts open connections per client, or per anything else that has them. */
export class ClientConnections {
  private readonly open = new KeyCounts();

  /** @param max per client */
  constructor(private readonly max: number) {}

  /** Returns false if the client has too many connections. Call `disconnect` only after true. */
  connect(client: string): boolean {
    if (this.open.countOf(client) >= this.max) return false;
    this.open.add(client, 1);
    return true;
  }

  disconnect(client: string): void {
    this.open.add(client, -1);
  }
}
