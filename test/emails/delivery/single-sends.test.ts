import { setImmediate } from 'node:timers/promises';
import { DeliverBatch } from '../../../src/emails/delivery/deliver-batch.js';
import { SendRun } from '../../../src/emails/delivery/send-run.js';
import { SingleSends } from '../../../src/emails/delivery/single-sends.js';

const BUSY = 0.41;

function sendsOf(busyShare = BUSY) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  return { clock, sends: new SingleSends(clock, { busyShare }) };
}

/** A send that lasts until `end` is called. */
function begin(sends: SingleSends) {
  let end!: () => void;
  const over = sends.during(() => new Promise<void>((resolve) => (end = resolve)));
  return { end, over };
}

/** Whether a promise is settled, without a turn of the event loop, so that no timer can have settled it. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return settled;
}

describe('giving way to single sends', () => {
  it('takes no time while there are none', async () => {
    const { sends } = sendsOf();
    expect(await isSettled(sends.giveWay())).toBe(true);
    await sends.during(() => Promise.resolve());
    expect(await isSettled(sends.giveWay())).toBe(true);
  });

  it('lasts until none is under way, even if one fails', async () => {
    const { sends } = sendsOf();
    const first = begin(sends);
    const given = sends.giveWay();
    const second = begin(sends);
    expect(await isSettled(given)).toBe(false);
    first.end();
    expect(await isSettled(given)).toBe(false);
    second.end();
    expect(await isSettled(given)).toBe(true);
    await expect(sends.during(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await isSettled(sends.giveWay())).toBe(true);
  });

  it('takes no time while the process has time for both', async () => {
    const { sends } = sendsOf(0.4);
    const { end, over } = begin(sends);
    expect(await isSettled(sends.giveWay())).toBe(true);
    end();
    await over;
  });

  it('ends by itself while sends go on', async () => {
    const { sends } = sendsOf();
    const { end, over } = begin(sends);
    await sends.giveWay();
    end();
    await over;
  });

  it('does not wait for a send that has waited for its provider for long', async () => {
    const { sends, clock } = sendsOf();
    const { end, over } = begin(sends);
    clock.ms += 50;
    expect(await isSettled(sends.giveWay())).toBe(false);
    clock.ms += 1;
    expect(await isSettled(sends.giveWay())).toBe(true);
    end();
    await over;
  });

  it('does not wait for it because others begin', async () => {
    const { sends, clock } = sendsOf();
    const { end, over } = begin(sends);
    clock.ms += 51;
    const later = begin(sends);
    const given = sends.giveWay();
    expect(await isSettled(given)).toBe(false);
    later.end();
    expect(await isSettled(given)).toBe(true);
    expect(await isSettled(sends.giveWay())).toBe(true);
    end();
    await over;
  });
});

it.each([
  [0.41, 999, true],
  [0.4, 999, false],
  [0.41, 1_000, false],
])('at a load of %s, %s ms after the last one, sends need room: %s', async (busyShare, ms, expected) => {
  const { sends, clock } = sendsOf(busyShare);
  expect(sends.needRoom).toBe(false);
  await sends.during(() => Promise.resolve());
  clock.ms += ms;
  expect(sends.needRoom).toBe(expected);
});

describe('in a worker', () => {
  it('a job with a single email is a send', async () => {
    const { sends } = sendsOf();
    const during: boolean[] = [];
    const organizations = {
      ownersOf: async () => {
        during.push(!(await isSettled(sends.giveWay())));
        return ['unneeded'];
      },
    };
    const delivery = { reportSent: () => Promise.resolve(undefined) };
    const parts = [undefined, undefined, delivery, undefined, organizations, undefined, sends, undefined];
    const run = new SendRun(...(parts as unknown as ConstructorParameters<typeof SendRun>));
    await run.run({ emailId: 'one' }, 0);
    expect(during).toEqual([true]);
  });

  it('a send computes before and after it waits for a slot of the provider, not meanwhile', async () => {
    const { sends } = sendsOf();
    let gives!: (hasSlot: boolean) => void;
    const [slot, seen] = [new Promise<boolean>((resolve) => (gives = resolve)), [] as boolean[]];
    const see = async () => void seen.push(!(await isSettled(sends.giveWay())));
    let isWaiting!: () => void;
    const waits = new Promise<void>((resolve) => (isWaiting = resolve));
    const slots = { tryTake: () => false, take: () => (isWaiting(), slot), free: () => undefined };
    const ahead = { prepare: see, release: () => undefined };
    const providers = { remainingMs: () => Promise.resolve(0) };
    const organizations = { ownersOf: () => Promise.resolve([undefined]) };
    const parts = [slots, ahead, { run: see }, providers, organizations, undefined, sends, undefined];
    const run = new SendRun(...(parts as unknown as ConstructorParameters<typeof SendRun>));
    const over = run.run({ emailId: 'one' }, 0);
    await waits;
    await see();
    gives(true);
    await over;
    expect(seen).toEqual([true, false, true]);
  });

  it('a chunk of a broadcast gives way before it is loaded', async () => {
    let end!: () => void;
    const sends = { giveWay: () => new Promise<void>((resolve) => (end = resolve)) };
    let loads = 0;
    const emails = { findBatch: () => Promise.resolve((loads++, [])) };
    const parts = [emails, undefined, undefined, undefined, undefined, undefined, sends];
    const batch = new DeliverBatch(...(parts as unknown as ConstructorParameters<typeof DeliverBatch>));
    const prepared = batch.prepare(['one']);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(loads).toBe(0);
    end();
    expect((await prepared).size).toBe(0);
    expect(loads).toBe(1);
  });
});
