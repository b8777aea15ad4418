import { jest } from '@jest/globals';
import { reconnectOnError } from '../../../src/platform/redis/reconnection.js';

const READONLY = "READONLY You can't write against a read only replica.";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A new connection, which its options stand for. */
const connection = () => {
  const options = {};
  return { refused: (message: string): boolean => reconnectOnError.call(options, new Error(message)) };
};

it.each([
  READONLY,
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'MOVED 12312 10.0.0.2:6379',
  'CLUSTERDOWN The cluster is down',
  'NOREPLICAS Not enough good replicas to write.',
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  // From a script of Redis 6.
  `ERR Error running script (call to f_0): @user_script:1: -${READONLY}`,
])('a connection to a server that is not the writable primary looks for the primary: %s', (message) => {
  expect(connection().refused(message)).toBe(true);
});

it.each([
  "OOM command not allowed when used memory > 'maxmemory'.",
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'ERR value is not an integer or out of range: READONLY',
])('another error keeps the connection: %s', (message) => {
  expect(connection().refused(message)).toBe(false);
});

it('a connection looks for the primary at most once a second, whatever others do', () => {
  const [one, other] = [connection(), connection()];
  expect([one.refused(READONLY), one.refused(READONLY)]).toEqual([true, false]);
  expect(other.refused(READONLY)).toBe(true);
  jest.advanceTimersByTime(999);
  expect(one.refused(READONLY)).toBe(false);
  jest.advanceTimersByTime(1);
  expect(one.refused(READONLY)).toBe(true);
});
