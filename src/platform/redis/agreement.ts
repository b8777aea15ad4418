import { writeAddress, type ServerAddress } from './redis-servers.js';

/**
 * Asks all witnesses at once where the primary is and believes most of them: after a failover, one that was cut off
 * still names the old primary. Resolves as soon as more than half agree, else when all have answered or failed.
 * @throws the last failure when nobody names one
 */
export function agreeOnAddress(
  witnesses: readonly ServerAddress[],
  ask: (witness: ServerAddress) => Promise<ServerAddress | undefined>,
): Promise<ServerAddress> {
  return new Promise((resolve, reject) => {
    const named = new Map<string, ServerAddress & { votes: number }>();
    let open = witnesses.length;
    let failure = new Error('Nobody names a primary of Redis');
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
      void ask(witness)
        .then(count, (error: Error) => void (failure = error))
        .finally(() => {
          open--;
          settle();
        });
    }
  });
}
