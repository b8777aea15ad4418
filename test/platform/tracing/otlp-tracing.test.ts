import { jest } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { OtlpTracing } from '../../../src/platform/tracing/otlp-tracing.js';
import { eventually } from '../../support/eventually.js';
import { StubServer } from '../../support/stub-server.js';

/** Requests without a response. */
const exports: ServerResponse[] = [];
const collector = new StubServer((_request, response) => void exports.push(response));

beforeAll(() => collector.listen());
afterAll(() => collector.close());

it('a process that stops waits for a silent collector for two seconds', async () => {
  const tracing = new OtlpTracing(collector.url, 1, ['api']);
  const emailId = '0197f3a0-0000-7000-8000-000000000001';
  await tracing.begin({ emailId, name: 'work', kind: 'server' }, 0, async () => undefined);
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  let hasStopped = false;
  void tracing.stop().then(() => (hasStopped = true));
  const hasStoppedAfter = async (milliseconds: number): Promise<boolean> => {
    jest.advanceTimersByTime(milliseconds);
    for (let turns = 0; turns < 10; turns++) await turn();
    return hasStopped;
  };
  expect(await hasStoppedAfter(1_999)).toBe(false);
  expect(await hasStoppedAfter(1)).toBe(true);
  jest.useRealTimers();
  (await eventually(() => exports[0])).end('{}');
});
