import { jest } from '@jest/globals';
import { Readiness } from '../../../src/platform/health/readiness.js';

function readiness() {
  const state = { checks: 0, present: true };
  const checked = new Readiness();
  checked.require('api', 'postgres', async () => {
    state.checks++;
    if (!state.present) throw new Error('gone');
  });
  return { checked, state };
}

describe('readiness', () => {
  it('checks its dependencies once a second, however often it is requested', async () => {
    const { checked, state } = readiness();
    const reports = await Promise.all(Array.from({ length: 50 }, () => checked.report()));
    reports.push(await checked.report());
    expect(reports).toEqual(Array(51).fill({ ready: true, roles: { api: { postgres: 'ok' } } }));
    expect(state.checks).toBe(1);
  });

  it('notices a change after that second', async () => {
    const now = jest.spyOn(performance, 'now');
    const { checked, state } = readiness();
    const start = performance.now();
    now.mockReturnValue(start);
    expect((await checked.report()).ready).toBe(true);
    state.present = false;
    now.mockReturnValue(start + 1_001);
    expect(await checked.report()).toEqual({ ready: false, roles: { api: { postgres: 'gone' } } });
    now.mockRestore();
  });

  it('ends at once when the process drains, and says so', async () => {
    const { checked } = readiness();
    expect((await checked.report()).ready).toBe(true);
    checked.stop();
    expect(await checked.report()).toEqual({
      ready: false,
      reason: 'the process is stopping',
      roles: { api: { postgres: 'ok' } },
    });
  });
});
