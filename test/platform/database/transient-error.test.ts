import {
  changedNothing,
  isInterruption,
  isTransientDatabaseError,
} from '../../../src/platform/database/transient-error.js';

const withCode = (code: string) => Object.assign(new Error('from the driver'), { code });

describe('a transient error of Postgres', () => {
  it.each([
    ['a lost connection', '08006'],
    ['a shutdown', '57P01'],
    ['a time-out', '57014'],
    ['a full disk', '53100'],
    ['no memory', '53200'],
    ['no connection left', '53300'],
    ['a disk that fails', '58030'],
    ['a server that only reads', '25006'],
    ['a deadlock', '40P01'],
    ['a lock timeout', '55P03'],
    ['an idle transaction', '25P03'],
    ['a refused connection', 'ECONNREFUSED'],
    ['a host that cannot be reached', 'EHOSTUNREACH'],
    ['a host that is down', 'EHOSTDOWN'],
    ['a network without a route', 'ENETUNREACH'],
    ['a network that is down', 'ENETDOWN'],
    ['a kind of address that this host lacks', 'EADDRNOTAVAIL'],
    ['an aborted connection', 'ECONNABORTED'],
    ['a name server that fails', 'EAI_FAIL'],
  ])('is %s', (_what, code) => {
    expect(isTransientDatabaseError(withCode(code))).toBe(true);
  });

  it.each([
    ['bad data', '22021'],
    ['a broken constraint', '23505'],
    ['a statement that is wrong', '42601'],
  ])('is not %s', (_what, code) => {
    expect(isTransientDatabaseError(withCode(code))).toBe(false);
  });

  it('includes the errors of the driver that have no code, and no others', () => {
    expect(isTransientDatabaseError(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isTransientDatabaseError(new Error('Client has encountered a connection error and is not queryable'))).toBe(
      true,
    );
    expect(isTransientDatabaseError(new Error('Client was closed and is not queryable'))).toBe(true);
    expect(isTransientDatabaseError(new Error('undefined is not a function'))).toBe(false);
    expect(isTransientDatabaseError(undefined)).toBe(false);
  });
});

it('an interruption is a transient error, but not one that the work itself may cause', () => {
  for (const code of ['08006', '57P01', '25006', '40P01', '40001', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH'])
    expect(isInterruption(withCode(code))).toBe(true);
  for (const code of ['57014', '55P03', '53200', '58030', '25P03', '23505', 'P0001'])
    expect(isInterruption(withCode(code))).toBe(false);
  expect(isInterruption(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isInterruption(new Error('Query read timeout'))).toBe(false);
});

it('a statement changed nothing if Postgres rolled it back or never got it, but perhaps if the connection was lost', () => {
  for (const code of ['57014', '40P01', '53300', '57P03', '23505', 'XX000', 'ECONNREFUSED', 'ENOTFOUND'])
    expect(changedNothing(withCode(code))).toBe(true);
  expect(changedNothing(new Error('timeout exceeded when trying to connect'))).toBe(true);
  for (const code of ['08006', '08P01', '57P01', '57P02', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
    expect(changedNothing(withCode(code))).toBe(false);
  for (const message of ['Connection terminated unexpectedly', 'Query read timeout', 'connection lost'])
    expect(changedNothing(new Error(message))).toBe(false);
});
