/** Counts open connections per client, or per anything else that has them. */
export class ClientConnections {
  private readonly open = new Map<string, number>();

  /** @param max per client */
  constructor(private readonly max: number) {}

  /** Returns false if the client has too many connections. Call `disconnect` only after true. */
  connect(client: string): boolean {
    const open = this.open.get(client) ?? 0;
    if (open >= this.max) return false;
    this.open.set(client, open + 1);
    return true;
  }

  disconnect(client: string): void {
    const open = (this.open.get(client) ?? 1) - 1;
    if (open > 0) this.open.set(client, open);
    else this.open.delete(client);
  }
}
