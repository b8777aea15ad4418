import { writeAddress, type ServerAddress } from './redis-servers.js';

/**
 * Queries all nodes concurrently for the primary and takes the majority's address. After a failover, a partitioned
 * node still names the old primary. Resolves once more than half agree, or once all have responded or failed.
 * @throws the last failure when no node names a primary
 */
export function agreeOnAddress(
  nodes: readonly ServerAddress[],
  query: (node: ServerAddress) => Promise<ServerAddress | undefined>,
): Promise<ServerAddress> {
  return new Promise((resolve, reject) => {
    const named = new Map<string, ServerAddress & { votes: number }>();
    let open = nodes.length;
    let failure = new Error('No Sentinel or cluster node names a Redis primary');
    const settle = (): void => {
      const [first] = [...named.values()].sort((a, b) => b.votes - a.votes);
      if (first && (open === 0 || first.votes > nodes.length / 2)) resolve(first);
      else if (open === 0) reject(failure);
    };
    const count = (address: ServerAddress | undefined): void => {
      if (!address) return;
      const name = writeAddress(address);
      named.set(name, { ...address, votes: (named.get(name)?.votes ?? 0) + 1 });
    };
    for (const node of nodes) {
      void query(node)
        .then(count, (error: Error) => void (failure = error))
        .finally(() => {
          open--;
          settle();
        });
    }
  });
}
