import { writeAddress, type ServerAddress } from './redis-servers.js';

/**
 * Queries all witnesses concurrently for the primary and takes the majority's address. After a failover, a partitioned
 * witness still names the old primary. Resolves once more than half agree, or once all have responded or failed.
 * @throws the last failure when no witness names a primary
 */
export function agreeOnAddress(
  witnesses: readonly ServerAddress[],
  query: (witness: ServerAddress) => Promise<ServerAddress | undefined>,
): Promise<ServerAddress> {
  return new Promise((resolve, reject) => {
    const named = new Map<string, ServerAddress & { votes: number }>();
    let open = witnesses.length;
    let failure = new Error('No witness names a Redis primary');
    const settle = (): void => {
      const [first] = [...named.values()].sort((a, b) => b.votes - a.votes);
      if (first && (open === 0 || first.votes > witnesses.length / 2)) resolve(first);
      else if (open === 0) reject(failure);
    };
    const count = (address: ServerAddress | undefined): void => {
      if (!address) return;
      const name = writeAddress(address);
      named.set(name, { ...address, votes: (named.get(name)?.votes ?? 0) + 1 });
    };
    for (const witness of witnesses) {
      void query(witness)
        .then(count, (error: Error) => void (failure = error))
        .finally(() => {
          open--;
          settle();
        });
    }
  });
}
