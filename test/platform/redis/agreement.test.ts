import { agreeOnAddress } from '../../../src/platform/redis/agreement.js';
import type { ServerAddress } from '../../../src/platform/redis/redis-servers.js';

const witnesses = [1, 2, 3].map((number) => ({ host: `sentinel-${number}`, port: 26_379 }));
const [old, now]: ServerAddress[] = [
  { host: 'redis-1', port: 6379 },
  { host: 'redis-2', port: 6379 },
];
const never = new Promise<never>(() => undefined);

function agreeOn(...answers: readonly (ServerAddress | Error | undefined | Promise<never>)[]) {
  return agreeOnAddress(witnesses, async ({ host }) => {
    const response = answers[Number(host.slice(-1)) - 1];
    if (response instanceof Error) throw response;
    return response;
  });
}

it.each([
  ['all agree', [now, now, now]],
  ['one was cut off and still names the old primary', [old, now, now]],
  ['one is away', [new Error('ECONNREFUSED'), now, now]],
  ['one never answers', [never, now, now]],
  ['one alone knows', [new Error('ECONNREFUSED'), undefined, now]],
])('names the primary when %s', async (_, answers) => {
  expect(await agreeOn(...answers)).toMatchObject(now!);
});

it('fails with a reason when no witness names one', async () => {
  await expect(agreeOn(undefined, undefined, undefined)).rejects.toThrow(
    'No Sentinel or cluster node names a Redis primary',
  );
  const away = new Error('ECONNREFUSED');
  await expect(agreeOn(away, away, away)).rejects.toThrow('ECONNREFUSED');
});
