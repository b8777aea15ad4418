import { agreeOnAddress } from '../../../src/platform/redis/agreement.js';
import type { ServerAddress } from '../../../src/platform/redis/redis-servers.js';

const witnesses = [1, 2, 3].map((number) => ({ host: `sentinel-${number}`, port: 26_379 }));
const [old, now]: ServerAddress[] = [
  { host: 'redis-1', port: 6379 },
  { host: 'redis-2', port: 6379 },
];
const never = new Promise<never>(() => undefined);

function agreeOn(...outcomes: readonly (ServerAddress | Error | undefined | Promise<never>)[]) {
  return agreeOnAddress(witnesses, async ({ host }) => {
    const outcome = outcomes[Number(host.slice(-1)) - 1];
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
}

it.each([
  ['all agree', [now, now, now]],
  ['one was cut off and still names the old primary', [old, now, now]],
  ['one is down', [new Error('ECONNREFUSED'), now, now]],
  ['one never responds', [never, now, now]],
  ['only one knows it', [new Error('ECONNREFUSED'), undefined, now]],
])('names the primary when %s', async (_, outcomes) => {
  expect(await agreeOn(...outcomes)).toMatchObject(now!);
});

it('fails with a reason when no witness names one', async () => {
  await expect(agreeOn(undefined, undefined, undefined)).rejects.toThrow(
    'No Sentinel or cluster node names a Redis primary',
  );
  const unreachable = new Error('ECONNREFUSED');
  await expect(agreeOn(unreachable, unreachable, unreachable)).rejects.toThrow('ECONNREFUSED');
});
