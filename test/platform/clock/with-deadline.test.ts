import { describe, expect, it, jest } from '@jest/globals';
import { DeadlineError, withDeadline } from '../../../src/platform/clock/with-deadline.js';

describe('withDeadline', () => {
  const never = new Promise<never>(() => undefined);

  it('returns what the work returns, and leaves no timer', async () => {
    const timers = jest.spyOn(globalThis, 'clearTimeout');
    await expect(withDeadline(60_000, Promise.resolve('done'))).resolves.toBe('done');
    expect(timers).toHaveBeenCalledTimes(1);
    timers.mockRestore();
  });

  it('throws the error of the work', async () => {
    await expect(withDeadline(60_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('throws when the work takes longer, and ignores its later failure', async () => {
    let fail: (reason: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => (fail = reject));
    await expect(withDeadline(1, work)).rejects.toThrow(new DeadlineError());
    fail(new Error('too late'));
    await expect(withDeadline(1, never)).rejects.toThrow('no response in time');
  });

  it('returns a result that had arrived when the busy process noticed the deadline', async () => {
    // An immediate that is scheduled by another one runs after the timers of the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    const work = withDeadline(1, new Promise((resolve) => setImmediate(resolve, 'arrived')));
    const busyUntil = performance.now() + 10;
    while (performance.now() < busyUntil);
    await expect(work).resolves.toBe('arrived');
  });
});
