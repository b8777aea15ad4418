import { StoreOutages } from '../../../src/platform/health/store-outages.js';
import { createLogger, type Logger } from '../../../src/platform/logging/logger.js';
import { Writable } from 'node:stream';

let now: number;
let lines: { level: number; msg: string; [field: string]: unknown }[];
let outages: StoreOutages;
let logger: Logger;

beforeEach(() => {
  [now, lines] = [0, []];
  outages = new StoreOutages(() => now);
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  logger = createLogger('info', [], { destination, outages });
});

const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
const messages = (): string[] => lines.map(({ msg }) => msg);

it('an outage has a line when it begins, one a minute, and one when it has ended', () => {
  for (; now <= 130_000; now += 250) outages.failed('Redis', refused());
  outages.responded('Redis');
  now += 3_000;
  for (let n = 0; n < 5; n++) outages.responded('Redis');
  expect(messages()).toEqual([
    'Redis is not available',
    'Redis is still not available',
    'Redis is still not available',
    'Redis is available again',
  ]);
  expect(lines[1]).toMatchObject({ level: 40, reason: 'connect ECONNREFUSED 127.0.0.1:1', seconds: 60 });
  expect(lines[3]).toMatchObject({ level: 40, seconds: 133 });
});

it('a connection that works while others fail neither ends the outage nor begins another one', () => {
  for (; now < 10_000; now += 500) {
    outages.failed('Postgres', refused());
    outages.responded('Postgres');
  }
  expect(messages()).toEqual(['Postgres is not available']);
});

it('lines of errors that an outage explains are left to debugging, those of any other error stay', () => {
  const ofPostgres = refused();
  outages.failed('Postgres', ofPostgres);
  logger.error({ err: new Error('A job failed', { cause: ofPostgres }) }, 'explained');
  logger.warn({ err: refused() }, 'refused by a provider');
  logger.fatal({ err: ofPostgres }, 'the end');
  logger.warn('text alone');
  expect(messages()).toEqual(['Postgres is not available', 'refused by a provider', 'the end', 'text alone']);
});

it('a Redis that refuses the login is an outage with that reason, although its connections also end', () => {
  const denied = new Error('WRONGPASS invalid username-password pair or user is disabled.');
  outages.failed('Redis', refused());
  for (; now <= 70_000; now += 250) {
    logger.warn({ err: denied }, 'Error on the delivery queue');
    outages.failed('Redis', new Error('Connection is closed.'));
  }
  expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
    ['Redis is not available', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['Redis is still not available', 'redis denies access'],
  ]);
});

it('an error of Redis that only a caller logs begins an outage', () => {
  logger.warn({ err: new Error('Command timed out') }, 'Redis did not take the job');
  expect(lines).toEqual([expect.objectContaining({ msg: 'Redis is not available', reason: 'no response in time' })]);
});

it('several addresses of one name, whose error has no text, are reported by its code', () => {
  outages.failed('Postgres', Object.assign(new AggregateError([refused()], ''), { code: 'ECONNREFUSED' }));
  expect(lines[0]).toMatchObject({ reason: 'ECONNREFUSED' });
});
